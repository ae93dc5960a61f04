package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/systemd"
)

// linkedMachine is a machine with a logged-in Telegram bridge that works.
func linkedMachine(t *testing.T) (Machine, string, manager) {
	t.Helper()
	p := healthy(t)
	dir := state.Dir(p.Paths.Home, "telegram")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	write(t, filepath.Join(dir, "token"), "1:a", 0o600)
	lock, err := state.Lock(dir)
	require.NoError(t, err)
	t.Cleanup(func() { lock.Close() })
	require.NoError(t, state.Write(dir, state.State{Phase: state.Online, Account: "@blu_bot"}))
	m := installed()
	on := m[serviceUnit]
	on.Active = "active"
	m["blunux-telegram-bridge.service"], m[bridgesSocket] = on, on
	p.Manager = m
	p.Admission = func(config.Config, string) Admission { return Admission{Admitted: 1} }
	return p, dir, m
}

func TestAMessengerThatWorksOrIsNotUsedIsNoTrouble(t *testing.T) {
	p, _, _ := linkedMachine(t)
	f := find(t, RunChecks(t.Context(), p), "telegram")
	require.Equal(t, OK, f.State, "%+v", f)
	require.Contains(t, f.Text, "@blu_bot")
	f = find(t, RunChecks(t.Context(), p), "whatsapp")
	require.Equal(t, OK, f.State)
	require.Contains(t, f.Text, "WhatsApp is not in use")
	f = find(t, RunChecks(t.Context(), p), "bridges")
	require.Equal(t, OK, f.State, "the one that is set up has a check of its own: %+v", f)
}

// stopBridge simulates a stopped bridge.
func stopBridge(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(dir, "lock"))) // without the process, the lock is free
}

func TestWhatAMessengerLacksIsTold(t *testing.T) {
	unit := "blunux-telegram-bridge.service"
	for name, test := range map[string]struct {
		ail         func(t *testing.T, p *Machine, dir string, m manager)
		state       State
		text, helps string
		fix         bool
	}{
		"it does not run": {func(t *testing.T, _ *Machine, dir string, m manager) {
			stopBridge(t, dir)
			m.with(unit, func(u *systemd.UnitState) { u.Active = "inactive" })
		}, Warn, "is not running", "systemctl --user enable --now " + unit, true},
		"it has failed": {func(t *testing.T, _ *Machine, dir string, m manager) {
			stopBridge(t, dir)
			m.with(unit, func(u *systemd.UnitState) { u.Active = "failed" })
		}, Warn, "the bridge failed", "systemctl --user restart " + unit, true},
		"it is not enabled": {func(_ *testing.T, _ *Machine, _ string, m manager) {
			m.with(unit, func(u *systemd.UnitState) { u.Enabled = "disabled" })
		}, Warn, "not enabled", "systemctl --user enable --now " + unit, true},
		"its unit is not there": {func(t *testing.T, _ *Machine, dir string, m manager) {
			stopBridge(t, dir)
			delete(m, unit)
		}, Warn, "not installed", "systemctl --user status " + unit, false},
		"there is no manager": {func(t *testing.T, p *Machine, dir string, _ manager) {
			stopBridge(t, dir)
			p.Manager = noManager{}
		}, Warn, "is not running", "blunux-telegram-bridge", false},
		"its socket is off": {func(_ *testing.T, _ *Machine, _ string, m manager) {
			m.with(bridgesSocket, func(u *systemd.UnitState) { u.Active = "inactive" })
		}, Warn, "is off", "systemctl --user enable --now " + bridgesSocket, true},
		"the token is not valid any more": {func(t *testing.T, _ *Machine, dir string, _ manager) {
			require.NoError(t, state.Write(dir, state.State{Phase: state.LoggedOut}))
		}, Warn, "log in again", "blunux-telegram-bridge login", false},
		"the version is too old": {func(t *testing.T, _ *Machine, dir string, _ manager) {
			require.NoError(t, state.Write(dir, state.State{Phase: state.Outdated}))
		}, Warn, "update the package", "sudo pacman -Syu", false},
		"the disk is full": {func(t *testing.T, _ *Machine, dir string, _ manager) {
			require.NoError(t, state.Write(dir, state.State{Phase: state.DiskFull}))
		}, Warn, "disk is full", "df -h ", false},
		"the disk was full when it ended": {func(t *testing.T, _ *Machine, dir string, _ manager) {
			stopBridge(t, dir)
			require.NoError(t, state.Write(dir, state.State{Phase: state.DiskFull}))
		}, Warn, "disk is full", "systemctl --user enable --now " + unit, true},
		"its state is torn": {func(t *testing.T, _ *Machine, dir string, _ manager) {
			write(t, filepath.Join(dir, "state.json"), "{", 0o600)
		}, Warn, "cannot read its state", "ls -la", false},
		"others may read the token": {func(t *testing.T, _ *Machine, dir string, _ manager) {
			require.NoError(t, os.Chmod(filepath.Join(dir, "token"), 0o644))
		}, Broken, "other users can read", "chmod 600 ", true},
		"others may look into its directory": {func(t *testing.T, _ *Machine, dir string, _ manager) {
			require.NoError(t, os.Chmod(dir, 0o755))
		}, Broken, "other users can read", "chmod 700 ", true},
		"its directory is elsewhere": {func(t *testing.T, _ *Machine, dir string, _ manager) {
			require.NoError(t, os.Rename(dir, dir+"-moved"))
			require.NoError(t, os.Symlink(dir+"-moved", dir))
		}, Broken, "or is a link", "ls -ld", false},
		"nobody may write": {func(_ *testing.T, p *Machine, _ string, _ manager) {
			p.Admission = func(config.Config, string) Admission { return Admission{} }
		}, Warn, "pairing approve CODE", "blunux-ai setup", false},
		"somebody waits to be let in": {func(_ *testing.T, p *Machine, _ string, _ manager) {
			p.Admission = func(config.Config, string) Admission { return Admission{Waiting: 2} }
		}, Warn, "2 pairing requests waiting", "blunux-aictl pairing", false},
		"it is switched off": {func(_ *testing.T, p *Machine, _ string, _ manager) {
			p.Admission = func(config.Config, string) Admission { return Admission{Off: true} }
		}, Warn, "is false", "config show", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, dir, m := linkedMachine(t)
			test.ail(t, &p, dir, m)
			f := find(t, RunChecks(t.Context(), p), "telegram")
			require.Equal(t, test.state, f.State, "%+v", f)
			require.Contains(t, f.Text, test.text)
			require.Contains(t, f.Help, test.helps)
			require.Equal(t, test.fix, len(f.Fix) > 0)
			if test.fix {
				socket, err := p.Dialer.Path()
				require.NoError(t, err)
				require.True(t, Fixer{Paths: p.Paths, Socket: socket}.isHarmless(f.Fix), "what is offered may be run")
			}
		})
	}
}

// systemd refuses to start a socket whose service is running without it.
func TestASocketThatTheRunningDaemonDoesNotHaveTakesANewDaemon(t *testing.T) {
	p, _, m := linkedMachine(t)
	m.with(bridgesSocket, func(u *systemd.UnitState) { u.Active = "inactive" })
	m.with(serviceUnit, func(u *systemd.UnitState) { u.Active, u.PID = "active", os.Getpid() })
	serve(t, &p, nil)
	f := find(t, RunChecks(t.Context(), p), "telegram")
	require.Equal(t, restartCommand, f.Fix)
}

// The original bridge's unit has the same name as ours.
func TestTheOriginalBridgeIsToldFromOurs(t *testing.T) {
	p := healthy(t)
	m := installed()
	m["blunux-wa-bridge.service"] = systemd.UnitState{Load: "loaded", Active: "inactive", Enabled: "enabled", Fragment: "/usr/lib/systemd/user/blunux-wa-bridge.service"}
	p.Manager = m
	require.Equal(t, OK, find(t, RunChecks(t.Context(), p), "bridges").State, "ours, and nobody is logged in")
	m.with("blunux-wa-bridge.service", func(u *systemd.UnitState) { u.Fragment = "/home/blu/.config/systemd/user/blunux-wa-bridge.service" })
	f := find(t, RunChecks(t.Context(), p), "bridges")
	require.Equal(t, Warn, f.State)
	require.Equal(t, "systemctl --user restart blunux-wa-bridge.service", f.Help)
}
