package tools

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/providers"
)

// attempt is what was done about a step that failed.
type attempt struct {
	tries int
	ways  []plan.Way // alternatives that were tried
}

// recover decides what follows a failed step of a plan, and does it. It reports whether the step is to be tried again.
func (e *execution) recover(ctx context.Context, i int, a *attempt) (again bool) {
	ending := e.ending(i)
	cause := plan.Classify(ending)
	e.set(i, func(s *stepResult) { s.Why = string(cause) })
	verb, _ := e.judged.Plan.verbOf(i)
	ways := slices.DeleteFunc(plan.Alternatives(ending.Argv, cause), func(w plan.Alternative) bool {
		return slices.Contains(a.ways, w.Way) || e.env.planAlternative(e.judged.Plan.Typed.Steps[i], w) == nil
	})
	next := plan.Decide(cause, plan.Tried{
		Attempts: a.tries, Budget: *e.recoveries, Idempotent: verb.Action.Idempotent(), Alternatives: len(ways),
	})
	if next == plan.Abort || ctx.Err() != nil {
		return false
	}
	*e.recoveries--
	switch next {
	case plan.Retry:
		wait(ctx, cause.Pause())
		return ctx.Err() == nil
	case plan.TryAlternative:
		a.ways = append(a.ways, ways[0].Way)
		return !e.instead(ctx, i, *e.env.planAlternative(e.judged.Plan.Typed.Steps[i], ways[0]))
	case plan.AskAgain:
		e.rights.Forget()
		s := e.judged.Plan.Typed.Steps[i]
		p, err := e.env.planTyped(plan.Plan{Goal: s.Description, Steps: []plan.Step{alone(s)}})
		if err == nil && p.Commands[0].String() != e.judged.Plan.Commands[i].String() {
			e.instead(ctx, i, p)
		}
	}
	return false
}

// ending describes how a step ended.
func (e *execution) ending(i int) plan.Ending {
	s := e.steps[i]
	argv, literal := e.judged.Plan.Commands[i].Literal()
	if !literal {
		argv = nil
	}
	r := s.Result.Step
	return plan.Ending{
		Argv: argv, Exit: r.Exit, Stderr: r.Stderr, TimedOut: r.TimedOut, Missing: r.MissingProgram, Denied: r.Denied,
		Contradicted: slices.ContainsFunc(s.proofs, func(p plan.Proof) bool { return p.Outcome == plan.Failed }),
	}
}

// alone returns a step without what it depends on.
func alone(s plan.Step) plan.Step {
	s.DependsOn = nil
	return s
}

// instead asks about another plan for a failed step, and runs it. It reports whether the step is done by it.
func (e *execution) instead(ctx context.Context, i int, p Plan) (done bool) {
	if e.approver == nil {
		return false
	}
	p.Tool, p.Dir, p.Timeout = "plan", e.judged.Plan.Dir, max(p.Timeout, e.env.Limits.Command)
	call := e.judged.Call
	call.ID += ".instead"
	j := e.judge.classify(call, p, e.judged.Session)
	j.Origin = e.judged.Origin
	if out := e.refuseForbidden(j); out != nil {
		return false
	}
	if out := e.refusePowerless(j); out != nil {
		return false
	}
	out := e.ask(ctx, j, e.approver)
	failed := func(s providers.Step) bool { return s.Exit != 0 }
	if out.Output.Refusal != "" || out.Output.Contradicted || slices.ContainsFunc(out.Output.Steps, failed) {
		return false
	}
	e.set(i, func(s *stepResult) {
		last := out.Output.Steps[len(out.Output.Steps)-1]
		s.Result.Step, s.Step.Exit, s.proofs, s.checks = last, last.Exit, out.Proofs, out.Output.Checks
		s.Step.Proofs, s.State = out.Proofs, s.result()
	})
	return true
}

// planAlternative plans another way to do a step; nil if there is none here.
func (env Env) planAlternative(s plan.Step, a plan.Alternative) *Plan {
	var steps []plan.Step
	names := strings.Join(a.Verb.Targets, " ")
	switch a.Way {
	case plan.WayAUR:
		if a.Helper != "yay" || !env.HasProgram("yay") || env.isRoot() { // install uses yay
			return nil
		}
		steps = []plan.Step{{Verb: "install", Args: map[string]string{"name": names}}}
	case plan.WayUserUnit:
		for _, name := range a.Verb.Targets {
			steps = append(steps, plan.Step{Verb: "unit", Args: map[string]string{"action": string(a.Verb.Action), "name": name, "user": "true"}})
		}
	case plan.WayUpgrade:
		steps = []plan.Step{{Verb: "run", Args: map[string]string{"command": "sudo pacman -Syu " + names}}}
	case plan.WayNextMirror:
		text, ok := nextMirror()
		if !ok {
			return nil
		}
		steps = []plan.Step{{Verb: "write_file", Args: map[string]string{"path": mirrorList, "content": text}}, alone(s)}
	}
	for i := range steps {
		steps[i].ID = string(rune('1' + i))
	}
	p, err := env.planTyped(plan.Plan{Goal: s.Description, Steps: steps})
	if err != nil {
		return nil
	}
	return &p
}

// mirrorList has the servers that pacman asks, in order: pacman.conf(5), Include.
const mirrorList = "/etc/pacman.d/mirrorlist"

// nextMirror returns the mirror list with its first server as the last one.
func nextMirror() (text string, ok bool) {
	data, err := os.ReadFile(mirrorList)
	if err != nil {
		return "", false
	}
	lines := strings.SplitAfter(string(data), "\n")
	isServer := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "Server") }
	first := slices.IndexFunc(lines, isServer)
	if first < 0 || slices.IndexFunc(lines[first+1:], isServer) < 0 {
		return "", false
	}
	server := strings.TrimRight(lines[first], "\n") + "\n"
	rest := strings.Join(slices.Delete(lines, first, first+1), "")
	if !strings.HasSuffix(rest, "\n") {
		rest += "\n"
	}
	return rest + server, true
}
