package i18n

import (
	"slices"
	"strings"

	"golang.org/x/text/width"
)

// ApprovalPhrases returns text that only approvals may contain in a chat, in all languages. Bridges quote it
// elsewhere, so that it cannot be imitated.
func ApprovalPhrases() []string {
	var all []string
	for _, lang := range Languages {
		reply, _, _ := strings.Cut(AskReply("\n").In(lang), "\n")
		all = append(all, AskQuestion.In(lang), strings.TrimRight(reply, " (（"))
	}
	return all
}

// Prefixes start a message that is addressed to the assistant.
var Prefixes = []string{"/ai", "!ai", "블루눅스", "blunux"}

var (
	cancelWords = []string{"취소", "그만", "중지", "정지", "멈춰", "stop", "cancel", "/cancel", "/stop", "取消", "停止"}
	resetWords  = []string{"reset", "/reset", "/new", "새 대화", "새대화", "新对话", "新對話"}
)

// IsCancel reports whether a message only asks to stop.
func IsCancel(text string) bool { return slices.Contains(cancelWords, shortWords(text)) }

// IsReset reports whether a message only asks to start over.
func IsReset(text string) bool { return slices.Contains(resetWords, shortWords(text)) }

// shortWords normalizes a short message for comparison: case, width, blanks and final punctuation are removed.
func shortWords(text string) string {
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(width.Fold.String(text)), " ")), ".!~ ")
}

// WithoutPrefix removes a prefix that addresses the assistant, and reports whether there was one.
func WithoutPrefix(text string) (rest string, had bool) {
	text = strings.TrimSpace(text)
	for _, prefix := range Prefixes {
		if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
			continue
		}
		rest := text[len(prefix):]
		if prefix == "블루눅스" { // with the vocative particle
			rest = strings.TrimPrefix(rest, "야")
		}
		if rest == "" || strings.ContainsAny(rest[:1], " \t\n,:!.?") {
			return strings.TrimLeft(rest, " \t\n,:!."), true
		}
	}
	return text, false
}

// IsStart reports whether a message is the one that Telegram sends when a user opens a chat with a bot
// (core.telegram.org/bots/features, "Global commands").
func IsStart(text string) bool { return text == "/start" }
