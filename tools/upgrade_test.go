package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// What our own program finds out about an upgrade and about the next start, in the files that the tests change.
const (
	oneUpdate   = `{"digest":"sha256:1","count":1,"packages":[{"name":"htop","from":"3.3-1","to":"3.4-1"}],"mounts":[{"target":"/","free":90000000000}]}`
	twoUpdates  = `{"digest":"sha256:2","count":2,"packages":[{"name":"htop","to":"3.4-1"},{"name":"vim","to":"9-1"}],"mounts":[{"target":"/","free":90000000000}]}`
	soundStart  = `{"kernels":[{"package":"linux","release":"6.10.2-arch1-1"}],"entries":[],"findings":[]}`
	brokenStart = `{"kernels":[],"entries":[],"findings":[{"code":"image-cut","weight":"red","subject":"/boot/initramfs-linux.img"}]}`
)

// upgradeGate is a gate whose programs only print: pacman and systemctl leave no trace but in the command log.
type upgradeGate struct {
	*testGate
	bin string
}

func newUpgradeGate(t *testing.T, change ...func(*tools.Options)) *upgradeGate {
	t.Helper()
	bin := t.TempDir()
	for name, text := range map[string]string{
		"blunux-ai": `exec cat "${0%/*}/$1"`, "pacman": "exit 0", "systemctl": "exit 0", "shutdown": "exit 0",
		"upower": `exec cat "${0%/*}/battery"`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	g := &upgradeGate{bin: bin}
	g.set(t, "preview", oneUpdate)
	g.set(t, "boot", soundStart)
	g.set(t, "battery", "")
	g.testGate = newTestGate(t, append([]func(*tools.Options){func(o *tools.Options) {
		o.Checker = safety.New(safety.Options{Home: o.Home, EvalSymlinks: filepath.EvalSymlinks})
		o.Putter = filepath.Join(bin, "blunux-ai")
		o.Executor = executor.New(executor.Options{Path: []string{bin, "/usr/bin", "/bin"}, Sandbox: newSandbox(t)})
	}}, change...)...)
	return g
}

// set changes what a look shows from now on.
func (g *upgradeGate) set(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(g.bin, name), []byte(text), 0o644))
}

// ran returns the confirmed commands.
func (g *upgradeGate) ran() (all []string) {
	for _, line := range g.logged() {
		if c, ok := strings.CutPrefix(line, "CONFIRMED"); ok {
			all = append(all, strings.TrimSpace(c))
		}
	}
	return all
}

// meanwhile is a person who says yes, while something else happens.
type meanwhile struct {
	happens []func() // before each answer
	shown   []tools.JudgedPlan
}

func (m *meanwhile) approver() tools.Approver {
	return approverFunc(func(j tools.JudgedPlan) tools.Decision {
		m.shown = append(m.shown, j)
		if n := len(m.shown); n <= len(m.happens) {
			m.happens[n-1]()
		}
		return tools.Decision{Action: tools.AllowOnce}
	})
}

var upgradeAndRestart = map[string]any{"Commands": []shell.Command{
	{Argv: []string{"pacman", "-Syu", "--noconfirm"}}, {Argv: []string{"systemctl", "reboot"}},
}}

// TestAnUpgradeBesideARestartIsLookedAtAgain: at each yes both are as shown, or it is asked again.
func TestAnUpgradeBesideARestartIsLookedAtAgain(t *testing.T) {
	for name, c := range map[string]struct {
		look, becomes string
		asked         int
	}{
		"nothing changes":             {"preview", oneUpdate, 1},
		"the servers have more":       {"preview", twoUpdates, 2},
		"an image is damaged":         {"boot", brokenStart, 2},
		"a note about the next start": {"boot", strings.Replace(brokenStart, "red", "note", 1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := newUpgradeGate(t)
			m := &meanwhile{happens: []func(){func() { g.set(t, c.look, c.becomes) }}}
			out := g.call("argv", upgradeAndRestart, m.approver())
			require.Empty(t, out.Output.Refusal, out.Text)
			require.Len(t, m.shown, c.asked)
			first, last := m.shown[0], m.shown[c.asked-1]
			require.NotNil(t, first.Plan.Preview)
			require.NotNil(t, first.Plan.NextStart)
			require.Equal(t, "sha256:1", first.Plan.Preview.Digest)
			if c.asked > 1 {
				require.NotEqual(t, first.Digest, last.Digest)
			}
			require.Equal(t, []string{"pacman -Syu --noconfirm", "systemctl reboot"}, g.ran())
		})
	}
}

// TestThePreviewIsKeptForTheNextOne: the command that made it cannot write. A failed one is not kept.
func TestThePreviewIsKeptForTheNextOne(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "cache/preview.json")
	g := newUpgradeGate(t, func(o *tools.Options) { o.PreviewFile = kept })
	for _, shown := range []string{oneUpdate, twoUpdates} {
		g.set(t, "preview", shown)
		_, err := g.Look(t.Context(), "updates", "blunux-ai preview --json --brief", tools.Origin{}, "test")
		require.NoError(t, err)
		text, err := os.ReadFile(kept)
		require.NoError(t, err)
		require.Equal(t, shown, string(text))
	}
	require.NoError(t, os.Remove(filepath.Join(g.bin, "preview")))
	_, _ = g.Look(t.Context(), "updates", "blunux-ai preview --json --brief", tools.Origin{}, "test")
	text, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, twoUpdates, string(text))
}

const emptyBattery = "Device: /org/freedesktop/UPower/devices/battery_BAT0\n  native-path:          BAT0\n  power supply:         yes\n" +
	"  battery\n    state:               discharging\n    percentage:          12%\n\nDaemon:\n  daemon-version:  1\n"

func fullAutonomy(o *tools.Options) {
	o.Full = autonomy.Allowance{Commands: []string{"pacman", "systemctl", "shutdown"}, Workspace: o.Home}
}

// TestALowBatteryHoldsNoPowerOff: the question shows what was found, and the answer may come from a grant.
func TestALowBatteryHoldsNoPowerOff(t *testing.T) {
	for name, c := range map[string]struct {
		argv []string
		held bool
	}{
		"off":              {[]string{"systemctl", "poweroff"}, false},
		"off later":        {[]string{"shutdown", "+5"}, false},
		"a restart":        {[]string{"systemctl", "reboot"}, true},
		"a later restart":  {[]string{"shutdown", "-r", "+5"}, true},
		"neither of these": {[]string{"shutdown", "-c"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := newUpgradeGate(t)
			g.set(t, "battery", emptyBattery)
			g.set(t, "boot", brokenStart)
			p := allowing()
			out := g.call("argv", map[string]any{"Commands": []shell.Command{{Argv: c.argv}}}, p)
			require.Empty(t, out.Output.Refusal, out.Text)
			require.Len(t, p.shown, 1)
			require.Equal(t, c.held, p.shown[0].Plan.IsHeld())
			require.Equal(t, name != "neither of these", p.shown[0].Plan.NextStart != nil)
		})
	}
}

// TestWhatIsHeldNeedsAPerson: a finding that only a person may overrule ends the call if there is no one to ask.
func TestWhatIsHeldNeedsAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		look, shows string
		argv        []string
	}{
		"a low battery":    {"battery", emptyBattery, []string{"pacman", "-Syu", "--noconfirm"}},
		"a damaged image":  {"boot", brokenStart, []string{"systemctl", "reboot"}},
		"an unknown start": {"boot", strings.Replace(brokenStart, "red", "unknown", 1), []string{"systemctl", "reboot"}},
		"a power-off":      {"boot", brokenStart, []string{"systemctl", "poweroff"}},
		"a later one":      {"boot", brokenStart, []string{"shutdown", "-h", "+30"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newUpgradeGate(t, fullAutonomy)
			g.set(t, c.look, c.shows)
			input := map[string]any{"Commands": []shell.Command{{Argv: c.argv}}}
			out := g.call("argv", input, nil)
			require.Equal(t, tools.RefusedCancelled, out.Output.Refusal, out.Text)
			require.Empty(t, g.ran())
			require.Contains(t, g.logged()[len(g.logged())-1], string(commandlog.Cancelled))

			p := allowing()
			require.Empty(t, g.call("argv", input, p).Output.Refusal)
			require.Len(t, p.shown, 1, "a person is asked, and may overrule it")
			require.True(t, p.shown[0].Plan.IsHeld())
			require.Len(t, g.ran(), 1)
		})
	}
}
