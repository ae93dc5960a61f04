package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/systemd"
)

// installUnits writes the embedded units as make install would, but for
// binaries in dir.
func installUnits(t *testing.T, dir, bin string) {
	t.Helper()
	entries, err := systemd.Units.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, entries, 4)
	for _, e := range entries {
		text, err := systemd.Units.ReadFile(e.Name())
		require.NoError(t, err)
		unit := strings.ReplaceAll(string(text), "/usr/bin/blunux-ai ", bin+"/blunux-ai ")
		require.NoError(t, os.WriteFile(filepath.Join(dir, e.Name()), []byte(unit), 0o644))
	}
}

// TestTheUnitsAreWhatSystemdExpects: systemd-analyze exits 0 on a misspelt
// key, so what it says counts.
func TestTheUnitsAreWhatSystemdExpects(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		skip(t, "systemd-analyze is not installed")
	}
	dir := t.TempDir()
	installUnits(t, dir, binaries)
	verify := func() string {
		units, err := filepath.Glob(filepath.Join(dir, "blunux-ai-agent.*"))
		require.NoError(t, err)
		require.Len(t, units, 4)
		cmd := exec.Command("systemd-analyze", append([]string{"--user", "verify"}, units...)...)
		cmd.Env = append(os.Environ(), "SYSTEMD_LOG_LEVEL=notice", "XDG_RUNTIME_DIR="+t.TempDir(), "SYSTEMD_UNIT_PATH="+dir+":")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	require.Empty(t, verify())

	// The check itself can fail: a misspelt key is seen.
	name := filepath.Join(dir, "blunux-ai-agent.service")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(text), "WatchdogSec", "WatchdogSecs", 1)), 0o644))
	require.Contains(t, verify(), "WatchdogSecs")
}

// underSystemd runs a script as an ordinary user with a real systemd --user,
// session bus and journal, or skips where the machine cannot.
func underSystemd(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	installUnits(t, dir, binaries)
	path := filepath.Join(dir, "story.sh")
	text, err := os.ReadFile(filepath.Join("testdata/systemd", script))
	require.NoError(t, err)
	if script != "automations.sh" { // nothing of its own may stand in the others' logs
		text = append([]byte("systemctl --user set-environment BLUNUX_AI_AUTOMATIONS=off; export BLUNUX_AI_AUTOMATIONS=off\n"), text...)
	}
	require.NoError(t, os.WriteFile(path, text, 0o755))
	for d := dir; strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
		require.NoError(t, os.Chmod(d, 0o755)) // the other user must get in
	}
	cmd := exec.Command("bash", "testenv/systemd-user.sh", "--env", "BIN="+binaries, "--env", "UNITS="+dir, "--env", "GORACE="+raceOptions, "--", "bash", path)
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if exit := cmd.ProcessState.ExitCode(); exit == 77 {
		skip(t, "no real systemd here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	return string(out)
}

// TestUnderARealUserManager: the socket is enabled, a question wakes the
// daemon, it reports READY, writes to the journal with fields, survives a
// kill, reloads, and stops in order.
func TestUnderARealUserManager(t *testing.T) {
	out := underSystemd(t, "activation.sh")
	require.Contains(t, out, "story complete", "%s", out)
}

// TestAutomationsUnderARealUserManager: a rule that is due starts the daemon, which
// had left, by the timer it made; a changed file does; a button on a real
// notification approves.
func TestAutomationsUnderARealUserManager(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "automations.sh")
	require.Contains(t, out, "story complete", "%s", out)
	if strings.Contains(out, "the button is not pressed") {
		skip(t, "there is no notification server to press a button of")
	}
}

// TestThreat26ConfirmedCommandsRunInUnitsOfTheirOwn: bounded, killed as a whole,
// and longer than the daemon.
func TestThreat26ConfirmedCommandsRunInUnitsOfTheirOwn(t *testing.T) {
	out := underSystemd(t, "units.sh")
	require.Contains(t, out, "story complete", "%s", out)
}

// TestThreat33TheUnitsProtectionsBite: each directive of the daemon's unit
// forbids what it should in a user's service manager, and no answer is changed
// by it.
func TestThreat33TheUnitsProtectionsBite(t *testing.T) {
	out := underSystemd(t, "hardening.sh")
	require.Contains(t, out, "story complete", "%s", out)
}
