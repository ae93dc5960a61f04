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

func firstParagraph(s string) string {
	head, _, _ := strings.Cut(s, "\n\n")
	return head
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
	if s = strings.Trim(s, "\n"); s == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(s, "\n", "\n  ")
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
	bad := filter(lines, func(l string) bool {
		return containsAny(strings.ToLower(l), "error", "fail", "cannot", "unable", "not found", "denied", "conflict",
			"invalid", "오류", "실패", "错误")
	})
	if len(bad) == 0 {
		bad = lines
	}
	return strings.Join(bad[max(0, len(bad)-limit):], "\n")
}

// toLowerLimited lower-cases the end of a long text, which contains the errors.
func toLowerLimited(s string) string {
	const limit = 16 << 10
	if len(s) > limit {
		s = s[len(s)-limit:]
	}
	return strings.ToLower(s)
}
