package tools

import (
	"context"
	"slices"
	"strings"

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
	s := elevation.Status{Rung: elevation.None}
	if env.Rights != nil {
		s = env.elevationStatus()
	}
	argv := s.Rung.YayArgv(operation, names...)
	if checked, ok := env.withCheckedBuild(argv); ok {
		argv = checked
	}
	if env.Rights == nil {
		return argvPlan(argv)
	}
	return env.withByHand(argvPlan(argv), s, plain)
}

// changeService plans a change of a system service.
func (env Env) changeService(action, name string) Plan {
	words := append(strings.Fields(action), "--", name)
	changesFiles := slices.Contains([]string{"enable", "disable", "mask", "unmask"}, words[0])
	switch {
	case env.Rights == nil || env.isRoot(): // no permission needed, or systemctl asks polkit itself
		return argvPlan(systemctl(false, words...))
	case env.CanManageUnits != nil && env.CanManageUnits(changesFiles):
		return argvPlan(systemctl(false, append([]string{"--no-ask-password"}, words...)...))
	}
	return env.asRoot(systemctl(false, words...)...)
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

// systemctl returns a command line for the system manager or the user manager.
func systemctl(user bool, args ...string) []string {
	command := []string{"systemctl"}
	if user {
		command = append(command, "--user")
	}
	return append(command, args...)
}
