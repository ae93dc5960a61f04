package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
)

// enableCommand returns the command that enables and starts one of our units.
func enableCommand(unit string) []string {
	return []string{"systemctl", "--user", "enable", "--now", unit}
}

// socket checks that requests can reach the daemon: the socket unit is enabled, or a socket can be created on
// demand.
func socket(ctx context.Context, p Machine) Finding {
	path, err := p.Dialer.Path()
	if err != nil {
		return p.finding(Broken, "blunux-ai paths", i18n.DoctorSocketBad("", err))
	}
	if p.hasDefaultPaths() {
		if u, err := p.Manager.Unit(ctx, ipc.SocketUnit); err == nil && u.Load == "loaded" {
			return p.socketUnit(u, path)
		}
	}
	err = ipc.CheckSocket(path, p.Dialer.UID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.finding(OK, "", i18n.DoctorSocketPlain(path))
	case err != nil:
		return p.finding(Broken, "ls -l "+shellWord(path), i18n.DoctorSocketBad(path, err))
	case isStale(ctx, path):
		return p.fixable(Warn, []string{"rm", path}, i18n.DoctorSocketStale(path))
	}
	return p.finding(OK, "", i18n.DoctorSocket(path))
}

func (p Machine) socketUnit(u systemd.UnitState, path string) Finding {
	switch {
	case u.Enabled == "disabled":
		return p.fixable(Warn, enableCommand(ipc.SocketUnit), i18n.DoctorSocketOff(u.Enabled))
	case u.Active != "active":
		return p.fixable(Warn, enableCommand(ipc.SocketUnit), i18n.DoctorSocketInactive(u.Active))
	}
	if _, err := os.Lstat(path); err != nil { // the socket file was removed while the unit was active
		return p.finding(Broken, "systemctl --user restart "+ipc.SocketUnit, i18n.DoctorSocketBad(path, err))
	}
	return p.finding(OK, "", i18n.DoctorSocket(path))
}

// isStale reports whether a socket has no listener.
func isStale(ctx context.Context, path string) bool {
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// timer checks that due automations start the daemon.
func timer(ctx context.Context, p Machine) Finding {
	on := p.Rules().On
	if on == 0 {
		return p.finding(OK, "", i18n.DoctorTimerNone)
	}
	for _, name := range []string{timerUnit, pathUnit} {
		u, err := p.Manager.Unit(ctx, name)
		switch {
		case err != nil:
			return p.finding(Warn, "systemctl --user status", i18n.DoctorTimerBare(on, i18n.ErrorText(err, p.Lang)))
		case u.Load != "loaded":
			return p.finding(Warn, "systemctl --user enable --now "+name, i18n.DoctorTimerBare(on, name+": "+u.Load))
		case u.Active != "active" || u.Enabled == "disabled":
			return p.fixable(Warn, enableCommand(name), i18n.DoctorTimerOff(on, name))
		}
	}
	return p.finding(OK, "", i18n.DoctorTimer(on))
}
