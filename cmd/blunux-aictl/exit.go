package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

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
		return exitUnreachable, i18n.AictlUnreachable.In(a.lang) + "\n" + a.attempts(err) + i18n.UnreachableHint.In(a.lang)
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
