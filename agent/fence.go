package agent

import (
	"regexp"
	"strings"
	"unicode"
)

// fence marks text as data: tool output, files, notes, piped input. Its marker is random, so that no text can
// close it. The system prompt says that nothing between the marks is an instruction.
type fence struct{ marker string }

func newFence() fence { return fence{newMarker()} }

// Fence marks text of a source as data, with a new random marker.
func Fence(source, text string) string { return newFence().wrap(source, text) }

// wrap returns text between the fence's marks, without anything that could control a terminal, imitate a role
// token of a chat template or close the fence. The marker is removed from the text, because the model knows it
// and may have printed it.
func (f fence) wrap(source, text string) string {
	text = strings.TrimRight(f.without(neutralize(text)), "\n")
	return "<data source=\"" + f.without(label(source)) + "\" id=\"" + f.marker + "\">\n" + text + "\n</data " + f.marker + ">"
}

// without removes the marker from text.
func (f fence) without(text string) string { return strings.ReplaceAll(text, f.marker, "…") }

// label returns a source's name without characters that could end the mark. A tool's name is any text a model
// writes.
func label(source string) string {
	const most = 80
	text := strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>\"\n\t", r) {
			return -1
		}
		return r
	}, neutralize(source))
	return firstLine(text, most)
}

var (
	// escapes are terminal control sequences (ECMA-48): CSI, OSC and similar.
	escapes = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\n]*(\x07|\x1b\\)?|.)?`)
	// roleTokens are the role tokens of chat templates: ChatML and Llama 3, DeepSeek, Gemma, Llama 2 and
	// Mistral.
	roleTokens = regexp.MustCompile(`<\|[^|<>\n]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|</?(start|end)_of_turn>|\[/?INST\]|<</?SYS>>|</?s>`)
)

// Neutralize returns untrusted text without anything that could control a terminal or imitate a role token of a
// chat template.
func Neutralize(text string) string { return neutralize(text) }

// neutralize removes terminal escapes, control, bidirectional and zero-width characters, then breaks role tokens,
// which those characters could have hidden.
func neutralize(text string) string {
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

// plainText reports whether text is printable ASCII without brackets that could start role tokens. This is true
// of most tool output and fast to check.
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
