package tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// TestThreat28WhatStaysIsAlwaysAskedAbout: files that are run automatically, or that decide what this program
// can do, are never written without a confirmation. That holds for any spelling, through links, and if full
// autonomy allows the program.
func TestThreat28WhatStaysIsAlwaysAskedAbout(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".ssh", ".config/autostart", ".config/systemd/user", ".config/blunux-ai", ".config/fish", "work"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	require.NoError(t, os.Symlink(filepath.Join(home, ".config/autostart"), filepath.Join(home, "work/link")))
	require.NoError(t, os.Symlink("../.bashrc", filepath.Join(home, "work/rc")))
	d := newTestGate(t, func(o *tools.Options) {
		o.Home = home
		o.Checker = safety.New(safety.Options{Home: home, EvalSymlinks: filepath.EvalSymlinks})
		o.Full = autonomy.Allowance{
			Commands: []string{"touch", "cp", "tee", "mkdir", "ln", "crontab", "systemctl", "bash"}, Workspace: home,
			Protected: []string{filepath.Join(home, ".config/blunux-ai")},
		}
	})
	for _, text := range []string{
		"touch .bashrc", "touch ~/.profile", "touch $HOME/.zshrc", "touch .ssh/authorized_keys", "cp work/x .config/autostart/x.desktop",
		"touch .config/systemd/user/x.service", "touch .config/blunux-ai/config.toml", "touch work/../.bash_profile", "touch work/link/x.desktop",
		"touch work/rc", "cp work/x .config/fish/config.fish", "mkdir -p .config/autostart", "ln -s /tmp/x .ssh/config", "crontab work/x",
		"systemctl --user enable x.service", "echo x >> ~/.bashrc", "echo x | tee .xinitrc",
	} {
		call := newCall(t, "run_command", command(text))
		j, refused := d.Prepare(call, "s", home)
		require.Nil(t, refused, text)
		require.NotEqual(t, safety.Safe, j.Class, text)
		p := answering()
		out := d.Run(t.Context(), j, p, nil)
		if out.Output.Refusal == tools.RefusedMissing {
			continue
		}
		require.Len(t, p.shown, 1, "asked: %s", text)
	}
	entries, err := os.ReadDir(filepath.Join(home, ".config/autostart"))
	require.NoError(t, err)
	require.Empty(t, entries)
}
