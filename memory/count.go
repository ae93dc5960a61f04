package memory

import (
	"cmp"
	"context"
	"slices"
)

// Counted is how many notes there are.
type Counted struct {
	Notes      int             `json:"notes"`
	Categories []CategoryCount `json:"categories"` // core and daily first
	// Problems say what cannot be counted, and what mends it.
	Problems []string `json:"problems,omitempty"`
}

// CategoryCount is how many of them are of one category.
type CategoryCount struct {
	Category Category `json:"category"`
	Notes    int      `json:"notes"`
}

// Count returns how many notes there are, without those of SYSTEM.md, which
// nobody asked to be kept. With an error that lists what could not be read it
// counts the others all the same.
func (m *Memory) Count(ctx context.Context) (Counted, error) {
	notes, err := m.Notes(ctx)
	by := map[Category]int{Core: 0, Daily: 0}
	all := 0
	for _, n := range notes {
		if n.Source != systemFile {
			by[n.Category]++
			all++
		}
	}
	counted := Counted{Notes: all, Categories: []CategoryCount{}}
	for c, n := range by {
		counted.Categories = append(counted.Categories, CategoryCount{c, n})
	}
	first := []Category{Daily, Core} // by how far from the end of the list
	slices.SortFunc(counted.Categories, func(a, b CategoryCount) int {
		return cmp.Or(slices.Index(first, b.Category)-slices.Index(first, a.Category), cmp.Compare(a.Category, b.Category))
	})
	return counted, err
}
