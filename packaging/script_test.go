package packaging

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

// worldDir contains a root and a repository of the real pacman, our packages made by makepkg from what make
// install installs, and the script. It is the only temporary directory visible in a booted system.
var worldDir = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "card"); err != nil {
		return "", err
	}
	made = append(made, dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return dir, err
	}
	out, err := exec.Command("bash", "../test/e2e/testenv/pacman-root.sh", filepath.Join(dir, "world")).CombinedOutput()
	if err != nil {
		return dir, errors.Join(err, errors.New(string(out)))
	}
	return dir, nil
})

var packages sync.Once

// needPackages returns worldDir with packages of two versions.
func needPackages(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		skip(t, "only root can boot a whole system")
	}
	dir, err := worldDir()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 77 {
		skip(t, "no pacman here: %v", err)
	}
	require.NoError(t, err)
	packages.Do(func() { buildPackages(t, dir) })
	return dir
}

// pkgbuild packs existing trees.
const pkgbuild = `pkgbase=blunux-ai
pkgname=($TEST_PACKAGES)
pkgver=$TEST_VERSION
pkgrel=1
arch=(any)
url=https://example.invalid
license=(MIT)
pkgdesc="a test package of the real files"
options=(!strip !debug !zipman)
package_blunux-ai() { cp -r "$TEST_TREES/install-ai/." "$pkgdir"; }
`

// pkgbuildText adds the bridges to pkgbuild.
func pkgbuildText() string {
	text := pkgbuild
	for i, p := range parts()[1:] {
		text += "package_" + p + "() { depends=(blunux-ai); cp -r \"$TEST_TREES/" + targets()[i+1] + "/.\" \"$pkgdir\"; }\n"
	}
	return text
}

func buildPackages(t *testing.T, dir string) {
	t.Helper()
	trees := filepath.Join(dir, "trees")
	for _, part := range targets() {
		install(t, filepath.Join(trees, part), "/usr", part)
	}
	out, err := exec.Command("cp", "card/install-ai-agent.sh", dir+"/").CombinedOutput()
	require.NoError(t, err, "%s", out)
	// Real programs for the booted system; small ones for the tests that only use pacman.
	small := filepath.Join(dir, "small")
	for _, part := range targets() {
		require.NoError(t, os.MkdirAll(filepath.Join(small, part, "usr/share/doc", part), 0o755))
	}
	all := strings.Join(parts(), " ")
	for _, v := range [][4]string{{"real", trees, "0.1.0", all}, {"0.1.0", small, "0.1.0", all}, {"0.2.0", small, "0.2.0", "blunux-ai"}} {
		version := v[0]
		build, dest := filepath.Join(dir, "build-"+version), filepath.Join(dir, version)
		require.NoError(t, os.MkdirAll(build, 0o755))
		require.NoError(t, os.MkdirAll(dest, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(build, "PKGBUILD"), []byte(pkgbuildText()), 0o644))
		require.NoError(t, os.Chown(build, 4242, 4242))
		require.NoError(t, os.Chown(dest, 4242, 4242))
		cmd := exec.Command(filepath.Join(dir, "world/bin/makepkg"), "--force", "--nodeps", "--noconfirm")
		cmd.Dir = build
		cmd.Env = append(os.Environ(), "LC_ALL=C", "HOME="+build, "BUILDDIR="+build, "PKGDEST="+dest, "PKGEXT=.pkg.tar", "TEST_VERSION="+v[2], "TEST_TREES="+v[1], "TEST_PACKAGES="+v[3])
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.NoError(t, os.RemoveAll(build))
	}
	require.NoError(t, os.RemoveAll(trees)) // a booted system would copy it
}

// TestTheScriptInstallsAndRemoves with the real pacman in its own root, as an ordinary user without a service
// manager, and explains what prevents it.
func TestTheScriptInstallsAndRemoves(t *testing.T) {
	dir := needPackages(t)
	need(t, "script")
	home := t.TempDir()
	// A user who is not root but owns the files of root.
	cmd := exec.Command("unshare", "--user", "--map-user=1000", "--map-group=1000", "--", "bash", absolute(t, "testdata/install-script.sh"))
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + home, "DIR=" + dir, "PATH=" + dir + "/world/bin:" + dir + "/world/sudo-bin:/usr/bin:/bin", "LANG=C.UTF-8", "TMPDIR=" + home}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.True(t, strings.HasSuffix(string(out), "story complete\n"), "%s", out)
}

// TestTheScriptOnABootedSystem: card, install, ask, with the real sudo and service manager, and removal.
func TestTheScriptOnABootedSystem(t *testing.T) {
	dir := needPackages(t)
	onABootedSystem(t, dir, "install-booted.sh", `bash "$DIR/world/activate-system.sh"
cp -r "$DIR"/world/root/{usr,etc,boot} /
printf 'tester ALL=(ALL) NOPASSWD: /usr/bin/pacman\n' >/etc/sudoers.d/tester
chmod 440 /etc/sudoers.d/tester
`)
}

// TestUnitsWorkBelowAnyPrefix, including a unit with a restricted view of the file system.
func TestUnitsWorkBelowAnyPrefix(t *testing.T) {
	if os.Geteuid() != 0 {
		skip(t, "only root can boot a whole system")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755)) // the other user needs access
	require.NoError(t, os.Chmod(dir, 0o755))
	prefix := dir + "/블루 눅스 100%" // below /tmp, which the bridges' units hide
	install(t, "", prefix, "install")
	underSystemd(t, dir, "prefix.sh", "--env", "TREE="+prefix)
}

// onABootedSystem runs a script as an ordinary user of a booted system in which dir is the only temporary
// directory. before runs as root first.
func onABootedSystem(t *testing.T, dir, story, before string) {
	t.Helper()
	file := filepath.Join(dir, "before.sh")
	require.NoError(t, os.WriteFile(file, []byte("set -eu\n"+before), 0o644))
	underSystemd(t, dir, story, "--full", "--before", file, "--env", "DIR="+dir)
}

// underSystemd runs a script in dir as an ordinary user with a real systemd --user. options are those of
// systemd-user.sh.
func underSystemd(t *testing.T, dir, story string, options ...string) {
	t.Helper()
	file := filepath.Join(dir, "story.sh")
	require.NoError(t, os.WriteFile(file, mustRead(t, "testdata/"+story), 0o644))
	cmd := exec.Command("bash", append(append([]string{absolute(t, "../test/e2e/testenv/systemd-user.sh")}, options...), "--", "bash", file)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8", "DIR="+dir)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		skip(t, "no real systemd here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.True(t, strings.HasSuffix(string(out), "story complete\n"), "%s", out)
}

// TestTheScriptIsNotForRoot, because it would enable root's socket and ask as root.
func TestTheScriptIsNotForRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		skip(t, "only root is told so")
	}
	cmd := exec.Command("card/install-ai-agent.sh")
	cmd.Env = append(os.Environ(), "BLUNUX_AI_LANG=zh")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "请勿以 root 运行")
}

// TestWhatMustNotBeOnAnImageIsFound, and an image after make install is clean.
func TestWhatMustNotBeOnAnImageIsFound(t *testing.T) {
	root := filepath.Join(t.TempDir(), "air rootfs")
	install(t, root, "/usr", "install")
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	write("usr/share/blunux/config.toml", "[ai_agent]\nenabled = true\n")
	write("etc/blunux-ai/config.toml", "[security]\nprivilege = 'run0'\n")
	check := func() (string, error) {
		out, err := exec.Command("iso/check-image.sh", root).CombinedOutput()
		return string(out), err
	}
	out, err := check()
	require.NoError(t, err, out)
	require.Empty(t, out)

	for _, private := range []struct{ file, text, told string }{
		{"home/live/.config/blunux-ai/memory/SYSTEM.md", "x", "/home/live/.config/blunux-ai"},
		{"etc/skel/.config/blunux-ai/config.toml", "x", "/etc/skel/.config/blunux-ai"},
		{"root/.cache/blunux-ai/recall-1/index", "x", "/root/.cache/blunux-ai"},
		{"home/live/.claude/.credentials.json", "x", "/home/live/.claude"},
		{"home/live/.config/systemd/user/blunux-ai-agent.timer.d/50-due.conf", "x", "/home/live/.config/systemd/user/blunux-ai-agent.timer.d"},
		{"etc/blunux-ai/credentials/claude", "x", "/etc/blunux-ai/credentials"},
		{"etc/blunux-ai/config.toml", "key = 'sk-ant-api03-abcdefghijkl'\n", "/etc/blunux-ai/config.toml"},
		{"usr/share/blunux/config.toml", "[x]\n  api_key = 'k'\n", "/usr/share/blunux/config.toml"},
		{"etc/sudoers.d/60-blunux-ai", "Cmnd_Alias BLUNUX_AI = /usr/bin/pacman # blunux-ai\n", "/etc/sudoers.d/60-blunux-ai"},
	} {
		write(private.file, private.text)
		out, err := check()
		require.Error(t, err)
		require.Contains(t, strings.Split(out, "\n"), private.told, private.file)
	}
	require.Error(t, exec.Command("iso/check-image.sh").Run())
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	require.NoError(t, err)
	return path
}
