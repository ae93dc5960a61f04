package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
)

// Rights finds the way to root's rights.
type Rights interface {
	Standing(ctx context.Context) elevation.Standing
	// MayManage reports whether the person may manage the system's units, or
	// their files, without root's rights.
	MayManage(ctx context.Context, files bool) bool
	// Forget has the next Standing look again.
	Forget()
}

// asRoot plans a command that needs root's rights.
func (env Env) asRoot(command ...string) Plan {
	s := env.standing()
	p := argv(s.Rung.Argv(command...))
	return env.reachable(p, s, command)
}

// yay plans yay, which takes the rights for what needs them by itself.
func (env Env) yay(operation string, names []string) Plan {
	plain := append([]string{"yay", operation, "--noconfirm", "--"}, names...)
	if env.Rights == nil {
		return argv(plain)
	}
	s := env.standing()
	return env.reachable(argv(s.Rung.Yay(operation, names...)), s, plain)
}

// managed plans a change of a service of the system.
func (env Env) managed(action, name string) Plan {
	switch {
	case env.Rights == nil || env.root(): // nobody's leave is needed, or systemctl asks polkit itself
		return argv(systemctl(false, action, "--", name))
	case env.Manages != nil && env.Manages(action == "enable" || action == "disable"):
		return argv(systemctl(false, "--no-ask-password", action, "--", name))
	}
	return env.asRoot(systemctl(false, action, "--", name)...)
}

// standing is the way to root's rights as far as it is known.
func (env Env) standing() elevation.Standing {
	switch {
	case env.Rights != nil:
		return env.Rights()
	case env.Root:
		return elevation.Standing{Rung: elevation.Root}
	}
	return elevation.Standing{Rung: elevation.Sudo}
}

// root reports whether commands have root's rights as they are.
func (env Env) root() bool { return env.standing().Rung == elevation.Root }

// reachable completes a plan with what to do where the rights cannot be had.
// A plan without them shows what the person would type.
func (env Env) reachable(p Plan, s elevation.Standing, command []string) Plan {
	if s.Rung == elevation.Root {
		return p
	}
	byHand := elevation.ByHand(env.Has, command...)
	if s.Rung == elevation.None {
		p = argv(byHand)
		p.Lacks = s.Tried
	}
	p.ByHand = byHand
	return p
}

// powerless ends a call that nothing here gives the rights for: it makes no
// sense to ask about it.
func (r run) powerless(j Judged) *Outcome {
	if len(j.Plan.Lacks) == 0 {
		return nil
	}
	byHand := CommandLine(j.Plan.ByHand)
	lacks := make([]string, len(j.Plan.Lacks))
	for i, s := range j.Plan.Lacks {
		lacks[i] = fmt.Sprintf("%s: %s", s.Rung, s.Reason)
	}
	out := r.refuse(j, commandlog.Failed, RefusedRights, fmt.Sprintf(
		"not run: it needs root's rights, and nothing here gives them (%s). Do not try another way and never ask for a password. "+
			"Tell the person to run this in a terminal themselves, exactly:\n%s", strings.Join(lacks, ", "), byHand))
	out.Output.Lacks, out.Output.ByHand = lacks, byHand
	return &out
}

// denied completes a step whose command got no root's rights with the command
// to run in a terminal.
func (r run) denied(j Judged, index int, step providers.Step) providers.Step {
	why := elevation.Denied(step.Exit, step.Stderr)
	if why == "" || step.Unknown {
		return step
	}
	if r.rights != nil {
		r.rights.Forget()
	}
	step.Denied = string(why)
	command := j.Plan.Commands[index]
	switch {
	case j.Plan.ByHand != nil:
		step.ByHand = CommandLine(j.Plan.ByHand)
	case command.Shell != "":
		step.ByHand = inTerminal(command.Shell)
	default:
		step.ByHand = CommandLine(elevation.ByHand(r.env.Has, elevation.Bare(command.Argv)...))
	}
	return step
}

// inTerminal writes a shell source for a terminal, where sudo may ask.
func inTerminal(source string) string {
	if asking := strings.ReplaceAll(source, "sudo -n ", "sudo "); asking != source || strings.Contains(source, "sudo ") {
		return asking
	}
	if strings.ContainsAny(source, ";&|<>\n$`(") || strings.Contains(source, "pkexec ") || strings.Contains(source, "run0 ") {
		return source
	}
	return "sudo " + source
}
