package machine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhyPacmanRefuses(t *testing.T) {
	const text = `error: failed to prepare transaction (could not satisfy dependencies)
:: installing htop (3.4.0-1) breaks dependency 'htop=3.3.0' required by aurthing
:: unable to satisfy dependency 'libx' required by tool
:: one-1.0-1 and other-2.0-1 are in conflict. Remove other? [y/N]
:: one-1.0-1 and other-2.0-1 are in conflict
`
	require.Equal(t, []Refusal{
		{Package: "aurthing", Dependency: "htop=3.3.0", Installing: "htop"},
		{Package: "tool", Dependency: "libx"},
		{Conflict: [2]string{"one-1.0-1", "other-2.0-1"}},
		{Conflict: [2]string{"one-1.0-1", "other-2.0-1"}},
	}, ParseRefusals([]byte(text)))
	require.Empty(t, ParseRefusals([]byte("linux 6.12-1 140000000\n")))
}

func TestAFileThatExists(t *testing.T) {
	for text, want := range map[string][2]string{
		"error: failed to commit transaction (conflicting files)\ntool: /usr/bin/tool exists in filesystem\n": {"tool", "/usr/bin/tool"},
		"/usr/bin/tool exists in filesystem (owned by other)":                                                 {"", "/usr/bin/tool"},
		"conflicting files": {},
	} {
		name, files := ParseExisting(text)
		require.Equal(t, want, [2]string{name, strings.Join(files, " ")})
	}
}

func TestWhatTheCacheCouldSpare(t *testing.T) {
	n, room := ParseCache([]byte("==> finished dry run: 3 candidates (disk space saved: 120.5 MiB)\n"))
	require.Equal(t, 3, n)
	require.Equal(t, "120.5 MiB", room)
	n, _ = ParseCache([]byte("==> no candidate packages found for pruning\n"))
	require.Zero(t, n)
}

func TestDamagedEntriesAreNamed(t *testing.T) {
	for text, want := range map[string][]LocalEntry{
		"error: 'gtk-update-icon-cache-1:4.16.7-1': description file is missing\nerror: 'gtk-update-icon-cache-1:4.16.7-1': file list is missing\n": {{"gtk-update-icon-cache", "gtk-update-icon-cache-1:4.16.7-1"}},
		"error: 'htop-3.3.0-1': file list is missing\nmissing 'a' dependency for 'b'\n":                                                             {{"htop", "htop-3.3.0-1"}},
		"error: '../../x-1-1': file list is missing\n":                                                                                              nil,
		"error: '..-1-1': file list is missing\n":                                                                                                   nil,
		"": nil,
	} {
		require.Equal(t, want, ParseDamagedEntries([]byte(text)), text)
	}
}

func TestTheTimeOfALineOfTheLog(t *testing.T) {
	when, ok := ParseLogTime("[2026-11-27T09:12:33+0900] [ALPM] transaction started")
	require.True(t, ok)
	require.Equal(t, "2026-11-27T09:12:33+0900", when)
	_, ok = ParseLogTime("[2026-11-27 09:12] [ALPM] transaction started")
	require.False(t, ok)
}

// TestFilesOfPackagesAreChecked reads what pacman 6.0.2 prints about files that were changed for the test.
func TestFilesOfPackagesAreChecked(t *testing.T) {
	require.Equal(t, []string{
		"base: /usr/share/doc/base/README (Size mismatch)", "base: /usr/share/doc/base/README (MD5 checksum mismatch)",
		"base: /usr/share/doc/base/README (SHA256 checksum mismatch)", "orphan: /usr/share/doc/orphan/README (No such file or directory)",
	}, ParseFileChecks([]byte(`warning: base: /usr/share/doc/base/README (Modification time mismatch)
warning: base: /usr/share/doc/base/README (Size mismatch)
warning: base: /usr/share/doc/base/README (MD5 checksum mismatch)
warning: base: /usr/share/doc/base/README (SHA256 checksum mismatch)
warning: orphan: /usr/share/doc/orphan/README (No such file or directory)
warning: thing: /usr/bin/thing (Permissions mismatch)
`)))
	require.Empty(t, ParseFileChecks([]byte("backup file: htop: /etc/htoprc (SHA256 checksum mismatch)\nhtop: 9 total files, 0 altered files\n")))
	require.Equal(t, []string{"orphan"}, ParseMissingFiles([]byte("orphan /usr/share/doc/orphan/README\norphan /usr/a\nhtop: 9 total files\n")))
}

func TestProvidersOfAFileAreNamed(t *testing.T) {
	require.Equal(t, []string{"htop", "htop-vim"}, ParseProviders([]byte("extra/htop\nextra/htop-vim\n")))
	require.Empty(t, ParseProviders([]byte("warning: database file for 'core' does not exist (use '-Fy' to download)\nerror: no usable package repositories configured.\n")))
	e, ok := ParseLocalEntry(LocalEntries + "htop-3.3.0-1/desc")
	require.True(t, ok)
	require.Equal(t, LocalEntry{Name: "htop", Dir: "htop-3.3.0-1"}, e)
	_, ok = ParseLocalEntry("/etc/passwd")
	require.False(t, ok)
}

func TestWhyAPreviewSaysThatPacmanRefuses(t *testing.T) {
	all, err := ParsePreview([]byte(`{"count":2,"packages":[],"refusals":[{"conflict":["new-a","new-b"]},{"package":"aurthing","dependency":"htop<3.4","installing":"htop"}],"digest":"sha256:0"}`))
	require.NoError(t, err)
	require.Equal(t, []Refusal{{Conflict: [2]string{"new-a", "new-b"}}, {Package: "aurthing", Dependency: "htop<3.4", Installing: "htop"}}, all)
	_, err = ParsePreview([]byte("error"))
	require.Error(t, err)
	require.Equal(t, []string{"htop", "libx.so", "b"}, []string{DependencyName("htop<3.4"), DependencyName("libx.so=1-64"), DependencyName("b")})
}
