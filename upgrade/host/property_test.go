package host_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/upgrade"
	"github.com/nidoit/blunux-ai/upgrade/host"
)

// repositories is how many random repositories the property is checked with.
const repositories = 200

// TestThePreviewIsWhatPacmanThenDoes makes random repositories and installed packages: a refusal is foreseen, and otherwise the
// packages, versions, sizes, replaced packages, new configuration files and broken programs are those shown.
func TestThePreviewIsWhatPacmanThenDoes(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	for seed := range uint64(repositories) {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) { checkRepository(t, seed, kinds) })
		if !ok {
			return // one is enough to understand
		}
	}
	for _, kind := range []string{"refused", "upgraded", "replaced", "pacnew", "broken", "unknown", "added"} {
		require.GreaterOrEqual(t, kinds[kind], 5, "the repositories are too alike: %v", kinds)
	}
}

// draw is a random machine with its repository.
type draw struct {
	*rand.Rand
	installed, offered []pkg
	needs              map[string]string // library, by foreign package
	edited             map[string]string // texts of configuration files
	lists              bool
}

func drawMachine(seed uint64) draw {
	d := draw{Rand: rand.New(rand.NewPCG(seed, 30)), needs: map[string]string{}, edited: map[string]string{}}
	d.lists = d.IntN(3) > 0
	var libraries []string
	for i := range 2 + d.IntN(6) {
		old, offered, gone := d.drawPackage(i)
		d.installed = append(d.installed, old)
		for name := range old.files {
			if strings.Contains(name, ".so.") {
				libraries = append(libraries, filepath.Base(name))
			}
		}
		if !gone {
			d.offered = append(d.offered, offered)
		}
		if d.chance(6) {
			d.offered = append(d.offered, d.drawOther(i, old))
		}
	}
	for i := range d.IntN(4) {
		d.installed = append(d.installed, d.drawForeign(i, libraries))
	}
	return d
}

func (d draw) chance(n int) bool { return d.IntN(n) == 0 }

// drawPackage returns an installed package and what the repository has of it.
func (d draw) drawPackage(i int) (old, offered pkg, gone bool) {
	name := fmt.Sprintf("p%d", i)
	old = pkg{name: name, version: "1.0-1", files: map[string]string{
		"usr/share/" + name + "/data": strings.Repeat("x", d.IntN(2000)),
	}}
	offered = pkg{name: name, version: []string{"1.0-1", "1.0-2", "1.1-1", "1:0.5-1", "0.9-1", "1.0rc1-1"}[d.IntN(6)], files: map[string]string{
		"usr/share/" + name + "/data": strings.Repeat("y", d.IntN(2000)),
	}}
	if d.chance(2) {
		conf := "etc/" + name + ".conf"
		old.backup, offered.backup = []string{conf}, []string{conf}
		texts := []string{"one", "two", "three"}
		old.files[conf], offered.files[conf] = "one", texts[d.IntN(2)]
		if d.chance(2) {
			d.edited[conf] = texts[1+d.IntN(2)]
		}
		if d.chance(5) {
			delete(offered.files, conf)
			offered.backup = nil
		}
	}
	if d.chance(2) {
		before, after := d.IntN(2)+1, d.IntN(2)+1
		old.files[fmt.Sprintf("usr/lib/lib%s.so.%d", name, before)] = "old"
		offered.files[fmt.Sprintf("usr/lib/lib%s.so.%d", name, after)] = "new"
		if d.chance(2) {
			old.provides = []string{fmt.Sprintf("lib%s.so=%d-64", name, before)}
			offered.provides = []string{fmt.Sprintf("lib%s.so=%d-64", name, after)}
		}
	}
	if d.chance(8) && i > 0 {
		offered.conflicts = []string{fmt.Sprintf("p%d%s", i-1, []string{"", "<1.1", ">=1.1"}[d.IntN(3)])}
	}
	if d.chance(5) {
		offered.depends = []string{fmt.Sprintf("new%d", i)}
		if d.chance(3) {
			offered.depends = []string{fmt.Sprintf("p%d>=1.0", max(i-1, 0))}
		}
	}
	return old, offered, d.chance(6)
}

// drawOther returns a package that is not installed: one that others depend on, or one that replaces an installed one.
func (d draw) drawOther(i int, old pkg) pkg {
	p := pkg{name: fmt.Sprintf("new%d", i), version: "3-1", files: map[string]string{fmt.Sprintf("usr/share/new%d", i): "new"}}
	if d.chance(2) {
		p.replaces = []string{old.name + []string{"", "<2", ">=2"}[d.IntN(3)]}
		p.conflicts = []string{old.name}
		if d.chance(2) {
			p.provides = []string{old.name + "=" + "1.5"}
		}
	}
	return p
}

// drawForeign returns a package that no repository has.
func (d draw) drawForeign(i int, libraries []string) pkg {
	name := fmt.Sprintf("foreign%d", i)
	p := pkg{name: name, version: "1-1", files: map[string]string{"usr/share/" + name: "x"}}
	if len(libraries) > 0 && !d.chance(4) {
		library := libraries[d.IntN(len(libraries))]
		d.needs[name] = library
		p.files["usr/bin/"+name] = program("libc.so.6", library)
	}
	if d.chance(6) {
		p.depends = []string{fmt.Sprintf("p%d=1.0", d.IntN(2))}
	}
	if d.chance(8) {
		p.conflicts = []string{"new0"}
	}
	return p
}

func checkRepository(t *testing.T, seed uint64, kinds map[string]int) {
	d := drawMachine(seed)
	w := newWorld(t)
	w.install(t, d.installed...)
	w.publish(t, d.lists, d.offered...)
	for file, text := range d.edited {
		require.NoError(t, os.WriteFile(filepath.Join(w.dir, "root", file), []byte(text), 0o644))
	}
	before := w.installed(t)

	p := host.Preview(t.Context(), host.Options{Config: w.config})
	require.Nil(t, p.Problem, "%+v", p.Problem)
	require.Equal(t, before, w.installed(t), "a preview changes nothing")
	require.NoFileExists(t, filepath.Join(w.dir, "root/var/lib/pacman/sync/test.db"))

	out, err := w.pacman("-Syu")
	if err != nil {
		require.NotEmpty(t, p.Refusals, out)
		kinds["refused"]++
		return
	}
	require.Empty(t, p.Refusals, out)
	expected := maps.Clone(before)
	for _, r := range p.Replaced {
		require.Equal(t, before[r.Name], r.Version)
		delete(expected, r.Name)
		kinds["replaced"]++
	}
	for _, c := range p.Packages {
		require.Equal(t, before[c.Name], c.From)
		expected[c.Name] = c.To
		kinds[map[bool]string{true: "added", false: "upgraded"}[c.From == ""]]++
	}
	require.Equal(t, expected, w.installed(t), out)
	require.Equal(t, d.sizeOf(expected)-d.sizeOf(before), p.Growth)
	pacnew := pacnewFiles(t, w)
	require.Equal(t, pacnew, settingsOf(p), "%s\n%+v", out, p)
	kinds["pacnew"] += len(pacnew)
	checkLibraries(t, w, d, p, kinds)
}

// sizeOf returns the bytes of the files of packages, by name and version.
func (d draw) sizeOf(all map[string]string) (bytes int64) {
	for _, p := range slices.Concat(d.installed, d.offered) { // one of the same version is not installed again
		if all[p.name] == p.version {
			bytes += int64(p.size())
			all = maps.Clone(all)
			delete(all, p.name)
		}
	}
	return bytes
}

// settingsOf returns the .pacnew files that a preview announces.
func settingsOf(p upgrade.Preview) (files []string) {
	for _, s := range p.Settings {
		files = append(files, s.Path+".pacnew")
	}
	slices.Sort(files)
	return files
}

// pacnewFiles returns the .pacnew files of a world.
func pacnewFiles(t *testing.T, w world) (files []string) {
	root := w.dir + "/root"
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".pacnew") {
			files = append(files, strings.TrimPrefix(path, root))
		}
		return err
	}))
	slices.Sort(files)
	return files
}

// checkLibraries compares the announced broken packages with the libraries that are there afterwards.
func checkLibraries(t *testing.T, w world, d draw, p upgrade.Preview, kinds map[string]int) {
	t.Helper()
	announced := func(list []upgrade.Broken) []string {
		var names []string
		for _, b := range list {
			require.Equal(t, d.needs[b.Package], b.Needs)
			names = append(names, b.Package)
		}
		return names
	}
	broken, unknown := announced(p.Broken), announced(p.Unknown)
	kinds["broken"] += len(broken)
	kinds["unknown"] += len(unknown)
	if d.lists {
		require.Empty(t, unknown, "the lists of files say it")
	}
	for name, library := range d.needs {
		_, err := os.Stat(filepath.Join(w.dir, "root/usr/lib", library))
		switch {
		case slices.Contains(unknown, name):
		case err != nil:
			require.Contains(t, broken, name)
		default:
			require.NotContains(t, broken, name)
		}
	}
}
