package commandlog

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes a command one line that shows what it is: controls, C1, line
// and paragraph separators, bidirectional and zero-width characters and bytes
// that are not UTF-8 become \n, \r, \t, \xHH, \u{HHHH}. A backslash is
// doubled only where it would otherwise read as one of these, so that an
// ordinary command stands in the log as it was typed. [Unescape] reverses it.
func Escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		next := s[i+size:]
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\' && readsAsEscape(next):
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case hidden(r):
			fmt.Fprintf(&b, `\u{%04X}`, r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// readsAsEscape reports whether a backslash before next would be taken for
// the start of an escape.
func readsAsEscape(next string) bool {
	if next == "" {
		return true
	}
	r, size := utf8.DecodeRuneInString(next)
	return strings.ContainsRune(`nrtxu\`, r) || hidden(r) || r == utf8.RuneError && size == 1
}

// hidden reports whether a character does not show, or changes how others
// show: controls (Cc), formats (Cf: bidi, zero width, soft hyphen), line and
// paragraph separators, and the Hangul fillers.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) ||
		r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0'
}

// Unescape returns the command that [Escape] was given.
func Unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		text, n := unescapeOne(s[i:])
		b.WriteString(text)
		i += n
	}
	return b.String()
}

// unescapeOne reads what stands at a backslash and how many bytes it took.
func unescapeOne(s string) (string, int) {
	switch s[1] {
	case '\\':
		return `\`, 2
	case 'n':
		return "\n", 2
	case 'r':
		return "\r", 2
	case 't':
		return "\t", 2
	case 'x':
		if len(s) >= 4 {
			if v, err := strconv.ParseUint(s[2:4], 16, 8); err == nil {
				return string([]byte{byte(v)}), 4
			}
		}
	case 'u':
		if end := strings.IndexByte(s, '}'); end > 3 && s[2] == '{' {
			if v, err := strconv.ParseUint(s[3:end], 16, 32); err == nil {
				return string(rune(v)), end + 1
			}
		}
	}
	return `\`, 1
}
