package elevation

import "context"

// The polkit actions that the rungs and systemctl need.
const (
	actionExec      = "org.freedesktop.policykit.exec"
	actionUnits     = "org.freedesktop.systemd1.manage-units"
	actionUnitFiles = "org.freedesktop.systemd1.manage-unit-files"
)

// probeRung returns why a rung cannot be used, "" if it can.
func (l *Ladder) probeRung(ctx context.Context, r Rung) Reason {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	switch {
	case !l.o.HasProgram(string(r)):
		return NotInstalled
	case r == Run0: // the system's service manager starts the command: no rights are gained here
		return l.probePolkit(ctx, actionUnits)
	case !l.o.CanGainRights(ctx):
		return NoNewRights
	case r == Pkexec:
		return l.probePolkit(ctx, actionExec)
	}
	return l.probeSudo(ctx)
}

// probePolkit returns why polkit would refuse an action, or "" if it allows it or can ask the person.
func (l *Ladder) probePolkit(ctx context.Context, action string) Reason {
	answer, err := l.o.Polkit.Check(ctx, action)
	switch {
	case ctx.Err() != nil:
		return TimedOut
	case err != nil, answer == Refused:
		return NoPolkit
	case answer == Allowed:
		return ""
	case !l.o.HasAgent():
		return NoAgent
	}
	return ""
}

// probeSudo lists what the person is allowed to run, which executes nothing and needs no password if any entry needs
// none (sudoers(5), listpw).
func (l *Ladder) probeSudo(ctx context.Context) Reason {
	printed, exit, err := l.o.Probe(ctx, "sudo", "-n", "-l")
	switch {
	case ctx.Err() != nil:
		return TimedOut
	case err == nil && exit == 0:
		return ""
	}
	if why := refusalReason(printed); why != "" {
		return why
	}
	return Unknown
}

// CanManageUnits reports whether a polkit rule allows this person to start and stop the system's units, or with
// files to enable and disable them, without any rung.
func (l *Ladder) CanManageUnits(ctx context.Context, files bool) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	action := actionUnits
	if files {
		action = actionUnitFiles
	}
	answer, err := l.o.Polkit.Check(ctx, action)
	return err == nil && answer == Allowed
}
