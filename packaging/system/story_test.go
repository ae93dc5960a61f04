//go:build systemtest

package system

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// onTheSystem runs a story behind lib.sh as root of a whole booted system on
// which nothing of ours is installed yet. What it changes is gone with the system.
// more are further settings of the story, NAME=VALUE.
func onTheSystem(t *testing.T, story string, more ...string) string {
	t.Helper()
	t.Parallel()
	p := packages(t)
	dir := stories(t, p)
	settings := fmt.Sprintf("WORLD=%q NEW=%q OLD=%q NEW_VERSION=%q OLD_VERSION=%q STORIES=%q\n", p.World, p.New, p.Old, p.NewVersion, p.OldVersion, dir)
	settings += strings.Join(append(more, ""), "\n")

	write := func(name string, parts ...string) string {
		text := settings
		for _, part := range parts {
			b, err := os.ReadFile(filepath.Join("testdata", part))
			require.NoError(t, err)
			text += string(b)
		}
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	env, err := filepath.Abs("../../e2e/testenv/systemd-user.sh")
	require.NoError(t, err)
	before := write(story+".before.sh", "before.sh")
	cmd := exec.Command("bash", env, "--full", "--root", "--before", before, "--", "bash", write(story+".sh", "lib.sh", story+".sh"))
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		skip(t, "no whole system here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.True(t, strings.HasSuffix(string(out), "story complete\n"), "%s", out)
	return string(out)
}

// stories is the directory of what stories are made of: of all temporary
// directories the system sees only the packages' one.
func stories(t *testing.T, p made) string {
	t.Helper()
	dir := filepath.Join(p.Dir, "stories")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return dir
}

// TestAFreshUserEnablesTheSocketAndAsks: what the guide promises, also for who
// enables the agent by its name alone; and what it did stands in the journal.
func TestAFreshUserEnablesTheSocketAndAsks(t *testing.T) {
	onTheSystem(t, "fresh")
}

// TestWhatIsInstalledConfinesAsMuch: with the C library and its threads, the sandbox
// is the one that make build's programs reach, in the unit and without.
func TestWhatIsInstalledConfinesAsMuch(t *testing.T) {
	p := packages(t)
	plain := filepath.Join(p.Dir, "plain")
	require.NoError(t, command(exec.Command("cp", "-rT", cross(t, runtime.GOARCH), plain)))
	t.Log(onTheSystem(t, "same", "MAKE_BUILD="+plain))
}

// TestTheDaemonIsHungKilledAndReloaded: the watchdog and the service manager bring
// it back, who waits is told, and a reload costs nobody an answer.
func TestTheDaemonIsHungKilledAndReloaded(t *testing.T) {
	onTheSystem(t, "sturdy")
}

// TestTheDaemonLeavesAndIsWoken: by its socket, its path and its timer, for who is
// logged in and who lingers; of who is neither nothing runs.
func TestTheDaemonLeavesAndIsWoken(t *testing.T) {
	onTheSystem(t, "idle")
}

// TestTheTaskSurvivesAnUpgradeAndTheNewDaemonTakesOver: also a downgrade, also by
// a restart or a kill; the result is told once.
func TestTheTaskSurvivesAnUpgradeAndTheNewDaemonTakesOver(t *testing.T) {
	onTheSystem(t, "upgrade")
}

// TestTwoPeopleAtOnceReachOnlyTheirOwn: by modes, and by the kernel's word where
// there were none; root is refused, too.
func TestTwoPeopleAtOnceReachOnlyTheirOwn(t *testing.T) {
	onTheSystem(t, "apart")
}

// TestALogoutEndsAllInOrderAndLosesNothing: a command that runs goes with the
// session, and that is told at the next login.
func TestALogoutEndsAllInOrderAndLosesNothing(t *testing.T) {
	onTheSystem(t, "logout")
}

// TestTheBridgesPackagesComeAndGo: nothing starts before a messenger was set up,
// and packages that are removed while they run break no later login. What systemd
// thinks of the units is what docs/security.md says, or better.
func TestTheBridgesPackagesComeAndGo(t *testing.T) {
	out := onTheSystem(t, "bridges")
	recorded := recordedExposure(t)
	found := regexp.MustCompile(`(?m)^exposure (\S+) ([0-9.]+)$`).FindAllStringSubmatch(out, -1)
	require.Len(t, found, 3, "%s", out)
	for _, f := range found {
		now, err := strconv.ParseFloat(f[2], 64)
		require.NoError(t, err)
		require.Contains(t, recorded, f[1])
		require.LessOrEqual(t, now, recorded[f[1]], "%s: docs/security.md says less", f[1])
		t.Logf("%s: %v (recorded: %v)", f[1], now, recorded[f[1]])
	}
}

// recordedExposure is the table in docs/security.md, by unit.
func recordedExposure(t *testing.T) map[string]float64 {
	t.Helper()
	text, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	figures := map[string]float64{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(blunux-[a-z-]+\\.service)` \\| ([0-9.]+) ").FindAllStringSubmatch(string(text), -1) {
		figures[row[1]], err = strconv.ParseFloat(row[2], 64)
		require.NoError(t, err)
	}
	return figures
}
