package names

import (
	"iter"
	"strings"
)

// Rows returns the tab-separated fields of every row of a table, without blank rows and rows that begin with #.
func Rows(table string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(table) {
			line = strings.TrimRight(line, "\r\n")
			if strings.TrimSpace(line) == "" || line[0] == '#' {
				continue
			}
			if !yield(strings.Split(line, "\t")) {
				return
			}
		}
	}
}
