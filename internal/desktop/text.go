package desktop

import (
	"strings"
	"unicode"

	"github.com/esiqveland/notify"
	"github.com/godbus/dbus/v5"
)

// Maximum lengths of displayed texts, in characters. Truncated texts end with …
const (
	maxTitle = 120
	maxBody  = 1000
	maxLabel = 40
)

// markup escapes the characters with a meaning in the specification's section "Markup".
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escape(s string) string { return markup.Replace(s) }

// text returns s without invisible and direction characters, cut to limit.
func text(s string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.TrimSpace(s) {
		r, ok := visible(r)
		if !ok {
			continue
		}
		if n++; n > limit {
			cut := []rune(b.String())
			return strings.TrimRight(string(cut[:limit-1]), "\u200d ") + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}

func line(s string, limit int) string {
	return text(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " "), limit)
}

// visible returns the replacement of a character, or false to remove it. Joiners stay, because emoji and some
// scripts need them.
func visible(r rune) (rune, bool) {
	switch {
	case r == '\n' || r == '\u200c' || r == '\u200d':
		return r, true
	case r == '\u2028' || r == '\u2029':
		return '\n', true
	case r == '\t':
		return ' ', true
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
		return 0, false
	case r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0': // fillers: letters that are blank
		return 0, false
	default:
		return r, true
	}
}

func flagHint(id string) notify.Hint { return notify.Hint{ID: id, Variant: dbus.MakeVariant(true)} }
