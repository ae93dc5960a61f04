package ipc

import (
	"strings"
	"unicode/utf8"
)

// ChatText returns an answer as a chat shows it: without characters that change how others are displayed, and with
// a quote mark before each line that could pass for a part of an approval. Such a line begins with a box-drawing
// character, like the command of an approval, or contains one of the phrases of approvals.
func ChatText(body string, phrases []string) string {
	var b strings.Builder
	signs := strings.NewReplacer(ApprovalSign, "|", ApprovalEnd, "+")
	for line := range strings.Lines(Clean(body)) {
		if looksLikeApproval(line, phrases) {
			b.WriteString("> ")
		}
		b.WriteString(signs.Replace(line))
	}
	return b.String()
}

func looksLikeApproval(line string, phrases []string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(line))
	if first >= 0x2500 && first <= 0x259f || first >= 0x2758 && first <= 0x275a || first == 0xffe8 {
		return true
	}
	for _, phrase := range phrases {
		if strings.Contains(line, phrase) {
			return true
		}
	}
	return false
}
