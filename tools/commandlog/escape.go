package commandlog

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape converts a command to one line without hidden characters: control characters, C1, line and paragraph
// separators, bidirectional and zero-width characters and invalid UTF-8 become \n, \r, \t, \xHH, \u{HHHH}. A
// backslash is only doubled where it would otherwise start an escape, so that ordinary commands stay as typed.
// [Unescape] reverses it.
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
		case isHidden(r):
			fmt.Fprintf(&b, `\u{%04X}`, r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// readsAsEscape reports whether a backslash before next would start an escape.
func readsAsEscape(next string) bool {
	if next == "" {
		return true
	}
	r, size := utf8.DecodeRuneInString(next)
	return strings.ContainsRune(`nrtxu\`, r) || isHidden(r) || r == utf8.RuneError && size == 1
}

// isHidden reports whether a character is invisible or changes how others are displayed: control characters (Cc),
// format characters (Cf: bidi, zero width, soft hyphen), line and paragraph separators, and the Hangul fillers.
func isHidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) ||
		r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0'
}

// Unescape reverses [Escape].
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

// unescapeOne decodes the escape at the start of s and returns its length.
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
