package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
)

// fakeLock takes a lock or fails with err.
type fakeLock struct {
	err      error
	held     int
	released int
}

func (h *fakeLock) Inhibit(context.Context, string) (func(), error) {
	if h.err != nil {
		return nil, h.err
	}
	h.held++
	return func() { h.released++ }, nil
}

// noPolkit is a machine without polkit.
type noPolkit struct{}

func (noPolkit) Check(context.Context, string) (elevation.Answer, error) {
	return elevation.Refused, errors.New("no polkit")
}

// ladder is a machine whose sudo prints the given text.
func ladder(says string) func(string) *elevation.Ladder {
	return func(setting string) *elevation.Ladder {
		return elevation.New(elevation.Options{
			Setting: elevation.Rung(setting), Polkit: noPolkit{}, HasAgent: func() bool { return false },
			HasProgram: func(program string) bool { return program == "sudo" },
			Probe: func(context.Context, ...string) (string, int, error) {
				if says == "" {
					return "", 0, nil
				}
				return says, 1, nil
			},
		})
	}
}

// healthy is a machine without findings, except that the test machine has no user manager and no daemon.
func healthy(t *testing.T) Machine {
	t.Helper()
	dir := t.TempDir()
	paths := config.Paths{Home: filepath.Join(dir, "home")}
	require.NoError(t, paths.Ensure())
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "root/var/lib/systemd/linger"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "root/var/lib/systemd/linger/blu"), nil, 0o644))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "root/run/systemd/system"), 0o755))
	for _, program := range []string{"usr/bin/pacman", "usr/bin/yay"} {
		write(t, filepath.Join(dir, "root", program), "#!/bin/sh\n", 0o755)
	}
	write(t, filepath.Join(dir, "root/etc/pacman.d/gnupg/pubring.gpg"), "keys", 0o644)
	write(t, filepath.Join(dir, "root/var/log/journal/m/system.journal"), "", 0o640)
	none := func(name string) string { return map[string]string{"LANG": "ko_KR.UTF-8", "TERM": "xterm"}[name] }
	return Machine{
		Lang: i18n.English, Paths: paths, User: "blu", Root: filepath.Join(dir, "root"), Getenv: none,
		Source:  config.Source{Distribution: filepath.Join(dir, "x"), System: filepath.Join(dir, "y"), Paths: paths, Getenv: none},
		Sandbox: func() (string, error) { return "namespaces + landlock 7 + seccomp", nil },
		Units:   func(context.Context) error { return nil },
		Ladder:  ladder(""), Awake: &fakeLock{}, Manager: noManager{}, Version: "1.2.3", Groups: []string{"blu", "wheel"}, Columns: 80,
		Answer: func(config.Config) Answer {
			return Answer{Name: "claude sonnet", Why: "key", Server: "https://api.example.net/v1", Reach: func(context.Context) error { return nil }}
		},
		Rules:   func() Rules { return Rules{} },
		Desktop: func(context.Context) (string, error) { return "dunst 1.9", nil },
		Clock: func(context.Context) (systemd.TimeSync, error) {
			return systemd.TimeSync{Available: true, Enabled: true, Synced: true}, nil
		},
		Now: func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) },
		Dialer: ipc.Dialer{NoStart: true, Locator: ipc.Locator{UID: os.Getuid(), Getenv: func(name string) string {
			return map[string]string{"BLUNUX_AI_SOCK": filepath.Join(dir, "s.sock")}[name]
		}}},
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
	require.NoError(t, os.Chmod(path, mode))
}

// noManager is a machine without a user manager.
type noManager struct{}

func (noManager) Unit(context.Context, string) (systemd.UnitState, error) {
	return systemd.UnitState{}, errors.New("no bus")
}

func (noManager) Installed(context.Context, ...string) ([]string, error) {
	return nil, errors.New("no bus")
}

// manager is a user manager that knows these units.
type manager map[string]systemd.UnitState

func (m manager) Unit(_ context.Context, name string) (systemd.UnitState, error) {
	if u, ok := m[name]; ok {
		return u, nil
	}
	return systemd.UnitState{Load: "not-found", Active: "inactive"}, nil
}

func (m manager) Installed(context.Context, ...string) (names []string, err error) {
	for name := range m {
		if strings.Contains(name, "bridge") {
			names = append(names, name)
		}
	}
	return names, nil
}

// installed returns the states of the units with an enabled socket.
func installed() manager {
	on := systemd.UnitState{Load: "loaded", Active: "active", Enabled: "enabled", Fragment: "/usr/lib/systemd/user/x"}
	service := on
	service.Active = "inactive"
	return manager{ipc.SocketUnit: on, serviceUnit: service, timerUnit: on, pathUnit: on}
}

func (m manager) with(name string, change func(*systemd.UnitState)) manager {
	u := m[name]
	change(&u)
	m[name] = u
	return m
}

// serve starts a daemon that answers with a status, or not at all if status is nil.
func serve(t *testing.T, p *Machine, status *ipc.Status) {
	t.Helper()
	path, err := p.Dialer.Path()
	require.NoError(t, err)
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(path, 0o600))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			go answer(ipc.NewConn(raw), status)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
}

func answer(c *ipc.Conn, status *ipc.Status) {
	defer c.Close()
	for {
		m, err := c.Read()
		if err != nil || status == nil {
			return
		}
		reply := ipc.Message{Type: ipc.TypeHello, Re: m.ID, Done: true, V: ipc.Version}.WithData(ipc.Hello{Server: status.Version})
		if m.Type == ipc.TypeQuery {
			reply = ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(status)
		}
		if c.Write(reply) != nil {
			return
		}
	}
}

func find(t *testing.T, found []Finding, check string) Finding {
	t.Helper()
	for _, f := range found {
		if f.Check == check {
			return f
		}
	}
	require.Fail(t, "no such check", check)
	return Finding{}
}

func TestAHealthyOneIsSound(t *testing.T) {
	p := healthy(t)
	found := RunChecks(t.Context(), p)
	require.True(t, IsHealthy(found))
	for _, f := range found {
		require.NotEmpty(t, f.Text, f.Check)
		if f.Check != "service" { // there is no bus
			require.Equal(t, OK, f.State, "%+v", f)
		}
	}
	h := p.Awake.(*fakeLock)
	require.Equal(t, []int{1, 1}, []int{h.held, h.released}, "what was taken is given back")
	entries, err := os.ReadDir(p.Paths.Home)
	require.NoError(t, err)
	require.Empty(t, entries, "nothing is made")
}

func TestWhatIsWrongIsFoundWithWhatHelps(t *testing.T) {
	for name, test := range map[string]struct {
		ail         func(*testing.T, *Machine)
		check       string
		state       State
		text, helps string
	}{
		"a mistake in the configuration": {func(t *testing.T, p *Machine) {
			require.NoError(t, os.WriteFile(p.Paths.Config(), []byte("[security]\nprivilege = 'root'\n"), 0o600))
		}, "config", Broken, "config.toml:2:13", "blunux-ai config check"},
		"a key others can read": {func(t *testing.T, p *Machine) {
			require.NoError(t, os.MkdirAll(p.Paths.Credentials(), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(p.Paths.Credentials(), "claude"), []byte("sk\n"), 0o644))
		}, "keys", Broken, "other users can read it", "chmod 600"},
		"an edited log": {func(t *testing.T, p *Machine) {
			require.NoError(t, commandlog.New(p.Paths.CommandLog(), time.Now).Record(commandlog.Safe, "df -h"))
			text, err := os.ReadFile(p.Paths.CommandLog())
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(p.Paths.CommandLog(), []byte(strings.Replace(string(text), "df", "du", 1)), 0o600))
		}, "log", Broken, "was altered: 1 problem", "blunux-aictl log --verify"},
		"a home that is a file": {func(t *testing.T, p *Machine) {
			require.NoError(t, os.Remove(p.Paths.Home))
			require.NoError(t, os.WriteFile(p.Paths.Home, nil, 0o600))
		}, "home", Broken, "Cannot write to", "ls -ld"},
		"an open home": {func(t *testing.T, p *Machine) {
			require.NoError(t, os.Chmod(p.Paths.Home, 0o755))
		}, "home", Warn, "0755", "chmod 700"},
		"no sandbox": {func(_ *testing.T, p *Machine) {
			p.Sandbox = func() (string, error) { return "none", errors.New("no sandbox") }
		}, "sandbox", Warn, "read-only commands need confirmation too", "sysctl"},
		"no manager": {func(_ *testing.T, p *Machine) {
			p.Units = func(context.Context) error { return errors.New("nobody answers") }
		}, "units", Warn, "nobody answers", "systemctl --user status"},
		"no rights": {func(_ *testing.T, p *Machine) {
			p.Ladder = ladder("sudo: a password is required")
		}, "rights", Warn, "run0: not installed; pkexec: not installed; sudo: asks for a password, but no terminal is available", "sudo -l"},
		"no logind": {func(_ *testing.T, p *Machine) {
			p.Awake = &fakeLock{err: errors.New("no bus")}
		}, "awake", Warn, "no bus", "logind"},
		"no linger": {func(_ *testing.T, p *Machine) { p.User = "somebody" }, "linger", Warn, "stops when you log out", "loginctl enable-linger"},
		"an unhardened daemon": {func(t *testing.T, p *Machine) {
			serve(t, p, &ipc.Status{Version: "1.2.3"})
		}, "daemon", Warn, "without its unit's protections", "restart"},
		"another version": {func(t *testing.T, p *Machine) {
			serve(t, p, &ipc.Status{Version: "1.2.2"})
		}, "version", Warn, "1.2.2", "stop"},
		"a daemon that says nothing": {func(t *testing.T, p *Machine) {
			serve(t, p, nil)
		}, "version", Broken, "does not respond", "stop"},
		"a socket nobody listens on": {func(t *testing.T, p *Machine) {
			path, err := p.Dialer.Path()
			require.NoError(t, err)
			l, err := net.Listen("unix", path)
			require.NoError(t, err)
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			require.NoError(t, l.Close())
			require.NoError(t, os.Chmod(path, 0o600))
		}, "socket", Warn, "unused socket file is left over", "rm "},
		"something else in the socket's place": {func(t *testing.T, p *Machine) {
			path, err := p.Dialer.Path()
			require.NoError(t, err)
			write(t, path, "", 0o600)
			p.Manager = noManager{}
		}, "socket", Broken, "Cannot use the socket", "ls -l"},
		"a socket that somebody removed": {func(_ *testing.T, p *Machine) {
			p.Manager = installed()
			p.Dialer.Locator.Getenv = func(name string) string {
				return map[string]string{"BLUNUX_AI_SOCK": filepath.Join(p.Root, "gone.sock")}[name]
			}
		}, "socket", Broken, "Cannot use the socket", "systemctl --user restart blunux-ai-agent.socket"},
		"a disabled socket": {func(_ *testing.T, p *Machine) {
			p.Manager = installed().with(ipc.SocketUnit, func(u *systemd.UnitState) { u.Enabled = "disabled" })
		}, "socket", Warn, "not enabled (disabled)", "systemctl --user enable --now blunux-ai-agent.socket"},
		"a stopped socket": {func(_ *testing.T, p *Machine) {
			p.Manager = installed().with(ipc.SocketUnit, func(u *systemd.UnitState) { u.Active = "inactive" })
		}, "socket", Warn, "enabled, but not listening (inactive)", "systemctl --user enable --now blunux-ai-agent.socket"},
		"units that were changed": {func(_ *testing.T, p *Machine) {
			p.Manager = installed().with(serviceUnit, func(u *systemd.UnitState) { u.NeedLoad = true })
		}, "service", Warn, "The unit file changed", "systemctl --user daemon-reload"},
		"a unit that somebody masked": {func(_ *testing.T, p *Machine) {
			p.Manager = installed().with(serviceUnit, func(u *systemd.UnitState) { u.Load = "masked" })
		}, "service", Warn, "not available (masked)", "systemctl --user unmask"},
		"a daemon that could not start": {func(_ *testing.T, p *Machine) {
			p.Manager = installed().with(serviceUnit, func(u *systemd.UnitState) { u.Active = "failed" })
		}, "daemon", Broken, "failed to start", "journalctl"},
		"a timer that is off": {func(_ *testing.T, p *Machine) {
			p.Rules = func() Rules { return Rules{On: 2} }
			p.Manager = installed().with(timerUnit, func(u *systemd.UnitState) { u.Active, u.Enabled = "inactive", "disabled" })
		}, "timer", Warn, "2 automations run only while the daemon is running", "enable --now blunux-ai-agent.timer"},
		"rules without a timer": {func(_ *testing.T, p *Machine) {
			p.Rules = func() Rules { return Rules{On: 1} }
		}, "timer", Warn, "no bus", "systemctl --user status"},
		"rules that cannot be used": {func(_ *testing.T, p *Machine) {
			p.Rules = func() Rules { return Rules{Problems: []string{"automations.toml:3: what?"}} }
		}, "automations", Warn, "automations.toml:3", "blunux-aictl automations list"},
		"no key": {func(_ *testing.T, p *Machine) {
			p.Answer = func(config.Config) Answer {
				return Answer{Name: "claude", Why: "configured", Problem: errors.New("no key")}
			}
		}, "model", Warn, "no key", "blunux-ai setup"},
		"no pacman": {func(t *testing.T, p *Machine) {
			require.NoError(t, os.Remove(filepath.Join(p.Root, "usr/bin/pacman")))
		}, "pacman", Warn, "pacman is not installed", "os-release"},
		"a lock left behind": {func(t *testing.T, p *Machine) {
			write(t, filepath.Join(p.Root, dbLock), "", 0o644)
			write(t, filepath.Join(p.Root, "proc/12/comm"), "bash\n", 0o644)
		}, "lock", Warn, "No package manager is running", "sudo rm /var/lib/pacman/db.lck"},
		"no keyring": {func(t *testing.T, p *Machine) {
			require.NoError(t, os.RemoveAll(filepath.Join(p.Root, "etc/pacman.d/gnupg")))
		}, "keyring", Warn, "no keyring", "pacman-key --init"},
		"no helper": {func(t *testing.T, p *Machine) {
			require.NoError(t, os.Remove(filepath.Join(p.Root, "usr/bin/yay")))
		}, "aur", Warn, "Neither yay nor paru is installed", "makepkg"},
		"no groups": {func(t *testing.T, p *Machine) {
			p.Groups = nil
			require.NoError(t, os.RemoveAll(filepath.Join(p.Root, "var/log/journal/m")))
		}, "journal", Warn, "Cannot read the system journal", "sudo usermod -aG systemd-journal blu"},
		"no journal": {func(t *testing.T, p *Machine) {
			require.NoError(t, os.RemoveAll(filepath.Join(p.Root, "var/log/journal")))
		}, "journal", Warn, "has no systemd journal", "systemd-journald"},
		"nobody who shows notifications": {func(_ *testing.T, p *Machine) {
			p.Desktop = func(context.Context) (string, error) { return "", errors.New("no server") }
		}, "notifications", Warn, "no server", "systemctl --user"},
		"a clock that is not kept": {func(_ *testing.T, p *Machine) {
			p.Clock = func(context.Context) (systemd.TimeSync, error) { return systemd.TimeSync{Available: true}, nil }
		}, "clock", Warn, "Clock synchronization is off", "timedatectl set-ntp true"},
		"a clock that was not set yet": {func(_ *testing.T, p *Machine) {
			p.Clock = func(context.Context) (systemd.TimeSync, error) {
				return systemd.TimeSync{Available: true, Enabled: true}, nil
			}
		}, "clock", Warn, "the clock is not set yet", "timesync-status"},
		"a date of long ago": {func(_ *testing.T, p *Machine) {
			p.Now = func() time.Time { return time.Unix(0, 0).UTC() }
		}, "clock", Broken, "1970-01-01", "set-ntp"},
		"a bridge that is down": {func(_ *testing.T, p *Machine) {
			m := installed()
			m["blunux-wa-bridge.service"] = systemd.UnitState{Load: "loaded", Active: "failed", Enabled: "enabled"}
			p.Manager = m
		}, "bridges", Warn, "blunux-wa-bridge.service", "systemctl --user restart blunux-wa-bridge.service"},
		"a bridge that is not connected": {func(t *testing.T, p *Machine) {
			m := installed()
			m["blunux-wa-bridge.service"] = systemd.UnitState{Load: "loaded", Active: "active", Enabled: "enabled"}
			p.Manager = m.with(serviceUnit, func(u *systemd.UnitState) { u.Active, u.PID = "active", os.Getpid() })
			serve(t, p, &ipc.Status{Version: "1.2.3"})
		}, "bridges", Warn, "not connected", "systemctl --user restart blunux-wa-bridge.service"},
		"a gateway that others reach": {func(t *testing.T, p *Machine) {
			const table = "  sl  local_address rem_address st\n   0: 0100007F:%[1]s 00000000:0000 0A\n   1: %[2]s:%[1]s 00000000:0000 0A\n"
			write(t, filepath.Join(p.Root, "proc/net/tcp"), fmt.Sprintf(table, "4965", "0100007F"), 0o644)
			require.Equal(t, OK, find(t, RunChecks(t.Context(), *p), "gateway").State)
			write(t, filepath.Join(p.Root, "proc/net/tcp"), fmt.Sprintf(table, "4965", "00000000"), 0o644)
		}, "gateway", Warn, "0.0.0.0:18789", "ss -ltnp"},
		"a log that has grown": {func(t *testing.T, p *Machine) {
			require.NoError(t, os.MkdirAll(p.Paths.Logs(), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(p.Paths.Logs(), "x"), nil, 0o600))
			require.NoError(t, os.Truncate(filepath.Join(p.Paths.Logs(), "x"), muchLog+1))
		}, "files", Warn, "200.0 MiB", "du -ah"},
		"a locale without letters": {func(_ *testing.T, p *Machine) {
			p.Getenv = func(name string) string { return map[string]string{"LANG": "ko_KR.UTF-8", "LC_ALL": "C"}[name] }
		}, "terminal", Warn, "not UTF-8 (C)", "export LC_ALL=C.UTF-8"},
		"a locale of a language without its letters": {func(_ *testing.T, p *Machine) {
			p.Getenv = func(name string) string { return map[string]string{"LANG": "ko_KR.EUC-KR"}[name] }
		}, "terminal", Warn, "not UTF-8 (ko_KR.EUC-KR)", "export LANG=ko_KR.UTF-8"},
		"no locale": {func(_ *testing.T, p *Machine) {
			p.Getenv = func(string) string { return "" }
		}, "terminal", Warn, "not UTF-8 (-)", "export LANG=C.UTF-8"},
		"a terminal that can do nothing": {func(_ *testing.T, p *Machine) {
			p.Getenv = func(name string) string { return map[string]string{"LANG": "C.utf8", "TERM": "dumb"}[name] }
		}, "terminal", Warn, "TERM=dumb", "export TERM"},
		"a narrow terminal": {func(_ *testing.T, p *Machine) { p.Columns = 20 }, "terminal", Warn, "20 columns", "stty"},
		"a language nobody speaks": {func(_ *testing.T, p *Machine) {
			p.Getenv = func(name string) string { return map[string]string{"LANG": "C.utf8", "BLUNUX_AI_LANG": "tlh"}[name] }
		}, "language", Warn, "tlh", "export BLUNUX_AI_LANG=en"},
	} {
		t.Run(name, func(t *testing.T) {
			p := healthy(t)
			test.ail(t, &p)
			if path, err := p.Dialer.Path(); err == nil && test.check != "socket" {
				if _, ok := p.Manager.(manager); ok && !exists(path) {
					write(t, path, "", 0o600) // the manager would listen on it
				}
			}
			found := RunChecks(t.Context(), p)
			f := find(t, found, test.check)
			require.Equal(t, test.state, f.State, "%+v", f)
			require.Contains(t, f.Text, test.text)
			require.Contains(t, f.Help, test.helps)
			require.Equal(t, test.state != Broken, IsHealthy(found))
			if len(f.Fix) > 0 {
				require.Equal(t, f.Help, CommandLine(f.Fix), "what is run is what is shown")
			}
		})
	}
}

func TestALockInUseIsNoTrouble(t *testing.T) {
	p := healthy(t)
	write(t, filepath.Join(p.Root, dbLock), "", 0o644)
	write(t, filepath.Join(p.Root, "proc/12/comm"), "pacman\n", 0o644)
	f := find(t, RunChecks(t.Context(), p), "lock")
	require.Equal(t, OK, f.State)
	require.Contains(t, f.Text, "pacman is using")
}

func TestABridgeIsFoundByWhatItSaysAndBySilence(t *testing.T) {
	p := healthy(t)
	m := installed()
	m["blunux-wa-bridge.service"] = systemd.UnitState{Load: "loaded", Active: "active", Enabled: "enabled"}
	p.Manager = m.with(serviceUnit, func(u *systemd.UnitState) { u.Active, u.PID = "active", os.Getpid() })
	serve(t, &p, &ipc.Status{Version: "1.2.3", Connections: []ipc.ConnectionUsage{
		{Channel: "bridge"}, {Client: "discord-bridge/2", Channel: "discord"}, {Client: "blunux-ai-doctor", Channel: "cli"},
	}})
	f := find(t, RunChecks(t.Context(), p), "bridges")
	require.Equal(t, OK, f.State, "%+v", f)
	require.Contains(t, f.Text, "connected: 2")
}

// Each check has a timeout, and the results of the others are reported.
func TestACheckThatHangsHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := healthy(t)
		release := make(chan struct{})
		p.Sandbox = func() (string, error) { <-release; return "", nil }
		p.Desktop = func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		began := time.Now()
		found := RunChecks(t.Context(), p)
		require.LessOrEqual(t, time.Since(began), checkTimeout+2*time.Second)
		require.Contains(t, find(t, found, "sandbox").Text, "within 10 seconds")
		require.Contains(t, find(t, found, "notifications").Text, "in time")
		require.Equal(t, OK, find(t, found, "pacman").State)
		close(release)
	})
}

// In a container, commands of systemd would fail.
func TestWithoutSystemdItsCommandsAreNotAdvised(t *testing.T) {
	p := healthy(t)
	require.NoError(t, os.RemoveAll(filepath.Join(p.Root, "run/systemd/system")))
	p.User = "somebody"
	p.Units = func(context.Context) error { return errors.New("nobody answers") }
	for _, f := range RunChecks(t.Context(), p) {
		require.NotRegexp(t, `^(systemctl|loginctl) `, f.Help, "%+v", f)
	}
}
