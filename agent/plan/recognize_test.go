package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/shell"
)

func TestRecognize(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]Verb{
		"pacman -S ripgrep":                                                   {Action: Install, Targets: []string{"ripgrep"}},
		"sudo pacman -S ripgrep":                                              {Action: Install, Targets: []string{"ripgrep"}},
		"sudo -n pacman -S --noconfirm -- ripgrep fd":                         {Action: Install, Targets: []string{"ripgrep", "fd"}},
		"run0 -- pacman -S --needed extra/vlc":                                {Action: Install, Targets: []string{"vlc"}},
		"pkexec pacman --sync --refresh vlc":                                  {Action: Install, Targets: []string{"vlc"}},
		"doas pacman -Syu vlc":                                                {Action: Install, Targets: []string{"vlc"}},
		"/usr/bin/sudo /usr/bin/pacman -S a":                                  {Action: Install, Targets: []string{"a"}},
		"yay -S google-chrome":                                                {Action: Install, Targets: []string{"google-chrome"}},
		"paru -S --noconfirm paru-bin":                                        {Action: Install, Targets: []string{"paru-bin"}},
		"yay -S --noconfirm --sudoloop=false --sudo=sudo --sudoflags=-n -- x": {Action: Install, Targets: []string{"x"}},
		"yay -S --makepkg=/usr/lib/blunux-ai/blunux-ai-extra -- x":            {Action: Install, Targets: []string{"x"}},
		"paru -Syu --makepkg=/usr/lib/blunux-ai/blunux-ai-extra":              {Action: Upgrade},
		"pacman -U /tmp/a-b-1:2.0-3-x86_64.pkg.tar.zst":                       {Action: Install, Targets: []string{"a-b"}, Versions: []string{"1:2.0-3"}},
		"sudo pacman -Rns htop":                                               {Action: Remove, Targets: []string{"htop"}},
		"sudo pacman -R htop htop":                                            {Action: Remove, Targets: []string{"htop"}},
		"sudo pacman -Syu":                                                    {Action: Upgrade},
		"sudo pacman -Syyu --noconfirm":                                       {Action: Upgrade},
		"sudo pacman -Su":                                                     {Action: Upgrade},
		"yay":                                                                 {Action: Upgrade},
		"systemd-run --user --collect -p ExitType=cgroup -- xdg-open '/a b'":  {Action: Open, Targets: []string{"xdg-open", "/a b"}},
		"lp -- '/home/kim/a b.pdf'":                                           {Action: Print, Targets: []string{"/home/kim/a b.pdf"}},
		"systemctl suspend":                                                   {Action: Leave},
		"systemctl poweroff":                                                  {Action: Leave},
		"loginctl terminate-session 3":                                        {Action: Leave},
		"systemctl restart nginx":                                             {Action: Restart, Targets: []string{"nginx"}},
		"sudo systemctl enable --now sshd.service cups.socket":                {Action: Enable, Targets: []string{"sshd.service", "cups.socket"}, Now: true},
		"systemctl --user start a@1":                                          {Action: Start, Targets: []string{"a@1"}, User: true},
		"systemctl --no-ask-password disable -- cups":                         {Action: Disable, Targets: []string{"cups"}},
		"systemctl mask --now 'dev-sda\\x2d1.swap'":                           {Action: Mask, Targets: []string{`dev-sda\x2d1.swap`}, Now: true},
		"systemctl unmask x":                                                  {Action: Unmask, Targets: []string{"x"}},
	} {
		argv, literal := shell.ParseLiteral(command)
		require.True(t, literal, command)
		got, ok := Recognize(argv)
		require.True(t, ok, command)
		require.Equal(t, want, got, command)
	}
	got, ok := Recognize([]string{"env", "PACMAN_AUTH=run0", "yay", "-S", "--noconfirm", "--sudo=run0", "--sudoflags=", "--", "x"})
	require.True(t, ok)
	require.Equal(t, Verb{Action: Install, Targets: []string{"x"}}, got)
}

func TestWhatIsNotRecognized(t *testing.T) {
	t.Parallel()
	for _, command := range strings.Split(strings.TrimSpace(`
pacman
pacman -S
pacman -Sy
pacman -Sw vlc
pacman -S --downloadonly vlc
pacman -Ss vlc
pacman -Sc
pacman -Q vlc
pacman -Qi -S vlc
pacman -SR vlc
pacman -S --root /mnt vlc
pacman -S -r /mnt vlc
pacman -S --overwrite vlc
pacman -Syu --ignore linux
pacman -S --sudo=x vlc
pacman -Rdd vlc
pacman -R extra/vlc
pacman -R --print vlc
pacman -S 'vlc>3'
pacman -S ./vlc
pacman -U https://example.org/
pacman -U vlc.pkg
pacman -U a-1-1-any.pkg.tar.zst a-2-1-any.pkg.tar.zst
pacman -S -
sudo yay -S vlc
sudo -u me pacman -S vlc
sudo -i pacman -S vlc
sudo FOO=1 pacman -S vlc
sudo sudo pacman -S vlc
sudo
/tmp/pacman -S vlc
./pacman -S vlc
env A=1 pacman -S vlc
yay --show
systemctl
systemctl start
systemctl status nginx
systemctl start nginx*
systemctl start 'nginx?'
systemctl --root=/mnt enable nginx
systemctl -H host start nginx
systemctl -M box start nginx
systemctl --runtime enable nginx
systemctl enable --force nginx
systemctl --no-block start nginx
systemctl start --now nginx
systemctl enable /etc/x.service
systemctl daemon-reload
systemctl isolate multi-user.target
systemctl --user --system start nginx
sudo systemctl --user restart x
bash -c 'pacman -S vlc'
timeout 5 pacman -S vlc
`), "\n") {
		argv, literal := shell.ParseLiteral(command)
		if !literal {
			require.Contains(t, command, "*", command) // never asked
			continue
		}
		v, ok := Recognize(argv)
		require.False(t, ok, "%s: %+v", command, v)
	}
	_, ok := Recognize(nil)
	require.False(t, ok)
}

// TestOnlyOneLiteralCommandIsRecognized: with anything around or in a recognised command, what the shell would
// expand, redirect or run in addition is never recognised.
func TestOnlyOneLiteralCommandIsRecognized(t *testing.T) {
	t.Parallel()
	commands := []string{"pacman -S vlc", "sudo pacman -Rns htop", "sudo pacman -Syu", "systemctl --user restart nginx", "yay -S x"}
	around := []string{
		"%s; rm x", "%s && true", "%s || true", "%s | cat", "%s &", "! %s", "%s > /tmp/x", "%s 2>&1", "X=1 %s", "%s $X", "%s ${X}", "%s $(id)",
		"%s `id`", "%s *", "%s ~/x", "%s {a,b}", "(%s)", "{ %s; }", "if %s; then true; fi", "%s <<< x", "%s\nrm x", "eval %s", "time -p %s",
		"%s 'a b'", "%s ''", "%s --unknown", "%s -z",
	}
	rapid.Check(t, func(t *rapid.T) {
		command := rapid.SampledFrom(commands).Draw(t, "command")
		source := strings.ReplaceAll(rapid.SampledFrom(around).Draw(t, "around"), "%s", command)
		argv, literal := shell.ParseLiteral(source)
		if !literal {
			return
		}
		_, ok := Recognize(argv)
		require.False(t, ok, source)
	})
}

// TestRecognizedWordsAreNames: for any words, the targets of a recognised verb are names that cannot be taken
// for options or patterns, and the looks contain nothing else.
func TestRecognizedWordsAreNames(t *testing.T) {
	t.Parallel()
	word := rapid.OneOf(rapid.SampledFrom(strings.Fields(
		`sudo -n pacman yay systemctl -S -Sy -Syu -R -Rns -U --noconfirm -- --user --now start enable restart vlc extra/vlc nginx.service a-1-1-any.pkg.tar.zst`)), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		v, ok := Recognize(rapid.SliceOfN(word, 0, 8).Draw(t, "argv"))
		if !ok {
			return
		}
		looks := v.Before()
		if next, more := v.Next(nil, nil); more {
			looks = append(looks, next)
		}
		require.NotEmpty(t, looks)
		for _, name := range v.Targets {
			require.True(t, IsPackageName(name) || IsUnitName(name), name)
			require.False(t, strings.HasPrefix(name, "-"), name)
		}
		for _, look := range looks {
			require.Contains(t, []string{"pacman", "systemctl"}, look[0])
			if i := slices.Index(look, "--"); i >= 0 {
				require.Equal(t, v.Targets, look[i+1:])
			}
		}
	})
}

func TestUnattended(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"sudo pacman -S vlc":           "pacman -S --noconfirm vlc",
		"sudo pacman -S -- vlc":        "pacman -S --noconfirm -- vlc",
		"sudo -n pacman --needed -S a": "pacman --needed --noconfirm -S a",
		"doas pacman -Syu":             "pacman -Syu --noconfirm",
		"pacman -Rns vlc":              "pacman -Rns --noconfirm vlc",
	} {
		argv, _ := shell.ParseLiteral(command)
		got, _, elevated, ok := Unattended(argv)
		require.True(t, ok, command)
		require.Equal(t, want, strings.Join(got, " "))
		require.Equal(t, !strings.HasPrefix(command, "pacman"), elevated)
	}
	for _, command := range []string{"sudo pacman -S --noconfirm vlc", "yay -S vlc", "sudo pacman -Sc", "systemctl start x", "ls"} {
		argv, _ := shell.ParseLiteral(command)
		_, _, _, ok := Unattended(argv)
		require.False(t, ok, command)
	}
}
