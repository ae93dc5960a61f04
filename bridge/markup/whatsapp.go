package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WhatsApp renders Markdown in the marks of WhatsApp.
func WhatsApp(markdown string) string { return render(whatsApp{}, markdown) }

// WhatsAppLiteral is a block that shows exactly a text; a text that would end
// the block cannot be shown that way.
func WhatsAppLiteral(text string) (string, bool) {
	if strings.Contains(text, "```") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, "`") {
		return "", false
	}
	return "```" + text + "```", true
}

// whatsApp has no way to escape: a character of a text that would begin a mark
// is written as one that looks like it.
type whatsApp struct{}

var lookAlikes = map[rune]rune{'*': '∗', '_': 'ˍ', '~': '∼', '`': 'ˋ'}

// escape writes what could begin a mark differently: a sign with no letter
// before it and no blank behind it. Others stay, so that names can be copied.
func (whatsApp) escape(text string) string {
	var b strings.Builder
	before := ' '
	for i, r := range text {
		other, sign := lookAlikes[r]
		after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if sign && (r == '`' || !word(before) && !blank(after)) {
			b.WriteRune(other)
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

func blank(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }

func (whatsApp) mark(k kind, text string) string {
	sign := [...]string{bold: "*", italic: "_", struck: "~"}[k]
	inner := strings.Trim(text, " \t")
	lead, rest, _ := strings.Cut(text, inner)
	return lead + sign + inner + sign + rest
}

func (whatsApp) code(text string) string { return "`" + strings.ReplaceAll(text, "`", "ˋ") + "`" }

func (whatsApp) block(text, _ string) string {
	return "```\n" + strings.ReplaceAll(text, "`", "ˋ") + "\n```"
}

func (whatsApp) quote(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

func (whatsApp) link(text, address string) string { return text + " (" + address + ")" }

func (whatsApp) glues() bool { return false }
