package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
)

// DaemonState is the state of the daemon. If none is running, only Asleep and Failed can be set.
type DaemonState struct {
	Asleep    bool        // the service manager starts it on demand
	Failed    bool        // the service manager could not start it
	Status    *ipc.Status // nil if it did not answer
	runs      bool
	pid       int
	unit      bool  // it is running in its unit
	err       error // why it cannot be reached or identified
	statusErr error // why it did not answer
}

// Err returns why a running daemon could not be queried.
func (v DaemonState) Err() error { return errors.Join(v.err, v.statusErr) }

// statusTimeout is the time limit for the daemon's status.
const statusTimeout = 3 * time.Second

// FindDaemon looks for a daemon. It does not connect to a socket of the service manager, because that would start one.
func FindDaemon(ctx context.Context, p Machine) DaemonState {
	socket, err := p.Manager.Unit(ctx, ipc.SocketUnit)
	s, serviceErr := p.Manager.Unit(ctx, serviceUnit)
	ours := err == nil && serviceErr == nil && p.hasDefaultPaths()
	if ours && socket.Active == "active" && s.PID == 0 {
		return DaemonState{Asleep: true, Failed: s.Active == "failed"}
	}
	if !ours {
		s = systemd.UnitState{}
	}
	v := DaemonState{pid: s.PID, unit: s.PID != 0}
	conn, err := p.Dialer.Dial(ctx)
	var nobody *ipc.UnreachableError
	switch {
	case errors.As(err, &nobody):
		return DaemonState{}
	case err != nil:
		return DaemonState{err: err}
	}
	defer conn.Close()
	if v.runs = true; v.pid == 0 { // the peer of an activated socket is the service manager
		peer, err := ipc.PeerOf(conn)
		if err != nil {
			return DaemonState{runs: true, err: err}
		}
		v.pid = peer.PID
	}
	v.Status, v.statusErr = p.queryStatus(ctx)
	return v
}

// hasDefaultPaths reports that the environment does not set another socket or home, which the units do not use.
func (p Machine) hasDefaultPaths() bool {
	return p.Getenv("BLUNUX_AI_SOCK") == "" && p.Getenv("BLUNUX_AI_HOME") == ""
}

// queryStatus requests the daemon's status.
func (p Machine) queryStatus(ctx context.Context) (*ipc.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	c, err := ipc.Connect(ctx, p.Dialer, ipc.Hello{Client: "blunux-ai-doctor", Lang: string(p.Lang)})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var s ipc.Status
	if err := c.Query(ctx, ipc.Query{What: "status"}, &s); err != nil {
		return nil, err
	}
	return &s, nil
}

// running reports whether a daemon is running, and with its unit's restrictions.
func running(_ context.Context, p Machine) Finding {
	v := p.daemon()
	switch {
	case v.Failed:
		return p.finding(Broken, "journalctl --user -u "+serviceUnit, i18n.DoctorDaemonFailed)
	case v.Asleep:
		return p.finding(OK, "", i18n.DoctorDaemonAsleep)
	case v.err != nil:
		return p.finding(Broken, "systemctl --user status "+serviceUnit, i18n.DoctorDaemonBad(v.err))
	case !v.runs:
		return p.finding(OK, "", i18n.DoctorDaemonNone)
	case p.isHardened(v.pid):
		return p.finding(OK, "", i18n.DoctorDaemon(v.pid))
	case v.unit:
		return p.fixable(Warn, restartCommand, i18n.DoctorDaemonSoft(v.pid))
	}
	return p.finding(Warn, "systemctl --user restart "+serviceUnit, i18n.DoctorDaemonSoft(v.pid))
}

// restartCommand is the command that restarts the daemon's unit.
var restartCommand = []string{"systemctl", "--user", "restart", serviceUnit}

// stopCommand stops a daemon without a unit. The next request starts a new one.
const stopCommand = `blunux-aictl call '{"type":"action","action":"stop"}'`

// version compares the daemon's version with this program's. After an update, the old daemon can keep running for days.
func version(_ context.Context, p Machine) Finding {
	v := p.daemon()
	again := func(s State, text i18n.Text) Finding {
		if v.unit {
			return p.fixable(s, restartCommand, text)
		}
		return p.finding(s, stopCommand, text)
	}
	switch {
	case !v.runs || v.err != nil:
		return p.finding(OK, "", i18n.DoctorVersion(p.Version))
	case v.statusErr != nil:
		return again(Broken, i18n.DoctorVersionNoAnswer(v.statusErr))
	case v.Status.Version != p.Version:
		return again(Warn, i18n.DoctorVersionOld(v.Status.Version, p.Version))
	}
	return p.finding(OK, "", i18n.DoctorVersion(p.Version))
}

// bridgePatterns match the units of messenger bridges: NARE's blunux-wa-bridge.service, and later ones.
var bridgePatterns = []string{"blunux-*-bridge.service", "blunux-ai-bridge*.service"}

// withoutOurs removes the units of our own bridges: configured ones have separate checks, and unused ones are not
// a problem. It keeps a unit of the same name from elsewhere, such as that of the original bridge.
func (p Machine) withoutOurs(ctx context.Context, names []string) (others []string) {
	service, _ := p.Manager.Unit(ctx, serviceUnit)
	setUp := state.Statuses(p.Paths.Home)
	for _, name := range names {
		u, _ := p.Manager.Unit(ctx, name)
		unused := name == bridgesSocket || u.Active == "inactive" && u.Fragment != "" && filepath.Dir(u.Fragment) == filepath.Dir(service.Fragment)
		if !unused && !slices.ContainsFunc(setUp, func(s state.Status) bool { return s.Channel.Unit == name }) {
			others = append(others, name)
		}
	}
	return others
}

// bridges reports which other bridges exist, and whether they are running and connected.
func bridges(ctx context.Context, p Machine) Finding {
	v := p.daemon()
	connected := 0
	if v.Status != nil {
		for _, c := range v.Status.Connections {
			if isBridge(c) {
				connected++
			}
		}
	}
	names, err := p.Manager.Installed(ctx, bridgePatterns...)
	names = p.withoutOurs(ctx, names)
	if err != nil || len(names) == 0 {
		if connected > 0 {
			return p.finding(OK, "", i18n.DoctorBridges("-", connected))
		}
		return p.finding(OK, "", i18n.DoctorBridgeNone)
	}
	active := ""
	for _, name := range names {
		u, err := p.Manager.Unit(ctx, name)
		switch {
		case err != nil:
		case u.Active == "active":
			active = name
		case u.Enabled == "enabled" || u.Active == "failed":
			return p.finding(Warn, "systemctl --user restart "+name, i18n.DoctorBridgeDown(name, u.Active))
		}
	}
	if active != "" && v.runs && v.statusErr == nil && connected == 0 {
		return p.finding(Warn, "systemctl --user restart "+active, i18n.DoctorBridgeMissing(active))
	}
	return p.finding(OK, "", i18n.DoctorBridges(strings.Join(names, ", "), connected))
}

// isBridge identifies a bridge by its client name. The original ones send none, but use a channel of their name.
func isBridge(c ipc.ConnectionUsage) bool {
	return strings.Contains(c.Client, "bridge") || c.Channel == "bridge" || slices.Contains(ipc.Bridged, c.Channel)
}

// Units of the daemon besides those in ipc.
const (
	serviceUnit = ipc.ServiceUnit
	timerUnit   = ipc.TimerUnit
	pathUnit    = ipc.PathUnit
)

// service checks that the unit is installed unchanged, so that the daemon runs in the hardened unit.
func service(ctx context.Context, p Machine) Finding {
	s, err := p.Manager.Unit(ctx, serviceUnit)
	switch {
	case err != nil:
		return p.finding(Warn, "systemctl --user status", i18n.DoctorNoManager(err))
	case s.Load == "masked":
		return p.finding(Warn, "systemctl --user unmask "+serviceUnit, i18n.DoctorNoService(s.Load))
	case s.Load != "loaded":
		return p.finding(Warn, "systemctl --user enable --now "+ipc.SocketUnit, i18n.DoctorNoService(s.Load))
	case s.NeedLoad:
		return p.fixable(Warn, []string{"systemctl", "--user", "daemon-reload"}, i18n.DoctorServiceStale(s.Fragment))
	}
	return p.finding(OK, "", i18n.DoctorService(s.Fragment))
}

// isHardened reports whether a process has the unit's restrictions: no new privileges and a system call filter
// (proc_pid_status(5)).
func (p Machine) isHardened(pid int) bool {
	status, err := os.ReadFile(filepath.Join("/", p.Root, fmt.Sprintf("proc/%d/status", pid)))
	text := string(status)
	return err == nil && strings.Contains(text, "\nNoNewPrivs:\t1\n") && strings.Contains(text, "\nSeccomp:\t2\n")
}

// enableCommand returns the command that enables and starts one of our units.
func enableCommand(unit string) []string {
	return []string{"systemctl", "--user", "enable", "--now", unit}
}

// socket checks that requests can reach the daemon: the socket unit is enabled, or a socket can be created on demand.
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
