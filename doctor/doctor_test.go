package doctor

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
)

// holder takes a lock, or says why not.
type holder struct {
	err      error
	held     int
	released int
}

func (h *holder) Inhibit(context.Context, string) (func(), error) {
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

// ladder is one with sudo as it says.
func ladder(says string) func(string) *elevation.Ladder {
	return func(setting string) *elevation.Ladder {
		return elevation.New(elevation.Options{
			Setting: elevation.Rung(setting), Polkit: noPolkit{}, Agent: func() bool { return false },
			Has: func(program string) bool { return program == "sudo" },
			Probe: func(context.Context, ...string) (string, int, error) {
				if says == "" {
					return "", 0, nil
				}
				return says, 1, nil
			},
		})
	}
}

// healthy is a patient on whom nothing is to be found but what the machine of
// the test lacks: a user manager and a daemon.
func healthy(t *testing.T) Patient {
	t.Helper()
	dir := t.TempDir()
	paths := config.Paths{Home: filepath.Join(dir, "home")}
	require.NoError(t, paths.Ensure())
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "root/var/lib/systemd/linger"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "root/var/lib/systemd/linger/blu"), nil, 0o644))
	none := func(string) string { return "" }
	return Patient{
		Lang: i18n.English, Paths: paths, User: "blu", Root: filepath.Join(dir, "root"), Getenv: none,
		Source:  config.Source{Distribution: filepath.Join(dir, "x"), System: filepath.Join(dir, "y"), Paths: paths, Getenv: none},
		Sandbox: func() (string, error) { return "namespaces + landlock 7 + seccomp", nil },
		Units:   func(context.Context) error { return nil },
		Ladder:  ladder(""), Awake: &holder{},
		Dialer: ipc.Dialer{NoStart: true, Locator: ipc.Locator{UID: os.Getuid(), Getenv: func(name string) string {
			return map[string]string{"BLUNUX_AI_SOCK": filepath.Join(dir, "s.sock")}[name]
		}}},
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
	found := Look(t.Context(), p)
	require.True(t, Sound(found))
	for _, f := range found {
		require.NotEmpty(t, f.Text, f.Check)
		if f.Check != "service" { // there is no bus
			require.Equal(t, OK, f.State, "%+v", f)
		}
	}
	h := p.Awake.(*holder)
	require.Equal(t, []int{1, 1}, []int{h.held, h.released}, "what was taken is given back")
	entries, err := os.ReadDir(p.Paths.Home)
	require.NoError(t, err)
	require.Empty(t, entries, "nothing is made")
}

func TestWhatIsWrongIsFoundWithWhatHelps(t *testing.T) {
	for name, test := range map[string]struct {
		ail         func(*testing.T, *Patient)
		check       string
		state       State
		text, helps string
	}{
		"a mistake in the configuration": {func(t *testing.T, p *Patient) {
			require.NoError(t, os.WriteFile(p.Paths.Config(), []byte("[security]\nprivilege = 'root'\n"), 0o600))
		}, "config", Broken, "config.toml:2:13", "blunux-ai config check"},
		"a key others can read": {func(t *testing.T, p *Patient) {
			require.NoError(t, os.MkdirAll(p.Paths.Credentials(), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(p.Paths.Credentials(), "claude"), []byte("sk\n"), 0o644))
		}, "keys", Broken, "other users can read it", "chmod 600"},
		"an edited log": {func(t *testing.T, p *Patient) {
			require.NoError(t, commandlog.New(p.Paths.CommandLog(), time.Now).Record(commandlog.Safe, "df -h"))
			text, err := os.ReadFile(p.Paths.CommandLog())
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(p.Paths.CommandLog(), []byte(strings.Replace(string(text), "df", "du", 1)), 0o600))
		}, "log", Broken, "was changed", "blunux-aictl log --verify"},
		"a home that is a file": {func(t *testing.T, p *Patient) {
			require.NoError(t, os.Remove(p.Paths.Home))
			require.NoError(t, os.WriteFile(p.Paths.Home, nil, 0o600))
		}, "home", Broken, "cannot be written to", "ls -ld"},
		"an open home": {func(t *testing.T, p *Patient) {
			require.NoError(t, os.Chmod(p.Paths.Home, 0o755))
		}, "home", Warn, "0755", "chmod 700"},
		"no sandbox": {func(_ *testing.T, p *Patient) {
			p.Sandbox = func() (string, error) { return "none", errors.New("no sandbox") }
		}, "sandbox", Warn, "asked about too", "sysctl"},
		"no manager": {func(_ *testing.T, p *Patient) {
			p.Units = func(context.Context) error { return errors.New("nobody answers") }
		}, "units", Warn, "nobody answers", "systemctl --user status"},
		"no rights": {func(_ *testing.T, p *Patient) {
			p.Ladder = ladder("sudo: a password is required")
		}, "rights", Warn, "run0: not installed; pkexec: not installed; sudo: it wants a password", "sudo -l"},
		"no logind": {func(_ *testing.T, p *Patient) {
			p.Awake = &holder{err: errors.New("no bus")}
		}, "awake", Warn, "no bus", "logind"},
		"no linger": {func(_ *testing.T, p *Patient) { p.User = "somebody" }, "linger", Warn, "log out", "loginctl enable-linger"},
		"an unhardened daemon": {func(t *testing.T, p *Patient) {
			path, err := p.Dialer.Path()
			require.NoError(t, err)
			l, err := net.Listen("unix", path)
			require.NoError(t, err)
			t.Cleanup(func() { l.Close() })
			require.NoError(t, os.Chmod(path, 0o600))
		}, "daemon", Warn, "without its unit's protections", "restart"},
	} {
		t.Run(name, func(t *testing.T) {
			p := healthy(t)
			test.ail(t, &p)
			found := Look(t.Context(), p)
			f := find(t, found, test.check)
			require.Equal(t, test.state, f.State, "%+v", f)
			require.Contains(t, f.Text, test.text)
			require.Contains(t, f.Help, test.helps)
			require.Equal(t, test.state != Broken, Sound(found))
		})
	}
}
