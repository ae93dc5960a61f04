package main

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

var update = flag.Bool("update", false, "write the golden files anew")

var languages = []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese}

func TestEveryWireErrorHasAnExitCode(t *testing.T) {
	a := &app{lang: i18n.English}
	for code, want := range map[ipc.Code]int{
		ipc.CodeNotConfigured: 4, ipc.CodeAuth: 4, ipc.CodeRateLimit: 7, ipc.CodeProvider: 7, ipc.CodeNetwork: 7,
		ipc.CodeBlocked: 6, ipc.CodeDenied: 5, ipc.CodeExpired: 5, ipc.CodeCancelled: 130, ipc.CodeTimeout: 124,
		ipc.CodeBusy: 1, ipc.CodeBadRequest: 2, ipc.CodeUnknownType: 1, ipc.CodeTooLarge: 2, ipc.CodeInternal: 1, ipc.CodeNothingDone: 10, "new": 1,
	} {
		got, text := a.explain(t.Context(), nil, &ipc.Error{Code: code, Message: "what", Hint: "help"})
		require.Equal(t, want, got, code)
		require.Equal(t, "what\nhelp", text)
	}
}

func TestAnAnswerThatCameCanStillEndBadly(t *testing.T) {
	refused := func(reasons ...string) (out ipc.Outcome) {
		for _, r := range reasons {
			out.Steps = append(out.Steps, ipc.Step{State: ipc.ToolRefused, Reason: r})
		}
		return out
	}
	require.Zero(t, outcomeExit(ipc.Outcome{Steps: []ipc.Step{{Class: "SAFE", State: ipc.ToolDone, Exit: 1}}}))
	require.Equal(t, exitFailure, outcomeExit(ipc.Outcome{Checks: []ipc.Check{{Result: "done"}, {Result: ipc.CheckFailed}}}))
	require.Zero(t, outcomeExit(ipc.Outcome{Checks: []ipc.Check{{Result: "done"}, {Result: "unproved"}}}))
	require.Equal(t, exitBlocked, outcomeExit(refused("denied", "blocked")))
	require.Equal(t, exitDenied, outcomeExit(refused("queued")))
	require.Equal(t, exitDenied, outcomeExit(refused("expired")))
	require.Equal(t, exitDenied, outcomeExit(refused("mismatch", "unparsed")))
	require.Equal(t, exitFailure, outcomeExit(refused("log")))
	require.Equal(t, exitFailure, outcomeExit(refused("mismatch")))
	require.Equal(t, exitNothingDone, outcomeExit(refused("bad_input")))
	require.Equal(t, exitRounds, outcomeExit(ipc.Outcome{Stop: "max_rounds"}))
	require.Equal(t, exitBlocked, outcomeExit(ipc.Outcome{Stop: "refusal"}))
}
