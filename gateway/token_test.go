package gateway

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOnlyTheHashOfATokenIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gateway")
	text, err := AddToken(dir, "desk", Write, time.Now())
	require.NoError(t, err)
	require.Len(t, text, len(tokenPrefix)+2*tokenBytes)
	stored, err := os.ReadFile(TokensPath(dir))
	require.NoError(t, err)
	require.NotContains(t, string(stored), strings.TrimPrefix(text, tokenPrefix))
	info, err := os.Stat(TokensPath(dir))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	ts := &tokens{dir: dir, now: time.Now}
	found, ok := ts.find(text)
	require.True(t, ok)
	require.Equal(t, "desk", found.Name)
	_, ok = ts.find(text + "x")
	require.False(t, ok)

	_, err = AddToken(dir, "desk", Read, time.Now())
	require.ErrorIs(t, err, ErrTokenExists)
	for _, name := range []string{"", "a b", "ㄱ", "../x", strings.Repeat("a", 33)} {
		_, err = AddToken(dir, name, Read, time.Now())
		require.ErrorIs(t, err, ErrTokenName, name)
	}
	_, err = AddToken(dir, "x", "root", time.Now())
	require.ErrorIs(t, err, ErrScope)
	require.ErrorIs(t, RemoveToken(dir, "other"), ErrNoToken)
	require.NoError(t, RemoveToken(dir, "desk"))
	require.False(t, ts.holds(found))
	require.NoFileExists(t, TokensPath(dir)) // so the units do not start
}

func TestThreat38AFileOfTokensThatOthersCanChangePermitsNothing(t *testing.T) {
	dir := t.TempDir()
	text, err := AddToken(dir, "desk", Approve, time.Now())
	require.NoError(t, err)
	path := TokensPath(dir)
	for name, breakIt := range map[string]func(){
		"readable": func() { require.NoError(t, os.Chmod(path, 0o640)) },
		"link": func() {
			require.NoError(t, os.Rename(path, path+".real"))
			require.NoError(t, os.Symlink(path+".real", path))
		},
		"directory": func() { require.NoError(t, os.Mkdir(path, 0o700)) },
		"damaged":   func() { require.NoError(t, os.WriteFile(path, []byte("{"), 0o600)) },
	} {
		saved, err := os.ReadFile(path)
		require.NoError(t, err)
		if name == "directory" {
			require.NoError(t, os.Remove(path))
		}
		breakIt()
		_, ok := (&tokens{dir: dir, now: time.Now}).find(text)
		require.False(t, ok, name)
		_, err = AddToken(dir, "second", Read, time.Now())
		require.Error(t, err, name)
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.WriteFile(path, saved, 0o600))
	}
}

func TestScopesIncludeTheWeakerOnes(t *testing.T) {
	require.True(t, Approve.Permits(Read))
	require.True(t, Write.Permits(Write))
	require.False(t, Read.Permits(Write))
	require.False(t, Write.Permits(Approve))
	require.False(t, Scope("").Permits(Read))
	require.False(t, Scope("root").Permits(Read))
}
