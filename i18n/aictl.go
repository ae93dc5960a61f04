package i18n

import (
	"strconv"
	"strings"
)

// StatusNames are the row names of blunux-aictl status.
var StatusNames = []Text{
	StatusProvider, StatusLanguage, StatusFiles, StatusConfig, StatusTasks, StatusApprovals, StatusNotifications, StatusAutomations, StatusBridges,
	StatusSandbox, StatusPrivilege, StatusUsage, StatusToday, StatusBudget, StatusMemory, StatusIdle, StatusLogTo, StatusProblem,
}

// IdleBlocker translates what prevents an idle exit ("CODE NUMBER"). An unknown code is returned unchanged.
func IdleBlocker(hold string, lang Lang) string {
	code, number, _ := strings.Cut(hold, " ")
	count, err := strconv.Atoi(number)
	if _, ok := IdleBlockers()[code]; !ok || err != nil {
		return hold
	}
	return IdleBlockers.fill(lang, code, count)
}

// Refusal translates a refusal code. For an unknown code it returns a general text.
func Refusal(code string, lang Lang) string { return Refusals.orElse(code, RefusedOtherwise).In(lang) }

// LogProblemText translates a problem of the command log. An unknown code is returned unchanged.
func LogProblemText(code string, lang Lang) string { return LogFlaws.In(code, lang) }

// ConnectionAttempts lists where the client looked for the daemon and what it tried, one per line.
func ConnectionAttempts(lang Lang, socket string, tried []string) string {
	lines := []string{TriedAt(socket).In(lang)}
	for _, attempt := range tried {
		lines = append(lines, "  "+AictlTried(PlainCause(attempt, lang)).In(lang))
	}
	return strings.Join(lines, "\n")
}

// AnswerText translates the answer to a confirmation. An unknown action is returned unchanged.
func AnswerText(action string, lang Lang) string { return Decisions.In(action, lang) }
