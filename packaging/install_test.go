// Package packaging contains the files that only packages need, and tests make install: which files are
// installed where, for any prefix, and that make uninstall removes them.
package packaging

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/channel"
)

var update = flag.Bool("update", false, "write the list of installed files anew")

// skip skips a test that cannot run here. It fails the test if the environment requires all tests to run.
func skip(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("cannot be skipped in CI: "+format, args...)
	}
	t.Skipf(format, args...)
}

// need skips a test if a program is missing.
func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		skip(t, "%s is not installed", program)
	}
}

func TestMain(m *testing.M) {
	flag.Parse()
	for _, name := range []string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "DESTDIR", "PREFIX", "BUILT"} {
		os.Unsetenv(name)
	}
	code := m.Run()
	for _, dir := range made {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

var made []string // directories shared by all tests

// pages are the man pages and completions of the programs in bin. make builds the programs if they are missing.
var pages = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "packaging")
	if err != nil {
		return "", err
	}
	made = append(made, dir)
	if _, err := os.Stat("../bin/blunux-wa-bridge"); err != nil {
		if out, err := exec.Command("make", "-s", "-C", "..", "build").CombinedOutput(); err != nil {
			return dir, errors.Join(err, errors.New(string(out)))
		}
	}
	if out, err := exec.Command("make", "-s", "-C", "..", "man", "BUILT=1", "DIST="+dir).CombinedOutput(); err != nil {
		return dir, errors.Join(err, errors.New(string(out)))
	}
	return dir, nil
})

// install runs make's targets with an unusual umask and returns the installed tree.
func install(t *testing.T, root, prefix string, targets ...string) string {
	t.Helper()
	dist, err := pages()
	require.NoError(t, err)
	args := append([]string{"-c", `umask 077; exec make -s -C .. "$@"`, "make", "BUILT=1", "DIST=" + dist, "DESTDIR=" + root, "PREFIX=" + prefix}, targets...)
	out, err := exec.Command("bash", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, strings.TrimSpace(regexp.MustCompile(`(?m)^(install|for|pages|sed|rm|make|done|  ).*$`).ReplaceAllString(string(out), "")))
	return root + prefix
}

// tree lists the files below a directory with their modes.
func tree(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		if d.IsDir() {
			if path != root {
				require.Equal(t, fs.FileMode(0o755), info.Mode().Perm(), path)
			}
			return nil
		}
		require.True(t, info.Mode().IsRegular(), path)
		require.Zero(t, info.Mode()&(fs.ModeSetuid|fs.ModeSetgid), path)
		rel, _ := filepath.Rel(root, path)
		files = append(files, map[fs.FileMode]string{0o644: "644 ", 0o755: "755 "}[info.Mode().Perm()]+rel)
		return nil
	}))
	slices.Sort(files)
	return files
}

var page = regexp.MustCompile(`^644 share/man/(man\d/.*)\.gz$`)

// foldTree shortens a tree: each man page once for its three languages, and no guides (docs/*.md).
func foldTree(t *testing.T, files []string) []string {
	t.Helper()
	var out []string
	for _, f := range files {
		if m := page.FindStringSubmatch(f); m != nil {
			require.Contains(t, files, "644 share/man/ko/"+m[1]+".gz")
			require.Contains(t, files, "644 share/man/zh_CN/"+m[1]+".gz")
			f = "644 share/man/{,ko,zh_CN}/" + m[1] + ".gz"
		} else if strings.HasPrefix(f, "644 share/man/") || guide.MatchString(f) {
			continue
		}
		out = append(out, f)
	}
	return out
}

var guide = regexp.MustCompile(`^644 share/doc/blunux-ai/[^/]+\.md$`)

// TestWhatIsInstalledWhere: the three parts have no common file and together are what make install installs,
// with any umask and below any directory.
func TestWhatIsInstalledWhere(t *testing.T) {
	var list strings.Builder
	seen := map[string]string{}
	for _, part := range targets() {
		files := tree(t, install(t, filepath.Join(t.TempDir(), "뿌리 root"), "/usr", part))
		for _, f := range files {
			require.NotContains(t, seen, f, "two parts have it: %s, %s", part, seen[f])
			seen[f] = part
		}
		list.WriteString("# " + part + "\n" + strings.Join(foldTree(t, files), "\n") + "\n")
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/installed.txt", []byte(list.String()), 0o644))
	}
	want, err := os.ReadFile("testdata/installed.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), list.String())

	root := t.TempDir()
	all := tree(t, install(t, root, "/usr", "install"))
	require.Len(t, all, len(seen))
	for _, f := range all {
		require.Contains(t, seen, f)
	}
	before := sums(t, root)
	install(t, root, "/usr", "install")
	require.Equal(t, before, sums(t, root), "a second time changes nothing")

	guides, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	for _, g := range guides {
		require.Contains(t, all, "644 share/doc/blunux-ai/"+filepath.Base(g))
	}
}

// sums returns the checksums of a tree's files.
func sums(t *testing.T, root string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", "find . -type f -print0 | sort -z | xargs -0 sha256sum")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

// TestPagesAndCompletionsAreTheSameEachTime: they do not depend on the date, the directory or the locale.
func TestPagesAndCompletionsAreTheSameEachTime(t *testing.T) {
	first, err := pages()
	require.NoError(t, err)
	second := t.TempDir()
	cmd := exec.Command("make", "-s", "-C", "..", "man", "BUILT=1", "DIST="+second)
	cmd.Env = append(os.Environ(), "TZ=Asia/Seoul", "LANG=ko_KR.UTF-8", "BLUNUX_AI_LANG=ko", "HOME="+t.TempDir(), "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, dir := range []string{"man", "completion"} {
		require.Equal(t, sums(t, filepath.Join(first, dir)), sums(t, filepath.Join(second, dir)))
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// TestUninstallLeavesNothing but files of others.
func TestUninstallLeavesNothing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "뿌리 root")
	prefix := install(t, root, "/opt/블루 눅스", "install")
	require.NoError(t, os.WriteFile(filepath.Join(prefix, "bin/blunux-other"), nil, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(prefix, "lib/systemd/user/other.service"), nil, 0o644))
	install(t, root, "/opt/블루 눅스", "uninstall")
	require.Equal(t, []string{"644 lib/systemd/user/other.service", "755 bin/blunux-other"}, tree(t, prefix))
	gone := []string{"lib/blunux-ai", "share/blunux-ai"}
	for _, p := range parts() {
		gone = append(gone, "share/doc/"+p, "share/licenses/"+p)
	}
	for _, dir := range gone {
		require.NoDirExists(t, filepath.Join(prefix, dir))
	}
	install(t, root, "/opt/블루 눅스", "uninstall") // nothing to remove is not an error
}

// TestSomebodyElsesBuildIsInstalledAsItIs: root builds nothing in another user's checkout and needs no Go.
func TestSomebodyElsesBuildIsInstalledAsItIs(t *testing.T) {
	if os.Geteuid() != 0 {
		skip(t, "only root meets another's checkout")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Makefile"), mustRead(t, "../Makefile"), 0o644))
	planned := func() string {
		out, err := exec.Command("make", "-n", "-C", dir, "install", "GO=/nonexistent/go").CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "install -Dm755")
		return string(out)
	}
	require.Contains(t, planned(), "/nonexistent/go build")
	require.NoError(t, os.Chown(dir, 1000, 1000))
	require.NotContains(t, planned(), "/nonexistent/go build")
}

// TestUnitsStartWhatIsInstalled: for each prefix, as systemd parses the units.
func TestUnitsStartWhatIsInstalled(t *testing.T) {
	need(t, "systemd-analyze")
	for _, prefix := range []string{"/usr", "/opt/blunux", "/가 나/50% of it"} {
		root := t.TempDir()
		if prefix != "/usr" {
			root, prefix = "", root+prefix
		}
		tree := install(t, root, prefix, "install")
		service, err := os.ReadFile(filepath.Join(tree, "share/dbus-1/services/org.blunux.ai.Search.service"))
		require.NoError(t, err)
		require.Regexp(t, `(?m)^Exec="?`+regexp.QuoteMeta(prefix)+`/lib/blunux-ai/blunux-ai-extra"? search \{\}$`, string(service))
		units, err := filepath.Glob(filepath.Join(glob(tree), "lib/systemd/user/*"))
		require.NoError(t, err)
		require.Len(t, units, 7+len(channel.WithBridge()))
		for _, unit := range units {
			text, err := os.ReadFile(unit)
			require.NoError(t, err)
			if prefix != "/usr" {
				require.NotContains(t, string(text), "/usr/bin")
				require.NotContains(t, string(text), "/usr/lib")
			}
		}
		if prefix == "/usr" {
			started := map[string]string{"blunux-ai-agent.service": "bin/blunux-ai daemon", "blunux-ai-gateway.service": "lib/blunux-ai/blunux-ai-gateway"}
			for _, c := range channel.WithBridge() {
				started[c.Unit] = "bin/" + c.Program
			}
			for unit, program := range started {
				text, err := os.ReadFile(filepath.Join(tree, "lib/systemd/user", unit))
				require.NoError(t, err)
				require.Contains(t, string(text), "\nExecStart=/usr/"+program+"\n")
				require.FileExists(t, filepath.Join(tree, strings.Fields(program)[0]))
				source, err := os.ReadFile("../systemd/" + unit)
				require.NoError(t, err)
				require.Equal(t, string(source), string(text))
			}
			continue
		}
		cmd := exec.Command("systemd-analyze", append([]string{"--user", "verify"}, units...)...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "SYSTEMD_UNIT_PATH="+tree+"/lib/systemd/user:")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		for line := range strings.Lines(string(out)) {
			require.Regexp(t, `Unknown key (name )?'(RestartSteps|RestartMaxDelaySec)'`, line) // systemd before 254
		}
	}
}

// TestAPrefixNoUnitCanName is rejected with a message before a unit is installed that could not start.
func TestAPrefixNoUnitCanName(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("./install-unit.sh", "../systemd/blunux-ai-agent.service", `/opt/"it"`, dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "cannot install below /opt/\"it\"")
	require.NoFileExists(t, filepath.Join(dir, "blunux-ai-agent.service"))
	out, err = exec.Command("./install-unit.sh", "desktop/org.blunux.ai.Search.service", `/opt/$HOME`, dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "cannot install below /opt/$HOME")
	require.NoFileExists(t, filepath.Join(dir, "org.blunux.ai.Search.service"))
}

// glob quotes a directory name for a pattern.
func glob(dir string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(dir, `\$0`)
}

// TestLinksOfInstalledDocumentationLead to installed files or to the project's site.
func TestLinksOfInstalledDocumentationLead(t *testing.T) {
	dir := filepath.Join(install(t, t.TempDir(), "/usr", "install-ai"), "share/doc/blunux-ai")
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	require.NoError(t, err)
	link := regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range link.FindAllSubmatch(text, -1) {
			if target := string(m[1]); !strings.Contains(target, ":") {
				require.FileExists(t, filepath.Join(dir, target), "%s", filepath.Base(file))
			}
		}
	}
	require.False(t, bytes.Contains(mustRead(t, filepath.Join(dir, "README.md")), []byte("](docs/")))
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return text
}
