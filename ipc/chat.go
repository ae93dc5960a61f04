package ipc

import (
	"strings"
	"unicode/utf8"
)

// ChatText is an answer as a chat shows it: without characters that change how
// others show, and with each line quoted that could pass for a part of an
// approval: one that begins with a drawn line, as the command of an approval
// does, or holds one of the phrases that approvals have. Only who writes
// approvals writes those as they are.
func ChatText(body string, phrases []string) string {
	var b strings.Builder
	signs := strings.NewReplacer(ApprovalSign, "|", ApprovalEnd, "+")
	for line := range strings.Lines(Clean(body)) {
		if imitates(line, phrases) {
			b.WriteString("> ")
		}
		b.WriteString(signs.Replace(line))
	}
	return b.String()
}

func imitates(line string, phrases []string) bool {
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
