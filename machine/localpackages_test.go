package machine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInstalledPackagesAreReadFromTheDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	desc, err := os.ReadFile("testdata/local-package.txt") // pacman 6.0.2, pacman -S --asdeps
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "blunux-orphan-0.1-1"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "blunux-orphan-0.1-1", "desc"), desc, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ALPM_DB_VERSION"), []byte("9\n"), 0o644))
	found, err := LocalPackages(dir)
	require.NoError(t, err)
	require.Equal(t, []LocalPackage{{Name: "blunux-orphan", Version: "0.1-1", Dependency: true}}, found)

	require.NoError(t, os.Mkdir(filepath.Join(dir, "broken-1-1"), 0o755))
	found, err = LocalPackages(dir)
	require.ErrorContains(t, err, "broken-1-1")
	require.Len(t, found, 1)
	_, err = LocalPackages(filepath.Join(dir, "nosuch"))
	require.Error(t, err)
}

func TestPacmansPlacesAreThoseOfItsConfiguration(t *testing.T) {
	t.Parallel()
	require.Equal(t, PacmanPaths{"/var/lib/pacman/local", []string{"/var/cache/pacman/pkg"}}, ParsePacmanPaths(nil))
	require.Equal(t, PacmanPaths{"/d/local", []string{"/a/", "/b"}}, ParsePacmanPaths([]byte("[options]\n#DBPath = /no\nDBPath = /d/\nCacheDir = /a/ /b\n")))
}

// TestPackagesThatAReturningOneReplacesGo: one that is not among those of the change is never removed.
func TestPackagesThatAReturningOneReplacesGo(t *testing.T) {
	t.Parallel()
	desc := "%NAME%\nnew\n\n%VERSION%\n2-1\n\n%REPLACES%\nold\n\n%CONFLICTS%\nold<2\nolder\n\n%PROVIDES%\nold=2\n"
	p, err := ParseLocalPackage([]byte(desc))
	require.NoError(t, err)
	require.Equal(t, LocalPackage{Name: "new", Version: "2-1", Excludes: []string{"old", "older"}}, p)
	other := LocalPackage{Name: "other", Excludes: []string{"old", "other"}}
	for _, c := range []struct {
		installed         []LocalPackage
		added, back, want []string
	}{
		{[]LocalPackage{p}, []string{"new", "dep"}, []string{"old"}, []string{"new"}},
		{[]LocalPackage{p}, []string{"new"}, []string{"unrelated"}, nil},
		{[]LocalPackage{p, other}, []string{"new"}, []string{"old"}, nil},
		{[]LocalPackage{p, other}, []string{"new"}, []string{"older", "other"}, []string{"new"}},
		{nil, []string{"new"}, []string{"old"}, nil},
	} {
		require.Equal(t, c.want, Replacing(c.installed, c.added, c.back))
	}
}
