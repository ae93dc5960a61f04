package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// pacmanWorld is a real pacman's root, database and repository of small
// packages, made once, beside the programs under test.
var pacmanWorld = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(binaries, "world")
	out, err := exec.Command("bash", "testenv/pacman-root.sh", dir).CombinedOutput()
	if err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return dir, nil
})

func needPacmanWorld(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		skip(t, "only root can boot a whole system")
	}
	world, err := pacmanWorld()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 77 {
		skip(t, "no pacman here: %v", err)
	}
	require.NoError(t, err)
	return world
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	require.NoError(t, err)
	return path
}

// onASystemWithPacman runs a story as an ordinary user of a whole booted
// system on which plain pacman works. The user may do with sudo what the rest
// of a sudoers(5) line says; vars are more of the story's variables. What the
// story changes is gone with the system.
func onASystemWithPacman(t *testing.T, story, sudo string, vars ...string) {
	t.Helper()
	world := needPacmanWorld(t)
	var options []string
	for _, v := range append(vars, "WORLD="+world) {
		options = append(options, "--env", v)
	}
	onABootedSystem(t, story, "packages.before.sh", []string{"WORLD=" + world, "SUDO=" + sudo}, options...)
}

// onABootedSystem runs a story behind packages.lib.sh as an ordinary user of a
// whole booted system; before is run as root first, with more variables in env.
// Options are systemd-user.sh's.
func onABootedSystem(t *testing.T, story, before string, env []string, options ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		skip(t, "only root can boot a whole system")
	}
	text := []byte("systemctl --user set-environment BLUNUX_AI_AUTOMATIONS=off; export BLUNUX_AI_AUTOMATIONS=off\n")
	for _, name := range []string{"packages.lib.sh", story} {
		part, err := os.ReadFile(filepath.Join("testdata/systemd", name))
		require.NoError(t, err)
		text = append(text, part...)
	}
	// Of all temporary directories the system sees only its working directory.
	path := filepath.Join(binaries, t.Name()+".sh")
	require.NoError(t, os.WriteFile(path, text, 0o644))

	args := []string{absolute(t, "testenv/systemd-user.sh"), "--full", "--before", absolute(t, "testdata/systemd/"+before)}
	args = append(args, options...)
	args = append(args, "--env", "BIN="+binaries, "--env", "GORACE="+raceOptions)
	cmd := exec.Command("bash", append(args, "--", "bash", path)...)
	cmd.Dir = binaries
	cmd.Env = append(append(os.Environ(), "LANG=C.UTF-8"), env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		skip(t, "no whole system here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.True(t, strings.HasSuffix(string(out), "story complete\n"), "%s", out)
}

// TestQuestionsAboutPackages: real pacman's figures come back in the answers,
// in both languages, and what its exit statuses mean.
func TestQuestionsAboutPackages(t *testing.T) {
	onASystemWithPacman(t, "packages-ask.sh", "NOPASSWD: ALL")
}

// TestPackagesChangeAfterAYesOnly: installed, removed and updated for real
// through every way to say yes, and never through a way to say no.
func TestPackagesChangeAfterAYesOnly(t *testing.T) {
	onASystemWithPacman(t, "packages-change.sh", "NOPASSWD: ALL")
}

// TestThreat29SudoThatWantsAPasswordSaysSo: there is no terminal to type it into, so it
// fails at once and says why.
func TestThreat29SudoThatWantsAPasswordSaysSo(t *testing.T) {
	onASystemWithPacman(t, "packages-password.sh", "ALL")
}

// TestThreat29TheWayToRootsRights: sudo, pkexec by a polkit rule, and what is told
// where there is none, by a daemon in its own unit, which may gain no rights.
func TestThreat29TheWayToRootsRights(t *testing.T) {
	t.Parallel()
	units := filepath.Join(binaries, "units") // of all temporary directories the system sees this one only
	require.NoError(t, os.MkdirAll(units, 0o755))
	installUnits(t, units, binaries)
	onASystemWithPacman(t, "rights.sh", "NOPASSWD: ALL", "UNITS="+units)
}

// TestWhatIsNoPackageNameNeverReachesPacman: options, paths and second
// commands in the place of a name.
func TestWhatIsNoPackageNameNeverReachesPacman(t *testing.T) {
	onASystemWithPacman(t, "packages-names.sh", "NOPASSWD: ALL")
}

// TestRootsRightsInAUnitAndALockWhilePackagesChange: sudo works in a confirmed
// command's unit, what it starts can be ended, and logind holds the machine
// awake exactly while packages change.
func TestRootsRightsInAUnitAndALockWhilePackagesChange(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "units-root.sh", "NOPASSWD: ALL")
}
