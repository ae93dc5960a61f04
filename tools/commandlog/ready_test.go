package commandlog

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadyIsTrueAndChangesNothing(t *testing.T) {
	d := newPlace(t)
	l := d.log()
	require.NoError(t, l.Ready())
	entries, err := os.ReadDir(d.dir)
	require.NoError(t, err)
	require.Empty(t, entries, "nothing is made")

	deep := New(filepath.Join(d.dir, "not", "there", "yet", logName), at("2026-02-20T09:15:32Z"))
	require.NoError(t, deep.Ready())
	require.NoDirExists(t, filepath.Join(d.dir, "not"))

	d.run("df -h")
	before := d.read(logName) + d.read(auditName) + d.read(headName)
	require.NoError(t, l.Ready())
	require.Equal(t, before, d.read(logName)+d.read(auditName)+d.read(headName))
}

func TestWhatCannotBeOpenedIsNotReady(t *testing.T) {
	for _, name := range []string{logName, auditName, headName} {
		for what, spoil := range map[string]func(file string) error{
			"a directory": func(file string) error { return os.Mkdir(file, 0o700) },
			"a link":      func(file string) error { return os.Symlink(os.DevNull, file) },
			"a pipe":      func(file string) error { return syscall.Mkfifo(file, 0o600) },
		} {
			t.Run(name+" is "+what, func(t *testing.T) {
				d := newPlace(t)
				require.NoError(t, spoil(filepath.Join(d.dir, name)))
				require.ErrorContains(t, d.log().Ready(), "cannot write the command log")
			})
		}
	}
	d := newPlace(t)
	d.write("file", "in the way")
	require.Error(t, New(filepath.Join(d.dir, "file", logName), at("2026-02-20T09:15:32Z")).Ready())
	if os.Getuid() != 0 {
		require.NoError(t, os.Chmod(d.dir, 0o500))
		defer func() { _ = os.Chmod(d.dir, 0o700) }() // or it cannot be removed
		require.Error(t, d.log().Ready())
	}
}
