package markup

import (
	"regexp"
	"strings"

	"github.com/nidoit/blunux-ai/ipc"
)

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
