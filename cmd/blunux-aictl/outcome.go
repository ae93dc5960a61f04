package main

import (
	"slices"

	"github.com/nidoit/blunux-ai/ipc"
)

// outcomeExit returns the exit code of an answer that came: 0 only where the
// request was answered or done.
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

// refusedExit returns the exit code of what policy, a person or the command log
// stopped; 0 when nothing was stopped so.
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

// stepsExit returns the exit code that the calls of an answer amount to. The last
// call that was to change something decides; without one, a single look that
// came to its end is enough.
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

// lastChange returns the last call that was to change something. Calls that never
// became a command are the model's mistakes, which it may have corrected.
func lastChange(steps []ipc.Step) (last ipc.Step, ok bool) {
	for _, s := range steps {
		switch s.Reason {
		case "bad_input", "no_tool", "repeated":
			continue
		}
		if changes(s) {
			last, ok = s, true
		}
	}
	return last, ok
}

// changes reports whether a call was to change something. One that is only asked
// about because nothing here can confine it is a look.
func changes(s ipc.Step) bool {
	return s.Class != "" && s.Class != "SAFE" && !slices.Equal(s.Reasons, []string{"no-sandbox"})
}

// stepExit returns the exit code of one call alone. What a look's program returns
// is a part of the answer; that of a change says whether it was made.
func stepExit(s ipc.Step) int {
	switch {
	case s.State == ipc.ToolRefused:
		return exitNothingDone
	case s.Reason == "timeout":
		return exitTimeout
	case s.Reason == "missing", s.Reason == "no_rights":
		return exitNothingDone
	case s.Reason != "", changes(s) && s.Exit != 0:
		return exitFailure
	}
	return 0
}
