package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/systemd"
)

// staticPrograms builds the bridges and the probe as make build does. Their units allow the execution of that
// one file only, and not of a dynamic loader.
var staticPrograms = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(binaries, "static")
	for _, b := range [][]string{{".", "./probe", "../../cmd/blunux-telegram-bridge", "../../cmd/blunux-discord-bridge", "../../cmd/blunux-ai-gateway"}, {"../../bridge/whatsapp", "./cmd/blunux-wa-bridge"}} {
		cmd := exec.Command("go", append([]string{"build", "-C", b[0], "-mod=readonly", "-trimpath", "-tags", "nethttpomithttp2", "-o", dir + "/"}, b[1:]...)...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("cannot build %v: %w: %s", b[1:], err, out)
		}
	}
	return dir, errors.Join(replacePrograms(dir, "blunux-*-bridge"), replacePrograms(dir, "blunux-ai-gateway"))
})

// installUnits writes the embedded units as make install does, with another directory of programs.
func installUnits(t *testing.T, dir, bin string) {
	t.Helper()
	bridges, err := staticPrograms()
	require.NoError(t, err)
	entries, err := systemd.Units.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, entries, 10)
	for _, e := range entries {
		text, err := systemd.Units.ReadFile(e.Name())
		require.NoError(t, err)
		unit := strings.ReplaceAll(string(text), "/usr/bin/blunux-ai ", bin+"/blunux-ai ")
		unit = strings.ReplaceAll(unit, "=/usr/bin/blunux-", "="+bridges+"/blunux-")
		unit = strings.ReplaceAll(unit, "=/usr/lib/blunux-ai/blunux-", "="+bridges+"/blunux-")
		require.NoError(t, os.WriteFile(filepath.Join(dir, e.Name()), []byte(unit), 0o644))
	}
}

// unknownKeys matches what systemd before 254 prints about RestartSteps and RestartMaxDelaySec. It then restarts the
// bridges with a constant delay.
var unknownKeys = regexp.MustCompile(`.*blunux-(wa|telegram|discord)-bridge\.service:\d+: Unknown key (name )?'(RestartSteps|RestartMaxDelaySec)' in section .*\n`)

// TestTheUnitsAreWhatSystemdExpects checks the output, because systemd-analyze exits with 0 on a misspelt key.
func TestTheUnitsAreWhatSystemdExpects(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		skip(t, "systemd-analyze is not installed")
	}
	dir := t.TempDir()
	installUnits(t, dir, binaries)
	verify := func() string {
		units, err := filepath.Glob(filepath.Join(dir, "blunux-*"))
		require.NoError(t, err)
		require.Len(t, units, 10)
		cmd := exec.Command("systemd-analyze", append([]string{"--user", "verify"}, units...)...)
		cmd.Env = append(os.Environ(), "SYSTEMD_LOG_LEVEL=notice", "XDG_RUNTIME_DIR="+t.TempDir(), "SYSTEMD_UNIT_PATH="+dir+":")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return unknownKeys.ReplaceAllString(string(out), "")
	}
	require.Empty(t, verify())

	// The check can fail: it detects a misspelt key.
	name := filepath.Join(dir, "blunux-ai-agent.service")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(text), "WatchdogSec", "WatchdogSecs", 1)), 0o644))
	require.Contains(t, verify(), "WatchdogSecs")
}

// underSystemd runs a script as an ordinary user with a real systemd --user, session bus and journal. It skips
// the test if the machine does not support it.
func underSystemd(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	installUnits(t, dir, binaries)
	parts := []string{"wait.lib.sh"}
	if script == "guard.sh" || script == "browser.sh" || script == "operate.sh" {
		parts = append(parts, "terminal.lib.sh")
	}
	first := ""
	if script != "automations.sh" { // automations must not write to the logs of the other scripts
		first = automationsOff
	}
	path := filepath.Join(dir, "story.sh")
	writeStory(t, path, first, append(parts, script)...)
	for d := dir; strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
		require.NoError(t, os.Chmod(d, 0o755)) // the other user needs access
	}
	cmd := exec.Command("bash", "testenv/systemd-user.sh", "--env", "BIN="+binaries, "--env", "STATIC="+filepath.Join(binaries, "static"), "--env", "UNITS="+dir, "--env", "GORACE="+raceOptions, "--", "bash", path)
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if exit := cmd.ProcessState.ExitCode(); exit == 77 {
		skip(t, "no real systemd here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	return string(out)
}

// automationsOff is for the daemon that a socket starts and for one that a client starts.
const automationsOff = "systemctl --user set-environment BLUNUX_AI_AUTOMATIONS=off; export BLUNUX_AI_AUTOMATIONS=off\n"

// writeStory writes the scripts of testdata/systemd after the text first to one file.
func writeStory(t *testing.T, path, first string, names ...string) {
	t.Helper()
	text := []byte(first)
	for _, name := range names {
		part, err := os.ReadFile(filepath.Join("testdata/systemd", name))
		require.NoError(t, err)
		text = append(text, part...)
	}
	require.NoError(t, os.WriteFile(path, text, 0o755))
}

// TestUnderARealUserManager: the socket is enabled, a question starts the daemon, which reports READY, logs to
// the journal with fields, survives a kill, reloads, and stops cleanly.
func TestUnderARealUserManager(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "activation.sh")
	require.Contains(t, out, "story complete", "%s", out)
}

// TestAutomationsUnderARealUserManager: after an idle exit the daemon is started by its timer for a due rule,
// and by a changed file. A button on a real notification approves.
func TestAutomationsUnderARealUserManager(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "automations.sh")
	require.Contains(t, out, "story complete", "%s", out)
	if strings.Contains(out, "the button is not pressed") {
		skip(t, "there is no notification server to press a button of")
	}
}

// TestRealProgramsAreOperated: the clipboard and a window on a virtual screen, a program that ends at once, a player, and a
// session of Sway.
func TestRealProgramsAreOperated(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "operate.sh")
	if strings.Contains(out, "not here: ") {
		skip(t, "%s", strings.TrimSpace(out))
	}
	require.Contains(t, out, "story complete", "%s", out)
}

// TestDoctorUnderARealUserManager: the findings about units are true, and repairs are effective.
func TestDoctorUnderARealUserManager(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "doctor.sh")
	require.Contains(t, out, "story complete", "%s", out)
}

// TestThreat26ConfirmedCommandsRunInUnitsOfTheirOwn: they are limited, killed as a whole, and outlive the
// daemon.
func TestThreat26ConfirmedCommandsRunInUnitsOfTheirOwn(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "units.sh")
	require.Contains(t, out, "story complete", "%s", out)
}

// TestThreat35TheAnswerEndsWithWhatTheCheckShows: a unit that fails at its start, and each change of a unit, in two languages.
func TestThreat35TheAnswerEndsWithWhatTheCheckShows(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "checks.sh")
	require.Contains(t, out, "story complete", "%s", out)
}

// TestAChangeThatCanCutThePersonOffGoesBackByItself: without an answer, after a no, and it stays after a yes.
func TestAChangeThatCanCutThePersonOffGoesBackByItself(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "guard.sh")
	require.Contains(t, out, "story complete", "%s", out)
}

// TestThreat33TheUnitsProtectionsBite: each directive of the daemon's unit is effective in a user's service
// manager, and does not change any answer.
func TestThreat33TheUnitsProtectionsBite(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "hardening.sh")
	require.Contains(t, out, "story complete", "%s", out)
}

// TestThreat33ABridgesUnitLetsItsChannelThroughAndNothingElse: a probe in each bridge's unit can access its
// directory, its socket and the network. The unit does not start without a login, does not restart when the
// user has to act, and restarts after a failure.
func TestThreat33ABridgesUnitLetsItsChannelThroughAndNothingElse(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "bridges.sh")
	require.Contains(t, out, "story complete", "%s", out)
	t.Log(out)
}

// TestThreat38TheGatewayIsStartedByItsSocketAndConfined: no process without clients, a token from the command line to an
// answer, another address, and a probe in its unit that finds nothing but its own.
func TestThreat38TheGatewayIsStartedByItsSocketAndConfined(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "gateway.sh")
	require.Contains(t, out, "story complete", "%s", out)
}

// TestAPageIsUsedInARealBrowser of an ordinary user: what needs no question, what needs one, and what is never done.
func TestAPageIsUsedInARealBrowser(t *testing.T) {
	t.Parallel()
	out := underSystemd(t, "browser.sh")
	if strings.Contains(out, "no chromium") {
		skip(t, "chromium is not installed")
	}
	require.Contains(t, out, "story complete", "%s", out)
}
