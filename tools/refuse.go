package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// run processes one call.
type run struct {
	*Gate
	observe func(Event)
	// approver is asked during the call; nil if no one can be. recoveries is what a plan that this call belongs to has
	// left; nil for a call by itself.
	approver   Approver
	recoveries *int
}

func (r run) report(j JudgedPlan, e Event) {
	if r.observe == nil {
		return
	}
	e.Call, e.Name, e.Class, e.Command = j.Call.ID, j.Call.Name, j.Class.String(), j.Command()
	e.Reasons, e.Input = j.Reasons, j.Call.Input
	r.observe(e)
}

// refuse records that the commands were not run, and why.
func (r run) refuse(j JudgedPlan, class commandlog.Class, code, text string) *Outcome {
	r.report(j, Event{State: StateRefused, Reason: code})
	if err := r.steps.NotRun(j.entry(class, ""), code, j.Lines()); err != nil {
		text += " (" + err.Error() + ")"
	}
	return newRefusal(code, text)
}

// refuseForbidden refuses a call that no one can allow: a blocked one, and one that cannot run exactly as it was
// judged.
func (r run) refuseForbidden(j JudgedPlan) *Outcome {
	switch {
	case j.Class == safety.Blocked:
		return r.refuse(j, commandlog.Blocked, RefusedBlocked, "blocked by policy, never allowed: "+partsText(j.Parts))
	case j.Origin.Automation != "" && j.changesAutomations():
		return r.refuse(j, commandlog.Cancelled, RefusedSelfChange, "not run: an automation cannot change automations; tell the person what you would change instead")
	case j.isUnparsed:
		return r.refuse(j, commandlog.Cancelled, RefusedUnparsed, "not run: it cannot be checked as a whole: "+partsText(j.Parts))
	}
	return nil
}

// refuseRejected refuses a call that was not approved.
func (r run) refuseRejected(j JudgedPlan, d Decision) *Outcome {
	switch d.Reason {
	case RefusedStopping:
		r.report(j, Event{State: StateRefused, Reason: RefusedStopping})
		return newRefusal(RefusedStopping, "not decided: the daemon stopped while it waited for an answer")
	case RefusedQueued:
		out := newRefusal(RefusedQueued, "not run: no one could be asked; pending approval: "+d.Code)
		out.Pending = d.Code
		out.Output.ApprovalCode, out.Output.ApprovalCommand = d.Code, r.redactor.Redact(j.Command())
		r.report(j, Event{State: StateRefused, Reason: RefusedQueued})
		return out
	case RefusedExpired:
		return r.refuse(j, commandlog.Cancelled, RefusedExpired, "not run: no answer in time")
	case RefusedCancelled:
		return r.refuse(j, commandlog.Cancelled, RefusedCancelled, "not run: cancelled")
	}
	return r.refuse(j, commandlog.Cancelled, RefusedDenied, "not run: the user said no; do not try again, ask what they want instead")
}

// refuseMissing refuses a call whose program is not installed.
func (r run) refuseMissing(j JudgedPlan, program string) *Outcome {
	found := shell.PersonalProgram(r.env.Home, program)
	out := r.refuse(j, commandlog.Failed, RefusedMissing, steps.MissingText(program, found))
	out.Output.Steps = []providers.Step{{Command: j.Command(), Exit: -1, MissingProgram: program, FoundPath: found}}
	return out
}

// refuseUnready refuses a call whose action cannot be done now.
func (r run) refuseUnready(ctx context.Context, j JudgedPlan) *Outcome {
	if j.Plan.Action == nil {
		return nil
	}
	switch err := j.Plan.Action.Ready(ctx, r.judge.services, j.actionCall()); {
	case err == nil:
		return nil
	case action.IsChanged(err):
		return r.refuse(j, commandlog.Cancelled, RefusedMismatch, "not run: "+err.Error())
	case ctx.Err() != nil:
		return r.refuse(j, commandlog.Cancelled, RefusedCancelled, "not run: cancelled")
	default:
		return r.refuse(j, commandlog.Failed, RefusedUnavailable, "not run: "+r.redactor.Redact(err.Error()))
	}
}

// refusePowerless refuses a call that needs root's rights if there is no way to them, without asking the person.
func (r run) refusePowerless(j JudgedPlan) *Outcome {
	if len(j.Plan.Lacks) == 0 {
		return nil
	}
	byHand := shell.CommandLine(j.Plan.ByHand)
	lacks := make([]string, len(j.Plan.Lacks))
	for i, s := range j.Plan.Lacks {
		lacks[i] = fmt.Sprintf("%s: %s", s.Rung, s.Reason)
	}
	out := r.refuse(j, commandlog.Failed, RefusedRights, fmt.Sprintf(
		"not run: it needs root's rights, and there is no way to get them here (%s). Do not try another way and never ask for a password. "+
			"Tell the person to run this in a terminal themselves, exactly:\n%s", strings.Join(lacks, ", "), byHand))
	out.Output.RootProblems, out.Output.ManualCommand = lacks, byHand
	return out
}

func partsText(parts []safety.Reason) string {
	list := make([]string, len(parts))
	for i, p := range parts {
		list[i] = p.Code + " (" + p.Part + ")"
	}
	return strings.Join(list, ", ")
}

// preValidate refuses a call that could not run even if the person confirmed it.
func (r run) preValidate(ctx context.Context, j JudgedPlan) *Outcome {
	if j.Origin.Unsaved {
		r.report(j, Event{State: StateRefused, Reason: RefusedLog})
		return newRefusal(RefusedLog, fmt.Sprintf("%v: %v", steps.ErrLog, steps.ErrUnsavedTask))
	}
	if err := checkDir(j.Plan.Dir); err != nil {
		return r.refuse(j, commandlog.Failed, RefusedInput, "not run: cannot work in "+j.Plan.Dir+": "+withoutPath(err).Error())
	}
	for _, program := range j.startedPrograms() {
		_, err := r.judge.executor.FindProgram(program)
		switch {
		case errors.Is(err, executor.ErrNotFound):
			return r.refuseMissing(j, program)
		case err != nil:
			return r.refuse(j, commandlog.Failed, RefusedMissing, "not run: cannot start "+program+": "+withoutPath(err).Error())
		}
	}
	if out := r.refuseUnready(ctx, j); out != nil {
		return out
	}
	if err := r.steps.Ready(); err != nil {
		r.report(j, Event{State: StateRefused, Reason: RefusedLog})
		return newRefusal(RefusedLog, fmt.Sprintf("%v: %v", steps.ErrLog, err))
	}
	return nil
}

// withoutPath returns an error without its path.
func withoutPath(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// checkDir returns nil if a command can be started in a directory.
func checkDir(dir string) error {
	fi, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !fi.IsDir():
		return unix.ENOTDIR
	}
	return unix.Access(dir, unix.X_OK)
}

// startedPrograms returns the programs that the plan starts in any case. A shell source with more than one command can
// test for a program first, or create it.
func (j JudgedPlan) startedPrograms() []string {
	var programs []string
	for _, c := range j.Plan.Commands {
		if c.Shell == "" {
			programs = append(programs, elevation.StartedPrograms(c.Argv)...)
			continue
		}
		steps, literal := c.Invocations()
		if literal && len(steps) == 1 && !shell.IsBuiltin(steps[0].Program) {
			program := steps[0].Program
			if strings.Contains(program, "/") && !filepath.IsAbs(program) {
				program = filepath.Join(j.Plan.Dir, program)
			}
			programs = append(programs, program)
		}
	}
	return programs
}
