package desktop

import (
	"strings"
	"unicode"

	"github.com/esiqveland/notify"
	"github.com/godbus/dbus/v5"
)

// How much of a text is shown, in characters; what is cut off ends with …
const (
	maxTitle = 120
	maxBody  = 1000
	maxLabel = 40
)

// markup is what the specification's markup gives a meaning to, section
// "Markup".
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escape(s string) string { return markup.Replace(s) }

// text returns s with nothing in it that is not seen, or turns around what is,
// and no more of it than limit.
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

// line returns s as one line.
func line(s string, limit int) string {
	return text(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " "), limit)
}

// visible returns what stands for a character, or that nothing does.
// Joiners stay: emoji and some scripts are written with them.
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

func textHint(id, value string) notify.Hint {
	return notify.Hint{ID: id, Variant: dbus.MakeVariant(value)}
}

func flagHint(id string) notify.Hint { return notify.Hint{ID: id, Variant: dbus.MakeVariant(true)} }
