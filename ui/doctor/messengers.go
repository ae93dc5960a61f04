package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
)

// bridgesSocket is the socket unit for bridges.
const bridgesSocket = ipc.BridgesUnit

// Admission is the number of people who may write over a messenger.
type Admission struct {
	Admitted int // by configuration or by pairing
	Waiting  int // waiting for their pairing
	Off      bool
}

// messenger returns the check of a bridge: whether it is logged in, running and connected, protects its secrets,
// and has people to talk to.
func messenger(c channel.Channel) func(context.Context, Machine) Finding {
	return func(ctx context.Context, p Machine) Finding {
		for _, seen := range state.Statuses(p.Paths.Home) {
			if seen.Channel.Name != c.Name {
				continue
			}
			for _, look := range []func(context.Context, Machine, state.Status) *Finding{loginFiles, bridgePhase, bridgeUnit, bridgeSocket, admitted} {
				if f := look(ctx, p, seen); f != nil {
					return *f
				}
			}
			return p.finding(OK, "", i18n.DoctorMessenger(c.Title, i18n.BridgePhases.In(string(seen.Phase()), p.Lang), seen.State.Account))
		}
		return p.finding(OK, "", i18n.DoctorMessengerNone(c.Title))
	}
}

// loginFiles checks that other users cannot read the login data.
func loginFiles(_ context.Context, p Machine, seen state.Status) *Finding {
	login := filepath.Join(seen.Dir, seen.Channel.Login)
	dirs := []string{seen.Dir}
	if dir := filepath.Dir(login); dir != seen.Dir {
		dirs = append(dirs, dir)
	}
	for _, place := range append(dirs, login) {
		fi, err := os.Lstat(place)
		if err != nil {
			continue // does not exist
		}
		mode := "700"
		if !fi.IsDir() {
			mode = "600"
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() || fi.Mode()&os.ModeSymlink != 0 {
			f := p.finding(Broken, "ls -ld "+shellWord(place), i18n.DoctorMessengerForeign(seen.Channel.Title, place))
			return &f
		}
		if fi.Mode().Perm()&0o077 != 0 {
			f := p.fixable(Broken, []string{"chmod", mode, place}, i18n.DoctorMessengerOpen(seen.Channel.Title, place, fi.Mode().Perm()))
			return &f
		}
	}
	return nil
}

// bridgePhase checks whether the bridge waits for an action of the person.
func bridgePhase(_ context.Context, p Machine, seen state.Status) *Finding {
	var f Finding
	switch {
	case seen.Err != nil:
		f = p.finding(Warn, "ls -la "+shellWord(seen.Dir), i18n.DoctorMessengerUnknown(seen.Channel.Title, seen.Err))
	case seen.Phase() == state.DiskFull && !seen.State.Running && p.hasDefaultPaths():
		f = p.fixable(Warn, seen.Remedy(), i18n.DoctorMessengerWaits(seen.Channel.Title, i18n.BridgePhases.In(string(seen.Phase()), p.Lang)))
	case seen.NeedsPerson():
		help := strings.Join(seen.Remedy(), " ")
		switch seen.Phase() {
		case state.Outdated: // updates the package
			help = "sudo pacman -Syu"
		case state.DiskFull: // shows the full disk
			help = "df -h " + shellWord(seen.Dir)
		}
		f = p.finding(Warn, help, i18n.DoctorMessengerWaits(seen.Channel.Title, i18n.BridgePhases.In(string(seen.Phase()), p.Lang)))
	default:
		return nil
	}
	return &f
}

// bridgeUnit checks that the bridge is running and enabled.
func bridgeUnit(ctx context.Context, p Machine, seen state.Status) *Finding {
	title, unit := seen.Channel.Title, seen.Channel.Unit
	u, err := p.unitOf(ctx, unit)
	var f Finding
	switch {
	case err != nil && seen.State.Running:
		return nil
	case err != nil:
		f = p.finding(Warn, seen.Channel.Program, i18n.DoctorMessengerOff(title))
	case u.Load != "loaded" && seen.State.Running:
		return nil
	case u.Load != "loaded":
		f = p.finding(Warn, "systemctl --user status "+unit, i18n.DoctorMessengerNoUnit(title, unit, u.Load))
	case u.Enabled == "disabled":
		f = p.fixable(Warn, enableCommand(unit), i18n.DoctorMessengerDisabled(title))
	case !seen.State.Running && u.Active == "failed":
		f = p.fixable(Warn, []string{"systemctl", "--user", "restart", unit}, i18n.DoctorMessengerFailed(title, unit))
	case !seen.State.Running:
		f = p.fixable(Warn, enableCommand(unit), i18n.DoctorMessengerOff(title))
	default:
		return nil
	}
	return &f
}

// unitOf returns the state of a bridge's unit. It fails if the environment sets another home or socket, which the
// units do not use.
func (p Machine) unitOf(ctx context.Context, name string) (systemd.UnitState, error) {
	if !p.hasDefaultPaths() {
		return systemd.UnitState{}, errors.New("the units apply only to the default paths")
	}
	return p.Manager.Unit(ctx, name)
}

// bridgeSocket checks that the bridge can reach the daemon.
func bridgeSocket(ctx context.Context, p Machine, seen state.Status) *Finding {
	u, err := p.unitOf(ctx, bridgesSocket)
	if err != nil || u.Load != "loaded" || u.Active == "active" { // both the daemon's and the bridges' units start it
		return nil
	}
	fix := enableCommand(bridgesSocket)
	if p.daemon().unit { // a running daemon cannot get the socket
		fix = restartCommand
	}
	f := p.fixable(Warn, fix, i18n.DoctorMessengerSocket(seen.Channel.Title, bridgesSocket, u.Active))
	return &f
}

// admitted checks that there are people who may write.
func admitted(_ context.Context, p Machine, seen state.Status) *Finding {
	cfg, err := config.Load(p.Source)
	if err != nil || p.Admission == nil {
		return nil // another check reports it
	}
	var f Finding
	a := p.Admission(cfg, seen.Channel.Name)
	switch {
	case a.Off:
		f = p.finding(Warn, "blunux-ai config show", i18n.DoctorMessengerBarred(seen.Channel.Title, "ai_agent.whatsapp_enabled"))
	case a.Admitted == 0 && a.Waiting > 0:
		f = p.finding(Warn, "blunux-aictl pairing", i18n.DoctorMessengerWaiting(seen.Channel.Title, a.Waiting))
	case a.Admitted == 0:
		f = p.finding(Warn, "blunux-ai setup", i18n.DoctorMessengerNoSender(seen.Channel.Title))
	default:
		return nil
	}
	return &f
}
