package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// execution carries out an approved call: its commands one after the other, or the steps of a plan as they depend on
// each other.
type execution struct {
	run
	judged  JudgedPlan
	class   commandlog.Class
	receipt string // the id of its receipt, "" for none
	// approver is asked about another way to do a step that failed; nil if no one can be. recoveries is how many the
	// call has left.
	approver   Approver
	recoveries *int

	mu    sync.Mutex
	out   *Outcome
	steps []stepResult
	// rechecked reports that the call is still what was approved at its first change.
	rechecked bool
	err       error // why the call ended before its steps did
}

// stepResult is how far a command of the call is.
type stepResult struct {
	receipt.Step
	steps.Result
	proofs []plan.Proof
	checks []providers.Step
}

// begin returns the execution of a call whose receipt is stored.
func (r run) begin(j JudgedPlan, class commandlog.Class) (*execution, error) {
	e := &execution{run: r, judged: j, class: class, approver: r.approver, recoveries: r.recoveries, out: &Outcome{}}
	if e.recoveries == nil {
		left := plan.MaxRecoveries
		e.recoveries = &left
		e.run.recoveries = e.recoveries
	}
	if observe := r.observe; observe != nil { // looks side by side report one at a time
		var mu sync.Mutex
		e.observe = func(event Event) {
			mu.Lock()
			defer mu.Unlock()
			observe(event)
		}
	}
	lines := j.Lines()
	e.steps = make([]stepResult, len(lines))
	for i, line := range lines {
		e.steps[i].Command, e.steps[i].Looks = r.redactor.Redact(line), e.looks(i)
		if p := j.Plan.Typed; p != nil {
			e.steps[i].ID = p.Steps[i].ID
		}
	}
	if class != commandlog.Confirmed || j.Plan.Action != nil || r.env.Receipts == nil {
		return e, nil
	}
	kept := receipt.Receipt{
		Task: j.Origin.Task, Call: j.Call.ID, Session: j.Session, Channel: j.Origin.Channel, Automation: j.Origin.Automation,
		TakesBack: j.Plan.TakesBack,
	}
	if p := j.Plan.Typed; p != nil {
		kept.Goal = r.redactor.Redact(p.Goal)
	}
	for _, s := range e.steps {
		kept.Steps = append(kept.Steps, s.Step)
	}
	id, err := r.env.Receipts.Begin(kept)
	e.receipt = id
	return e, err
}

// looks reports whether a command only reads and can run as such.
func (e *execution) looks(i int) bool {
	j := e.judged
	if e.class != commandlog.Confirmed {
		return e.class == commandlog.Safe
	}
	if j.Plan.Typed == nil || i >= len(j.classes) || j.classes[i] != safety.Safe || j.Plan.Typed.Steps[i].Verb != "run" || j.isMixed {
		return false
	}
	return !slices.ContainsFunc(j.cells[i], func(c executor.Cell) bool { return e.judge.executor.CanConfine(c.Needs) != nil })
}

// all carries out everything.
func (e *execution) all(ctx context.Context) {
	if e.judged.Plan.Typed == nil {
		for i := range e.steps {
			if e.step(ctx, i); e.stopped() {
				return
			}
		}
		return
	}
	for !e.stopped() {
		ready, lost := e.judged.Plan.Typed.Next(e.states(), func(i int) bool { return e.steps[i].Looks })
		for _, i := range lost {
			e.skip(i)
		}
		if len(ready) == 0 && len(lost) == 0 {
			return
		}
		e.together(ctx, ready)
	}
}

func (e *execution) states() []plan.State {
	states := make([]plan.State, len(e.steps))
	for i, s := range e.steps {
		states[i] = s.State
	}
	return states
}

// maxTogether bounds how many looks run side by side.
const maxTogether = 8

// together carries out steps that do not wait for each other: looks side by side, else the first change.
func (e *execution) together(ctx context.Context, ready []int) {
	changes := func(i int) bool { return !e.steps[i].Looks }
	looks := slices.DeleteFunc(slices.Clone(ready), changes)
	if len(looks) == 0 {
		if len(ready) > 0 {
			e.step(ctx, ready[0])
		}
		return
	}
	var wg sync.WaitGroup
	for _, i := range looks[:min(len(looks), maxTogether)] {
		wg.Go(func() { e.step(ctx, i) })
	}
	wg.Wait()
}

// skip ends a step that can no longer start.
func (e *execution) skip(i int) {
	e.steps[i].State = plan.StepSkipped
	e.keep(i)
	e.progress(i)
}

// step carries out one step. A failed step of a plan is tried again, or another way, as [plan.Decide] says.
func (e *execution) step(ctx context.Context, i int) {
	var tried attempt
	for {
		e.try(ctx, i)
		tried.tries++
		if e.stopped() || e.steps[i].State != plan.StepFailed || e.judged.Plan.Typed == nil || e.steps[i].Looks || !e.recover(ctx, i, &tried) {
			break
		}
		e.set(i, func(s *stepResult) { s.proofs, s.checks, s.Effects = nil, nil, nil })
	}
	if !e.stopped() {
		e.keep(i)
		e.progress(i)
	}
}

// try carries out one step once.
func (e *execution) try(ctx context.Context, i int) {
	c := e.beginCheck(ctx, i)
	e.set(i, func(s *stepResult) {
		s.State = plan.StepRunning
		if !s.Looks {
			s.Step.Before = &c.Before
		}
	})
	if !e.steps[i].Looks && !e.keep(i) {
		return
	}
	e.progress(i)
	done, err := steps.Result{}, e.recheck(i)
	var g *guard
	if err == nil {
		g, err = e.arm(ctx, i, c)
	}
	if err == nil {
		err = e.snapshotBefore(ctx, i, c)
	}
	if err == nil {
		done, err = e.start(ctx, i)
	}
	if err != nil {
		e.set(i, func(s *stepResult) { s.State = plan.StepFailed })
		e.mu.Lock()
		e.err = err
		e.mu.Unlock()
		if refusalCode(err) != RefusedStopping { // the next process ends it
			e.keep(i)
		}
		return
	}
	e.set(i, func(s *stepResult) { s.Result, s.Step.Exit = done, done.Step.Exit })
	c.end(ctx, done.Step, &e.steps[i])
	e.snapshotAfter(ctx, i, c)
	if p := e.judged.Plan.Typed; p != nil {
		e.checkOwn(ctx, i, p.Steps[i])
	}
	switch {
	case g == nil:
	case done.Step.Exit != 0:
		e.takeBack(ctx, g)
	case !e.settle(ctx, g):
		e.set(i, func(s *stepResult) {
			s.proofs = []plan.Proof{c.wentBack(s.proofs)}
			s.Effects, s.Why = nil, ReasonKeep
		})
	}
	e.set(i, func(s *stepResult) {
		if p := e.judged.Plan.Typed; p != nil && p.Steps[i].Undo != "" && s.Step.Exit == 0 {
			// The plan's own way back of a setting knows more than the value before, such as a reason that was given with it.
			s.Effects = slices.DeleteFunc(s.Effects, func(e plan.Effect) bool { return e.Kind == plan.KindSetting })
			s.Effects = append(s.Effects, plan.Effect{Kind: plan.KindCommand, Name: s.Command, Before: p.Steps[i].Undo})
		}
		s.Step.Proofs, s.Step.Before = s.proofs, nil
		s.State = s.result()
	})
}

// errMismatch reports a call that is no longer what was approved.
var errMismatch = errors.New("not run: it is no longer what was approved")

// recheck judges the whole call once more before its first change, because the looks before it have taken time, and
// compares the file that a step changes with the one that was shown.
func (e *execution) recheck(i int) error {
	if e.class != commandlog.Confirmed || e.steps[i].Looks {
		return nil
	}
	if p := e.judged.Plan.Typed; p != nil && !isAsPlanned(p.Steps[i]) {
		return fmt.Errorf("%w: %s was changed since", errMismatch, p.Steps[i].Args["path"])
	}
	if e.rechecked {
		return nil
	}
	e.rechecked = true
	if !e.judged.isStill(e.judge.again(e.judged)) {
		return errMismatch
	}
	return nil
}

// stopped reports that the call ended before its steps did.
func (e *execution) stopped() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err != nil
}

// set changes the state of a step.
func (e *execution) set(i int, change func(*stepResult)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(&e.steps[i])
}

// result returns the final state of a step that ran.
func (s *stepResult) result() plan.State {
	switch {
	case s.Result.Step.Exit != 0 && !(s.Looks && s.MissingProgram == "" && !s.TimedOut),
		slices.ContainsFunc(s.proofs, func(p plan.Proof) bool { return p.Outcome == plan.Failed }):
		return plan.StepFailed
	case slices.ContainsFunc(s.proofs, func(p plan.Proof) bool { return p.Outcome != plan.Done }), len(s.proofs) == 0 && !s.Looks:
		return plan.StepUnproved
	}
	return plan.StepDone
}

// keep stores the state of a step. If that fails, no further step starts.
func (e *execution) keep(i int) bool {
	if e.receipt == "" {
		return true
	}
	if err := e.env.Receipts.Update(e.receipt, i, e.steps[i].Step); err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.err = err
		return false
	}
	return true
}

// progress reports a step of a plan.
func (e *execution) progress(i int) {
	if e.judged.Plan.Typed == nil {
		return
	}
	e.mu.Lock()
	s := e.steps[i].Step
	e.mu.Unlock()
	e.report(e.judged, Event{State: StateRunning, Step: &StepEvent{
		Index: i, Of: len(e.steps), ID: s.ID, Command: s.Command, State: s.State,
	}})
}

// start records and runs one command of the call, or its action.
func (e *execution) start(ctx context.Context, i int) (steps.Result, error) {
	class := e.class
	if e.steps[i].Looks {
		class = commandlog.Safe
	}
	return e.run.step(ctx, e.judged, i, class, e.out)
}

// checkOwn runs the step's own check, which only reads.
func (e *execution) checkOwn(ctx context.Context, i int, s plan.Step) {
	if s.Check == "" || e.steps[i].MissingProgram != "" {
		return
	}
	c := e.newCheck(i)
	c.number += ".own"
	found, step := c.lookAt(ctx, shell.Command{Shell: s.Check}, s.Check, e.judged.Plan.Dir)
	proof := plan.JudgeOwn(s.Check, s.Expect, found)
	proof.Check = e.redactor.Redact(s.Check)
	proof.Subject = cmp.Or(strings.TrimSpace(s.Description), e.steps[i].Command)
	e.set(i, func(r *stepResult) {
		r.proofs = append(r.proofs, proof)
		if step != nil {
			r.checks = append(r.checks, *step)
		}
	})
}

// hasRun reports whether a step has ended although the call did not.
func (e *execution) hasRun() bool {
	return slices.ContainsFunc(e.steps, func(s stepResult) bool { return s.Command != "" && s.Result.Step.Command != "" && s.State.IsFinal() })
}

// outcome sums up the call.
func (e *execution) outcome(began time.Time) *Outcome {
	out := e.out
	var bytes, failed int
	var cut bool
	for i := range e.steps {
		s := &e.steps[i]
		if s.Result.Step.Command == "" { // it did not run, or its end is not known
			continue
		}
		out.Output.Steps = append(out.Output.Steps, s.Result.Step)
		out.Output.Checks = append(out.Output.Checks, s.checks...)
		out.Proofs = append(out.Proofs, s.proofs...)
		bytes, cut = bytes+s.Bytes, cut || s.Truncated
		if s.Result.Step.Exit != 0 {
			failed++
		}
	}
	out.Output.Contradicted = slices.ContainsFunc(out.Proofs, func(p plan.Proof) bool { return p.Outcome == plan.Failed })
	for _, p := range out.Proofs {
		switch {
		case p.Code != plan.OldServices:
		case p.User:
			out.Output.OldUserServices = strings.Fields(p.State)
		default:
			out.Output.OldServices = strings.Fields(p.State)
		}
	}
	out.Text = steps.Text(out.Output.Steps...) + checksText(out) + e.stepsText()
	out.IsError = failed == len(out.Output.Steps) && failed > 0 || out.Output.Contradicted
	if e.err != nil {
		out.Text, out.IsError = out.Text+"[stopped here: "+e.err.Error()+"]\n", true
	}
	if slices.ContainsFunc(e.steps, func(s stepResult) bool { return len(s.Effects) > 0 }) {
		out.Receipt = e.receipt
	}
	last := out.Output.Steps[len(out.Output.Steps)-1]
	e.report(e.judged, Event{State: StateDone, Reason: earlyEnd(out.Output.Steps), Ending: Ending{
		Exit: last.Exit, Took: time.Since(began), OutBytes: bytes, Cut: cut, Picture: out.Picture,
		Ended: last.EndReason(), Program: last.MissingProgram, Limit: last.Limit,
	}})
	return out
}

// stepsText returns the text for a model about the steps of a plan.
func (e *execution) stepsText() string {
	if e.judged.Plan.Typed == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("[steps of the plan:")
	for _, s := range e.steps {
		state := cmp.Or(string(s.State), "not started")
		fmt.Fprintf(&b, " %s: %s;", s.ID, state)
	}
	return strings.TrimSuffix(b.String(), ";") + "]\n"
}

// changesPackages reports whether a command starts a program that changes installed packages.
func (e *execution) changesPackages(i int) bool {
	if v, ok := e.judged.Plan.verbOf(i); ok && slices.Contains([]plan.Action{plan.Install, plan.Remove, plan.Upgrade}, v.Action) {
		return true
	}
	return e.judged.Plan.Typed == nil && inhibitReason(e.judged) != ""
}
