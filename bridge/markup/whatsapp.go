package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/ipc"
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

// Telegram converts Markdown to the HTML of Telegram's Bot API.
func Telegram(markdown string) string { return render(telegram{}, markdown) }

// TelegramLiteral returns HTML that displays exactly text, with commands in a monospaced font. ok is always true.
func TelegramLiteral(text string) (string, bool) {
	var b strings.Builder
	open := false
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		command := strings.HasPrefix(row, ipc.ApprovalSign) || strings.HasPrefix(row, ipc.ApprovalEnd)
		if command != open {
			b.WriteString(map[bool]string{true: "<pre>", false: "</pre>"}[command])
			open = command
		}
		b.WriteString(html.Replace(row))
		if i < len(rows)-1 {
			b.WriteByte('\n')
		}
	}
	if open {
		b.WriteString("</pre>")
	}
	return b.String(), true
}

type telegram struct{}

var html = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (telegram) escape(text string) string { return html.Replace(text) }

func (telegram) mark(k kind, text string) string {
	tag := [...]string{bold: "b", italic: "i", struck: "s"}[k]
	return "<" + tag + ">" + text + "</" + tag + ">"
}

func (telegram) code(text string) string { return "<code>" + html.Replace(text) + "</code>" }

// language matches valid language names of code blocks.
var language = regexp.MustCompile(`^[A-Za-z0-9+#._-]{1,32}$`)

func (telegram) block(text, lang string) string {
	if language.MatchString(lang) {
		return `<pre><code class="language-` + lang + `">` + html.Replace(text) + "</code></pre>"
	}
	return "<pre>" + html.Replace(text) + "</pre>"
}

func (telegram) quote(text string) string { return "<blockquote>" + text + "</blockquote>" }

func (telegram) link(text, address string) string {
	return `<a href="` + html.Replace(address) + `">` + text + "</a>"
}

func (telegram) marksInWords() bool { return true }
