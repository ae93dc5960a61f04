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

// waiting has the function until_ok.
const waiting = "../../../test/e2e/testdata/systemd/wait.lib.sh"

// runStory runs a script after lib.sh as root of a booted system without our packages. All changes are
// discarded with the system. more are further variables, NAME=VALUE.
func runStory(t *testing.T, story string, more ...string) string {
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
	env, err := filepath.Abs("../../test/e2e/testenv/systemd-user.sh")
	require.NoError(t, err)
	before := write(story+".before.sh", "before.sh")
	cmd := exec.Command("bash", env, "--full", "--root", "--before", before, "--", "bash", write(story+".sh", waiting, "lib.sh", story+".sh"))
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

// stories returns the directory of the scripts. It is in the packages' directory, because that is the only
// temporary directory visible in the system.
func stories(t *testing.T, p builtPackages) string {
	t.Helper()
	dir := filepath.Join(p.Dir, "stories")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return dir
}

// TestAFreshUserEnablesTheSocketAndAsks: the steps of the guide, also if the agent is enabled by its name
// alone. The journal contains the answer.
func TestAFreshUserEnablesTheSocketAndAsks(t *testing.T) {
	runStory(t, "fresh")
}

// TestWhatIsInstalledConfinesAsMuch: with the C library and its threads the sandbox is as strict as that of
// make build's programs, in the unit and without it.
func TestWhatIsInstalledConfinesAsMuch(t *testing.T) {
	p := packages(t)
	plain := filepath.Join(p.Dir, "plain")
	require.NoError(t, command(exec.Command("cp", "-rT", cross(t, runtime.GOARCH), plain)))
	t.Log(runStory(t, "same", "MAKE_BUILD="+plain))
}

// TestTheDaemonIsHungKilledAndReloaded: the watchdog and the service manager restart it, waiting clients are
// informed, and a reload loses no answer.
func TestTheDaemonIsHungKilledAndReloaded(t *testing.T) {
	runStory(t, "sturdy")
}

// TestTheDaemonLeavesAndIsWoken: by its socket, its path and its timer, for users who are logged in or linger.
// For other users nothing runs.
func TestTheDaemonLeavesAndIsWoken(t *testing.T) {
	runStory(t, "idle")
}

// TestTheTaskSurvivesAnUpgradeAndTheNewDaemonTakesOver: also a downgrade, a restart or a kill. The result is
// delivered once.
func TestTheTaskSurvivesAnUpgradeAndTheNewDaemonTakesOver(t *testing.T) {
	runStory(t, "upgrade")
}

// TestTwoPeopleAtOnceReachOnlyTheirOwn: by file modes, and by peer credentials where modes do not apply. Root
// is rejected, too.
func TestTwoPeopleAtOnceReachOnlyTheirOwn(t *testing.T) {
	runStory(t, "apart")
}

// TestALogoutEndsAllInOrderAndLosesNothing: a running command ends with the session, and this is reported at
// the next login.
func TestALogoutEndsAllInOrderAndLosesNothing(t *testing.T) {
	runStory(t, "logout")
}

// TestTheBridgesPackagesComeAndGo: nothing starts before a messenger is set up, and removing running packages
// does not break a later login. systemd's exposure rating of the units is at most that in docs/security.md.
func TestTheBridgesPackagesComeAndGo(t *testing.T) {
	out := runStory(t, "bridges")
	recorded := recordedExposure(t)
	found := regexp.MustCompile(`(?m)^exposure (\S+) ([0-9.]+)$`).FindAllStringSubmatch(out, -1)
	require.Len(t, found, 4, "%s", out)
	for _, f := range found {
		now, err := strconv.ParseFloat(f[2], 64)
		require.NoError(t, err)
		require.Contains(t, recorded, f[1])
		require.LessOrEqual(t, now, recorded[f[1]], "%s: docs/security.md says less", f[1])
		t.Logf("%s: %v (recorded: %v)", f[1], now, recorded[f[1]])
	}
}

// recordedExposure returns the table in docs/security.md, by unit.
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
