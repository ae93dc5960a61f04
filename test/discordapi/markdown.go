package discordapi

import (
	"regexp"
	"strings"
)

// mention matches what Discord shows as a person, role, channel, emoji or time.
var mention = regexp.MustCompile(`^<(@[!&]?|#|a?:\w+:|t:)-?[0-9]+(:[a-zA-Z])?>`)

// address matches a link without a preview.
var address = regexp.MustCompile(`^<(https?://[^\s<>]+)>`)

// Display returns what Discord shows of a message, without the marks of its Markdown. A mention is "[mention]".
func Display(text string) string {
	var b strings.Builder
	open := map[string]bool{}
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case rest[0] == '\\' && len(rest) > 1 && isMark(rest[1]):
			b.WriteByte(rest[1])
			i += 2
		case rest[0] == '`':
			shown, n := code(rest)
			b.WriteString(shown)
			i += n
		case mention.MatchString(rest):
			b.WriteString("[mention]")
			i += len(mention.FindString(rest))
		case address.MatchString(rest):
			b.WriteString(address.FindStringSubmatch(rest)[1])
			i += len(address.FindString(rest))
		default:
			n := mark(rest, open)
			if n == 0 {
				b.WriteByte(rest[0])
				n = 1
			}
			i += n
		}
	}
	var lines []string
	for _, line := range strings.Split(b.String(), "\n") {
		lines = append(lines, strings.TrimPrefix(line, "> "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func isMark(c byte) bool {
	return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
}

// mark returns the length of a mark at the start of text that opens or closes something, or 0.
func mark(text string, open map[string]bool) int {
	for _, sign := range []string{"**", "~~", "||", "__", "*", "_"} {
		if !strings.HasPrefix(text, sign) {
			continue
		}
		if open[sign] || closes(text[len(sign):], sign) {
			open[sign] = !open[sign]
			return len(sign)
		}
	}
	return 0
}

// closes reports whether a mark is closed later in text.
func closes(text, sign string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
			continue
		}
		if i > 0 && strings.HasPrefix(text[i:], sign) {
			return true
		}
	}
	return false
}

// language matches the first line of a code block that names its language.
var language = regexp.MustCompile(`^[a-zA-Z0-9_+\-.#]+\n`)

// code returns the shown part of the code at the start of text, and its length there.
func code(text string) (shown string, n int) {
	fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if len(fence) >= 3 {
		if end := strings.Index(text[3:], "```"); end >= 0 {
			inner := text[3 : 3+end]
			inner = strings.TrimPrefix(inner[len(language.FindString(inner)):], "\n")
			return strings.TrimSuffix(inner, "\n"), 6 + end
		}
	}
	for at := len(fence); at < len(text); {
		end := strings.Index(text[at:], fence)
		if end < 0 {
			break
		}
		after := text[at+end+len(fence):]
		if !strings.HasPrefix(after, "`") && text[at+end-1] != '`' {
			inner := text[len(fence) : at+end]
			if strings.HasPrefix(inner, " `") || strings.HasSuffix(inner, "` ") {
				inner = strings.TrimPrefix(strings.TrimSuffix(inner, " "), " ")
			}
			return inner, at + end + len(fence)
		}
		at += end + 1
	}
	return fence, len(fence)
}
