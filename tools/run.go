package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/picture"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// Run asks about, records and runs a judged call. observe can be nil. A call that would be refused after a
// confirmation is refused before the person is asked.
func (g *Gate) Run(ctx context.Context, j JudgedPlan, approver Approver, observe func(Event)) Outcome {
	run := run{Gate: g, observe: observe, approver: approver}
	if out := run.refuseForbidden(j); out != nil {
		return *out
	}
	switch {
	case g.readOnly && !j.IsReadOnly():
		return *run.refuse(j, commandlog.Cancelled, RefusedReadOnly, "not run: this assistant may only read (autonomy = read_only)")
	case j.Class == safety.Safe:
		return *run.execute(ctx, j, commandlog.Safe)
	}
	if out := run.refusePowerless(j); out != nil {
		return *out
	}
	if j.Origin.Automation == "" && g.isAutonomous(j) { // automations have their own list
		approver = autonomyApprover{}
	}
	return *run.ask(ctx, j, approver)
}

// RunApproved runs a plan whose pending approval was granted. The plan must still have the approved digest and
// must still not be blocked. approver is asked what comes up while it runs, and can be nil.
func (g *Gate) RunApproved(ctx context.Context, j JudgedPlan, digest string, approver Approver, observe func(Event)) Outcome {
	run := run{Gate: g, observe: observe, approver: approver}
	again := g.judge.again(j)
	if out := run.refuseForbidden(again); out != nil {
		return *out
	}
	switch {
	case again.Digest != digest:
		return *run.refuse(again, commandlog.Cancelled, RefusedMismatch, "not run: it is not what was approved")
	case g.readOnly:
		return *run.refuse(again, commandlog.Cancelled, RefusedReadOnly, "not run: this assistant may only read (autonomy = read_only)")
	}
	if out := run.refusePowerless(again); out != nil {
		return *out
	}
	g.judge.hosts.approve(again)
	if other, changed := run.isOther(ctx, again); changed {
		if approver == nil {
			return *run.refuse(again, commandlog.Cancelled, RefusedMismatch, "not run: what it would do is no longer what was shown")
		}
		return *run.ask(ctx, other, approver)
	}
	return *run.execute(ctx, again, commandlog.Confirmed)
}

// autonomyApprover is an approver that allows everything.
type autonomyApprover struct{}

// Approve allows the command once.
func (autonomyApprover) Approve(context.Context, JudgedPlan) Decision {
	return Decision{Action: AllowOnce, By: byAutonomy}
}

// ask asks the person about the call and carries out the decision.
func (r run) ask(ctx context.Context, next JudgedPlan, approver Approver) *Outcome {
	for {
		j := next
		if out := r.preValidate(ctx, j); out != nil {
			return out
		}
		if out := r.checkRecipes(ctx, &j); out != nil {
			return out
		}
		j, out := r.foresee(ctx, j)
		if out != nil {
			return out
		}
		if j.Plan.IsHeld() { // only a person overrules that
			if r.approver == nil {
				return r.refuseRejected(j, Decision{Action: Reject, Reason: RefusedCancelled})
			}
			approver = r.approver
		}
		d := approver.Approve(ctx, j)
		j.By, j.isByFamily = d.By, d.Action == AllowFamily
		switch d.Action {
		case AllowOnce, AllowSession, AllowFamily:
			r.judge.hosts.approve(j)
			if other, changed := r.isOther(ctx, j); changed {
				next = other
				continue
			}
			return r.execute(ctx, j, commandlog.Confirmed)
		case Edit:
			edited, settled := r.runEdit(ctx, j, d.Command)
			if settled != nil {
				return settled
			}
			next = edited // it does more than the person saw: ask again
		default:
			return r.refuseRejected(j, d)
		}
	}
}

// runEdit judges and runs the person's own text. It returns no outcome if the text needs a confirmation for
// reasons that the person has not seen yet.
func (r run) runEdit(ctx context.Context, j JudgedPlan, command string) (JudgedPlan, *Outcome) {
	e, refusal := r.JudgeEdit(j, command)
	switch {
	case refusal != "":
		return e, r.refuse(j, commandlog.Cancelled, RefusedInput, "not run: "+refusal)
	case e.Class == safety.Blocked || e.isUnparsed:
		return e, r.refuseForbidden(e)
	case e.Class == safety.Safe:
		return e, r.execute(ctx, e, commandlog.Safe)
	case e.IsCoveredBy(j):
		return e, r.execute(ctx, e, commandlog.Confirmed)
	}
	return e, nil
}

// JudgeEdit judges a person's own text instead of a plan's commands or of its action. refusal is the reason if it
// cannot be one.
func (g *Gate) JudgeEdit(j JudgedPlan, text string) (e JudgedPlan, refusal string) {
	plan, call, err := g.edit(j, text)
	if err != nil {
		return j, err.Error()
	}
	plan.Dir, plan.Timeout = j.Plan.Dir, j.Plan.Timeout
	e = g.judge.classify(call, plan, j.Session)
	e.Origin, e.By = j.Origin, j.By
	return e, ""
}

// edit plans a person's own text.
func (g *Gate) edit(j JudgedPlan, text string) (plan Plan, call Call, err error) {
	call = j.Call
	if j.Plan.Action != nil {
		plan.Tool = j.Plan.Tool
		call.Words, call.Untrusted, call.Mixed, call.Pages = text, false, false, nil
		if plan.Action, err = j.Plan.Action.Edit(text); err == nil {
			plan, err = g.judge.pin(plan, call.Lang)
		}
		return plan, call, err
	}
	call.Name, call.Input, call.Earlier = runCommand, inputOf(text), append(slices.Clip(call.Earlier), text)
	plan, err = planLiteral(commandInput{text})
	plan.Tool = runCommand
	return plan, call, err
}

// Judge judges a pending plan again in the current state.
func (g *Gate) Judge(j JudgedPlan) JudgedPlan { return g.judge.again(j) }

// Cancel records that a plan with a pending approval does not run, and why.
func (g *Gate) Cancel(j JudgedPlan, reason string) error {
	return g.steps.NotRun(j.entry(commandlog.Cancelled, ""), reason, j.Lines())
}

// execute records and runs the commands.
func (r run) execute(ctx context.Context, j JudgedPlan, class commandlog.Class) *Outcome {
	if class == commandlog.Confirmed && !j.isStill(r.judge.again(j)) {
		return r.refuse(j, commandlog.Cancelled, RefusedMismatch, errMismatch.Error())
	}
	if out := r.refuseUnready(ctx, j); out != nil {
		return out
	}
	e, err := r.begin(j, class)
	if err != nil {
		return r.refuse(j, commandlog.Cancelled, RefusedLog, err.Error())
	}
	r.report(j, Event{State: StateRunning})
	began := time.Now()
	if class == commandlog.Confirmed {
		defer r.steps.KeepAwake(ctx, inhibitReason(j))()
	}
	e.all(ctx)
	if e.err != nil && (!e.hasRun() || errors.Is(context.Cause(ctx), executor.ErrStopping)) {
		r.report(j, Event{State: StateRefused, Reason: refusalCode(e.err), Ending: Ending{Took: time.Since(began)}})
		return newRefusal(refusalCode(e.err), e.err.Error())
	}
	return e.outcome(began)
}

// step records and runs one command of a call, or its action.
func (r run) step(ctx context.Context, j JudgedPlan, index int, class commandlog.Class, out *Outcome) (steps.Result, error) {
	q := steps.Request{
		Entry: j.entry(class, j.Lines()[index]), Timeout: j.Plan.Timeout, Unsaved: j.Origin.Unsaved,
		CallID: j.Call.ID, Index: index, Of: len(j.Plan.Commands), Why: inhibitReason(j),
	}
	if j.Plan.Action != nil {
		return r.doAction(ctx, j, q, out)
	}
	q.Command, q.Cells, q.ReadOnly = j.Plan.Commands[index], j.commandCells(index, class), j.Class == safety.Safe
	if j.Origin.Watched {
		q.OnOutput = func(text string) { r.report(j, Event{State: StateRunning, Output: text}) }
	}
	done, err := r.steps.Run(ctx, q)
	if err == nil && class == commandlog.Confirmed {
		done.Step = r.addByHand(j, index, done.Step)
	}
	return done, err
}

// doAction records and does the plan's action.
func (r run) doAction(ctx context.Context, j JudgedPlan, q steps.Request, out *Outcome) (steps.Result, error) {
	var failure error
	done, err := r.steps.RunFunc(ctx, q, func(ctx context.Context, to io.Writer) (bool, error) {
		res, err := j.Plan.Action.Do(ctx, r.judge.services, j.actionCall(), to)
		out.NoteChange, failure = res.NoteChange, err
		out.Picture = namePicture(res.Picture, to)
		return res.Failed, err
	})
	done.Interrupted = done.Interrupted && !action.IsChanged(failure)
	return done, err
}

// namePicture writes the line that names the picture of a result in its text, and returns the picture as it is shown: nil if
// it is none, or more than models take.
func namePicture(p *providers.Picture, to io.Writer) *providers.Picture {
	if p == nil {
		return nil
	}
	h, ok := picture.Read(p.Data)
	if !ok {
		fmt.Fprintf(to, "[not a picture: %d bytes]\n", len(p.Data))
		return nil
	}
	name := h.String()
	if p.Path != "" {
		name = p.Path + ": " + name
	}
	if !h.IsShowable(len(p.Data)) {
		fmt.Fprintf(to, "[%s, %d bytes; too large to be shown to you]\n", name, len(p.Data))
		return nil
	}
	fmt.Fprintf(to, "[%s, %d bytes]\n", name, len(p.Data))
	return &providers.Picture{MediaType: h.MediaType, Data: p.Data, Path: p.Path}
}

// earlyEnd returns the first reason why a command ended early, or "" if any command ended normally.
func earlyEnd(steps []providers.Step) (why string) {
	for _, s := range steps {
		early := ""
		switch {
		case s.MissingProgram != "":
			early = RefusedMissing
		case s.Denied != "":
			early = RefusedRights
		case s.TimedOut:
			early = EndedTimeout
		case s.Interrupted:
			early = EndedUnknown
		default:
			return ""
		}
		why = cmp.Or(why, early)
	}
	return why
}

func refusalCode(err error) string {
	switch {
	case errors.Is(err, steps.ErrLog):
		return RefusedLog
	case errors.Is(err, executor.ErrStillRunning):
		return RefusedStopping
	case errors.Is(err, errMismatch):
		return RefusedMismatch
	}
	return RefusedCancelled
}

// addByHand adds the command for a terminal to a step whose command got no root's rights.
func (r run) addByHand(j JudgedPlan, index int, step providers.Step) providers.Step {
	why := elevation.DenialReason(step.Exit, step.Stderr)
	if why == "" || step.Interrupted {
		return step
	}
	r.rights.Forget()
	step.Denied = string(why)
	command := j.Plan.Commands[index]
	switch {
	case j.Plan.ByHand != nil:
		step.ManualCommand = shell.CommandLine(j.Plan.ByHand)
	case command.Shell != "":
		step.ManualCommand = inTerminal(command.Shell)
	default:
		step.ManualCommand = shell.CommandLine(elevation.ByHand(r.env.HasProgram, elevation.StripRung(command.Argv)...))
	}
	return step
}

// inTerminal rewrites a shell source for a terminal, where sudo can ask for a password.
func inTerminal(source string) string {
	if asking := strings.ReplaceAll(source, "sudo -n ", "sudo "); asking != source || strings.Contains(source, "sudo ") {
		return asking
	}
	if strings.ContainsAny(source, ";&|<>\n$`(") || strings.Contains(source, "pkexec ") || strings.Contains(source, "run0 ") {
		return source
	}
	return "sudo " + source
}
