package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/upgrade"
	"github.com/nidoit/blunux-ai/upgrade/host"
)

// TestABadMirrorIsASentence: for any answer of a server, the reason is named and nothing of the system's changes.
func TestABadMirrorIsASentence(t *testing.T) {
	t.Parallel()
	one := pkg{name: "a", version: "1-1", files: map[string]string{"usr/share/a": "1"}}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, w world)
		want  upgrade.ProblemCode
	}{
		"no network": {func(t *testing.T, w world) { require.NoError(t, os.Remove(filepath.Join(w.dir, "repo/test.db"))) }, upgrade.NoFetch},
		"a login page": {func(t *testing.T, w world) {
			w.spoil(t, []byte("<!DOCTYPE html><html><body>Log in</body></html>\n"))
		}, upgrade.NotDatabase},
		"half a database": {func(t *testing.T, w world) {
			data, err := os.ReadFile(filepath.Join(w.dir, "repo/test.db"))
			require.NoError(t, err)
			w.spoil(t, data[:len(data)/2])
		}, upgrade.HalfDatabase},
		"an empty database": {func(t *testing.T, w world) { w.spoil(t, nil) }, ""},
		"no repository":     {func(t *testing.T, w world) { w.configure(t, "", ""); w.dropRepository(t) }, upgrade.BadSettings},
		"wrong settings":    {func(t *testing.T, w world) { w.configure(t, "Include = /does/not/exist/x*\nSigLevel = Wrong", "") }, upgrade.BadSettings},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.install(t, one)
			w.publish(t, false, pkg{name: "a", version: "2-1", files: one.files})
			before := w.installed(t)
			c.spoil(t, w)
			p := host.Preview(t.Context(), host.Options{Config: w.config})
			if c.want != "" {
				require.NotNil(t, p.Problem)
				require.Equal(t, c.want, p.Problem.Code, "%+v", p.Problem)
			} else {
				require.NotNil(t, p.Problem, "%+v", p)
			}
			require.NoFileExists(t, filepath.Join(w.dir, "root/var/lib/pacman/db.lck"))
			w.configure(t, "", "Server = file://"+w.dir+"/repo")
			require.Equal(t, before, w.installed(t))
		})
	}
}

// TestASystemListIsReadWithinBounds: a list of the system that no server would send is refused by its size, and one that is a
// page by its beginning. Both have a sentence, and nothing of it comes into memory.
func TestASystemListIsReadWithinBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		size int64
		want upgrade.ProblemCode
	}{
		"4 GiB":        {"", 4 << 30, upgrade.LargeDatabase},
		"a login page": {"<!DOCTYPE html><html><body>Log in</body></html>\n", 0, upgrade.NotDatabase},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.install(t, pkg{name: "a", version: "1-1", files: map[string]string{"usr/share/a": "1"}})
			list := filepath.Join(w.dir, "root/var/lib/pacman/sync/test.db")
			require.NoError(t, os.MkdirAll(filepath.Dir(list), 0o755))
			require.NoError(t, os.WriteFile(list, []byte(c.text), 0o644))
			if c.size > 0 {
				require.NoError(t, os.Truncate(list, c.size)) // a file with a hole
			}
			temp := t.TempDir()
			p := host.Preview(t.Context(), host.Options{Config: w.config, Offline: true, Copy: temp})
			require.NotNil(t, p.Problem)
			require.Equal(t, c.want, p.Problem.Code, "%+v", p.Problem)
			require.Equal(t, "test", p.Problem.Subject)
			for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
				require.Contains(t, p.Problem.Text(lang), "test")
			}
			if c.size > 0 {
				require.NoFileExists(t, filepath.Join(temp, "sync/test.db"), "not even copied")
			}
		})
	}
}

// TestAServerThatSendsTooMuchIsCutOff: pacman stops at its bound, which is no failure of the network.
func TestAServerThatSendsTooMuchIsCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install(t, pkg{name: "a", version: "1-1", files: map[string]string{"usr/share/a": "1"}})
	w.spoil(t, nil)
	require.NoError(t, os.Truncate(filepath.Join(w.dir, "repo/test.db"), 4<<30))
	p := host.Preview(t.Context(), host.Options{Config: w.config})
	require.NotNil(t, p.Problem)
	require.Equal(t, upgrade.LargeDatabase, p.Problem.Code, "%+v", p.Problem)
}

// TestAWrongClockHidesNoUpdate: a list that was fetched in the future is fetched again, and no age is negative.
func TestAWrongClockHidesNoUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := pkg{name: "archlinux-keyring", version: "1-1", files: map[string]string{"usr/share/a": "1"}, built: time.Now().Add(1000 * 24 * time.Hour).Unix()}
	w.install(t, one)
	w.publish(t, false, one)
	out, err := w.pacman("-Sy")
	require.NoError(t, err, out)
	future := time.Now().Add(365 * 24 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(w.dir, "root/var/lib/pacman/sync/test.db"), future, future))
	w.publish(t, false, pkg{name: "archlinux-keyring", version: "2-1", files: one.files})
	p := host.Preview(t.Context(), host.Options{Config: w.config})
	require.Nil(t, p.Problem, "%+v", p.Problem)
	require.Equal(t, 1, p.Count)
	require.NotNil(t, p.Keyring)
	require.Zero(t, p.Keyring.Age)
}

// spoil replaces the repository's database.
func (w world) spoil(t *testing.T, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "repo/test.db"), data, 0o644))
}

func (w world) dropRepository(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(w.config)
	require.NoError(t, err)
	options, _, _ := strings.Cut(string(text), "[test]")
	require.NoError(t, os.WriteFile(w.config, []byte(options), 0o644))
}

func TestOtherCompressionsAreRead(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"zstd -q", "xz", "bzip2"} {
		program, _, _ := strings.Cut(command, " ")
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
		w := newWorld(t)
		one := pkg{name: "a", version: "1-1", files: map[string]string{"usr/share/a": "1"}}
		w.install(t, one)
		w.publish(t, false, pkg{name: "a", version: "2-1", files: map[string]string{"usr/share/a": "123"}})
		file := filepath.Join(w.dir, "repo/test.db")
		require.NoError(t, exec.Command("sh", "-c", fmt.Sprintf("gunzip -c %[1]s | %[2]s -c >%[1]s.new && mv %[1]s.new %[1]s", file, command)).Run())
		p := host.Preview(t.Context(), host.Options{Config: w.config})
		require.Nil(t, p.Problem, "%s: %+v", command, p.Problem)
		require.Len(t, p.Packages, 1)
		require.EqualValues(t, 2, p.Growth)
	}
}

func TestHeldPackagesAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := pkg{name: "a", version: "1-1", files: map[string]string{"usr/share/a": "1"}}
	w.install(t, one)
	w.publish(t, false, pkg{name: "a", version: "2-1", files: one.files})
	w.configure(t, "IgnorePkg = a", "Server = file://"+w.dir+"/repo")
	p := host.Preview(t.Context(), host.Options{Config: w.config})
	require.Nil(t, p.Problem)
	require.True(t, p.IsEmpty())
	require.Equal(t, []upgrade.Change{{Name: "a", From: "1-1", To: "2-1"}}, p.Held)
}

// TestAPreviewIsThatOfTheComputerAfterEarlierSteps: pacman refuses now, but not without a package or a hold.
func TestAPreviewIsThatOfTheComputerAfterEarlierSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := map[string]string{"usr/share/a": "1"}
	w.install(t, pkg{name: "a", version: "1-1", files: files}, pkg{name: "a-tool", version: "1-1", depends: []string{"a<2"}}, pkg{name: "b", version: "1-1"})
	w.publish(t, false, pkg{name: "a", version: "2-1", files: files}, pkg{name: "b", version: "2-1", depends: []string{"a>=2"}})
	w.configure(t, "IgnorePkg = a other", "Server = file://"+w.dir+"/repo")
	o := host.Options{Config: w.config, Copy: t.TempDir(), Brief: true, Earlier: filepath.Join(w.dir, "preview.json")}
	require.NotEmpty(t, host.Preview(t.Context(), o).Refusals)
	o.Released = []string{"a"}
	require.Equal(t, "a-tool", host.Preview(t.Context(), o).Refusals[0].Package)
	o.Without = []string{"a-tool"}
	p := host.Preview(t.Context(), o)
	require.Empty(t, p.Refusals)
	require.Equal(t, 2, p.Count, "%+v", p)
	require.Nil(t, p.Inputs, "it is no preview of the computer as it is")
	o.Without, o.Released = nil, nil
	require.NotEmpty(t, host.Preview(t.Context(), o).Refusals, "the copy is whole again")
}

// TestAForeignPackageOfAnOldPythonIsNamed: a new minor version has another directory.
func TestAForeignPackageOfAnOldPythonIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install(t, pkg{name: "python", version: "3.13.1-1", files: map[string]string{"usr/lib/python3.13/os.py": "1"}},
		pkg{name: "python-foreign", version: "1-1", files: map[string]string{"usr/lib/python3.13/site-packages/foreign.py": "1"}})
	w.publish(t, false, pkg{name: "python", version: "3.14.0-1", files: map[string]string{"usr/lib/python3.14/os.py": "1"}})
	p := host.Preview(t.Context(), host.Options{Config: w.config})
	require.Equal(t, []upgrade.Broken{{
		Package: "python-foreign", File: "/usr/lib/python3.13/site-packages/foreign.py", Needs: "/usr/lib/python3.13", Because: "python",
	}}, p.Broken)
}

// TestServicesWithOldLibrariesAreNamed follows the libraries of a service's program.
func TestServicesWithOldLibrariesAreNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install(t,
		pkg{name: "libone", version: "1-1", files: map[string]string{"usr/lib/libone.so.1": program()}},
		pkg{name: "libtwo", version: "1-1", files: map[string]string{"usr/lib/libtwo.so.1": program("libone.so.1")}},
		pkg{name: "server", version: "1-1", files: map[string]string{
			"usr/bin/server":                         program("libtwo.so.1"),
			"usr/lib/systemd/system/server@.service": "[Service]\nExecStart=-/usr/bin/server --now\n",
		}})
	w.publish(t, false, pkg{name: "libone", version: "2-1", files: map[string]string{"usr/lib/libone.so.1": program()}})
	p := host.Preview(t.Context(), host.Options{Config: w.config})
	require.Equal(t, []upgrade.Unit{{Name: "server@.service", Packages: []string{"libone"}}}, p.Units)
	require.True(t, p.Units[0].Matches("server@a.service"))
	require.False(t, p.Units[0].Matches("servers@a.service"))
}

// TestListsOfAMirrorThatIsBehind: all that were fetched are old, and one of Arch Linux's repositories is among them.
func TestListsOfAMirrorThatIsBehind(t *testing.T) {
	w := newWorld(t)
	w.publish(t, false, pkg{name: "htop", version: "1-1"})
	list := filepath.Join(w.dir, "repo/test.db")
	data, err := os.ReadFile(list)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(w.dir, "repo/core.db"), data, 0o644))
	aged := func(days int, names ...string) {
		at := time.Now().Add(-time.Duration(days)*24*time.Hour - time.Hour)
		for _, name := range names {
			require.NoError(t, os.Chtimes(filepath.Join(w.dir, "repo", name), at, at))
		}
	}
	stale := func(offline bool) int {
		p := host.Preview(t.Context(), host.Options{Config: w.config, Offline: offline})
		require.Nil(t, p.Problem)
		return p.Stale
	}
	aged(9, "core.db", "test.db")
	require.Zero(t, stale(false), "a repository of one's own can be old")
	w.configure(t, "", "Server = file://"+w.dir+"/repo\n[core]\nServer = file://"+w.dir+"/repo")
	require.Equal(t, 9, stale(false))
	require.Zero(t, stale(true), "nothing was fetched")
	aged(1, "test.db")
	require.Zero(t, stale(false))
}

// BenchmarkPreview measures a machine with 1,500 packages, 300 of which have newer versions in a repository of 15,000: a first
// preview, and one while nothing has changed.
func BenchmarkPreview(b *testing.B) {
	w := newLargeWorld(b)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			requireLarge(b, host.Preview(context.Background(), host.Options{Config: w.config, Brief: true}))
		}
	})
	b.Run("again", func(b *testing.B) {
		o := host.Options{Config: w.config, Brief: true, Earlier: filepath.Join(w.dir, "preview.json")}
		text, err := json.Marshal(host.Preview(context.Background(), o))
		require.NoError(b, err)
		require.NoError(b, os.WriteFile(o.Earlier, text, 0o600))
		for b.Loop() {
			requireLarge(b, host.Preview(context.Background(), o))
		}
	})
}

func requireLarge(b *testing.B, p upgrade.Preview) {
	b.Helper()
	require.Nil(b, p.Problem)
	require.Equal(b, 300, p.Count)
}

func newLargeWorld(b *testing.B) world {
	b.Helper()
	w := newWorld(b)
	local := filepath.Join(w.dir, "root/var/lib/pacman/local")
	require.NoError(b, os.MkdirAll(local, 0o755))
	require.NoError(b, os.WriteFile(filepath.Join(local, "ALPM_DB_VERSION"), []byte("9\n"), 0o644))
	for i := range 1500 {
		dir := filepath.Join(local, fmt.Sprintf("p%d-1.0-1", i))
		require.NoError(b, os.MkdirAll(dir, 0o755))
		require.NoError(b, os.WriteFile(filepath.Join(dir, "desc"), fmt.Appendf(nil, "%%NAME%%\np%d\n\n%%VERSION%%\n1.0-1\n\n%%SIZE%%\n100\n\n%%DEPENDS%%\np0\n\n", i), 0o644))
		require.NoError(b, os.WriteFile(filepath.Join(dir, "files"), []byte("%FILES%\nusr/\n"+strings.Repeat("usr/share/some/file\n", 200)), 0o644))
	}
	data := archive(b, func(add func(string, string)) {
		for i := range 15_000 {
			version := "1.0-1"
			if i < 300 {
				version = "1.1-1"
			}
			add(fmt.Sprintf("p%d-%s/desc", i, version), fmt.Sprintf("%%FILENAME%%\np%[1]d.pkg.tar.zst\n\n%%NAME%%\np%[1]d\n\n%%VERSION%%\n%[2]s\n\n%%CSIZE%%\n1000\n\n%%ISIZE%%\n5000\n\n%%DESC%%\n%[3]s\n\n%%DEPENDS%%\np0\n\n", i, version, strings.Repeat("text ", 100)))
		}
	})
	require.NoError(b, os.WriteFile(filepath.Join(w.dir, "repo/test.db"), data, 0o644))
	return w
}
