package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// check is the check of a recognised change: looks before and after it, each of which is judged, confined and recorded
// like any reading command. A nil check does nothing.
type check struct {
	run    run
	judged JudgedPlan
	verb   plan.Verb
	before []plan.Look
	looks  int
}

// beginChecks returns the check of each command of a plan, after its looks before. Only confirmed commands that are
// recognised have one.
func (r run) beginChecks(ctx context.Context, j JudgedPlan, class commandlog.Class) []*check {
	checks := make([]*check, len(j.Lines()))
	if class != commandlog.Confirmed || j.Plan.Action != nil {
		return checks
	}
	for i, command := range j.Plan.Commands {
		argv, literal := command.Literal()
		if !literal {
			continue
		}
		verb, ok := plan.Recognize(argv)
		if !ok {
			continue
		}
		checks[i] = &check{run: r, judged: j, verb: verb}
		for _, look := range verb.Before() {
			found, _ := checks[i].look(ctx, look)
			checks[i].before = append(checks[i].before, found)
		}
	}
	return checks
}

// end takes the looks after the command and adds what they show to the outcome.
func (c *check) end(ctx context.Context, changed providers.Step, out *Outcome) {
	if c == nil || changed.MissingProgram != "" { // nothing ran
		return
	}
	wait(ctx, c.verb.Settle(c.before))
	var after []plan.Look
	for {
		argv, more := c.verb.Next(after)
		if !more {
			break
		}
		found, step := c.look(ctx, argv)
		after = append(after, found)
		if step != nil {
			out.Output.Checks = append(out.Output.Checks, *step)
		}
	}
	exit := changed.Exit
	if changed.EndReason() != "" {
		exit = -1
	}
	for _, p := range c.verb.Judge(c.before, after, exit) {
		out.Proofs = append(out.Proofs, p)
		out.Output.Contradicted = out.Output.Contradicted || p.Outcome == plan.Failed
	}
}

// CheckLeft checks what a command changed that an earlier process started and that has ended since, as far as its words
// say. The state before is not known. The text is for a model.
func (g *Gate) CheckLeft(ctx context.Context, left steps.Note, ended providers.Step) (proofs []plan.Proof, text string) {
	argv, literal := shell.ParseLiteral(left.Command)
	verb, ok := plan.Recognize(argv)
	if !literal || !ok {
		return nil, ""
	}
	j := JudgedPlan{Call: Call{ID: left.CallID}, Session: left.Session}
	j.Origin = Origin{Task: left.Task, Channel: left.Channel, Automation: left.Automation}
	out := &Outcome{}
	(&check{run: run{Gate: g}, judged: j, verb: verb}).end(ctx, ended, out)
	return out.Proofs, checksText(out)
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

// look runs a look as a separate call. It does not run if it needs a confirmation, for example because of one of the
// person's rules.
func (c *check) look(ctx context.Context, argv []string) (plan.Look, *providers.Step) {
	found := plan.Look{Argv: argv}
	c.looks++
	p := argvPlan(argv)
	p.Tool, p.Timeout, p.Dir = runCommand, min(lookTimeout, c.run.env.Limits.Command), c.run.WorkingDir("")
	id := fmt.Sprintf("%s.check%d", c.judged.Call.ID, c.looks)
	call := Call{ID: id, Name: runCommand, Input: inputOf(shell.CommandLine(argv))}
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
