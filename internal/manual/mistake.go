package manual

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nidoit/blunux-ai/i18n"
)

// ExplainMistake explains a wrong command line: the mistake, a suggestion, and the command that helps. cmd is the
// command that failed. Other errors than those of [NoArgs] and pflag are kept.
func (g Guide) ExplainMistake(cmd *cobra.Command, err error) string {
	lines := []string{i18n.UsageError(g.describeMistake(err)).In(g.Lang)}
	near := g.similarNames(cmd, err)
	var wrong *argsError
	if errors.As(err, &wrong) && len(wrong.args) > 0 {
		path, word := wrong.cmd.CommandPath(), wrong.args[0]
		if other := otherProgramCommand(path, word); other != "" {
			return strings.Join(append(lines, i18n.MistakeElsewhere(other).In(g.Lang)), "\n")
		}
		if ask := g.suggestAsk(path, word, near); ask != "" {
			lines = append(lines, ask)
		}
	}
	if len(near) > 0 {
		lines = append(lines, i18n.MistakeNear(strings.Join(near, ", ")).In(g.Lang))
	}
	return strings.Join(append(lines, i18n.SeeHelp(cmd.CommandPath()).In(g.Lang)), "\n")
}

func (g Guide) describeMistake(err error) string {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	var wrong *argsError
	switch {
	case errors.As(err, &wrong):
		return wrong.describe().In(g.Lang)
	case errors.As(err, &unknown):
		return i18n.MistakeFlag(typedFlag(unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames())).In(g.Lang)
	case errors.As(err, &missing):
		return i18n.MistakeNoValue(typedFlag(missing.GetSpecifiedName(), missing.GetSpecifiedShortnames()), g.valueForm(missing.GetFlag())).In(g.Lang)
	case errors.As(err, &invalid):
		return i18n.MistakeValue("--"+invalid.GetFlag().Name, invalid.GetValue(), g.valueForm(invalid.GetFlag())).In(g.Lang)
	case errors.As(err, &syntax):
		return i18n.MistakeSyntax(syntax.GetSpecifiedFlag()).In(g.Lang)
	}
	return err.Error()
}

func (e *argsError) describe() i18n.Text {
	path, given := e.cmd.CommandPath(), strconv.Itoa(len(e.args))
	_, form, _ := strings.Cut(e.cmd.Use, " ")
	usage := strings.TrimSpace(path + " " + form)
	switch {
	case e.isUnknownCommand():
		return i18n.MistakeCommand(path, e.args[0])
	case e.most == 0:
		return i18n.MistakeNoArgs(path, e.args[0])
	case e.least == e.most:
		return i18n.MistakeExact(usage, strconv.Itoa(e.least), given)
	case len(e.args) < e.least:
		return i18n.MistakeFewest(usage, strconv.Itoa(e.least), given)
	}
	return i18n.MistakeMost(usage, strconv.Itoa(e.most), given)
}

func (g Guide) similarNames(cmd *cobra.Command, err error) []string {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if unknown.GetSpecifiedShortnames() != "" {
			return nil
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && isSimilar(unknown.GetSpecifiedName(), f.Name) {
				names = append(names, "--"+f.Name)
			}
		})
		return names
	}
	var wrong *argsError
	if !errors.As(err, &wrong) || !wrong.isUnknownCommand() {
		return nil
	}
	var names []string
	for _, c := range wrong.cmd.Commands() {
		if c.IsAvailableCommand() && isSimilar(wrong.args[0], c.Name()) {
			names = append(names, c.CommandPath())
		}
	}
	return names
}

// isSimilar reports whether word may be a typo of name: its beginning, or at most two edits away, for short names
// half their length.
func isSimilar(word, name string) bool {
	word = strings.ToLower(word)
	if len(word) > 1 && strings.HasPrefix(name, word) {
		return true
	}
	return distance(word, name) <= min(2, len(name)/2)
}

// distance returns the Levenshtein distance of a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left, corner := i+1, row[0]
		row[0] = left
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			left = min(left+1, row[j+1]+1, cost)
			row[j+1] = left
		}
	}
	return row[len(b)]
}

func typedFlag(name, shorthands string) string {
	if shorthands != "" {
		return "-" + string([]rune(shorthands)[0])
	}
	return "--" + name
}

// valueForm describes the value that a flag takes.
func (g Guide) valueForm(f *pflag.Flag) string {
	if text, ok := i18n.ValueForms()[f.Value.Type()]; ok {
		return text.In(g.Lang)
	}
	value, _ := pflag.UnquoteUsage(f)
	return value
}

// Commands lists the subcommands of the two programs, so that a command typed for the wrong program gets a suggestion.
var Commands = map[string][]string{
	"blunux-ai": {
		"aur", "aur check", "boot", "chat", "check", "config", "config check",
		"config export", "config import", "config path", "config show", "daemon", "doctor", "explain", "logs", "mcp", "memory",
		"memory clear", "memory count", "memory edit", "memory export", "memory forget", "memory import", "memory refresh",
		"memory remember", "memory search", "memory show", "memory user", "open", "paths", "preview", "quick", "setup", "shell", "sign", "withdraw",
	},
	"blunux-aictl": {
		"approvals", "approvals grants", "approvals list", "approve", "ask", "automations", "automations add",
		"automations disable", "automations edit", "automations enable", "automations history", "automations list",
		"automations next", "automations remove", "automations run", "automations show", "automations snooze", "call", "cancel", "changes",
		"channel", "channel add", "channel disable", "channel enable", "channel get", "channel list", "channel remove", "command",
		"daemon", "daemon restart", "daemon start", "daemon status", "daemon stop", "deny", "diagnose", "fleet",
		"gateway", "gateway restart", "gateway start", "gateway status", "gateway stop", "gateway token", "gateway token add",
		"gateway token list", "gateway token remove", "log", "models", "notifications", "offline", "offline misses", "pacnew", "page", "pairing", "pairing approve",
		"pairing deny", "pairing remove", "reset", "sessions", "sessions delete", "sessions export", "sessions list",
		"sessions search", "sessions show", "status", "tasks", "undo", "upgrade", "usage", "why",
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
