package chat

import (
	"strings"
)

// maxRecalled is how many lines are kept, maxRecalledLength the maximum length of a kept line in
// bytes.
const (
	maxRecalled       = 1000
	maxRecalledLength = 16 << 10
)

// inputHistory is the input history and the position in it.
type inputHistory struct {
	lines []string
	at    int    // len(lines) if no line is recalled
	draft string // the input before the first recall
}

func (r *inputHistory) load(lines []string) {
	r.lines = append(lines[:len(lines):len(lines)], r.lines...)
	r.at = len(r.lines)
}

// add adds a line, and reports whether to save it.
func (r *inputHistory) add(line string) bool {
	defer func() { r.at, r.draft = len(r.lines), "" }()
	if strings.TrimSpace(line) == "" || len(r.lines) > 0 && r.lines[len(r.lines)-1] == line {
		return false
	}
	r.lines = append(r.lines, line)
	if over := len(r.lines) - maxRecalled; over > 0 {
		r.lines = append([]string(nil), r.lines[over:]...)
	}
	return len(line) <= maxRecalledLength
}

// older and newer return the adjacent line. now is the current input.
func (r *inputHistory) older(now string) (string, bool) {
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

func (r *inputHistory) newer(now string) (string, bool) {
	if r.at >= len(r.lines) {
		return now, false
	}
	if r.at++; r.at == len(r.lines) {
		return r.draft, true
	}
	return r.lines[r.at], true
}

// find returns the index of the latest line before index before that contains words, or -1.
func (r *inputHistory) find(words string, before int) int {
	for i := min(before, len(r.lines)) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(r.lines[i]), strings.ToLower(words)) {
			return i
		}
	}
	return -1
}
