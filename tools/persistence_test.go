package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// writers are ways to change a file, with @ for the file.
var writers = []string{
	"echo x >> @", "echo x > @", "echo x >| @", "echo x | tee -a @", "cp x @", "mv x @", "ln -sf x @", "sed -i s/a/b/ @", "install -m600 x @", "dd if=x of=@",
	"rm @", "truncate -s0 @", "curl -o @ https://x.example", "curl --output=@ https://x.example", "sort -o@ x", "chmod +x @", "touch @",
	"true && cp x @", "{ echo x; } >> @", "if true; then cp x @; fi", "cat > @ <<E\nx\nE",
}

// lastingFiles decide what runs automatically later, or who can log in.
var lastingFiles = []string{
	"~/.bashrc", "~/.profile", "~/.zshenv", "~/.config/autostart/x.desktop", "~/.config/systemd/user/x.service", "~/.config/systemd/user/default.target.wants/x.service",
	"~/.ssh/authorized_keys", "~/.ssh/rc", "~/.config/environment.d/x.conf", "~/.local/bin/ls", "~/.local/share/applications/x.desktop", "~/.config/fish/config.fish",
	"~/.config/blunux-ai/config.toml", "~/.config/blunux-ai/config.d/x.toml", "~/.config/blunux-ai/approvals/K7QX.json",
	"/etc/cron.d/x", "/etc/systemd/system/x.service", "/etc/profile.d/x.sh", "/etc/ld.so.preload", "/var/spool/cron/me",
}

// newLasting returns a gate for a home directory with some of these files and links to them.
func newLasting(t *testing.T) *testGate {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	d := newTestGate(t, func(o *tools.Options) {
		o.Home, o.Checker = home, safety.New(safety.Options{Home: home, Dir: home, EvalSymlinks: filepath.EvalSymlinks})
	})
	d.dir = home
	for _, dir := range []string{".config/autostart", ".config/systemd/user", ".ssh", "notes", "dotfiles"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	for link, target := range map[string]string{
		"notes/rc": "../.bashrc", "notes/again": "rc", "auto": ".config/autostart", "notes/up": "..", "notes/root": "/",
		".zshrc": "dotfiles/zshrc", "keys": ".ssh/authorized_keys", ".config/blunux-ai": "../dotfiles/blunux",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(home, link)))
	}
	for _, file := range []string{".bashrc", "dotfiles/zshrc", "x"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, file), []byte("a\n"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(home, "dotfiles/blunux"), 0o700))
	return d
}

// requireAsked checks that a command needs a confirmation or is blocked, and that it cannot be granted for the
// session.
func requireAsked(t *testing.T, d *testGate, text string) tools.JudgedPlan {
	t.Helper()
	p := answering(tools.Decision{Action: tools.Reject})
	j, refused := d.Prepare(newCall(t, "run_command", command(text)), "s", d.dir)
	require.Nil(t, refused, text)
	require.NotEqual(t, safety.Safe, j.Class, text)
	require.False(t, j.IsGrantable(), "not for a session: %s", text)
	switch refusal := d.Run(t.Context(), j, p, nil).Output.Refusal; refusal {
	case tools.RefusedBlocked, tools.RefusedMissing:
	default:
		require.Equal(t, tools.RefusedDenied, refusal, text)
		require.Len(t, p.shown, 1, text)
	}
	return j
}

// TestThreat28WhatLastsIsAskedEveryTimeAndNamed: every change of what runs automatically later needs a
// confirmation each time, with a warning.
func TestThreat28WhatLastsIsAskedEveryTimeAndNamed(t *testing.T) {
	d := newLasting(t)
	for _, file := range lastingFiles {
		for _, form := range writers {
			text := strings.ReplaceAll(form, "@", file)
			j := requireAsked(t, d, text)
			want := "persistence: " + strings.Replace(file, "~", d.dir, 1)
			require.Contains(t, j.Warnings, want, text)
		}
	}
	for _, text := range []string{"crontab -", "crontab x", "crontab -r", "at now", "batch", "echo 'x' | crontab -"} {
		require.NotEmpty(t, requireAsked(t, d, text).Warnings, text)
	}
}

// TestThreat28LinksAndOtherNamesLeadToTheSamePlaces: through a link, a changed directory, or another spelling.
func TestThreat28LinksAndOtherNamesLeadToTheSamePlaces(t *testing.T) {
	d := newLasting(t)
	for _, text := range []string{
		"echo x >> notes/rc", "echo x >> notes/again", "cp x auto/x.desktop", "cp x notes/up/.profile", "cp x notes/root" + d.dir + "/.bashrc",
		"cp x dotfiles/zshrc", "sed -i s/a/b/ dotfiles/blunux/config.toml", "tee -a keys", "cp x /proc/self/root" + d.dir + "/.bashrc",
		"cd auto && cp ../x x.desktop", "cd notes; echo x >> rc", "cd ~ && echo x >> .bashrc", "cd .config; cd systemd/user; cp x x.service",
		"cp x .bashrc", "cp x ./.bashrc", "cp x notes/../.bashrc", `cp x ".bash"rc`, `cp x $'.bashrc'`, `cp x \.bashrc`, "cp -t .config/autostart x",
	} {
		require.NotEmpty(t, requireAsked(t, d, text).Warnings, text)
	}
	// A place that is only known at run time cannot be named in the warning, but such a command still needs a
	// confirmation each time.
	for _, text := range []string{
		"f=~/.bashrc; cp x $f", "cp x $HOME/.bashrc", "cp x ~/.bash*", "cp x ~/.bash{rc,_profile}", "for f in .bashrc; do cp x $f; done",
		"cp x ~", "cp -r x ~/.config", "cp x .", "cp x \"$(echo .bashrc)\"", "echo .bashrc | xargs cp x", "bash -c 'cp x .bashrc'", "python3 -c 'x'",
		"sudo cp x /etc/cron.d/x", "env cp x .bashrc",
	} {
		requireAsked(t, d, text)
	}
	// Commands on the person's ordinary files can be allowed for the session.
	for _, text := range []string{"touch notes/new", "cp x y", "mkdir -p a/b", "rm x", "echo x >> notes/list.txt", "echo x > /dev/null; touch y"} {
		j, refused := d.Prepare(newCall(t, "run_command", command(text)), "s", d.dir)
		require.Nil(t, refused)
		require.True(t, j.IsGrantable(), text)
		require.Empty(t, j.Warnings, text)
	}
}
