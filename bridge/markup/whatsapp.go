package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WhatsApp converts Markdown to WhatsApp's markup.
func WhatsApp(markdown string) string { return render(whatsApp{}, markdown) }

// WhatsAppLiteral returns a code block that displays exactly text. ok is false if the text would end the block.
func WhatsAppLiteral(text string) (string, bool) {
	if strings.Contains(text, "```") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, "`") {
		return "", false
	}
	return "```" + text + "```", true
}

// whatsApp renders WhatsApp's markup, which has no escapes. A character that would open a mark is
// replaced by one that looks similar.
type whatsApp struct{}

var lookAlikes = map[rune]rune{'*': '∗', '_': 'ˍ', '~': '∼', '`': 'ˋ'}

// escape replaces characters that could open a mark: those without a letter before and without a
// blank after them. Others stay, so that names can be copied.
func (whatsApp) escape(text string) string {
	var b strings.Builder
	before := ' '
	for i, r := range text {
		other, sign := lookAlikes[r]
		after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if sign && (r == '`' || !isWordRune(before) && !isBlank(after)) {
			b.WriteRune(other)
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

func isBlank(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }

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

func (whatsApp) marksInWords() bool { return false }
