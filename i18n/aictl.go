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

// idleBlockers maps what prevents an idle exit of the daemon to texts.
var idleBlockers = map[string]func(count int) Text{
	"client":     IdleBlockersClient,
	"task":       IdleBlockersTask,
	"delivery":   IdleBlockersDelivery,
	"automation": IdleBlockersAutomation,
}

// IdleBlocker translates what prevents an idle exit ("CODE NUMBER"). An unknown code is returned unchanged.
func IdleBlocker(hold string, lang Lang) string {
	code, number, _ := strings.Cut(hold, " ")
	count, err := strconv.Atoi(number)
	if text, ok := idleBlockers[code]; ok && err == nil {
		return text(count).In(lang)
	}
	return hold
}

// refusals maps the reasons why a tool call was not run to texts.
var refusals = map[string]Text{
	"blocked":       RefusalsBlocked,
	"denied":        RefusalsDenied,
	"expired":       RefusalsExpired,
	"cancelled":     RefusalsCancelled,
	"queued":        RefusalsQueued,
	"read_only":     RefusalsReadOnly,
	"bad_input":     RefusalsBadInput,
	"no_tool":       RefusalsNoTool,
	"unparsed":      RefusalsUnparsed,
	"missing":       RefusalsMissing,
	"no_rights":     RefusalsNoRights,
	"log":           RefusalsLog,
	"mismatch":      RefusalsMismatch,
	"away":          RefusalsAway,
	"secret-note":   RefusalsSecretNote,
	"self_schedule": RefusalsSelfSchedule,
	"left":          RefusalsLeft,
	"max_rounds":    RefusalsMaxRounds,
	"planned":       RefusalsPlanned,
	"timeout":       RefusalsTimeout,
	"unknown":       RefusalsUnknown,
	"repeated":      RefusalsRepeated,
}

// Refusal translates a refusal code. For an unknown code it returns a general text.
func Refusal(code string, lang Lang) string {
	if text, ok := refusals[code]; ok {
		return text.In(lang)
	}
	return RefusedOtherwise.In(lang)
}

// logFlaws maps problems of the command log to texts.
var logFlaws = map[string]Text{
	"edited":  LogFlawsEdited,
	"removed": LogFlawsRemoved,
	"moved":   LogFlawsMoved,
	"added":   LogFlawsAdded,
	"cut":     LogFlawsCut,
	"missing": LogFlawsMissing,
	"old":     LogFlawsOld,
}

// LogProblemText translates a problem of the command log. An unknown code is returned unchanged.
func LogProblemText(code string, lang Lang) string {
	if text, ok := logFlaws[code]; ok {
		return text.In(lang)
	}
	return code
}

// ConnectionAttempts lists where the client looked for the daemon and what it tried, one per line.
func ConnectionAttempts(lang Lang, socket string, tried []string) string {
	lines := []string{TriedAt(socket).In(lang)}
	for _, attempt := range tried {
		lines = append(lines, "  "+AictlTried(PlainCause(attempt, lang)).In(lang))
	}
	return strings.Join(lines, "\n")
}

// decisions maps the answers to a confirmation to texts.
var decisions = map[string]Text{
	"allow_once":    DecisionsAllowOnce,
	"allow_session": DecisionsAllowSession,
	"edit":          DecisionsEdit,
	"reject":        DecisionsReject,
}

// AnswerText translates the answer to a confirmation. An unknown action is returned unchanged.
func AnswerText(action string, lang Lang) string {
	if text, ok := decisions[action]; ok {
		return text.In(lang)
	}
	return action
}
