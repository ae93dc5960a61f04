package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// joinBlocks joins the non-empty parts with newlines.
func joinBlocks(parts ...string) string {
	return strings.Join(filter(parts, func(p string) bool { return p != "" }), "\n")
}

// paragraphs joins the non-empty parts with blank lines.
func paragraphs(parts ...string) string {
	return strings.Join(filter(parts, func(p string) bool { return p != "" }), "\n\n")
}

// bullets formats lines as a list.
func bullets(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "- " + strings.Join(lines, "\n- ")
}

// quote indents program output by two blanks.
func quote(s string) string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = "  " + l
	}
	return strings.Join(lines, "\n")
}

// excerpt returns the first lines of an output and the number of omitted ones.
func excerpt(s string, limit int) string {
	lines := machine.Lines(s)
	if len(lines) <= limit {
		return strings.Join(lines, "\n")
	}
	head := lines[:limit-1]
	return strings.Join(head, "\n") + "\n… (+" + itoa(len(lines)-len(head)) + ")"
}

// essentialLines returns the last meaningful lines: those with errors if there are any, or else the end.
func essentialLines(s string, limit int) string {
	lines := machine.Lines(s)
	var bad []string
	for _, l := range lines {
		low := strings.ToLower(l)
		if containsAny(low, "error", "fail", "cannot", "unable", "not found", "denied", "conflict", "invalid", "오류", "실패", "错误") {
			bad = append(bad, l)
		}
	}
	if len(bad) == 0 {
		bad = lines
	}
	if len(bad) > limit {
		bad = bad[len(bad)-limit:]
	}
	return strings.Join(bad, "\n")
}

// toLowerLimited lower-cases the end of a long text, which contains the errors.
func toLowerLimited(s string) string {
	const limit = 16 << 10
	if len(s) > limit {
		s = s[len(s)-limit:]
	}
	return strings.ToLower(s)
}
