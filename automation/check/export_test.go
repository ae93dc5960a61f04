package check

import (
	"maps"
	"slices"
)

// Names returns the names of the checks.
func Names() []string {
	var names []string
	for _, r := range table() {
		names = append(names, r.name)
	}
	return names
}

// Codes returns the codes of findings.
func Codes() []string { return slices.Sorted(maps.Keys(phrases())) }
