package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// refusedFor returns a refused call as in an outcome.
func refusedFor(class, reason string) ipc.Step {
	return ipc.Step{Class: class, State: ipc.ToolRefused, Reason: reason}
}

func ran(class string, exit int, early string) ipc.Step {
	return ipc.Step{Class: class, State: ipc.ToolDone, Exit: exit, Reason: early}
}

func TestU1TheExitStatusSaysWhetherTheRequestWasDone(t *testing.T) {
	look, change := "SAFE", "CONFIRM"
	for _, c := range []struct {
		name  string
		stop  string
		steps []ipc.Step
		want  int
	}{
		{"an answer in words", "end_turn", nil, 0},
		{"not understood", "not_understood", nil, exitNotUnderstood},
		{"beyond the built-in helper", "nothing_done", nil, exitNothingDone},
		{"refused", "refusal", nil, exitBlocked},
		{"too many rounds", "max_rounds", nil, exitRounds},
		{"a look", "end_turn", []ipc.Step{ran(look, 0, "")}, 0},
		{"a look whose program returns 1", "end_turn", []ipc.Step{ran(look, 1, "")}, 0},
		{"the only look lacks its program", "end_turn", []ipc.Step{refusedFor(look, "missing")}, exitNothingDone},
		{"a look lacks its program when it starts", "end_turn", []ipc.Step{ran(look, -1, "missing")}, exitNothingDone},
		{"one look of two lacks its program", "end_turn", []ipc.Step{refusedFor(look, "missing"), ran(look, 0, "")}, 0},
		{"a look timed out", "end_turn", []ipc.Step{ran(look, 143, "timeout")}, exitTimeout},
		{"no rights", "end_turn", []ipc.Step{refusedFor(change, "no_rights")}, exitNothingDone},
		{"no rights after looks", "end_turn", []ipc.Step{ran(look, 0, ""), refusedFor(change, "no_rights")}, exitNothingDone},
		{"rights denied while it ran", "end_turn", []ipc.Step{ran(change, 1, "no_rights")}, exitNothingDone},
		{"a change timed out", "end_turn", []ipc.Step{ran(look, 0, ""), ran(change, 143, "timeout")}, exitTimeout},
		{"a change was cut short", "end_turn", []ipc.Step{ran(change, -1, "unknown")}, exitFailure},
		{"a change failed", "end_turn", []ipc.Step{ran(change, 1, ""), ran(look, 0, "")}, exitFailure},
		{"a change failed and was made another way", "end_turn", []ipc.Step{ran(change, 1, ""), ran(change, 0, "")}, 0},
		{"a change was made and called again", "end_turn", []ipc.Step{ran(change, 0, ""), refusedFor(change, "repeated")}, 0},
		{"nothing but a bad call", "end_turn", []ipc.Step{refusedFor("", "bad_input")}, exitNothingDone},
		{"a bad call, then a good one", "end_turn", []ipc.Step{refusedFor("", "bad_input"), ran(look, 0, "")}, 0},
		{"a server is away", "end_turn", []ipc.Step{refusedFor(change, "away")}, exitNothingDone},
		{"a code of a newer daemon", "end_turn", []ipc.Step{refusedFor(change, "a-new-one")}, exitNothingDone},
		{"a look that could not be confined lacks its program", "end_turn", []ipc.Step{ran(look, 0, ""), {
			Class: change, State: ipc.ToolRefused, Reason: "missing", Reasons: []string{"no-sandbox"},
		}}, 0},
		{"blocked", "end_turn", []ipc.Step{ran(look, 0, ""), refusedFor("BLOCKED", "blocked")}, exitBlocked},
		{"waits for approval", "end_turn", []ipc.Step{ran(look, 0, ""), refusedFor(change, "queued")}, exitDenied},
		{"the log cannot be written", "end_turn", []ipc.Step{refusedFor(change, "log")}, exitFailure},
	} {
		require.Equal(t, c.want, outcomeExit(ipc.Outcome{Stop: c.stop, Steps: c.steps}), c.name)
	}
}

func TestU1ARefusedCallAloneNeverCountsAsSuccess(t *testing.T) {
	for _, class := range []string{"", "SAFE", "CONFIRM", "BLOCKED"} {
		for _, reason := range []string{
			"blocked", "denied", "expired", "cancelled", "queued", "read_only", "bad_input", "no_tool", "unparsed", "missing", "left", "log", "mismatch",
			"repeated", "max_rounds", "no_rights", "planned", "away", "secret-note", "self_schedule", "a-new-one",
		} {
			require.NotZero(t, outcomeExit(ipc.Outcome{Stop: "end_turn", Steps: []ipc.Step{refusedFor(class, reason)}}), "%s %s", class, reason)
		}
	}
}
