package markup

import (
	"strings"

	"github.com/nidoit/blunux-ai/ipc"
)

// Discord converts Markdown to Discord's Markdown.
func Discord(markdown string) string { return discordLinks(render(discord{}, markdown)) }

// DiscordLiteral returns Markdown that displays exactly text, with commands in code blocks if possible. ok is always true.
func DiscordLiteral(text string) (string, bool) {
	var b strings.Builder
	var commands []string
	flush := func() {
		if len(commands) == 0 {
			return
		}
		block := strings.Join(commands, "\n")
		if strings.Contains(block, "```") {
			block = discord{}.escape(block)
		} else {
			block = "```\n" + block + "\n```"
		}
		b.WriteString(block + "\n")
		commands = nil
	}
	for _, row := range strings.Split(text, "\n") {
		if strings.HasPrefix(row, ipc.ApprovalSign) || strings.HasPrefix(row, ipc.ApprovalEnd) {
			commands = append(commands, row)
			continue
		}
		flush()
		b.WriteString(discord{}.escape(row) + "\n")
	}
	flush()
	return strings.TrimSuffix(b.String(), "\n"), true
}

// discord renders Discord's Markdown, in which a backslash makes any sign literal.
type discord struct{}

// discordSigns are the signs with a meaning in any place, discordStarts those at the start of a line.
const (
	discordSigns  = "\\*_~`|<[]@"
	discordStarts = "#->+"
)

func (discord) escape(text string) string {
	var b strings.Builder
	start := true // of a line
	for _, r := range text {
		if r < 0x80 && (strings.ContainsRune(discordSigns, r) || start && strings.ContainsRune(discordStarts, r)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		start = r == '\n' || start && (r == ' ' || r == '\t')
	}
	return b.String()
}

func (discord) mark(k kind, text string) string {
	sign := [...]string{bold: "**", italic: "*", struck: "~~"}[k]
	inner := strings.Trim(text, " \t")
	lead, rest, _ := strings.Cut(text, inner)
	return lead + sign + inner + sign + rest
}

// code uses a longer fence than any in the text.
func (discord) code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 2 { // three open a block
		return discord{}.escape(text)
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

func (discord) block(text, lang string) string {
	if !language.MatchString(lang) {
		lang = ""
	}
	return "```" + lang + "\n" + strings.ReplaceAll(text, "```", "ˋˋˋ") + "\n```"
}

func (discord) quote(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

// link shows the address, so that no one is deceived by the text.
func (discord) link(text, address string) string {
	return text + " (" + discord{}.escape(strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E", ")", "%29").Replace(address)) + ")"
}

func (discord) marksInWords() bool { return true }

// discordLinks puts the addresses in Discord's Markdown into angle brackets, outside of code. In them, Discord shows an
// address as it is, and a backslash would be part of it.
func discordLinks(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		n := 1
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			n = 2
		case rest[0] == '`':
			n = codeLength(rest)
		case isLinkStart(text, i):
			n = linkLength(rest)
			b.WriteString("<" + unescape(rest[:n]) + ">")
			i += n
			continue
		}
		b.WriteString(rest[:n])
		i += n
	}
	return b.String()
}

// codeLength returns the length of the code at the start of text, which begins with a backtick.
func codeLength(text string) int {
	fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	end := strings.Index(text[len(fence):], fence)
	if end < 0 {
		return len(fence)
	}
	return len(fence)*2 + end
}

// isLinkStart reports whether an address starts at i.
func isLinkStart(text string, i int) bool {
	if !strings.HasPrefix(text[i:], "http://") && !strings.HasPrefix(text[i:], "https://") {
		return false
	}
	return i == 0 || !isASCIIWord(text[i-1])
}

func isASCIIWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// linkLength returns the length of the address at the start of text, without marks and punctuation after it.
func linkLength(text string) int {
	end := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && !strings.ContainsRune("<>", rune(text[i+1])):
			i++
		case c <= ' ' || c >= 0x7f || strings.IndexByte("\\<>`*~|\"')", c) >= 0:
			return trimLink(text[:end])
		}
		end = i + 1
	}
	return trimLink(text[:end])
}

// trimLink returns the length of an address without punctuation at its end.
func trimLink(address string) int {
	for address != "" && strings.IndexByte(".,:;!?", address[len(address)-1]) >= 0 {
		address = address[:len(address)-1]
	}
	return len(address)
}

// unescape removes the backslashes before signs.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
