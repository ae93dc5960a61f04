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
	Status(ctx context.Context) elevation.Status
	// CanManageUnits reports whether the person can manage the system's units, or their unit files, without root's
	// rights.
	CanManageUnits(ctx context.Context, files bool) bool
	// Forget makes the next Standing probe again.
	Forget()
}

// asRoot plans a command that needs root's rights.
func (env Env) asRoot(command ...string) Plan {
	s := env.elevationStatus()
	p := argvPlan(s.Rung.Argv(command...))
	return env.withByHand(p, s, command)
}

// yay plans a yay command. yay raises its own rights where necessary.
func (env Env) yay(operation string, names []string) Plan {
	plain := append([]string{"yay", operation, "--noconfirm", "--"}, names...)
	if env.Rights == nil {
		return argvPlan(plain)
	}
	s := env.elevationStatus()
	return env.withByHand(argvPlan(s.Rung.YayArgv(operation, names...)), s, plain)
}

// changeService plans a change of a system service.
func (env Env) changeService(action, name string) Plan {
	switch {
	case env.Rights == nil || env.isRoot(): // no permission needed, or systemctl asks polkit itself
		return argvPlan(systemctl(false, action, "--", name))
	case env.CanManageUnits != nil && env.CanManageUnits(action == "enable" || action == "disable"):
		return argvPlan(systemctl(false, "--no-ask-password", action, "--", name))
	}
	return env.asRoot(systemctl(false, action, "--", name)...)
}

// elevationStatus returns the way to root's rights, as far as it is known.
func (env Env) elevationStatus() elevation.Status {
	switch {
	case env.Rights != nil:
		return env.Rights()
	case env.Root:
		return elevation.Status{Rung: elevation.Root}
	}
	return elevation.Status{Rung: elevation.Sudo}
}

// isRoot reports whether commands have root's rights without a rung.
func (env Env) isRoot() bool { return env.elevationStatus().Rung == elevation.Root }

// withByHand adds the command for a terminal to a plan. If there is no way to root's rights, the plan only shows
// what the person would type.
func (env Env) withByHand(p Plan, s elevation.Status, command []string) Plan {
	if s.Rung == elevation.Root {
		return p
	}
	byHand := elevation.ByHand(env.HasProgram, command...)
	if s.Rung == elevation.None {
		p = argvPlan(byHand)
		p.Lacks = s.Tried
	}
	p.ByHand = byHand
	return p
}

// refusePowerless refuses a call that needs root's rights if there is no way to them, without asking the person.
func (r run) refusePowerless(j JudgedPlan) *Outcome {
	if len(j.Plan.Lacks) == 0 {
		return nil
	}
	byHand := CommandLine(j.Plan.ByHand)
	lacks := make([]string, len(j.Plan.Lacks))
	for i, s := range j.Plan.Lacks {
		lacks[i] = fmt.Sprintf("%s: %s", s.Rung, s.Reason)
	}
	out := r.refuse(j, commandlog.Failed, RefusedRights, fmt.Sprintf(
		"not run: it needs root's rights, and there is no way to get them here (%s). Do not try another way and never ask for a password. "+
			"Tell the person to run this in a terminal themselves, exactly:\n%s", strings.Join(lacks, ", "), byHand))
	out.Output.RootProblems, out.Output.ManualCommand = lacks, byHand
	return &out
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
		step.ManualCommand = CommandLine(j.Plan.ByHand)
	case command.Shell != "":
		step.ManualCommand = inTerminal(command.Shell)
	default:
		step.ManualCommand = CommandLine(elevation.ByHand(r.env.HasProgram, elevation.StripRung(command.Argv)...))
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
