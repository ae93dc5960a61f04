package manual

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// Commands lists the subcommands of the two programs, so that a command typed for the wrong program gets a
// suggestion.
var Commands = map[string][]string{
	"blunux-ai": {
		"chat", "check", "config", "config check",
		"config export", "config import", "config path", "config show", "daemon", "doctor", "logs", "mcp", "memory",
		"memory clear", "memory count", "memory edit", "memory export", "memory forget", "memory import", "memory refresh",
		"memory remember", "memory search", "memory show", "memory user", "paths", "setup", "sign", "withdraw",
	},
	"blunux-aictl": {
		"approvals", "approvals list", "approve", "ask", "automations", "automations add", "automations disable",
		"automations edit", "automations enable", "automations history", "automations list", "automations next",
		"automations remove", "automations run", "automations show", "automations snooze", "call", "cancel", "deny",
		"log", "models", "notifications", "pairing", "pairing approve",
		"pairing deny", "pairing remove", "reset", "sessions", "sessions delete", "sessions export", "sessions list",
		"sessions search", "sessions show", "status", "tasks", "usage",
	},
}

// otherProgramCommand returns the command line of the other program if it has the command word below path and this
// program does not, or else "".
func otherProgramCommand(path, word string) string {
	program, below, _ := strings.Cut(path, " ")
	typed := strings.TrimSpace(below + " " + word)
	for _, other := range []string{"blunux-aictl", "blunux-ai"} {
		if other != program && slices.Contains(Commands[other], typed) {
			return other + " " + typed
		}
	}
	return ""
}

// suggestAsk returns the command that asks the question typed in place of a command. It returns "" if the text is
// not a question, because it comes after a subcommand or contains a flag.
func (g Guide) suggestAsk(path, word string, near []string) string {
	if strings.Contains(path, " ") || !strings.HasPrefix(path, "blunux-ai") {
		return ""
	}
	at := slices.Index(g.Args, word)
	if at < 0 || strings.HasPrefix(word, "-") {
		return ""
	}
	words := strings.Join(withoutLang(g.Args[at:]), " ")
	if len(near) > 0 && !strings.Contains(words, " ") {
		return ""
	}
	if strings.ContainsAny(words, "'\n\x1b") {
		words = "…"
	}
	return i18n.MistakeAsk("blunux-aictl ask '" + words + "'").In(g.Lang)
}

// withoutLang removes the flag --lang from arguments.
func withoutLang(args []string) []string {
	var rest []string
	for i, arg := range args {
		if arg != "--lang" && !strings.HasPrefix(arg, "--lang=") && (i == 0 || args[i-1] != "--lang") {
			rest = append(rest, arg)
		}
	}
	return rest
}
