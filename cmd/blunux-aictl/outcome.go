package main

import (
	"slices"

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
	return stepsExit(out.Steps)
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
			if worst == 0 {
				worst = exitFailure
			}
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
