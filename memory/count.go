package memory

import (
	"cmp"
	"context"
	"slices"
)

// NoteCounts is the number of notes, in total and by category.
type NoteCounts struct {
	Notes      int             `json:"notes"`
	Categories []CategoryCount `json:"categories"` // core and daily first
	// Problems describe files that could not be counted, with a command that helps.
	Problems []string `json:"problems,omitempty"`
}

// CategoryCount is the number of notes of one category.
type CategoryCount struct {
	Category Category `json:"category"`
	Notes    int      `json:"notes"`
}

// Count returns the number of notes, without those of SYSTEM.md, which the program writes. If files cannot be
// read, it counts the others and returns an error that lists the unreadable ones.
func (m *Memory) Count(ctx context.Context) (NoteCounts, error) {
	notes, err := m.Notes(ctx)
	by := map[Category]int{Core: 0, Daily: 0}
	all := 0
	for _, n := range notes {
		if n.Source != systemFile {
			by[n.Category]++
			all++
		}
	}
	counted := NoteCounts{Notes: all, Categories: []CategoryCount{}}
	for c, n := range by {
		counted.Categories = append(counted.Categories, CategoryCount{c, n})
	}
	first := []Category{Daily, Core} // in reverse: these two come first
	slices.SortFunc(counted.Categories, func(a, b CategoryCount) int {
		return cmp.Or(slices.Index(first, b.Category)-slices.Index(first, a.Category), cmp.Compare(a.Category, b.Category))
	})
	return counted, err
}
