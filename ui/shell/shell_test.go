package shell_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ui/shell"
)

func newPlace(t *testing.T) shell.Place {
	home := filepath.Join(t.TempDir(), "it's home")
	require.NoError(t, os.Mkdir(home, 0o700))
	return shell.Place{Home: home, ConfigHome: filepath.Join(home, ".config"), DataHome: filepath.Join(home, ".local/share")}
}

func TestWhatIsInstalledIsTakenBack(t *testing.T) {
	for _, name := range shell.Names() {
		for before, text := range map[string]string{"none": "", "some": "alias ll='ls -l'\n", "no end of line": "alias ll='ls -l'"} {
			p := newPlace(t)
			file := map[string]string{"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/conf.d/blunux-ai.fish"}[name]
			file = filepath.Join(p.Home, file)
			if before != "none" {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
				require.NoError(t, os.WriteFile(file, []byte(text), 0o640))
			}
			got, err := p.Install(name)
			require.NoError(t, err)
			require.Equal(t, file, got)
			require.True(t, p.IsInstalled(name))
			first, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Contains(t, string(first), text)
			_, err = p.Install(name)
			require.NoError(t, err)
			second, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(first), string(second), "a second time changes nothing")

			_, err = p.Remove(name)
			require.NoError(t, err)
			require.False(t, p.IsInstalled(name))
			if before == "none" {
				require.NoFileExists(t, file)
				continue
			}
			left, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Contains(t, []string{text, text + "\n"}, string(left))
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o640), info.Mode().Perm(), "the mode stays")
		}
	}
}

func TestThePackagesScriptIsUsed(t *testing.T) {
	p := newPlace(t)
	p.Shared = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(p.Shared, "blunux-ai.bash"), nil, 0o644))
	file, err := p.Install("bash")
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), p.Shared)
	require.NoDirExists(t, p.DataHome, "no copy is made, which would not be updated")
}

func TestALinkedFileStaysALink(t *testing.T) {
	p := newPlace(t)
	target := filepath.Join(p.Home, "dotfiles")
	require.NoError(t, os.WriteFile(target, []byte("a\n"), 0o600))
	require.NoError(t, os.Symlink(target, filepath.Join(p.Home, ".bashrc")))
	_, err := p.Install("bash")
	require.NoError(t, err)
	info, err := os.Lstat(filepath.Join(p.Home, ".bashrc"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	text, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Contains(t, string(text), "blunux-ai")
}
