package report

import (
	"strings"
	"unicode"
)

// maxLineRunes is the maximum length of a shown line: a log line can contain a whole document.
const maxLineRunes = 180

// joinBlocks joins the non-empty parts with newlines.
func joinBlocks(parts ...string) string {
	var keep []string
	for _, p := range parts {
		if p != "" {
			keep = append(keep, p)
		}
	}
	return strings.Join(keep, "\n")
}

// paragraphs joins the non-empty parts with blank lines.
func paragraphs(parts ...string) string {
	var keep []string
	for _, p := range parts {
		if p != "" {
			keep = append(keep, p)
		}
	}
	return strings.Join(keep, "\n\n")
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
	lines := outputLines(s)
	if len(lines) <= limit {
		return strings.Join(lines, "\n")
	}
	head := lines[:limit-1]
	return strings.Join(head, "\n") + "\n… (+" + itoa(len(lines)-len(head)) + ")"
}

// essentialLines returns the last meaningful lines: those with errors if there are any, or else the end.
func essentialLines(s string, limit int) string {
	lines := outputLines(s)
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

// outputLines returns the non-empty lines of an output, cleaned by cleanLine.
func outputLines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		if l := cleanLine(line); strings.TrimSpace(l) != "" {
			out = append(out, l)
		}
	}
	return out
}

// cleanLine removes control characters and limits the length. It drops text that a carriage return overwrote
// (progress bars).
func cleanLine(line string) string {
	line = strings.TrimRight(line, "\r\n")
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	line = stripEscapes(line)
	line = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), r == 0x202E, r == 0x202D, r == 0x2066, r == 0x2067, r == 0xFEFF:
			return -1
		}
		return r
	}, line)
	line = strings.TrimRight(line, " ")
	if rs := []rune(line); len(rs) > maxLineRunes {
		line = string(rs[:maxLineRunes]) + "…"
	}
	return line
}

// stripEscapes removes terminal control sequences (ECMA-48 CSI and OSC).
func stripEscapes(s string) string {
	if !strings.ContainsRune(s, 0x1b) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '[' {
			for i += 2; i < len(s) && (s[i] < 0x40 || s[i] > 0x7e); i++ {
			}
			continue
		}
		if i+1 < len(s) && s[i+1] == ']' {
			for i += 2; i < len(s) && s[i] != 0x07 && s[i] != 0x1b; i++ {
			}
		}
	}
	return b.String()
}

// toLowerLimited lower-cases the end of a long text, which contains the errors.
func toLowerLimited(s string) string {
	const limit = 16 << 10
	if len(s) > limit {
		s = s[len(s)-limit:]
	}
	return strings.ToLower(s)
}
