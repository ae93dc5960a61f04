package listing_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/file"
	"github.com/nidoit/blunux-ai/tools/listing"
)

// tree makes files in a directory and returns it. A name that ends with / is a directory, A -> B a link.
func tree(t testing.TB, files map[string]string) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch target, link := strings.CutPrefix(text, "-> "); {
		case strings.HasSuffix(name, "/"):
			require.NoError(t, os.MkdirAll(path, 0o755))
		case link:
			require.NoError(t, os.Symlink(target, path))
		default:
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
	}
	return dir
}

func find(t testing.TB, dir, pattern string, hidden bool) (names []string, found listing.Found) {
	q := listing.Query{Pattern: pattern, Hidden: hidden}
	require.NoError(t, q.Check())
	found, err := listing.Find(t.Context(), dir, q)
	require.NoError(t, err)
	for _, e := range found.Entries {
		names = append(names, e.Path)
	}
	return names, found
}

func TestFilesAreFoundByPattern(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.txt": "", "b.md": "", "sub/c.txt": "", "sub/deep/d.txt": "", ".hidden": "", ".config/e.txt": "", "out": "-> /etc", "sub/up": "-> ..",
		"한글.txt": "", "empty/": "",
	})
	for _, c := range []struct {
		pattern string
		hidden  bool
		want    []string
	}{
		{"", false, []string{"a.txt", "b.md", "empty", "out", "sub", "한글.txt"}},
		{"", true, []string{".config", ".hidden", "a.txt", "b.md", "empty", "out", "sub", "한글.txt"}},
		{"*.txt", false, []string{"a.txt", "한글.txt"}},
		{"**/*.txt", false, []string{"a.txt", "sub/c.txt", "sub/deep/d.txt", "한글.txt"}},
		{"**/*.txt", true, []string{".config/e.txt", "a.txt", "sub/c.txt", "sub/deep/d.txt", "한글.txt"}},
		{"sub/*", false, []string{"sub/c.txt", "sub/deep", "sub/up"}},
		{"{a,b}.*", false, []string{"a.txt", "b.md"}},
		{"*/*/*.txt", false, []string{"sub/deep/d.txt"}},
		{"**/passwd", true, nil}, // not through the link
	} {
		names, _ := find(t, dir, c.pattern, c.hidden)
		require.Equal(t, c.want, names, c.pattern)
	}
	_, found := find(t, dir, "o*", false)
	require.Equal(t, "/etc", found.Entries[0].Target)
	for _, pattern := range []string{"/etc/*", "../*", "sub/../..", "[", "a/{b"} {
		require.Error(t, listing.Query{Pattern: pattern}.Check(), pattern)
	}
	_, err := listing.Find(t.Context(), filepath.Join(dir, "out"), listing.Query{})
	require.ErrorIs(t, err, file.ErrMoved)
}

func TestAtMostAThousandEntries(t *testing.T) {
	files := map[string]string{}
	for i := range listing.MaxEntries + 1 {
		files[fmt.Sprintf("f%04d", i)] = ""
	}
	dir := tree(t, files)
	names, found := find(t, dir, "", false)
	require.Len(t, names, listing.MaxEntries)
	require.True(t, found.Cut)
	require.NoError(t, os.Remove(filepath.Join(dir, "f0000")))
	_, found = find(t, dir, "", false)
	require.False(t, found.Cut)
}

func TestAPipeInPlaceOfAGitignoreDoesNotBlock(t *testing.T) {
	dir := tree(t, map[string]string{"a": ""})
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, ".gitignore"), 0o644))
	names, _ := find(t, dir, "**", false)
	require.Equal(t, []string{"a"}, names)
}

// TestGitignoreIsReadAsGitReadsIt compares with git.
func TestGitignoreIsReadAsGitReadsIt(t *testing.T) {
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	lines := []string{
		"*.o", "build/", "/top", "sub/inner", "!keep.o", "**/gen", "a?c", "doc/**", "deep/*/x", "#comment", "", "sp\\ ", "[ab].txt", "/sub/*.md", "!/sub/b.md", "x{y}",
	}
	names := []string{
		"a.o", "keep.o", "build/a", "sub/build/a", "top", "sub/top", "sub/inner/f", "other/inner", "gen/f", "sub/gen", "abc", "sub/abc", "doc/x/y", "deep/1/x",
		"deep/1/2/x", "a.txt", "sub/b.txt", "sub/a.md", "sub/b.md", "x{y}", "plain", "sub/plain", "sub/keep.o", "#comment",
	}
	parent := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(parent, "")
		require.NoError(rt, err)
		dir, err = filepath.EvalSymlinks(dir)
		require.NoError(rt, err)
		require.NoError(rt, exec.Command(git, "init", "-q", dir).Run())
		for _, name := range names {
			path := filepath.Join(dir, name)
			require.NoError(rt, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(rt, os.WriteFile(path, nil, 0o644))
		}
		some := rapid.SliceOfN(rapid.SampledFrom(lines), 0, 6)
		for _, at := range []string{"", "sub"} {
			text := strings.Join(some.Draw(rt, "lines "+at), "\n") + "\n"
			require.NoError(rt, os.WriteFile(filepath.Join(dir, at, ".gitignore"), []byte(text), 0o644))
		}
		for _, at := range []string{"", "sub"} {
			cmd := exec.Command(git, "-c", "core.quotePath=off", "-C", filepath.Join(dir, at), "ls-files", "--others", "--exclude-standard")
			cmd.Env = append(os.Environ(), "HOME="+parent, "XDG_CONFIG_HOME="+parent)
			out, err := cmd.Output()
			require.NoError(rt, err)
			var want, got []string
			for _, name := range strings.Fields(string(out)) {
				if !strings.Contains("/"+name, "/.") {
					want = append(want, name)
				}
			}
			found, err := listing.Find(t.Context(), filepath.Join(dir, at), listing.Query{Pattern: "**"})
			require.NoError(rt, err)
			for _, e := range found.Entries {
				if !e.Info.IsDir() {
					got = append(got, e.Path)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			require.Equal(rt, want, got)
		}
	})
}
