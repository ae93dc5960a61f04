package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// outcomeExit returns the exit code of an answer. It is 0 only if the request was answered or carried out.
func outcomeExit(out ipc.Outcome) int {
	if code := refusedExit(out.Steps); code != 0 {
		return code
	}
	switch out.Stop {
	case "max_rounds":
		return exitRounds
	case "refusal":
		return exitBlocked
	case "not_understood":
		return exitNotUnderstood
	case "nothing_done":
		return exitNothingDone
	}
	return commandsExit(out)
}

// commandsExit returns the exit code for the commands of an outcome: that of its steps, and failure if they succeeded
// but a check shows that a change is not there.
func commandsExit(out ipc.Outcome) int {
	code := stepsExit(out.Steps)
	if code == 0 && slices.ContainsFunc(out.Checks, func(c ipc.Check) bool { return c.Result == ipc.CheckFailed }) {
		return exitFailure
	}
	return code
}

// refusedExit returns the exit code if policy, the user or the command log prevented a call, else 0.
func refusedExit(steps []ipc.Step) int {
	worst := 0
	for _, s := range steps {
		if s.State != ipc.ToolRefused {
			continue
		}
		switch s.Reason {
		case "blocked":
			return exitBlocked
		case "denied", "expired", "queued", "read_only", "cancelled", "unparsed":
			worst = exitDenied
		case "log", "mismatch":
			worst = cmp.Or(worst, exitFailure)
		}
	}
	return worst
}

// stepsExit returns the exit code for the calls of an answer. The last call that was meant to change something
// decides. If there is none, one successful read-only call is enough.
func stepsExit(steps []ipc.Step) int {
	if change, ok := lastChange(steps); ok {
		return stepExit(change)
	}
	worst := 0
	for _, s := range steps {
		code := stepExit(s)
		if code == 0 {
			return 0
		}
		if worst == 0 || code == exitTimeout {
			worst = code
		}
	}
	return worst
}

// lastChange returns the last call that was meant to change something. It skips calls that never became a
// command: the model may have corrected those.
func lastChange(steps []ipc.Step) (last ipc.Step, ok bool) {
	for _, s := range steps {
		switch s.Reason {
		case "bad_input", "no_tool", "repeated":
			continue
		}
		if isChange(s) {
			last, ok = s, true
		}
	}
	return last, ok
}

// isChange reports whether a call was meant to change something. A call that needs confirmation only because
// there is no sandbox is read-only.
func isChange(s ipc.Step) bool {
	return s.Class != "" && s.Class != "SAFE" && !slices.Equal(s.Reasons, []string{"no-sandbox"})
}

// stepExit returns the exit code of one call. The exit status of a read-only command is part of the answer;
// that of a change says whether it was made.
func stepExit(s ipc.Step) int {
	switch {
	case s.State == ipc.ToolRefused:
		return exitNothingDone
	case s.Reason == "timeout":
		return exitTimeout
	case s.Reason == "missing", s.Reason == "no_rights":
		return exitNothingDone
	case s.Reason != "", isChange(s) && s.Exit != 0:
		return exitFailure
	}
	return 0
}

// The exit codes, documented in docs/exit-codes.md. A code outside of the list never means success.
const (
	exitFailure       = 1
	exitUsage         = 2
	exitUnreachable   = 3
	exitNotConfigured = 4
	exitDenied        = 5
	exitBlocked       = 6
	exitProvider      = 7
	exitRounds        = 8
	exitNotUnderstood = 9
	exitNothingDone   = 10
	exitTimeout       = 124
	exitCancelled     = 130
)

// exitOf maps the error codes of the protocol to exit codes.
var exitOf = map[ipc.Code]int{
	ipc.CodeNotConfigured: exitNotConfigured,
	ipc.CodeSwitchedOff:   exitNotConfigured,
	ipc.CodeAuth:          exitNotConfigured,
	ipc.CodeRateLimit:     exitProvider,
	ipc.CodeProvider:      exitProvider,
	ipc.CodeNetwork:       exitProvider,
	ipc.CodeBlocked:       exitBlocked,
	ipc.CodeDenied:        exitDenied,
	ipc.CodePolicy:        exitDenied,
	ipc.CodeExpired:       exitDenied,
	ipc.CodeCancelled:     exitCancelled,
	ipc.CodeTimeout:       exitTimeout,
	ipc.CodeBadRequest:    exitUsage,
	ipc.CodeTooLarge:      exitUsage,
	ipc.CodeNothingDone:   exitNothingDone,
}

// quietExit ends the program with a status and without a message.
type quietExit int

func (e quietExit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// explain maps an error to an exit code and a message: the problem, the reason, and the command that helps.
func (a *app) explain(ctx context.Context, cmd *cobra.Command, err error) (code int, text string) {
	var quiet quietExit
	var wire *ipc.Error
	var unwritten outputError
	var unread inputError
	switch {
	case errors.As(err, &unwritten):
		return exitFailure, i18n.CannotWriteOut(unwritten.error).In(a.lang)
	case errors.As(err, &unread):
		return exitFailure, i18n.CannotReadStdin(unread.error).In(a.lang)
	case errors.As(err, &quiet):
		return int(quiet), ""
	case errors.As(err, &wire):
		return a.explainWire(wire)
	case manual.IsUsageError(err):
		return exitUsage, a.guide().ExplainMistake(cmd, err)
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimeout, i18n.ErrTimeout.In(a.lang)
	case ctx.Err() != nil:
		return exitCancelled, i18n.ErrCancelled.In(a.lang)
	case errors.Is(err, ipc.ErrLost):
		return exitUnreachable, i18n.ConnectionLost.In(a.lang) + "\n" + i18n.LostHint.In(a.lang)
	case errors.Is(err, ipc.ErrUnreachable):
		head, hint := i18n.AictlUnreachable, i18n.UnreachableHint
		if a.host != "" {
			head, hint = i18n.UnreachableHost(a.host), i18n.UnreachableHostHint(a.host)
		}
		return exitUnreachable, head.In(a.lang) + "\n" + a.attempts(err) + hint.In(a.lang)
	}
	return exitFailure, "blunux-aictl: " + i18n.Cause(err, a.lang)
}

// attempts lists where the client looked for the daemon and what it tried, one per line.
func (a *app) attempts(err error) string {
	var none *ipc.UnreachableError
	if !errors.As(err, &none) {
		return i18n.Cause(err, a.lang) + "\n"
	}
	return i18n.ConnectionAttempts(a.lang, none.Path, none.Tried) + "\n"
}

// wireCode returns the name of an error in the output of --json.
func wireCode(ctx context.Context, err error) ipc.Code {
	switch {
	case manual.IsUsageError(err):
		return ipc.CodeBadRequest
	case errors.Is(err, context.DeadlineExceeded):
		return ipc.CodeTimeout
	case ctx.Err() != nil:
		return ipc.CodeCancelled
	case errors.Is(err, ipc.ErrLost), errors.Is(err, ipc.ErrUnreachable):
		return "unreachable"
	}
	return ipc.CodeInternal
}

// report prints the --json document of a failed question. If that fails too, the exit status remains.
func (a *app) report(ctx context.Context, err error, code int, text string) {
	wire := &ipc.Error{Code: wireCode(ctx, err), Message: text}
	errors.As(err, &wire)
	_ = printJSON(a.out, document{Version: 1, Steps: []ipc.Step{}, Error: wire, Exit: code})
}

// wantsJSON reports whether the command line contains --json, even if the rest of it is wrong.
func wantsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true", "--json=1":
			return true
		}
	}
	return false
}

func (a *app) explainWire(e *ipc.Error) (code int, text string) {
	code, ok := exitOf[e.Code]
	if !ok {
		code = exitFailure
	}
	text = clean(i18n.PlainCause(e.Message, a.lang))
	if e.Hint != "" {
		text += "\n" + clean(e.Hint)
	}
	return code, text
}
