package elevation

import "context"

// The polkit actions behind the rungs and behind systemctl.
const (
	actionExec      = "org.freedesktop.policykit.exec"
	actionUnits     = "org.freedesktop.systemd1.manage-units"
	actionUnitFiles = "org.freedesktop.systemd1.manage-unit-files"
)

// climb reports why a rung cannot be taken, "" when it can.
func (l *Ladder) climb(ctx context.Context, r Rung) Reason {
	switch {
	case !l.o.Has(string(r)):
		return NotInstalled
	case r == Run0: // has the system's service manager start the command: no rights are gained here
		return l.asked(ctx, actionUnits)
	case !l.o.Gains(ctx):
		return NoNewRights
	case r == Pkexec:
		return l.asked(ctx, actionExec)
	}
	return l.sudo(ctx)
}

// asked reports why polkit would not let an action pass, "" when it would, or
// when somebody could be asked.
func (l *Ladder) asked(ctx context.Context, action string) Reason {
	answer, err := l.o.Polkit.Check(ctx, action)
	switch {
	case ctx.Err() != nil:
		return TimedOut
	case err != nil, answer == Refused:
		return NoPolkit
	case answer == Allowed:
		return ""
	case !l.o.Agent():
		return NoAgent
	}
	return ""
}

// sudo lists what the person may do, which takes no password where any of it
// takes none (sudoers(5), listpw), and runs nothing.
func (l *Ladder) sudo(ctx context.Context) Reason {
	printed, exit, err := l.o.Probe(ctx, "sudo", "-n", "-l")
	switch {
	case ctx.Err() != nil:
		return TimedOut
	case err == nil && exit == 0:
		return ""
	}
	if why := refusal(printed); why != "" {
		return why
	}
	return Unknown
}

// MayManage reports whether this person may start and stop the system's units,
// or enable and disable them, without any rung: a polkit rule says so.
func (l *Ladder) MayManage(ctx context.Context, files bool) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	action := actionUnits
	if files {
		action = actionUnitFiles
	}
	answer, err := l.o.Polkit.Check(ctx, action)
	return err == nil && answer == Allowed
}
