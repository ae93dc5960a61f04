package memory

import (
	"regexp"
	"strings"
)

var tableBar = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

// beginsTable reports whether a line is a table's header: a line of dashes follows it.
func (s *scanner) beginsTable(at int) bool {
	if at+1 >= len(s.lines) || !strings.Contains(s.lines[at], "|") {
		return false
	}
	_, bar := splitIndent(s.lines[at+1])
	return strings.Contains(bar, "|") && tableBar.MatchString(bar)
}

func (s *scanner) table() {
	header := strings.Join(cells(s.lines[s.pos]), " | ")
	s.add(block{kind: heading, text: header}, s.pos+1)
	s.add(block{kind: comment}, s.pos+1)
	for s.pos < len(s.lines) && strings.Contains(s.lines[s.pos], "|") && !s.interrupts(s.pos) {
		s.add(block{kind: row}, s.pos+1)
	}
}

// cells returns the cells of a row.
func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	var out []string
	for _, c := range strings.Split(line, "|") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}
