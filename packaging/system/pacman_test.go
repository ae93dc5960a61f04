//go:build systemtest

package system

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pacman runs the real pacman in its own root.
type pacman struct {
	t     *testing.T
	world string
}

// newPacman returns a world in its initial state, to which files can be added.
func newPacman(t *testing.T, m builtPackages) pacman {
	t.Helper()
	reset := func() {
		require.NoError(t, command(exec.Command("bash", root+"/test/e2e/testenv/pacman-root.sh", "--reset", m.World)))
	}
	reset()
	t.Cleanup(reset)
	return pacman{t, m.World}
}

func (p pacman) run(args ...string) (string, error) {
	cmd := exec.Command(p.world+"/bin/pacman", append([]string{"--noconfirm"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p pacman) must(args ...string) string {
	p.t.Helper()
	out, err := p.run(args...)
	require.NoError(p.t, err, "pacman %s: %s", strings.Join(args, " "), out)
	return out
}

// requireWhole requires that all installed files are unchanged.
func (p pacman) requireWhole() {
	p.t.Helper()
	for _, name := range names {
		require.Contains(p.t, p.must("-Qkk", name), " 0 altered files")
	}
}

// belongings are files of the user and the administrator that are in no package.
var belongings = map[string]string{
	"etc/blunux-ai/config.toml":                                     "[agent]\nlanguage = \"ko\"\n",
	"etc/blunux-ai/config.toml.d/x":                                 "",
	"home/someone/.config/blunux-ai/config.toml":                    "# 내 설정\n",
	"home/someone/.config/blunux-ai/credentials/anthropic":          "sk-ant-test",
	"home/someone/.config/blunux-ai/sessions/desktop/2026.jsonl":    "{}\n",
	"home/someone/.config/blunux-ai/telegram/token":                 "1:abc",
	"home/someone/.local/state/blunux-ai/whatsapp/session.db":       "sqlite",
	"usr/share/blunux/config.toml":                                  "[ai_agent]\nenabled = true\n",
	"home/someone/.config/systemd/user/blunux-ai-agent.service.d/x": "[Service]\n",
}

// files returns all files below a directory except pacman's own, with content and mode.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case name == "var":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		require.NoError(t, err)
		text, err := os.ReadFile(path)
		found[name] = info.Mode().String() + " " + string(text)
		return err
	}))
	return found
}

// TestPacmanBringsAndTakesAwayWhatIsOurs: install, upgrade, downgrade and remove never change users' files, and
// leave nothing else.
func TestPacmanBringsAndTakesAwayWhatIsOurs(t *testing.T) {
	m := packages(t)
	p := newPacman(t, m)
	dir := filepath.Join(m.World, "root")
	for name, text := range belongings {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	before := files(t, dir)
	all := func(from, version string) (list []string) {
		for _, name := range names {
			list = append(list, file(t, from, name, version))
		}
		return list
	}
	older, newer := all(m.Old, m.OldVersion), all(m.New, m.NewVersion)
	are := func(version string) {
		t.Helper()
		for _, name := range names {
			require.Equal(t, name+" "+version+"-1\n", p.must("-Q", name))
		}
		p.requireWhole()
		now := files(t, dir)
		for name, text := range before {
			require.Equal(t, text, now[name], name)
		}
		out, err := exec.Command(dir+"/usr/bin/blunux-aictl", "--version").CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), version)
		for name := range now {
			require.NotRegexp(t, `\.pac(new|save|orig)$`, name)
		}
	}
	p.must(append([]string{"-U"}, older...)...)
	are(m.OldVersion)
	p.must(append([]string{"-U"}, newer...)...)
	are(m.NewVersion)
	require.Contains(t, p.must(append([]string{"-U"}, older...)...), "downgrading")
	are(m.OldVersion)

	// A bridge is never newer than its daemon, but may be older.
	out, err := p.run("-U", newer[1])
	require.Error(t, err)
	require.Contains(t, out, "blunux-ai>="+m.NewVersion)
	p.must("-U", newer[0])
	require.Equal(t, names[1]+" "+m.OldVersion+"-1\n", p.must("-Q", names[1]))
	p.requireWhole()

	// The daemon cannot be removed while a bridge depends on it.
	out, err = p.run("-R", "blunux-ai")
	require.Error(t, err)
	require.Contains(t, out, "required by blunux-wa-bridge")
	p.must("-Rns", "blunux-wa-bridge")
	require.NoFileExists(t, dir+"/usr/bin/blunux-wa-bridge")
	p.must("-Rns", "blunux-ai", "blunux-discord-bridge", "blunux-telegram-bridge")
	require.Equal(t, before, files(t, dir))
	for _, gone := range []string{"usr/lib/blunux-ai", "usr/share/blunux-ai", "usr/share/doc/blunux-ai", "usr/share/licenses/blunux-ai"} {
		require.NoDirExists(t, filepath.Join(dir, gone))
	}
}

// TestAChangedFileIsSeen: pacman reports changed files of our packages, and an upgrade replaces them.
func TestAChangedFileIsSeen(t *testing.T) {
	m := packages(t)
	p := newPacman(t, m)
	p.must("-U", file(t, m.Old, "blunux-ai", m.OldVersion))
	unit := filepath.Join(m.World, "root/usr/lib/systemd/user/blunux-ai-agent.service")
	require.NoError(t, os.WriteFile(unit, []byte("[Service]\n"), 0o644))
	out, err := p.run("-Qkk", "blunux-ai")
	require.Error(t, err)
	require.Contains(t, out, "1 altered file")
	p.must("-U", file(t, m.New, "blunux-ai", m.NewVersion))
	require.Contains(t, p.must("-Qkk", "blunux-ai"), " 0 altered files")
}

// runOnSystem runs a script on a booted system in which the packages and the pacman world are visible. The
// scripts of e2e in before, if any, run first.
func runOnSystem(t *testing.T, m builtPackages, story string, before []string, options ...string) {
	t.Helper()
	abs := func(path string) string {
		path, err := filepath.Abs(path)
		require.NoError(t, err)
		return path
	}
	var text []byte
	for i, option := range options { // a script that runs as root gets no environment
		if option == "--env" {
			name, value, _ := strings.Cut(options[i+1], "=")
			text = append(text, "export "+name+"='"+value+"'\n"...)
		}
	}
	text = append(text, "export WORLD='"+m.World+"'\n"...)
	for _, name := range append(before, "testdata/"+story) {
		part, err := os.ReadFile(name)
		require.NoError(t, err)
		text = append(text, part...)
	}
	path := filepath.Join(m.Dir, story) // the only temporary directory visible in the system is its working directory
	require.NoError(t, os.WriteFile(path, text, 0o644))
	args := []string{abs(root + "/test/e2e/testenv/systemd-user.sh"), "--full", "--env", "WORLD=" + m.World, "--env", "BLUNUX_AI_AUTOMATIONS=off"}
	cmd := exec.Command("bash", append(append(args, options...), "--", "bash", path)...)
	cmd.Dir = m.Dir
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8", "WORLD="+m.World, "SUDO=NOPASSWD: ALL")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		skip(t, "no whole system here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.True(t, strings.HasSuffix(string(out), "story complete\n"), "%s", out)
}

// TestWhatPacmanSaysAtTheEnd: three lines in the caller's language. Nothing is enabled or started.
func TestWhatPacmanSaysAtTheEnd(t *testing.T) {
	m := packages(t)
	runOnSystem(t, m, "scriptlet.sh", nil, "--root",
		"--env", "OLD="+file(t, m.Old, "blunux-ai", m.OldVersion), "--env", "NEW="+file(t, m.New, "blunux-ai", m.NewVersion))
}

// TestOurOwnPackage: all files are installed, the daemon installs another package from its unit, and removes
// its own on request.
func TestOurOwnPackage(t *testing.T) {
	m := packages(t)
	before, err := filepath.Abs(root + "/test/e2e/testdata/systemd/packages.before.sh")
	require.NoError(t, err)
	runOnSystem(t, m, "own.sh", []string{root + "/test/e2e/testdata/systemd/wait.lib.sh", root + "/test/e2e/testdata/systemd/packages.lib.sh"}, "--before", before,
		"--env", "BIN=/usr/bin", "--env", "VERSION="+m.NewVersion, "--env", "PACKAGE="+file(t, m.New, "blunux-ai", m.NewVersion))
}
