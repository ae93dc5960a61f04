package past

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAChangedFileShowsItsLines(t *testing.T) {
	dir := t.TempDir()
	tree := filepath.Join(dir, "etc")
	w := Watched{Trees: []string{tree}, Path: filepath.Join(dir, "files")}
	put := func(name, text string, mode os.FileMode) {
		path := filepath.Join(tree, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chmod(path, mode))
		at := time.Now().Add(time.Duration(len(text)) * time.Millisecond) // a text of another length has another time
		require.NoError(t, os.Chtimes(path, at, at))
	}
	put("pacman.conf", "[options]\n#IgnorePkg   =\nColor\n", 0o644)
	put("wifi.conf", "name = home\n", 0o600)
	put("mail.conf", "name = kim\n", 0o644)
	put("bin", "\x00\x01", 0o644)
	now := time.Now()
	require.NoError(t, w.Compare(now))
	require.Empty(t, w.Events())

	put("pacman.conf", "[options]\nIgnorePkg   = linux\nColor\n", 0o644)
	put("wifi.conf", "name = home\npsk = 12345678\n", 0o600)
	put("mail.conf", "name = kim\npassword = hunter2\n", 0o644)
	put("bin", "\x00\x01\x02", 0o644)
	put("new.conf", "a = b\n", 0o644)
	require.NoError(t, w.Compare(now.Add(time.Hour)))
	lines := map[string][]string{}
	for _, e := range w.Events() {
		lines[filepath.Base(e.Object)] = e.Lines
	}
	require.Equal(t, map[string][]string{
		"pacman.conf": {"- #IgnorePkg   =", "+ IgnorePkg   = linux"}, "wifi.conf": nil, "mail.conf": nil, "bin": nil, "new.conf": nil,
	}, lines)
	for _, file := range []string{w.texts(), w.changes()} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, secret := range []string{"hunter2", "12345678", "home"} {
			require.NotContains(t, string(data), secret, file)
		}
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}

	// The next comparison knows the new texts, also after a damaged end.
	data, err := os.ReadFile(w.texts())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(w.texts(), data[:len(data)-700], 0o600))
	put("new.conf", "a = c, and more\n", 0o644)
	require.NoError(t, w.Compare(now.Add(2*time.Hour)))
	require.NoError(t, os.Remove(filepath.Join(tree, "pacman.conf")))
	require.NoError(t, w.Compare(now.Add(3*time.Hour)))
	data, err = os.ReadFile(w.texts())
	require.NoError(t, err)
	require.NotContains(t, string(data), "IgnorePkg", "a file that is gone")
}

func TestChangedLinesAreFew(t *testing.T) {
	require.Equal(t, []string{"+ b"}, changedLines("a\nc\n", "a\nb\nc\n"))
	require.Equal(t, []string{"- x"}, changedLines("a\nx\n\nc\n", "a\nc\n"))
	require.Empty(t, changedLines("a", "a"))
	require.Len(t, changedLines(strings.Repeat("a\n", 50), strings.Repeat("b\n", 90)), 2*maxShown)
}
