package machine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheConfigurationOfTheRootFileSystem(t *testing.T) {
	for text, want := range map[string]string{
		"config,subvolume\n":                       "",
		"config,subvolume\nhome,/home\n":           "",
		"config,subvolume\nhome,/home\nroot,/\n":   "root",
		"config,subvolume\n$(reboot),/\n":          "",
		"config,subvolume\n-c,/\nmy.root_1,/\n":    "my.root_1",
		"config,subvolume\nroot,/\nwith space,/\n": "root",
	} {
		name, err := ParseSnapperRoot([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, name, text)
	}
}

func TestChangesBetweenSnapshots(t *testing.T) {
	all := read(ParseSnapshotChanges, string(recorded(t, "snapper-status.txt")))
	require.Len(t, all, 6)
	require.Equal(t, SnapshotChange{'-', "/etc/issue"}, all[2])
	require.Equal(t, SnapshotChange{'+', "/etc/dir x/with space"}, all[4])
	require.Empty(t, read(ParseSnapshotChanges, "c..... /etc/a\x1b[2Jb\n"))
}

func TestListsThatWereNotAllFetched(t *testing.T) {
	const sync, start = "[2026-11-27T09:12:33+0900] [PACMAN] synchronizing package lists\n", "[2026-11-27T09:12:35+0900] [PACMAN] starting full system upgrade\n"
	for name, text := range map[string]string{"no upgrade followed": sync, "they were not fetched for it": start + start, "the next time failed": start + sync} {
		require.True(t, read(ParseListsFetched, text).IsZero(), name)
	}
	require.EqualValues(t, 1795738353, read(ParseListsFetched, sync+start).Unix())
}

func TestFilesOfAnInstalledPackage(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "tool-1-1"), 0o755))
	text := "%FILES%\nusr/\nusr/bin/\nusr/bin/tool\netc/tool.conf\n\n%BACKUP%\netc/tool.conf\t0123\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tool-1-1/files"), []byte(text), 0o644))
	require.Equal(t, []string{"/usr", "/usr/bin", "/usr/bin/tool", "/etc/tool.conf"}, LocalFiles(dir, "tool-1-1"))
	require.Empty(t, LocalFiles(dir, "other-1-1"))
}
