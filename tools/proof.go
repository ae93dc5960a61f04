package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// check is the check of a change: looks before and after it, each of which is judged, confined and recorded like any
// reading command.
type check struct {
	run    run
	judged JudgedPlan
	number string // of the command in its call
	looks  int
	owners map[string]string // of files that an upgrade can remove: the packages, by path
	receipt.Before
}

func (e *execution) newCheck(i int) *check {
	number := ""
	if i > 0 {
		number = "." + strconv.Itoa(i+1)
	}
	return &check{run: e.run, judged: e.judged, number: number}
}

// beginCheck returns the check of a command after its looks before. Only confirmed commands have one.
func (e *execution) beginCheck(ctx context.Context, i int) *check {
	c := e.newCheck(i)
	if e.class != commandlog.Confirmed || e.judged.Plan.Action != nil || e.steps[i].Looks {
		return c
	}
	if e.receipt != "" && e.changesPackages(i) {
		c.Packages = e.env.keepPackages()
	}
	verb, ok := e.judged.Plan.verbOf(i)
	if !ok {
		return c
	}
	c.Verb = &verb
	if verb.Action == plan.Upgrade && e.judged.Plan.Preview != nil {
		for _, u := range e.judged.Plan.Preview.Units {
			verb.AddService(u.Name, u.User)
		}
	}
	for _, look := range verb.Before() {
		found, _ := c.look(ctx, look)
		c.Before.Looks = append(c.Before.Looks, found)
	}
	if verb.Action == plan.Write || verb.Action == plan.Delete {
		c.keepFile()
	}
	return c
}

// keepFile keeps the text that a file has before it is changed.
func (c *check) keepFile() {
	text, fi, err := currentText(c.Verb.Targets[0])
	if err != nil || c.run.env.Receipts == nil || c.run.judge.isSecret(c.Verb.Targets[0]) {
		c.Absent = errors.Is(err, fs.ErrNotExist)
		return
	}
	c.Mode = fmt.Sprintf("%o", fi.Mode().Perm())
	c.Kept, _ = c.run.env.Receipts.Keep(text) // a text that is too long has no way back, which the receipt says
}

// end takes the looks after the command and adds what they show to the step.
func (c *check) end(ctx context.Context, changed providers.Step, s *stepResult) {
	if changed.MissingProgram != "" { // nothing ran
		return
	}
	s.Effects = append(s.Effects, c.run.env.packageEffects(c.Packages)...)
	if c.Verb == nil {
		return
	}
	wait(ctx, c.Verb.Settle(c.Before.Looks))
	var after []plan.Look
	for {
		argv, more := c.Verb.Next(c.Before.Looks, after)
		if !more {
			break
		}
		found, step := c.look(ctx, argv)
		after = append(after, found)
		if step != nil {
			s.checks = append(s.checks, *step)
		}
	}
	exit := changed.Exit
	if changed.EndReason() != "" {
		exit = -1
	}
	s.proofs = append(s.proofs, c.Verb.Judge(c.Before.Looks, after, exit)...)
	s.Effects = append(s.Effects, c.Verb.Effects(c.Before.Looks, after)...)
	s.Effects = append(s.Effects, c.fileEffects()...)
}

// wentBack returns the proof of a change that did not stay.
func (c *check) wentBack(proofs []plan.Proof) plan.Proof {
	p := plan.Proof{Action: c.Verb.Action, User: c.Verb.User, Subject: strings.Join(c.Verb.Targets, ", ")}
	if len(proofs) > 0 {
		p = proofs[0]
	}
	p.Outcome, p.Code, p.State = plan.Failed, plan.WentBack, ""
	return p
}

// fileEffects returns what became different about a file.
func (c *check) fileEffects() []plan.Effect {
	if c.Verb.Action != plan.Write && c.Verb.Action != plan.Delete || c.Kept == "" && !c.Absent {
		return nil
	}
	e := plan.Effect{Kind: plan.KindFile, Name: c.Verb.Targets[0], Before: c.Kept, Mode: c.Mode}
	if text, _, err := currentText(e.Name); err == nil {
		e.After = receipt.Digest(text)
	}
	if e.Before == e.After {
		return nil
	}
	return []plan.Effect{e}
}

// CheckLeft checks what a command changed that an earlier process started and that has ended since, and completes its
// receipt. Without a receipt only its words say what it is for, and the state before is not known. The text is for a
// model.
func (g *Gate) CheckLeft(ctx context.Context, left steps.Note, ended providers.Step) (proofs []plan.Proof, text string) {
	j := JudgedPlan{Call: Call{ID: left.CallID}, Session: left.Session}
	j.Origin = Origin{Task: left.Task, Channel: left.Channel, Automation: left.Automation}
	c := &check{run: run{Gate: g}, judged: j}
	s := &stepResult{Result: steps.Result{Step: ended}}
	kept, begun := g.receiptOf(left)
	if begun {
		s.Step = kept.Steps[left.Index]
		c.Before = *s.Step.Before
	} else if argv, literal := shell.ParseLiteral(left.Command); literal {
		if verb, ok := plan.Recognize(argv); ok {
			c.Verb = &verb
		}
	}
	c.end(ctx, ended, s)
	if begun {
		s.Step.Proofs, s.Step.Before, s.Step.Exit, s.State = s.proofs, nil, ended.Exit, s.result()
		_ = g.env.Receipts.Update(kept.ID, left.Index, s.Step) // the answer says the same
	}
	out := &Outcome{Proofs: s.proofs}
	out.Output.Checks = s.checks
	return out.Proofs, checksText(out)
}

// receiptOf returns the receipt of a command that an earlier process started, if its step was begun and not ended.
func (g *Gate) receiptOf(left steps.Note) (r receipt.Receipt, ok bool) {
	all, err := g.Changes()
	if err != nil {
		return r, false
	}
	for _, r := range all {
		if r.Task == left.Task && r.Call == left.CallID && left.Index < len(r.Steps) && r.Steps[left.Index].Before != nil {
			return r, true
		}
	}
	return r, false
}

// wait waits for a duration or the end of ctx.
func wait(ctx context.Context, d time.Duration) {
	if d == 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// lookTimeout is the time limit of a look.
const lookTimeout = 10 * time.Second

// look runs a look as a separate call.
func (c *check) look(ctx context.Context, argv []string) (plan.Look, *providers.Step) {
	ran := argv
	if argv[0] == ownProgram && c.run.judge.putter != "" {
		ran = append([]string{c.run.judge.putter}, argv[1:]...)
	}
	found, step := c.lookAt(ctx, shell.Command{Argv: ran}, shell.CommandLine(ran), "")
	found.Argv = argv
	return found, step
}

// lookAt runs a command that only reads. It does not run if it needs a confirmation, for example because of one of the
// person's rules.
func (c *check) lookAt(ctx context.Context, command shell.Command, text, dir string) (found plan.Look, _ *providers.Step) {
	c.looks++
	p := Plan{Commands: []shell.Command{command}}
	p.Tool, p.Timeout, p.Dir = runCommand, min(lookTimeout, c.run.env.Limits.Command), c.run.WorkingDir(dir)
	id := fmt.Sprintf("%s%s.check%d", c.judged.Call.ID, c.number, c.looks)
	call := Call{ID: id, Name: runCommand, Input: inputOf(text)}
	j := c.run.judge.classify(call, p, c.judged.Session)
	j.Origin = c.judged.Origin
	j.Origin.Watched = false
	if j.Class != safety.Safe || ctx.Err() != nil {
		return found, nil
	}
	out := c.run.execute(ctx, j, commandlog.Safe)
	if len(out.Output.Steps) == 0 {
		return found, nil
	}
	step := out.Output.Steps[0]
	found.Stdout, found.Stderr, found.Exit = step.Stdout, step.Stderr, step.Exit
	found.Ran = step.EndReason() == "" && step.Exit >= 0 && !step.Cut
	return found, &step
}

// checksText returns the text for a model about the checks of a call.
func checksText(out *Outcome) string {
	if len(out.Proofs) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[checked afterwards by blunux-ai, which also tells the person the result:]\n")
	b.WriteString(steps.Text(out.Output.Checks...))
	for _, p := range out.Proofs {
		switch p.Outcome {
		case plan.Done:
			fmt.Fprintf(&b, "[check passed: %s]\n", p)
		case plan.Failed:
			fmt.Fprintf(&b, "[check failed: %s. The change is not there: do not say that it is]\n", p)
		default:
			fmt.Fprintf(&b, "[not proved: %s. Do not say that it worked]\n", p)
		}
	}
	return b.String()
}
