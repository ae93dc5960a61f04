package agent

import (
	"regexp"
	"strings"
	"unicode"
)

// fence marks text that is data: tool output, files, notes, piped input. Its
// marker is random, so that no text can close it, and the system prompt says
// that nothing between the marks is an instruction.
type fence struct{ marker string }

func newFence() fence { return fence{newMarker()} }

// wrap returns text between the fence's marks, without anything that could
// act on a terminal or pass for a role in a chat template.
func (f fence) wrap(source, text string) string {
	text = strings.TrimRight(neutral(text), "\n")
	return "<data source=\"" + source + "\" id=\"" + f.marker + "\">\n" + text + "\n</data " + f.marker + ">"
}

var (
	// escapes are terminal control sequences, ECMA-48: CSI, OSC and the like.
	escapes = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(\x07|\x1b\\)?|.)?`)
	// roleTokens are what chat templates use to mark who speaks.
	roleTokens = regexp.MustCompile(`<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?s>`)
)

// neutral removes terminal escapes, controls, bidirectional and zero-width
// characters, and breaks role tokens.
func neutral(text string) string {
	if plainText(text) {
		return text
	}
	text = escapes.ReplaceAllString(text, "")
	text = roleTokens.ReplaceAllStringFunc(text, func(tok string) string {
		return tok[:1] + "\u00a0" + tok[1:]
	})
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, text)
}

// plainText reports whether text is printable ASCII without brackets that
// could be role tokens: most tool output, and cheap to see.
func plainText(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n' || c == '\t':
		case c < ' ' || c >= 0x7f || c == '<' || c == '[':
			return false
		}
	}
	return true
}
