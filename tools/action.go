package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Action is what a plan does inside this program instead of running commands: it changes a note or an automation, sends
// a file, or calls another server's tool. It is judged, confirmed and recorded like a command. An action is a value
// that can be stored with an approval; what it acts on is in [services].
type Action interface {
	// Argv is the command line that people see and the log records in place of the action. Nothing parses it.
	Argv() []string
	// kind is the action's entry in [actionKinds].
	kind() string
	// changes reports whether the action changes something, even if it needs no confirmation.
	changes() bool
	// pin binds the plan to the current state of what its action acts on. An action that cannot succeed is refused
	// before the person is asked.
	pin(s services, p *Plan) error
	// judge classifies the action.
	judge(s services, j *JudgedPlan)
	// ready returns nil if the action can be done now. A [changedError] means that it would act on something else than
	// the person saw.
	ready(ctx context.Context, s services, c actionCall) error
	// do does the action and writes its output. An error means that the result is unknown. The end of ctx ends it.
	do(ctx context.Context, s services, c actionCall, to io.Writer) (actionResult, error)
	// edit returns the action with the person's own text, or why it cannot have one.
	edit(text string) (Action, error)
}

// actionCall is the part of a plan that its action needs to be done.
type actionCall struct {
	from    Origin
	against string // [Plan.Against]
}

func (j JudgedPlan) actionCall() actionCall {
	return actionCall{from: j.Origin, against: j.Plan.Against}
}

// actionResult is the result of an action.
type actionResult struct {
	failed     bool
	noteChange *memory.Change
}

// changedError reports that what an action acts on has changed since the person saw it.
type changedError string

func (e changedError) Error() string { return string(e) }

func isChanged(err error) bool { return errors.As(err, new(changedError)) }

// secretError refuses to store a secret.
type secretError string

func (e secretError) Error() string { return string(e) }

// planningRefusal returns the refusal code for a planning error.
func planningRefusal(err error) string {
	if errors.As(err, new(secretError)) {
		return RefusedSecret
	}
	return RefusedInput
}

// actionPlan returns a plan of an action.
func actionPlan(a Action) Plan { return Plan{Action: a} }

// pin binds the plan's action, if it has one, to the current state of what it acts on.
func (g *Gate) pin(p Plan) (Plan, error) {
	if p.Action == nil {
		return p, nil
	}
	err := p.Action.pin(g.services, &p)
	return p, err
}

// requireConfirmation makes a plan need a confirmation.
func (j *JudgedPlan) requireConfirmation(code, part string) {
	j.Class = max(j.Class, safety.Confirm)
	j.Parts = append(j.Parts, safety.Reason{Code: code, Part: part})
}

// editAction judges an action with the person's own text.
func (g *Gate) editAction(j JudgedPlan, text string) (e JudgedPlan, refusal string) {
	edited, err := j.Plan.Action.edit(text)
	plan := actionPlan(edited)
	if err == nil {
		plan, err = g.pin(plan)
	}
	if err != nil {
		return j, err.Error()
	}
	plan.Tool, plan.Dir, plan.Timeout = j.Plan.Tool, j.Plan.Dir, j.Plan.Timeout
	call := j.Call
	call.Words, call.Untrusted, call.Mixed = text, false, false
	e = g.judge(call, plan, j.Session)
	e.Origin, e.By = j.Origin, j.By
	return e, ""
}

// refuseUnready refuses a call whose action cannot be done now.
func (r run) refuseUnready(ctx context.Context, j JudgedPlan) *Outcome {
	if j.Plan.Action == nil {
		return nil
	}
	var out Outcome
	switch err := j.Plan.Action.ready(ctx, r.services, j.actionCall()); {
	case err == nil:
		return nil
	case isChanged(err):
		out = r.refuse(j, commandlog.Cancelled, RefusedMismatch, "not run: "+err.Error())
	case ctx.Err() != nil:
		out = r.refuse(j, commandlog.Cancelled, RefusedCancelled, "not run: cancelled")
	default:
		out = r.refuse(j, commandlog.Failed, RefusedUnavailable, "not run: "+r.redactor.Redact(err.Error()))
	}
	return &out
}

// stepAction records and does the plan's action.
func (r run) stepAction(ctx context.Context, j JudgedPlan, class commandlog.Class) (stepResult, error) {
	step := stepResult{Step: providers.Step{Command: j.Command(), Exit: -1}}
	rec, err := r.beginRecord(j, class, step.Command)
	if err != nil {
		return step, err
	}
	crash.Here(crash.BeforeExec)
	res, noted, err := r.doAction(ctx, j)
	crash.Here(crash.ExecEnded)
	r.endRecord(rec, r.logResult(res, err))
	if ctx.Err() != nil {
		return step, fmt.Errorf("%w: %s", errCancelled, step.Command)
	}
	step.Step, step.bytes, step.noteChange = fillStep(step.Step, res, nil), res.Bytes, noted
	if err != nil { // it was started and can have taken effect
		step.Interrupted = !isChanged(err)
		step.Stderr = r.redactor.Redact(err.Error())
	}
	return step, nil
}

// doAction does the plan's action within the usual limits.
func (r run) doAction(ctx context.Context, j JudgedPlan) (Result, *memory.Change, error) {
	timed, cancel := context.WithTimeout(ctx, j.Plan.Timeout)
	defer cancel()
	text := newCutter(r.executor.maxBytes, r.executor.maxLines)
	out := r.redactor.Writer(text) // redact before cutting
	start := time.Now()
	done, err := j.Plan.Action.do(timed, r.services, j.actionCall(), out)
	_ = out.Close() // the cutter accepts everything
	res := Result{Stdout: text.String(), Cut: text.isCut(), Bytes: text.total, Took: time.Since(start)}
	if timed.Err() != nil && ctx.Err() == nil && err != nil {
		res.TimedOut, err = true, nil
	}
	if done.failed || res.TimedOut || err != nil {
		res.Exit = 1
	}
	if err != nil {
		res.Exit = -1
	}
	return res, done.noteChange, err
}

// digestOf returns a digest of a state.
func digestOf(parts ...string) string {
	data, err := json.Marshal(parts)
	if err != nil { // strings always marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
