package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nidoit/blunux-ai/crash"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// carrier runs commands inside this program instead of the [Executor]. They are planned, judged, confirmed and
// recorded like all others. A plan has at most one such command.
type carrier interface {
	// judge classifies a command.
	judge(j *Judged, c Command)
	// ready returns nil if the command can run now. The error matches changed if the command would act on
	// something else than the person saw.
	ready(ctx context.Context, c Command) error
	// carry runs a command and writes its output. An error means that the result is unknown. The end of ctx
	// ends the command.
	carry(ctx context.Context, c Command, to io.Writer) (carried, error)
}

// carried is the result of a carrier's command.
type carried struct {
	failed bool
	noted  *memory.Change
}

// The carriers in [Command.By].
const (
	byServer = "server" // tools of MCP servers
	byNotes  = "notes"
	// byTimetable marks commands about automations.
	byTimetable = "timetable"
)

// carrier returns the carrier for a command of a call, or nil if there is none.
func (g *Gate) carrier(c Command, from Origin) carrier {
	switch {
	case c.Shell != "":
	case c.By == byServer:
		return servers{g.foreign}
	case c.By == byNotes && g.notebook != nil:
		return notes{g.notebook, g.redactor}
	case c.By == byTimetable && g.timetable != nil:
		return clockwork{g.timetable, g.redactor, from}
	case c.By == byCourier && g.courier != nil:
		return post{g.courier, g.checker, g.full.Blocked, from}
	}
	return nil
}

// by reports whether the carrier name runs the plan; inside reports whether any carrier does.
func (p Plan) by(name string) bool { return len(p.Commands) > 0 && p.Commands[0].By == name }

func (p Plan) inside() bool { return len(p.Commands) > 0 && p.Commands[0].By != "" }

// judgeInside classifies a command that a carrier runs. Such a plan must have exactly one command.
func (g *Gate) judgeInside(j *Judged, c Command) {
	who := g.carrier(c, j.Origin)
	if who == nil || len(j.Plan.Commands) != 1 {
		j.unparsed = true
		j.confirm("unparsed", c.String())
		return
	}
	who.judge(j, c)
}

// confirm makes a plan need a confirmation.
func (j *Judged) confirm(code, part string) {
	j.Class = max(j.Class, safety.Confirm)
	j.Parts = append(j.Parts, safety.Reason{Code: code, Part: part})
}

// changed reports whether err means that a command would act on something else than the person saw.
func changed(err error) bool {
	return errors.Is(err, ErrForeignChanged) || errors.Is(err, errNoteChanged) || errors.Is(err, errAutomationChanged) || errors.Is(err, errFileChanged)
}

// unready refuses a call that its carrier cannot run now.
func (r run) unready(ctx context.Context, j Judged) *Outcome {
	if !j.Plan.inside() {
		return nil
	}
	c := j.Plan.Commands[0]
	who := r.carrier(c, j.Origin)
	if who == nil { // it was only judged as unparsed
		return refused(RefusedUnparsed, "not run: nobody here carries it out")
	}
	var out Outcome
	switch err := who.ready(ctx, c); {
	case err == nil:
		return nil
	case changed(err):
		out = r.refuse(j, commandlog.Cancelled, RefusedMismatch, "not run: "+err.Error())
	case ctx.Err() != nil:
		out = r.refuse(j, commandlog.Cancelled, RefusedCancelled, "not run: cancelled")
	default:
		out = r.refuse(j, commandlog.Failed, RefusedAway, "not run: "+r.redactor.Redact(err.Error()))
	}
	return &out
}

// stepInside records and runs a command with its carrier.
func (r run) stepInside(ctx context.Context, j Judged, class commandlog.Class) (stepped, error) {
	c := j.Plan.Commands[0]
	step := stepped{Step: providers.Step{Command: c.String(), Exit: -1}}
	rec, err := r.recorded(j, class, step.Command)
	if err != nil {
		return step, err
	}
	crash.Here(crash.BeforeExec)
	res, noted, err := r.carried(ctx, j)
	crash.Here(crash.ExecEnded)
	r.close(rec, r.ended(res, err))
	if ctx.Err() != nil {
		return step, fmt.Errorf("%w: %s", errCancelled, step.Command)
	}
	step.Step, step.bytes, step.noted = told(step.Step, res, nil), res.Bytes, noted
	if err != nil { // it was started and can have taken effect
		step.Unknown = !changed(err)
		step.Stderr = r.redactor.Redact(err.Error())
	}
	return step, nil
}

// carried runs a command with its carrier, within the usual limits.
func (r run) carried(ctx context.Context, j Judged) (Result, *memory.Change, error) {
	c := j.Plan.Commands[0]
	timed, cancel := context.WithTimeout(ctx, j.Plan.Timeout)
	defer cancel()
	text := newCutter(r.executor.maxBytes, r.executor.maxLines)
	out := r.redactor.Writer(text) // redact before cutting
	start := time.Now()
	done, err := r.carrier(c, j.Origin).carry(timed, c, out)
	_ = out.Close() // the cutter accepts everything
	res := Result{Stdout: text.String(), Cut: text.cut(), Bytes: text.total, Took: time.Since(start)}
	if timed.Err() != nil && ctx.Err() == nil && err != nil {
		res.TimedOut, err = true, nil
	}
	if done.failed || res.TimedOut || err != nil {
		res.Exit = 1
	}
	if err != nil {
		res.Exit = -1
	}
	return res, done.noted, err
}
