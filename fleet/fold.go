package fleet

import (
	"regexp"
	"slices"
	"strings"
)

// Fold is what several machines answered alike.
type Fold struct {
	Text     string
	Machines []Machine
}

// figures are what differs between machines that answer alike: numbers with their units, and times.
var figures = regexp.MustCompile(`\d[\d.,:]*\s?(%|[KMGT]i?B?\b)?`)

// FoldAnswers joins the answers that differ only in figures, the largest group first, groups of the same size by their
// machines. A group shows the answer of its first machine.
func FoldAnswers(answers map[Machine]string) []Fold {
	groups := map[string]*Fold{}
	var order []string
	for _, m := range SortMachines(answers) {
		shape := strings.Join(strings.Fields(figures.ReplaceAllString(answers[m], "#")), " ")
		g := groups[shape]
		if g == nil {
			g = &Fold{Text: answers[m]}
			groups[shape] = g
			order = append(order, shape)
		}
		g.Machines = append(g.Machines, m)
	}
	all := make([]Fold, len(order))
	for i, shape := range order {
		all[i] = *groups[shape]
	}
	slices.SortStableFunc(all, func(a, b Fold) int { return len(b.Machines) - len(a.Machines) })
	return all
}

// SortMachines returns the machines of a map in the order of their names.
func SortMachines[T any](of map[Machine]T) []Machine {
	all := make([]Machine, 0, len(of))
	for m := range of {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Machine) int { return strings.Compare(a.String(), b.String()) })
	return all
}
