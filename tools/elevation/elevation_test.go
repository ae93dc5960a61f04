package elevation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// machine is a fake machine with installed programs and the rights of its user.
type machine struct {
	has     []string
	polkit  map[string]Answer // by action; a missing one is an error
	agent   bool
	sudo    string // what sudo -n -l prints; "" when it works
	stuck   bool   // polkit never answers
	frozen  bool   // no new privileges
	root    bool
	setting Rung
	probes  int
	now     time.Time
}

func (m *machine) Check(ctx context.Context, action string) (Answer, error) {
	if m.stuck {
		<-ctx.Done()
		return Refused, ctx.Err()
	}
	if a, ok := m.polkit[action]; ok {
		return a, nil
	}
	return Refused, errors.New("no polkit")
}

func (m *machine) probe(_ context.Context, argv ...string) (string, int, error) {
	m.probes++
	if argv[0] != "sudo" || argv[1] != "-n" || argv[2] != "-l" || len(argv) != 3 {
		return "", -1, errors.New("unexpected probe")
	}
	if m.sudo != "" {
		return m.sudo, 1, nil
	}
	return "User may run …", 0, nil
}

func (m *machine) ladder() *Ladder {
	return New(Options{
		Setting: m.setting, Root: m.root, Polkit: m, Probe: m.probe,
		HasProgram: func(p string) bool {
			for _, h := range m.has {
				if h == p {
					return true
				}
			}
			return false
		},
		HasAgent:      func() bool { return m.agent },
		CanGainRights: func(context.Context) bool { return !m.frozen },
		Now:           func() time.Time { return m.now },
	})
}

var everything = []string{"run0", "pkexec", "sudo"}

func asks() map[string]Answer {
	return map[string]Answer{actionUnits: NeedsAuth, actionExec: NeedsAuth}
}

func TestTheFirstRungThatWorksIsTaken(t *testing.T) {
	const password = "sudo: a password is required\n"
	for name, test := range map[string]struct {
		machine machine
		want    string
	}{
		"root needs none":              {machine{root: true, has: everything}, "root"},
		"a desktop with systemd 256":   {machine{has: everything, polkit: asks(), agent: true}, "run0"},
		"a desktop with an older one":  {machine{has: everything[1:], polkit: asks(), agent: true}, "pkexec"},
		"a rule answers for somebody":  {machine{has: everything, polkit: map[string]Answer{actionUnits: NeedsAuth, actionExec: Allowed}}, "pkexec"},
		"a rule for units":             {machine{has: everything, polkit: map[string]Answer{actionUnits: Allowed}}, "run0"},
		"no desktop, NOPASSWD":         {machine{has: everything, polkit: asks()}, "sudo"},
		"no polkit, NOPASSWD":          {machine{has: everything}, "sudo"},
		"a password":                   {machine{has: everything, polkit: asks(), sudo: password}, "none (run0: no_agent, pkexec: no_agent, sudo: password)"},
		"polkit says no":               {machine{has: everything, polkit: map[string]Answer{actionUnits: Refused, actionExec: Refused}, agent: true, sudo: password}, "none (run0: no_polkit, pkexec: no_polkit, sudo: password)"},
		"nothing installed":            {machine{}, "none (run0: not_installed, pkexec: not_installed, sudo: not_installed)"},
		"no sudoer":                    {machine{has: []string{"sudo"}, sudo: "Sorry, user x may not run sudo on vm."}, "none (run0: not_installed, pkexec: not_installed, sudo: not_allowed)"},
		"an unknown word of sudo's":    {machine{has: []string{"sudo"}, sudo: "?"}, "none (run0: not_installed, pkexec: not_installed, sudo: does_not_work)"},
		"no rights in the unit":        {machine{has: everything[1:], polkit: asks(), agent: true, frozen: true}, "none (run0: not_installed, pkexec: no_new_rights, sudo: no_new_rights)"},
		"run0 gains no rights itself":  {machine{has: everything, polkit: asks(), agent: true, frozen: true}, "run0"},
		"the person wants sudo":        {machine{has: everything, polkit: asks(), agent: true, sudo: password, setting: Sudo}, "sudo"},
		"the person wants what is not": {machine{has: everything[1:], setting: Run0}, "none (run0: not_installed)"},
		"the person wants none":        {machine{has: everything, polkit: asks(), agent: true, setting: None}, "none (none: switched_off)"},
		"none, even for root":          {machine{root: true, setting: None}, "none (none: switched_off)"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, test.machine.ladder().Status(t.Context()).String())
		})
	}
}

func TestWhatWasFoundIsKeptForAWhile(t *testing.T) {
	m := &machine{has: []string{"sudo"}, now: time.Unix(1e9, 0)}
	l := m.ladder()
	for range 5 {
		require.Equal(t, Sudo, l.Status(t.Context()).Rung)
	}
	require.Equal(t, 1, m.probes)
	m.sudo = "sudo: a password is required"
	m.now = m.now.Add(rungCacheTime + time.Second)
	require.Equal(t, None, l.Status(t.Context()).Rung)
	m.sudo = ""
	require.Equal(t, None, l.Status(t.Context()).Rung, "still known")
	m.now = m.now.Add(noneCacheTime + time.Second)
	require.Equal(t, Sudo, l.Status(t.Context()).Rung, "looked for again soon")
	m.sudo = "sudo: a password is required"
	l.Forget()
	require.Equal(t, None, l.Status(t.Context()).Rung, "a rung that failed is looked at again")
}

func TestALookThatHangsEnds(t *testing.T) {
	m := &machine{has: everything, stuck: true}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, "none (run0: timeout, pkexec: timeout, sudo: timeout)", m.ladder().Status(ctx).String())
}

func TestASilentPolkitDoesNotHideSudo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{has: everything, stuck: true}
		require.Equal(t, Status{Sudo, []Step{{Run0, TimedOut}, {Pkexec, TimedOut}}}, m.ladder().Status(t.Context()))
	})
}

func TestEveryRungIsExplained(t *testing.T) {
	m := &machine{has: everything, polkit: asks(), setting: None}
	require.Equal(t, []Step{{Run0, NoAgent}, {Pkexec, NoAgent}, {Sudo, ""}}, m.ladder().Explain(t.Context()))
}

func TestUnitsThatARuleLetsManage(t *testing.T) {
	l := (&machine{polkit: map[string]Answer{actionUnits: Allowed, actionUnitFiles: NeedsAuth}, agent: true}).ladder()
	require.True(t, l.CanManageUnits(t.Context(), false))
	require.False(t, l.CanManageUnits(t.Context(), true), "asking somebody is no leave")
	require.False(t, (&machine{}).ladder().CanManageUnits(t.Context(), false))
}

func TestAnAgentIsFoundByItsName(t *testing.T) {
	proc := t.TempDir()
	process := func(pid int, cmdline string) {
		dir := filepath.Join(proc, strconv.Itoa(pid))
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "cmdline"), []byte(cmdline), 0o644))
	}
	require.False(t, hasAgent(proc))
	process(1, "/usr/lib/systemd/systemd\x00--user\x00")
	process(2, "vim\x00notes\x00lxpolkit\x00")
	process(3, "")
	require.False(t, hasAgent(proc), "a file of that name is open, no agent")
	process(4, "/usr/lib/polkit-gnome/polkit-gnome-authentication-agent-1\x00")
	require.True(t, hasAgent(proc))
}
