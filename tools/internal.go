package tools

import (
	"context"
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

// internalRunner runs commands inside this program instead of the [Executor]. They are planned, judged, confirmed and
// recorded like all others. A plan has at most one such command.
type internalRunner interface {
	// judge classifies a command.
	judge(j *JudgedPlan, c Command)
	// check returns nil if the command can run now. The error matches isChanged if the command would act on
	// something else than the person saw.
	check(ctx context.Context, c Command) error
	// execute runs a command and writes its output. An error means that the result is unknown. The end of ctx
	// ends the command.
	execute(ctx context.Context, c Command, to io.Writer) (internalResult, error)
}

// internalResult is the result of an internal command.
type internalResult struct {
	failed     bool
	noteChange *memory.Change
}

// The internal runners in [Command.By].
const (
	byServer = "server" // tools of MCP servers
	byNotes  = "notes"
	// byAutomations marks commands about automations.
	byAutomations = "timetable"
)

// findRunner returns the runner of a call's command, or nil if there is none.
func (g *Gate) findRunner(c Command, from Origin) internalRunner {
	switch {
	case c.Shell != "":
	case c.By == byServer:
		return serverRunner{g.foreign}
	case c.By == byNotes && g.notebook != nil:
		return noteRunner{g.notebook, g.redactor}
	case c.By == byAutomations && g.timetable != nil:
		return automationRunner{g.timetable, g.redactor, from}
	case c.By == bySendFile && g.fileSender != nil:
		return fileRunner{g.fileSender, g.checker, g.allowance.Blocked, from}
	}
	return nil
}

// isRunBy reports whether the internal runner name runs the plan; isInternal reports whether any of them does.
func (p Plan) isRunBy(name string) bool { return len(p.Commands) > 0 && p.Commands[0].By == name }

func (p Plan) isInternal() bool { return len(p.Commands) > 0 && p.Commands[0].By != "" }

// judgeInternal classifies an internal command. Such a plan must have exactly one command.
func (g *Gate) judgeInternal(j *JudgedPlan, c Command) {
	who := g.findRunner(c, j.Origin)
	if who == nil || len(j.Plan.Commands) != 1 {
		j.isUnparsed = true
		j.requireConfirmation("unparsed", c.String())
		return
	}
	who.judge(j, c)
}

// requireConfirmation makes a plan need a confirmation.
func (j *JudgedPlan) requireConfirmation(code, part string) {
	j.Class = max(j.Class, safety.Confirm)
	j.Parts = append(j.Parts, safety.Reason{Code: code, Part: part})
}

// isChanged reports whether err means that a command would act on something else than the person saw.
func isChanged(err error) bool {
	return errors.Is(err, ErrForeignChanged) || errors.Is(err, errNoteChanged) || errors.Is(err, errAutomationChanged) || errors.Is(err, errFileChanged)
}

// refuseUnready refuses a call that its internal runner cannot run now.
func (r run) refuseUnready(ctx context.Context, j JudgedPlan) *Outcome {
	if !j.Plan.isInternal() {
		return nil
	}
	c := j.Plan.Commands[0]
	who := r.findRunner(c, j.Origin)
	if who == nil { // it was only judged as unparsed
		return newRefusal(RefusedUnparsed, "not run: no handler for this command")
	}
	var out Outcome
	switch err := who.check(ctx, c); {
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

// stepInternal records and runs an internal command.
func (r run) stepInternal(ctx context.Context, j JudgedPlan, class commandlog.Class) (stepResult, error) {
	c := j.Plan.Commands[0]
	step := stepResult{Step: providers.Step{Command: c.String(), Exit: -1}}
	rec, err := r.beginRecord(j, class, step.Command)
	if err != nil {
		return step, err
	}
	crash.Here(crash.BeforeExec)
	res, noted, err := r.runInternal(ctx, j)
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

// runInternal runs an internal command within the usual limits.
func (r run) runInternal(ctx context.Context, j JudgedPlan) (Result, *memory.Change, error) {
	c := j.Plan.Commands[0]
	timed, cancel := context.WithTimeout(ctx, j.Plan.Timeout)
	defer cancel()
	text := newCutter(r.executor.maxBytes, r.executor.maxLines)
	out := r.redactor.Writer(text) // redact before cutting
	start := time.Now()
	done, err := r.findRunner(c, j.Origin).execute(timed, c, out)
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
