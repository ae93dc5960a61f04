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

// Fence marks text as data of a source, between marks that no text can know.
func Fence(source, text string) string { return newFence().wrap(source, text) }

// wrap returns text between the fence's marks, without anything that could
// act on a terminal, pass for a role in a chat template or close the fence. A
// model knows the marker, so what a model has printed may hold it too.
func (f fence) wrap(source, text string) string {
	text = strings.TrimRight(f.without(neutral(text)), "\n")
	return "<data source=\"" + f.without(label(source)) + "\" id=\"" + f.marker + "\">\n" + text + "\n</data " + f.marker + ">"
}

// without removes the marker from text.
func (f fence) without(text string) string { return strings.ReplaceAll(text, f.marker, "…") }

// label returns a source's name without what could end the mark it stands in:
// a tool's name is whatever a model called.
func label(source string) string {
	const most = 80
	text := strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>\"\n\t", r) {
			return -1
		}
		return r
	}, neutral(source))
	return firstLine(text, most)
}

var (
	// escapes are terminal control sequences, ECMA-48: CSI, OSC and the like.
	escapes = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(\x07|\x1b\\)?|.)?`)
	// roleTokens are what chat templates use to mark who speaks: ChatML and
	// Llama 3, DeepSeek, Gemma, Llama 2 and Mistral.
	roleTokens = regexp.MustCompile(`<\|[^|<>\n]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|</?(start|end)_of_turn>|\[/?INST\]|<</?SYS>>|</?s>`)
)

// Neutral returns a stranger's text without what could act on a terminal or pass
// for a role in a chat template.
func Neutral(text string) string { return neutral(text) }

// neutral removes terminal escapes, controls, bidirectional and zero-width
// characters, and then breaks role tokens, which these could have hidden.
func neutral(text string) string {
	if plainText(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, escapes.ReplaceAllString(text, ""))
	return roleTokens.ReplaceAllStringFunc(text, func(tok string) string {
		return tok[:1] + "\u00a0" + tok[1:]
	})
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
