package safety

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// quoteArg quotes one argument for bash. Text that cannot be quoted because of a NUL is only formatted for a person.
func quoteArg(s string) string {
	q, err := syntax.Quote(s, syntax.LangBash)
	if err != nil {
		return strconv.Quote(s)
	}
	return q
}

// unescape removes the backslashes of unquoted text.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeDouble removes the backslashes that are special between double quotes.
func unescapeDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

var ansiSimple = map[byte]byte{
	'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': '\n', 'r': '\r', 't': '\t', 'v': 11,
	'\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// ansiC decodes the inside of $'…' (bash manual, "ANSI-C Quoting"). It fails for text on which bash versions
// disagree: NUL, \c and invalid UTF-8.
func ansiC(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if r, ok := ansiSimple[s[i]]; ok {
			b.WriteByte(r)
			continue
		}
		n, ok := ansiNumber(s[i:], &b)
		if !ok {
			return "", false
		}
		i += n - 1
	}
	text := b.String()
	return text, utf8.ValidString(text)
}

// ansiNumber decodes \NNN, \xHH, \uHHHH and \UHHHHHHHH and returns the number of bytes read.
func ansiNumber(s string, b *strings.Builder) (int, bool) {
	base, start, most := 16, 1, 0
	switch {
	case s[0] == 'x':
		most = 2
	case s[0] == 'u':
		most = 4
	case s[0] == 'U':
		most = 8
	case s[0] >= '0' && s[0] <= '7':
		base, start, most = 8, 0, 3
	default:
		return 0, false
	}
	end := start
	for end < len(s) && end-start < most && digitOf(s[end]) < base {
		end++
	}
	n, err := strconv.ParseUint(s[start:end], base, 32)
	if err != nil || n == 0 {
		return 0, false
	}
	switch {
	case most > 3:
		if !utf8.ValidRune(rune(n)) {
			return 0, false
		}
		b.WriteRune(rune(n))
	case n > 255:
		return 0, false
	default:
		b.WriteByte(byte(n))
	}
	return end, true
}

func digitOf(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

// isPlainWord reports whether s consists of letters, digits and ._+:@%,- and does
// not start with a dash.
func isPlainWord(s string) bool {
	for i := range len(s) {
		if !wordByte(s[i]) {
			return false
		}
	}
	return s != "" && s[0] != '-'
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("._+:@%,-", c) >= 0
}

// clip shortens a part for a reason. The whole command is shown separately.
func clip(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
