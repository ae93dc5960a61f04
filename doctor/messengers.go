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
	"github.com/nidoit/blunux-ai/systemd"
)

// bridgesSocket is where the bridges connect.
const bridgesSocket = "blunux-ai-bridges.socket"

// Admission is who may write over a messenger.
type Admission struct {
	Admitted int // by the configuration, or let in by their code
	Waiting  int // have a code
	Off      bool
}

// messenger returns the check of a messenger's own bridge: whether somebody is
// logged in, it runs, is connected, keeps its secrets, and has anybody to talk to.
func messenger(channel string) func(context.Context, Patient) Finding {
	return func(ctx context.Context, p Patient) Finding {
		c, _ := state.Of(channel)
		for _, seen := range state.Look(p.Paths.Home) {
			if seen.Channel != c {
				continue
			}
			for _, look := range []func(context.Context, Patient, state.Seen) *Finding{closedToOthers, standing, started, socketOfBridges, anybody} {
				if f := look(ctx, p, seen); f != nil {
					return *f
				}
			}
			return p.say(OK, "", i18n.DoctorMessenger, c.Title, i18n.BridgePhase(string(seen.Phase()), p.Lang), seen.State.Account)
		}
		return p.say(OK, "", i18n.DoctorMessengerNone, c.Title)
	}
}

// closedToOthers looks whether others on this machine could take what logs in.
func closedToOthers(_ context.Context, p Patient, seen state.Seen) *Finding {
	login := filepath.Join(seen.Dir, seen.Channel.Login)
	dirs := []string{seen.Dir}
	if dir := filepath.Dir(login); dir != seen.Dir {
		dirs = append(dirs, dir)
	}
	for _, place := range append(dirs, login) {
		fi, err := os.Lstat(place)
		if err != nil {
			continue // there is nothing to take
		}
		mode := "700"
		if !fi.IsDir() {
			mode = "600"
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() || fi.Mode()&os.ModeSymlink != 0 {
			f := p.say(Broken, "ls -ld "+shellWord(place), i18n.DoctorMessengerForeign, seen.Channel.Title, place)
			return &f
		}
		if fi.Mode().Perm()&0o077 != 0 {
			f := p.remedy(Broken, []string{"chmod", mode, place}, i18n.DoctorMessengerOpen, seen.Channel.Title, place, fi.Mode().Perm())
			return &f
		}
	}
	return nil
}

// standing looks whether the bridge waits for the person.
func standing(_ context.Context, p Patient, seen state.Seen) *Finding {
	var f Finding
	switch {
	case seen.Err != nil:
		f = p.say(Warn, "ls -la "+shellWord(seen.Dir), i18n.DoctorMessengerUnknown, seen.Channel.Title, seen.Err)
	case seen.Phase() == state.NoRoom && !seen.State.Running && p.usual():
		f = p.remedy(Warn, seen.Remedy(), i18n.DoctorMessengerWaits, seen.Channel.Title, i18n.BridgePhase(string(seen.Phase()), p.Lang))
	case seen.Halted():
		help := strings.Join(seen.Remedy(), " ")
		switch seen.Phase() {
		case state.Outdated: // what updates the package
			help = "sudo pacman -Syu"
		case state.NoRoom: // what there is no room on
			help = "df -h " + shellWord(seen.Dir)
		}
		f = p.say(Warn, help, i18n.DoctorMessengerWaits, seen.Channel.Title, i18n.BridgePhase(string(seen.Phase()), p.Lang))
	default:
		return nil
	}
	return &f
}

// started looks whether the bridge runs, and will after the next login.
func started(ctx context.Context, p Patient, seen state.Seen) *Finding {
	title, unit := seen.Channel.Title, seen.Channel.Unit
	u, err := p.unitOf(ctx, unit)
	var f Finding
	switch {
	case err != nil && seen.State.Running:
		return nil
	case err != nil:
		f = p.say(Warn, seen.Channel.Program, i18n.DoctorMessengerOff, title)
	case u.Load != "loaded" && seen.State.Running:
		return nil
	case u.Load != "loaded":
		f = p.say(Warn, "systemctl --user status "+unit, i18n.DoctorMessengerNoUnit, title, unit, u.Load)
	case u.Enabled == "disabled":
		f = p.remedy(Warn, enable(unit), i18n.DoctorMessengerDisabled, title)
	case !seen.State.Running && u.Active == "failed":
		f = p.remedy(Warn, []string{"systemctl", "--user", "restart", unit}, i18n.DoctorMessengerFailed, title, unit)
	case !seen.State.Running:
		f = p.remedy(Warn, enable(unit), i18n.DoctorMessengerOff, title)
	default:
		return nil
	}
	return &f
}

// unitOf is what the manager knows of a bridge's unit, an error where this
// environment has files or a socket of its own, which the units know nothing of.
func (p Patient) unitOf(ctx context.Context, name string) (systemd.UnitState, error) {
	if !p.usual() {
		return systemd.UnitState{}, errors.New("the units are for the usual places")
	}
	return p.Manager.Unit(ctx, name)
}

// socketOfBridges looks whether what the bridge sends gets to the daemon.
func socketOfBridges(ctx context.Context, p Patient, seen state.Seen) *Finding {
	u, err := p.unitOf(ctx, bridgesSocket)
	if err != nil || u.Load != "loaded" || u.Active == "active" { // which the units of daemon and bridge both bring up
		return nil
	}
	fix := enable(bridgesSocket)
	if p.visit().unit { // it got none when it started, and takes none while it runs
		fix = restart
	}
	f := p.remedy(Warn, fix, i18n.DoctorMessengerSocket, seen.Channel.Title, bridgesSocket, u.Active)
	return &f
}

// anybody looks whether there is anybody who may write.
func anybody(_ context.Context, p Patient, seen state.Seen) *Finding {
	cfg, err := config.Load(p.Source)
	if err != nil || p.Admission == nil {
		return nil // told elsewhere
	}
	var f Finding
	a := p.Admission(cfg, seen.Channel.Name)
	switch {
	case a.Off:
		f = p.say(Warn, "blunux-ai config show", i18n.DoctorMessengerBarred, seen.Channel.Title, "ai_agent.whatsapp_enabled")
	case a.Admitted == 0 && a.Waiting > 0:
		f = p.say(Warn, "blunux-aictl pairing", i18n.DoctorMessengerWaiting, seen.Channel.Title, a.Waiting)
	case a.Admitted == 0:
		f = p.say(Warn, "blunux-ai setup", i18n.DoctorMessengerNobody, seen.Channel.Title)
	default:
		return nil
	}
	return &f
}
