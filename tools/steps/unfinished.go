package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// Unfinished is a confirmed command that an earlier process started and whose result is not reported yet.
type Unfinished struct {
	Note
	runner *Runner
	run    *unit.Run
}

// Unfinished returns the confirmed commands that an earlier process left: ended, still running, or cut short with the
// machine. Each is returned once per process, and again to the next process until [Unfinished.Remove].
func (r *Runner) Unfinished(ctx context.Context) ([]Unfinished, error) {
	runs, err := r.executor.EarlierRuns(ctx)
	left := make([]Unfinished, 0, len(runs))
	for _, run := range runs {
		u := Unfinished{runner: r, run: run}
		if bad := json.Unmarshal(run.Note(), &u.Note); bad != nil {
			run.Release()
			err = errors.Join(err, fmt.Errorf("cannot read the note of %s: %w", run.Unit(), bad))
			continue
		}
		left = append(left, u)
	}
	return left, err
}

// Unit returns the name of the command's unit.
func (u Unfinished) Unit() string { return u.run.Unit() }

// Wait waits for the command and returns its step like [Runner.Run]: redacted and cut output, Interrupted if it was
// killed from outside. It records the result if that is missing. It can be called again, also by the next process,
// until [Unfinished.Remove].
//
// The end of ctx ends the command, unless its cause is [executor.ErrStopping]: then the error is
// [executor.ErrStillRunning] and the command keeps running. [ErrNotStarted] means that it never ran.
func (u Unfinished) Wait(ctx context.Context) (providers.Step, error) {
	r, step := u.runner, providers.Step{Command: u.Command, Exit: -1}
	defer r.KeepAwake(ctx, u.Why)()
	// The unit ends the command at its timeout.
	res, err := r.executor.WaitForRun(ctx, u.run, 0)
	if errors.Is(err, executor.ErrStillRunning) {
		return step, err
	}
	ended, logErr := r.records.Recorder.HasEnd(u.Ref)
	if logErr == nil && !ended {
		logErr = r.records.Recorder.End(u.Ref, r.logResult(res, err))
	}
	switch {
	case logErr != nil:
		return fillStep(step, res, err), logErr
	case ctx.Err() != nil && err != nil:
		return fillStep(step, res, err), fmt.Errorf("%w: %s", errCancelled, u.Command)
	case errors.Is(err, ErrNotStarted):
		return step, err
	}
	return fillStep(step, res, err), nil
}

// ErrNotStarted reports a command that was recorded but not started.
var ErrNotStarted = unit.ErrNotStarted

// Remove removes the command's files. Call it when the result is stored elsewhere.
func (u Unfinished) Remove() error { return u.run.Remove() }
