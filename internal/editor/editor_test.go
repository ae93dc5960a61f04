package editor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheEditorIsTheOneThatIsSetElseOneThatIsThere(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nano"), nil, 0o600)) // not executable
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vi"), nil, 0o700))
	for _, c := range []struct {
		env  map[string]string
		path string
		argv []string
	}{
		{map[string]string{"VISUAL": "code --wait", "EDITOR": "vim"}, "/bin/sh", []string{"sh", "-c", `code --wait "$@"`, "code --wait", "a file"}},
		{map[string]string{"EDITOR": "vim"}, "/bin/sh", []string{"sh", "-c", `vim "$@"`, "vim", "a file"}},
		{map[string]string{"PATH": "/nowhere:" + dir}, dir + "/vi", []string{"vi", "a file"}},
	} {
		path, argv, err := command("a file", func(v string) string { return c.env[v] })
		require.NoError(t, err)
		require.Equal(t, c.path, path)
		require.Equal(t, c.argv, argv)
	}
	require.ErrorIs(t, Exec("a file", func(string) string { return "" }), ErrNone)
}

func TestAnEditorThatIsWaitedForHasEditedWhenItReturns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a file")
	env := func(editor string) func(string) string {
		return func(v string) string { return map[string]string{"EDITOR": editor}[v] }
	}
	require.NoError(t, Run(file, env("touch")))
	require.FileExists(t, file)
	require.ErrorContains(t, Run(file, env("false")), "exit status 1")
	require.ErrorIs(t, Run(file, env("")), ErrNone)
}
