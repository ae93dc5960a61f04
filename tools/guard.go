package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// ReasonKeep is the reason of the question whether a guarded change stays. WarnGoesBack is the warning before it.
const (
	ReasonKeep   = "keep"
	WarnGoesBack = "goes-back"
)

// guard takes a change back by itself unless the person says in time that it stays: the service manager runs the way
// back, so it also runs if the network, the daemon or the display is gone.
type guard struct {
	unit string // of the timer that takes it back, without its suffix
	user bool   // the user's service manager has it
	wrap func(command ...string) []string
	ends time.Time
}

// arm starts the timer before a guarded change. It returns nil for a change without one, and an error if the change
// needs one that cannot be started: then it must not run.
func (e *execution) arm(ctx context.Context, i int, c *check) (*guard, error) {
	if c.Verb == nil || !c.Verb.IsGuarded() || e.judged.Plan.Reason == ReasonKeep {
		return nil, nil
	}
	commands := c.Verb.Restore(c.Before.Looks)
	id := fmt.Sprintf("%s-%d", strings.ToLower(cmp.Or(e.receipt, "x")), i+1)
	save, restore := c.Verb.Save("/run/blunux-ai-back-" + id)
	if len(commands) == 0 && save == "" {
		return nil, nil
	}
	g := &guard{unit: "blunux-ai-back-" + id, ends: time.Now().Add(plan.GuardTime)}
	g.user, g.wrap = e.managerOf(i, c.Verb.User)
	words := []string{"systemd-run"}
	if g.user {
		words = append(words, "--user")
	}
	words = append(words, "--no-ask-password", "--quiet", "--collect", "--unit="+g.unit,
		fmt.Sprintf("--on-active=%ds", int(plan.GuardTime.Seconds())), "--timer-property=AccuracySec=1s", "--")
	switch {
	case save != "":
		words = []string{"sh", "-c", "umask 077; " + save + " && exec " + shell.CommandLine(append(words, strings.Fields(restore)...))}
	case len(commands) == 1:
		words = append(words, commands[0]...)
	default:
		lines := make([]string, len(commands))
		for k, command := range commands {
			lines[k] = shell.CommandLine(command)
		}
		words = append(words, "sh", "-c", strings.Join(lines, "; "))
	}
	done, err := e.aside(ctx, g.wrap(words...), "guard")
	if err == nil && done.Exit != 0 {
		err = fmt.Errorf("not run: the way back could not be prepared, and this change can cut you off: %s", strings.TrimSpace(done.Stderr))
	}
	return g, err
}

// managerOf returns which service manager runs the way back of a command, and how commands get the same rights there.
func (e *execution) managerOf(i int, userUnit bool) (user bool, wrap func(...string) []string) {
	argv, _ := e.judged.Plan.Commands[i].Literal()
	plain := func(command ...string) []string { return command }
	elevated := len(argv) > 0 && slices.Contains([]string{"sudo", "run0", "pkexec", "doas"}, argv[0])
	switch {
	case userUnit || !elevated && !e.env.isRoot():
		return true, plain
	case elevated:
		return false, func(command ...string) []string { return e.env.elevationStatus().Rung.Argv(command...) }
	}
	return false, plain
}

// aside runs a command that belongs to an approved change, and records it.
func (e *execution) aside(ctx context.Context, argv []string, name string) (steps.Result, error) {
	return e.asideWithin(ctx, e.env.Limits.Command, argv, name)
}

func (e *execution) asideWithin(ctx context.Context, limit time.Duration, argv []string, name string) (steps.Result, error) {
	j := e.judged
	line := shell.CommandLine(argv)
	if v := e.judge.checker.JudgeArgv(j.Plan.Dir, argv); v.Class == safety.Blocked {
		return steps.Result{}, fmt.Errorf("not run: %q is never allowed", line)
	}
	return e.run.steps.Run(ctx, steps.Request{
		Entry: j.entry(commandlog.Confirmed, line), Timeout: limit, CallID: j.Call.ID + "." + name, Of: 1,
		Command: shell.Command{Argv: argv},
	})
}

// systemctl returns a command for the manager that has the guard.
func (g *guard) systemctl(words ...string) []string {
	return g.wrap(systemctl(g.user, append([]string{"--no-ask-password"}, words...)...)...)
}

// settle asks whether a guarded change stays, and otherwise waits until it is taken back. It reports whether it stays.
func (e *execution) settle(ctx context.Context, g *guard) (stays bool) {
	const reserve = 5 * time.Second // between the last answer and the way back
	keep := argvPlan(g.systemctl("stop", g.unit+".timer"))
	keep.Tool, keep.Reason, keep.AtLeast, keep.Dir, keep.Timeout = runCommand, ReasonKeep, safety.Confirm, e.judged.Plan.Dir, e.env.Limits.Command
	keep.Within = time.Until(g.ends) - reserve
	call := e.judged.Call
	call.ID += ".keep"
	call.Name, call.Input = runCommand, json.RawMessage(inputOf(keep.Commands[0].String()))
	j := e.judge.classify(call, keep, e.judged.Session)
	j.Origin = e.judged.Origin
	if e.approver != nil && keep.Within > 0 {
		asked, cancel := context.WithTimeout(ctx, keep.Within)
		answer := e.approver.Approve(asked, j)
		cancel()
		if answer.Action == AllowOnce || answer.Action == AllowSession {
			done, err := e.aside(ctx, g.systemctl("stop", g.unit+".timer"), "keep")
			return err == nil && done.Exit == 0
		}
		if answer.Reason == RefusedDenied { // no need to wait
			if e.takeBack(ctx, g) {
				return false
			}
		}
	}
	wait(ctx, time.Until(g.ends)+2*time.Second)
	return false
}

// takeBack runs the way back at once, and reports whether that was possible; the timer does it otherwise.
func (e *execution) takeBack(ctx context.Context, g *guard) bool {
	done, err := e.aside(ctx, g.systemctl("start", g.unit+".service"), "back")
	if err != nil || done.Exit != 0 {
		return false
	}
	_, _ = e.aside(ctx, g.systemctl("stop", g.unit+".timer"), "over") // what it would do is done
	return true
}
