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
	cmd := exec.Command("bash", "testenv/pacman-root.sh", dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return dir, nil
})

func needPacmanWorld(t *testing.T) string {
	t.Helper()
	world, err := pacmanWorld()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 77 {
		skip(t, "no pacman here: %v", err)
	}
	require.NoError(t, err)
	return world
}

// onASystemWithPacman runs a story as an ordinary user of a whole booted
// system on which plain pacman works. The user may do with sudo what the rest
// of a sudoers(5) line says. Everything the story changes is gone after it.
func onASystemWithPacman(t *testing.T, story, sudo string) {
	t.Helper()
	world := needPacmanWorld(t)
	var text []byte
	for _, name := range []string{"packages.lib.sh", story} {
		part, err := os.ReadFile(filepath.Join("testdata/systemd", name))
		require.NoError(t, err)
		text = append(text, part...)
	}
	// The system sees no other directory of those for temporary files.
	path := filepath.Join(binaries, story)
	require.NoError(t, os.WriteFile(path, text, 0o644))
	env, err := filepath.Abs("testenv/systemd-user.sh")
	require.NoError(t, err)
	before, err := filepath.Abs("testdata/systemd/packages.before.sh")
	require.NoError(t, err)

	cmd := exec.Command("bash", env, "--full", "--before", before, "--env", "BIN="+binaries, "--env", "WORLD="+world, "--", "bash", path)
	cmd.Dir = binaries
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8", "WORLD="+world, "SUDO="+sudo)
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

// TestSudoThatWantsAPassword: there is no terminal to type it into, so it
// fails at once and says why.
func TestSudoThatWantsAPassword(t *testing.T) {
	onASystemWithPacman(t, "packages-password.sh", "ALL")
}

// TestWhatIsNoPackageNameNeverReachesPacman: options, paths and second
// commands in the place of a name.
func TestWhatIsNoPackageNameNeverReachesPacman(t *testing.T) {
	onASystemWithPacman(t, "packages-names.sh", "NOPASSWD: ALL")
}
