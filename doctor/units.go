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

// enable returns the command that enables and starts one of our units.
func enable(unit string) []string { return []string{"systemctl", "--user", "enable", "--now", unit} }

// socket checks that requests can reach the daemon: the socket unit is enabled, or a socket can be created on
// demand.
func socket(ctx context.Context, p Patient) Finding {
	path, err := p.Dialer.Path()
	if err != nil {
		return p.say(Broken, "blunux-ai paths", i18n.DoctorSocketBad, "", err)
	}
	if p.usual() {
		if u, err := p.Manager.Unit(ctx, ipc.SocketUnit); err == nil && u.Load == "loaded" {
			return p.socketUnit(u, path)
		}
	}
	err = ipc.CheckSocket(path, p.Dialer.UID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.say(OK, "", i18n.DoctorSocketPlain, path)
	case err != nil:
		return p.say(Broken, "ls -l "+shellWord(path), i18n.DoctorSocketBad, path, err)
	case stale(ctx, path):
		return p.remedy(Warn, []string{"rm", path}, i18n.DoctorSocketStale, path)
	}
	return p.say(OK, "", i18n.DoctorSocket, path)
}

func (p Patient) socketUnit(u systemd.UnitState, path string) Finding {
	switch {
	case u.Enabled == "disabled":
		return p.remedy(Warn, enable(ipc.SocketUnit), i18n.DoctorSocketOff, u.Enabled)
	case u.Active != "active":
		return p.remedy(Warn, enable(ipc.SocketUnit), i18n.DoctorSocketInactive, u.Active)
	}
	if _, err := os.Lstat(path); err != nil { // the socket file was removed while the unit was active
		return p.say(Broken, "systemctl --user restart "+ipc.SocketUnit, i18n.DoctorSocketBad, path, err)
	}
	return p.say(OK, "", i18n.DoctorSocket, path)
}

// stale reports whether a socket has no listener.
func stale(ctx context.Context, path string) bool {
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// timer checks that due automations start the daemon.
func timer(ctx context.Context, p Patient) Finding {
	on := p.Rules().On
	if on == 0 {
		return p.say(OK, "", i18n.DoctorTimerNone)
	}
	for _, name := range []string{timerUnit, pathUnit} {
		u, err := p.Manager.Unit(ctx, name)
		switch {
		case err != nil:
			return p.say(Warn, "systemctl --user status", i18n.DoctorTimerBare, on, err)
		case u.Load != "loaded":
			return p.say(Warn, "systemctl --user enable --now "+name, i18n.DoctorTimerBare, on, name+": "+u.Load)
		case u.Active != "active" || u.Enabled == "disabled":
			return p.remedy(Warn, enable(name), i18n.DoctorTimerOff, on, name)
		}
	}
	return p.say(OK, "", i18n.DoctorTimer, on)
}
