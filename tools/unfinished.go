package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// runNote is stored with a confirmed command, so that a later process can complete its record and report its
// result.
type runNote struct {
	Ref        commandlog.Ref `json:"ref"`
	Session    string         `json:"session"`
	Task       string         `json:"task"`
	Channel    string         `json:"channel"`
	Automation string         `json:"automation,omitempty"`
	CallID     string         `json:"call"`
	Tool       string         `json:"tool"`
	Command    string         `json:"command"` // without secrets
	Index      int            `json:"index"`   // position in the call's commands
	Of         int            `json:"of"`
	Why        string         `json:"why,omitempty"` // of the inhibitor lock; "" for none
}

func (r run) encodeNote(j JudgedPlan, index int, ref commandlog.Ref) json.RawMessage {
	data, err := json.Marshal(runNote{
		Ref: ref, Session: j.Session, Task: j.Origin.Task, Channel: j.Origin.Channel, Automation: j.Origin.Automation, CallID: j.Call.ID, Tool: j.Plan.Tool,
		Command: r.redactor.Redact(j.Plan.Commands[index].String()), Index: index, Of: len(j.Plan.Commands), Why: inhibitReason(j),
	})
	if err != nil { // strings and numbers always marshal
		panic(err)
	}
	return data
}

// UnfinishedRun is a confirmed command that an earlier process started and whose result is not reported yet.
type UnfinishedRun struct {
	Task    string
	Session string
	Channel string
	// Automation is the automation that ran it; "" for a person's message.
	Automation string
	CallID     string // the model's id of the tool call
	Tool       string
	Command    string // as logged, without secrets
	Index      int    // of the command in its call, from 0
	Of         int    // commands in the call; the ones after this one did not run
	// Ref identifies the command's record.
	Ref commandlog.Ref

	gate          *Gate
	run           *unit.Run
	inhibitReason string
}

// UnfinishedRuns returns the confirmed commands that an earlier process left: ended, still running, or cut short with the
// machine. Each is returned once per process, and again to the next process until [LeftRun.Remove].
func (g *Gate) UnfinishedRuns(ctx context.Context) ([]UnfinishedRun, error) {
	if g.executor.units == nil {
		return nil, nil
	}
	runs, err := g.executor.units.EarlierRuns(ctx)
	left := make([]UnfinishedRun, 0, len(runs))
	for _, run := range runs {
		var n runNote
		if bad := json.Unmarshal(run.Note(), &n); bad != nil {
			run.Release()
			err = errors.Join(err, fmt.Errorf("cannot read the note of %s: %w", run.Unit(), bad))
			continue
		}
		left = append(left, UnfinishedRun{
			Task: n.Task, Session: n.Session, Channel: n.Channel, Automation: n.Automation, CallID: n.CallID, Tool: n.Tool, Command: n.Command,
			Index: n.Index, Of: n.Of, Ref: n.Ref, gate: g, run: run, inhibitReason: n.Why,
		})
	}
	return left, err
}

// Unit returns the name of the command's unit.
func (l UnfinishedRun) Unit() string { return l.run.Unit() }

// Wait waits for the command and returns its step like the gate: redacted and cut output, Unknown if it was
// killed from outside. It records the result if that is missing. It can be called again, also by the next
// process, until [LeftRun.Remove].
//
// The end of ctx ends the command, unless its cause is [ErrStopping]: then the error is [ErrStillRunning] and the
// command keeps running. [ErrNotStarted] means that it never ran.
func (l UnfinishedRun) Wait(ctx context.Context) (providers.Step, error) {
	g, step := l.gate, providers.Step{Command: l.Command, Exit: -1}
	if l.inhibitReason != "" {
		defer g.keepAwake(ctx, l.inhibitReason)()
	}
	// The unit ends the command at its timeout.
	res, err := g.executor.waitForRun(ctx, l.run, 0)
	if errors.Is(err, ErrStillRunning) {
		return step, err
	}
	ended, logErr := g.recorder.HasEnd(l.Ref)
	if logErr == nil && !ended {
		logErr = g.recorder.End(l.Ref, g.logResult(res, err))
	}
	switch {
	case logErr != nil:
		return fillStep(step, res, err), logErr
	case ctx.Err() != nil && err != nil:
		return fillStep(step, res, err), fmt.Errorf("%w: %s", errCancelled, l.Command)
	case errors.Is(err, ErrNotStarted):
		return step, err
	}
	return fillStep(step, res, err), nil
}

// ErrNotStarted reports a command that was recorded but not started.
var ErrNotStarted = unit.ErrNotStarted

// Remove removes the command's files. Call it when the result is stored elsewhere.
func (l UnfinishedRun) Remove() error { return l.run.Remove() }
