package doctor

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
)

// visit is the state of the daemon. If none is running, only asleep and failed can be set.
type visit struct {
	asleep bool // the service manager listens for it
	failed bool // the service manager could not start it
	runs   bool
	pid    int
	unit   bool        // it is running in its unit
	err    error       // why it cannot be reached or identified
	status *ipc.Status // nil if it did not answer
	mute   error       // why it did not answer
}

// answerPatience is the time limit for the daemon's status.
const answerPatience = 3 * time.Second

// visited looks for a daemon. It does not connect to a socket of the service manager, because that would start
// one.
func visited(ctx context.Context, p Patient) visit {
	socket, err := p.Manager.Unit(ctx, ipc.SocketUnit)
	s, serviceErr := p.Manager.Unit(ctx, serviceUnit)
	ours := err == nil && serviceErr == nil && p.usual()
	if ours && socket.Active == "active" && s.PID == 0 {
		return visit{asleep: true, failed: s.Active == "failed"}
	}
	if !ours {
		s = systemd.UnitState{}
	}
	v := visit{pid: s.PID, unit: s.PID != 0}
	conn, err := p.Dialer.Dial(ctx)
	var nobody *ipc.UnreachableError
	switch {
	case errors.As(err, &nobody):
		return visit{}
	case err != nil:
		return visit{err: err}
	}
	defer conn.Close()
	if v.runs = true; v.pid == 0 { // the peer of an activated socket is the service manager
		peer, err := ipc.PeerOf(conn)
		if err != nil {
			return visit{runs: true, err: err}
		}
		v.pid = peer.PID
	}
	v.status, v.mute = p.ask(ctx)
	return v
}

// usual reports that the environment does not set another socket or home, which the units do not use.
func (p Patient) usual() bool {
	return p.Getenv("BLUNUX_AI_SOCK") == "" && p.Getenv("BLUNUX_AI_HOME") == ""
}

// ask requests the daemon's status.
func (p Patient) ask(ctx context.Context) (*ipc.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	c, err := ipc.Connect(ctx, p.Dialer, ipc.Hello{Client: "blunux-ai-doctor", Lang: string(p.Lang)})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	reply, err := c.Do(ctx, ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "status"}), nil)
	if err == nil && reply.Error != nil {
		err = reply.Error
	}
	var s ipc.Status
	if err == nil {
		err = reply.Decode(&s)
	}
	if err != nil {
		return nil, err
	}
	return &s, nil
}

// running reports whether a daemon is running, and with its unit's restrictions.
func running(_ context.Context, p Patient) Finding {
	v := p.visit()
	switch {
	case v.failed:
		return p.say(Broken, "journalctl --user -u "+serviceUnit, i18n.DoctorDaemonFailed)
	case v.asleep:
		return p.say(OK, "", i18n.DoctorDaemonAsleep)
	case v.err != nil:
		return p.say(Broken, "systemctl --user status "+serviceUnit, i18n.DoctorDaemonBad, v.err)
	case !v.runs:
		return p.say(OK, "", i18n.DoctorDaemonNone)
	case p.hardened(v.pid):
		return p.say(OK, "", i18n.DoctorDaemon, v.pid)
	case v.unit:
		return p.remedy(Warn, restart, i18n.DoctorDaemonSoft, v.pid)
	}
	return p.say(Warn, "systemctl --user restart "+serviceUnit, i18n.DoctorDaemonSoft, v.pid)
}

// restart is the command that restarts the daemon's unit.
var restart = []string{"systemctl", "--user", "restart", serviceUnit}

// stopAlone stops a daemon without a unit. The next request starts a new one.
const stopAlone = `blunux-aictl call '{"type":"action","action":"stop"}'`

// version compares the daemon's version with this program's. After an update, the old daemon can keep running for
// days.
func version(_ context.Context, p Patient) Finding {
	v := p.visit()
	again := func(s State, text i18n.Text, args ...any) Finding {
		if v.unit {
			return p.remedy(s, restart, text, args...)
		}
		return p.say(s, stopAlone, text, args...)
	}
	switch {
	case !v.runs || v.err != nil:
		return p.say(OK, "", i18n.DoctorVersion, p.Version)
	case v.mute != nil:
		return again(Broken, i18n.DoctorVersionMute, v.mute)
	case v.status.Version != p.Version:
		return again(Warn, i18n.DoctorVersionOld, v.status.Version, p.Version)
	}
	return p.say(OK, "", i18n.DoctorVersion, p.Version)
}

// bridgePatterns match the units of messenger bridges: NARE's blunux-wa-bridge.service, and later ones.
var bridgePatterns = []string{"blunux-*-bridge.service", "blunux-ai-bridge*.service"}

// withoutOurs removes the units of our own bridges: configured ones have separate checks, and unused ones are not
// a problem. It keeps a unit of the same name from elsewhere, such as that of the original bridge.
func (p Patient) withoutOurs(ctx context.Context, names []string) (others []string) {
	service, _ := p.Manager.Unit(ctx, serviceUnit)
	setUp := state.Look(p.Paths.Home)
	for _, name := range names {
		u, _ := p.Manager.Unit(ctx, name)
		unused := name == bridgesSocket || u.Active == "inactive" && u.Fragment != "" && filepath.Dir(u.Fragment) == filepath.Dir(service.Fragment)
		if !unused && !slices.ContainsFunc(setUp, func(s state.Seen) bool { return s.Channel.Unit == name }) {
			others = append(others, name)
		}
	}
	return others
}

// bridges reports which other bridges exist, and whether they are running and connected.
func bridges(ctx context.Context, p Patient) Finding {
	v := p.visit()
	connected := 0
	if v.status != nil {
		for _, c := range v.status.Connections {
			if isBridge(c) {
				connected++
			}
		}
	}
	names, err := p.Manager.Installed(ctx, bridgePatterns...)
	names = p.withoutOurs(ctx, names)
	if err != nil || len(names) == 0 {
		if connected > 0 {
			return p.say(OK, "", i18n.DoctorBridges, "-", connected)
		}
		return p.say(OK, "", i18n.DoctorBridgeNone)
	}
	active := ""
	for _, name := range names {
		u, err := p.Manager.Unit(ctx, name)
		switch {
		case err != nil:
		case u.Active == "active":
			active = name
		case u.Enabled == "enabled" || u.Active == "failed":
			return p.say(Warn, "systemctl --user restart "+name, i18n.DoctorBridgeDown, name, u.Active)
		}
	}
	if active != "" && v.runs && v.mute == nil && connected == 0 {
		return p.say(Warn, "systemctl --user restart "+active, i18n.DoctorBridgeMissing, active)
	}
	return p.say(OK, "", i18n.DoctorBridges, strings.Join(names, ", "), connected)
}

// isBridge identifies a bridge by its client name. The original ones send none, but use a channel of their name.
func isBridge(c ipc.ConnectionUsage) bool {
	return strings.Contains(c.Client, "bridge") || slices.Contains([]string{"bridge", "whatsapp", "discord", "telegram"}, c.Channel)
}

// Visit is the state of a daemon.
type Visit struct {
	Asleep bool        // not running; the service manager starts one on demand
	Failed bool        // the service manager could not start it
	Status *ipc.Status // status of a running daemon, or nil
	Err    error       // why a running daemon could not be queried
}

// VisitOf looks for a daemon without starting one.
func VisitOf(ctx context.Context, p Patient) Visit {
	v := visited(ctx, p)
	return Visit{Asleep: v.asleep, Failed: v.failed, Status: v.status, Err: errors.Join(v.err, v.mute)}
}
