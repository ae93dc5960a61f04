package safety

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// buildPrograms indexes the rows by program name.
func buildPrograms() map[string]*program {
	table := map[string]*program{}
	for _, rows := range [][]program{
		coreutils, shellBuiltins, processes, disks, hardware, systemdPrograms, packages, network, filters, files,
		archives, desktop, containers, identities, versionOnly,
	} {
		for i := range rows {
			if err := checkRestricted(&rows[i]); err != nil {
				panic("safety: " + err.Error())
			}
			for _, n := range strings.Fields(rows[i].names) {
				if table[n] != nil {
					panic("safety: program " + n + " is in two rows")
				}
				table[n] = &rows[i]
			}
		}
	}
	return table
}

// ListedProgram is a program of the tables and its purpose.
type ListedProgram struct {
	Name string `json:"name"`
	Why  string `json:"why"`
	// Reaches reports whether one of its forms reaches other hosts.
	Reaches bool `json:"reaches,omitempty"`
}

// Programs returns the programs with a read-only form in the tables, sorted by name. They include wrappers that
// are safe around a safe command.
func Programs() []ListedProgram {
	var out []ListedProgram
	for n, p := range buildPrograms() {
		out = append(out, ListedProgram{n, p.why, slices.ContainsFunc(p.forms, func(f form) bool { return f.reaches != "" })})
	}
	for n, w := range wrapperTable() {
		if w.safe {
			out = append(out, ListedProgram{Name: n, Why: w.why})
		}
	}
	sorting.By(out, func(a, b ListedProgram) int { return strings.Compare(a.Name, b.Name) })
	return out
}
