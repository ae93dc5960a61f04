package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// openShell opens an interactive shell with the installed integration in tmux, with a prompt of "> ".
func (d *machine) openShell(name string, env ...string) *screen {
	d.t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		skip(d.t, "no %s: %v", name, err)
	}
	d.write("config.toml", "[ai_agent]\nprovider = \"offline\"\n")
	d.shellCommand(name, "--install")
	d.env = append(d.env, append(env, "LC_ALL=C.UTF-8", "SHELL=/bin/"+name)...)
	prompt := map[string]string{
		"bash": "PS1='> '", "zsh": "PROMPT='> ' RPROMPT= PROMPT_EOL_MARK=", "fish": "function fish_prompt; echo -n '> '; end; set -g fish_greeting",
	}[name]
	file := map[string]string{"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}[name]
	f, err := os.OpenFile(filepath.Join(d.home, file), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(d.t, err)
	_, err = f.WriteString(prompt + "\n")
	require.NoError(d.t, err)
	require.NoError(d.t, f.Close())
	s := d.terminal(110, 40, name, "-i")
	s.wait(`(?m)^>`)
	return s
}

// shellCommand runs `blunux-ai shell` and returns what it prints.
func (d *machine) shellCommand(args ...string) string {
	d.t.Helper()
	cmd := exec.Command(binaries+"/blunux-ai", append([]string{"shell"}, args...)...)
	cmd.Env = d.env
	out, err := cmd.CombinedOutput()
	require.NoError(d.t, err, "%s", out)
	return string(out)
}

func TestTheKeyWritesACommandAndWhyExplains(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "zsh", "fish"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newMachine(t, "")
			s := d.openShell(name)
			s.say("export TMUX=" + s.sock + ",0,0 TMUX_PANE=%0")

			s.typeText("disk full?")
			s.wait(`> disk full\?`)
			s.press("C-g")
			shown := s.wait(`(?m)^> df -h`)
			require.NotContains(t, shown, "Filesystem", "it is not run")
			s.press("Enter")
			s.wait(`Filesystem`)
			s.say("clear")

			s.typeText("볼륨 50%로")
			s.wait(`볼륨 50%로`)
			s.press("C-g")
			s.wait(`> blunux-aictl ask '볼륨 50%로'`)
			s.press("C-c")
			s.wait(`(?s)로'.*\n>\s*\z`) // what is typed before the next prompt may be shown twice, or torn
			s.say("clear")

			s.say("cat /no/such/file")
			s.wait(`No such file`)
			s.say("why")
			s.wait(`(?s)cat ended with exit status 1\..*says why: cat: /no/such/file: No such file`)
			s.say("clear")
			s.say("true | sh -c 'exit 3' | cat")
			s.say("why")
			s.wait(`sh ended with exit status 3`)
			s.say("clear")
			s.say("nosuchprogram --x")
			s.wait(`nosuchprogram`)
			s.say("why")
			s.wait(`There is no program nosuchprogram \(exit status 127\)`)
			require.NotContains(t, s.look(), "blunux_ai", "no word of the script is shown")
		})
	}
}

// TestAMissingCommandSaysNothingThatIsNotKnown: without lists of files the shell says what it always does.
func TestAMissingCommandSaysNothingThatIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "zsh", "fish"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newMachine(t, "")
			s := d.openShell(name)
			s.say("nosuchhtop")
			s.wait(regexp.QuoteMeta("nosuchhtop") + `[^\n]*\n(.*\n)*>`)
			require.NotContains(t, s.look(), "blunux", "nothing is known: nothing is added")
		})
	}
}

func TestARecordedShellKeepsTheOutput(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "zsh", "fish"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newMachine(t, "")
			s := d.openShell(name)
			s.say("blunux-ai shell record")
			s.say("echo $BLUNUX_AI_TYPESCRIPT")
			s.wait(`blunux-ai-typescript-`)
			s.say("cat /no/such/file")
			s.wait(`No such file`)
			s.say("why")
			s.wait(`says why: cat: /no/such/file: No such file`)
			files, err := filepath.Glob(d.home + "/run/blunux-ai-typescript-*")
			require.NoError(t, err)
			require.Len(t, files, 1)
			info, err := os.Stat(files[0])
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
			s.say("exit")
			waitUntil(t, "the output to be deleted", func() bool { _, err := os.Stat(files[0]); return os.IsNotExist(err) })
		})
	}
}

// TestAShellStartsNothingOfOurs starts shells with the integration where no program can be found.
func TestAShellStartsNothingOfOurs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "zsh", "fish"} {
		path, err := exec.LookPath(name)
		if err != nil {
			skip(t, "no %s: %v", name, err)
		}
		d := newMachine(t, "")
		script := d.shellCommand(name)
		file := filepath.Join(d.home, "integration")
		require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
		options := map[string][]string{"bash": {"--norc", "-i"}, "zsh": {"-f", "-i"}, "fish": {"--no-config", "-i"}}[name]
		cmd := exec.Command("strace", append([]string{"-f", "-qq", "-e", "trace=execve,clone,fork,vfork,clone3", "-e", "signal=none", path},
			append(options, "-c", "echo began >&2; . "+file+"; echo ended >&2")...)...)
		cmd.Env = []string{"HOME=" + d.home, "PATH=/nowhere", "TERM=dumb"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		_, traced, ok := strings.Cut(string(out), "began\n")
		require.True(t, ok, "%s", out)
		traced, _, _ = strings.Cut(traced, "ended\n")
		require.NotContains(t, traced, "execve", name)
		require.NotContains(t, traced, "fork", name)
	}
}

// BenchmarkShellStart measures the start of an interactive shell with the integration, against one without. Goal: 5 ms more.
func BenchmarkShellStart(b *testing.B) {
	w := newWorld(b)
	for name, options := range map[string][]string{"bash": {"--norc", "-i"}, "zsh": {"-f", "-i"}, "fish": {"--no-config", "-i"}} {
		b.Run(name, func(b *testing.B) {
			script, _ := w.run(filepath.Join(binaries, "blunux-ai"), "shell", name)
			file := filepath.Join(b.TempDir(), "integration")
			check(b, os.WriteFile(file, []byte(script), 0o600))
			empty := filepath.Join(b.TempDir(), "empty")
			check(b, os.WriteFile(empty, nil, 0o600))
			var with, without []time.Duration
			for range pairs {
				_, took := w.run(name, append(options, "-c", ". "+file)...)
				_, base := w.run(name, append(options, "-c", ". "+empty)...)
				with, without = append(with, took), append(without, base)
			}
			ratios(b, name+"-start", with, without)
		})
	}
}
