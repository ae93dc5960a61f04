package tui

import (
	"strings"
)

// mostRecalled is how many lines are kept, longestRecalled the maximum length of a kept line in
// bytes.
const (
	mostRecalled    = 1000
	longestRecalled = 16 << 10
)

// recall is the input history and the position in it.
type recall struct {
	lines []string
	at    int    // len(lines) if no line is recalled
	draft string // the input before the first recall
}

func (r *recall) load(lines []string) {
	r.lines = append(lines[:len(lines):len(lines)], r.lines...)
	r.at = len(r.lines)
}

// add adds a line, and reports whether to save it.
func (r *recall) add(line string) bool {
	defer func() { r.at, r.draft = len(r.lines), "" }()
	if strings.TrimSpace(line) == "" || len(r.lines) > 0 && r.lines[len(r.lines)-1] == line {
		return false
	}
	r.lines = append(r.lines, line)
	if over := len(r.lines) - mostRecalled; over > 0 {
		r.lines = append([]string(nil), r.lines[over:]...)
	}
	return len(line) <= longestRecalled
}

// older and newer return the adjacent line. now is the current input.
func (r *recall) older(now string) (string, bool) {
	if r.at == 0 {
		return now, false
	}
	if r.at == len(r.lines) {
		r.draft = now
	}
	r.at--
	if r.at > 0 && r.lines[r.at] == now { // a question that was returned to the input
		r.at--
	}
	return r.lines[r.at], true
}

func (r *recall) newer(now string) (string, bool) {
	if r.at >= len(r.lines) {
		return now, false
	}
	if r.at++; r.at == len(r.lines) {
		return r.draft, true
	}
	return r.lines[r.at], true
}

// find returns the index of the latest line before index before that contains words, or -1.
func (r *recall) find(words string, before int) int {
	for i := min(before, len(r.lines)) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(r.lines[i]), strings.ToLower(words)) {
			return i
		}
	}
	return -1
}
