package machine

import (
	"strings"
	"unicode"
)

// maxLineRunes is the maximum length of a line: a log line can contain a whole document.
const maxLineRunes = 180

// Lines returns the non-empty lines of an output, cleaned by [CleanLine].
func Lines[T string | []byte](text T) []string {
	var out []string
	for line := range strings.Lines(string(text)) {
		if l := CleanLine(line); strings.TrimSpace(l) != "" {
			out = append(out, l)
		}
	}
	return out
}

// CleanLine removes control characters and limits the length. It drops text that a carriage return overwrote
// (progress bars).
func CleanLine(line string) string {
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
