package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// run processes one call.
type run struct {
	*Gate
	observe func(Event)
}

func (r run) report(j JudgedPlan, e Event) {
	if r.observe == nil {
		return
	}
	e.Call, e.Name, e.Class, e.Command = j.Call.ID, j.Call.Name, j.Class.String(), j.Command()
	e.Reasons, e.Input = j.Reasons, j.Call.Input
	r.observe(e)
}

// refuseForbidden refuses a call that no one can allow: a blocked one, and one that cannot run exactly as it was
// judged.
func (r run) refuseForbidden(j JudgedPlan) *Outcome {
	var out Outcome
	switch {
	case j.Class == safety.Blocked:
		out = r.refuse(j, commandlog.Blocked, RefusedBlocked, "blocked by policy, never allowed: "+partsText(j.Parts))
	case j.Origin.Automation != "" && j.changesAutomations():
		out = r.refuse(j, commandlog.Cancelled, RefusedSelfChange, "not run: an automation cannot change automations; tell the person what you would change instead")
	case j.isUnparsed:
		out = r.refuse(j, commandlog.Cancelled, RefusedUnparsed, "not run: it cannot be checked as a whole: "+partsText(j.Parts))
	default:
		return nil
	}
	return &out
}

// ask asks the person about the call and carries out the decision.
func (r run) ask(ctx context.Context, j JudgedPlan, approver Approver) Outcome {
	for {
		if out := r.preValidate(ctx, j); out != nil {
			return *out
		}
		d := approver.Approve(ctx, j)
		j.By = d.By
		switch d.Action {
		case AllowOnce, AllowSession:
			r.rememberHosts(j)
			return r.execute(ctx, j, commandlog.Confirmed)
		case Edit:
			edited, settled := r.runEdit(ctx, j, d.Command)
			if settled != nil {
				return *settled
			}
			j = edited // it does more than the person saw: ask again
		default:
			return r.refuseRejected(j, d)
		}
	}
}

// runEdit judges and runs the person's own text. It returns no outcome if the text needs a confirmation for
// reasons that the person has not seen yet.
func (r run) runEdit(ctx context.Context, j JudgedPlan, command string) (JudgedPlan, *Outcome) {
	e, refusal := r.JudgeEdit(j, command)
	var out Outcome
	switch {
	case refusal != "":
		out = r.refuse(j, commandlog.Cancelled, RefusedInput, "not run: "+refusal)
	case e.Class == safety.Blocked || e.isUnparsed:
		return e, r.refuseForbidden(e)
	case e.Class == safety.Safe:
		out = r.execute(ctx, e, commandlog.Safe)
	case e.IsCoveredBy(j):
		out = r.execute(ctx, e, commandlog.Confirmed)
	default:
		return e, nil
	}
	return e, &out
}

// JudgeEdit judges a person's own text instead of a plan's commands. refusal is the reason if it cannot be a
// command.
func (g *Gate) JudgeEdit(j JudgedPlan, command string) (e JudgedPlan, refusal string) {
	if j.Plan.Action != nil {
		return g.editAction(j, command)
	}
	input, err := json.Marshal(map[string]string{"command": command})
	var plan Plan
	if err == nil {
		plan, err = planRunCommand(g.env, input)
	}
	if err != nil {
		return j, err.Error()
	}
	call := Call{
		ID: j.Call.ID, Name: "run_command", Input: input, Untrusted: j.Call.Untrusted, Mixed: j.Call.Mixed,
		Words: j.Call.Words, Earlier: append(slices.Clip(j.Call.Earlier), command),
	}
	plan.Tool, plan.Dir, plan.Timeout = "run_command", j.Plan.Dir, j.Plan.Timeout
	e = g.judge(call, plan, j.Session)
	e.Origin, e.By = j.Origin, j.By
	return e, ""
}

// IsCoveredBy reports whether the person has already seen everything that needs a confirmation in this plan, because
// it was shown with another.
func (j JudgedPlan) IsCoveredBy(shown JudgedPlan) bool {
	return containsAll(j.Reasons, shown.Reasons) && containsAll(j.Warnings, shown.Warnings) && (shown.Privileged || !j.Privileged)
}

// Judge judges a pending plan again in the current state.
func (g *Gate) Judge(j JudgedPlan) JudgedPlan {
	again := g.judge(j.Call, j.Plan, j.Session)
	again.Origin, again.By = j.Origin, j.By
	return again
}

// refuseRejected refuses a call that was not approved.
func (r run) refuseRejected(j JudgedPlan, d Decision) Outcome {
	switch d.Reason {
	case RefusedStopping:
		r.report(j, Event{State: StateRefused, Reason: RefusedStopping})
		return *newRefusal(RefusedStopping, "not decided: the daemon stopped while it waited for an answer")
	case RefusedQueued:
		out := newRefusal(RefusedQueued, "not run: no one could be asked; pending approval: "+d.Code)
		out.Pending = d.Code
		out.Output.ApprovalCode, out.Output.ApprovalCommand = d.Code, r.redactor.Redact(j.Command())
		r.report(j, Event{State: StateRefused, Reason: RefusedQueued})
		return *out
	case RefusedExpired:
		return r.refuse(j, commandlog.Cancelled, RefusedExpired, "not run: no answer in time")
	case RefusedCancelled:
		return r.refuse(j, commandlog.Cancelled, RefusedCancelled, "not run: cancelled")
	}
	return r.refuse(j, commandlog.Cancelled, RefusedDenied, "not run: the user said no; do not try again, ask what they want instead")
}

// refuse records that the commands were not run, and why.
func (r run) refuse(j JudgedPlan, class commandlog.Class, code, text string) Outcome {
	r.report(j, Event{State: StateRefused, Reason: code})
	for _, line := range j.Lines() {
		e := j.entry(class, r.redactor.Redact(line))
		e.Reason = code
		if _, err := r.recorder.Begin(e); err != nil {
			text += " (" + err.Error() + ")"
			break
		}
	}
	return *newRefusal(code, text)
}

// Cancel records that a plan with a pending approval does not run, and why.
func (g *Gate) Cancel(j JudgedPlan, reason string) error {
	for _, line := range j.Lines() {
		e := j.entry(commandlog.Cancelled, g.redactor.Redact(line))
		e.Reason = reason
		if _, err := g.recorder.Begin(e); err != nil {
			return err
		}
	}
	return nil
}

// refuseMissing refuses a call whose program is not installed.
func (r run) refuseMissing(j JudgedPlan, program string) Outcome {
	found := PersonalProgram(r.env.Home, program)
	out := r.refuse(j, commandlog.Failed, RefusedMissing, missingText(program, found))
	out.Output.Steps = []providers.Step{{Command: j.Command(), Exit: -1, MissingProgram: program, FoundPath: found}}
	return out
}

// missingText reports that a program is not in the system's directories, and the path or package that has it,
// if known.
func missingText(program, found string) string {
	switch pkg := machine.PackageOf(program); {
	case found != "":
		return fmt.Sprintf("the program %s is not in the system's directories; it is %s: write that path to run it", program, found)
	case pkg != "":
		return fmt.Sprintf("the program %s is not installed (Arch package: %s)", program, pkg)
	}
	return fmt.Sprintf("the program %s is not installed", program)
}

// execute records and runs the commands one after the other.
func (r run) execute(ctx context.Context, j JudgedPlan, class commandlog.Class) Outcome {
	if class == commandlog.Confirmed && r.judge(j.Call, j.Plan, j.Session).Digest != j.Digest {
		return r.refuse(j, commandlog.Cancelled, RefusedMismatch, "not run: it is no longer what was approved")
	}
	if out := r.refuseUnready(ctx, j); out != nil {
		return *out
	}
	r.report(j, Event{State: StateRunning})
	start := time.Now()
	var out Outcome
	var bytes, failed int
	var cut bool
	if class == commandlog.Confirmed {
		defer r.keepAwakeFor(ctx, j)()
	}
	for i := range j.Lines() {
		step, err := r.step(ctx, j, i, class)
		if err != nil {
			r.report(j, Event{State: StateRefused, Reason: refusalCode(err), Took: time.Since(start)})
			return *newRefusal(refusalCode(err), err.Error())
		}
		out.Output.Steps, out.NoteChange = append(out.Output.Steps, step.Step), step.noteChange
		bytes, cut = bytes+step.bytes, cut || step.cut
		if step.Exit != 0 {
			failed++
		}
	}
	out.Text = stepsText(out.Output.Steps)
	out.IsError = failed == len(out.Output.Steps) && failed > 0
	last := out.Output.Steps[len(out.Output.Steps)-1]
	r.report(j, Event{
		State: StateDone, Exit: last.Exit, Reason: earlyEnd(out.Output.Steps), Took: time.Since(start), OutBytes: bytes, Cut: cut,
		Ended: last.EndReason(), Program: last.MissingProgram, Limit: last.Limit,
	})
	return out
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

// errLog and errCancelled end a whole call, like [ErrStillRunning]. A failed command does not.
var (
	errLog       = errors.New("not run: cannot record the command")
	errCancelled = errors.New("cancelled")
)

func refusalCode(err error) string {
	switch {
	case errors.Is(err, errLog):
		return RefusedLog
	case errors.Is(err, ErrStillRunning):
		return RefusedStopping
	}
	return RefusedCancelled
}

func partsText(parts []safety.Reason) string {
	var list []string
	for _, p := range parts {
		list = append(list, p.Code+" ("+p.Part+")")
	}
	return strings.Join(list, ", ")
}

func newRefusal(code, text string) *Outcome {
	return &Outcome{Output: providers.Output{Refusal: code}, Text: text, IsError: true}
}
