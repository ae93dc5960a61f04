package safety

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"
)

// bash runs a text like the executor, in its own directory and environment.
func bash(t interface{ Fatalf(string, ...any) }, dir, home, source string) string {
	out, ended := runBash(dir, home, source, time.Minute)
	if !ended {
		t.Fatalf("%q did not end", source)
	}
	return out
}

// runBash runs bash with a time limit; ended is false if it was reached.
func runBash(dir, home, source string, limit time.Duration) (printed string, ended bool) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "--norc", "--noprofile", "-c", source)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "USER=blu", "XDG_RUNTIME_DIR=" + home + ".run"}
	cmd.WaitDelay = time.Second
	out, _ := cmd.Output() // most commands can fail here, because the programs' files do not exist
	return string(out), ctx.Err() == nil
}

func needBash(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("bash")
	require.NoError(t, err, "the program runs commands under bash, and so do its tests")
}

// fragments are the pieces words are made of.
var fragments = []string{
	"a", "b/c", "-x", "--long=1", "=", "~", "~/", "/", ".", "..", ",", ":", " ", "\\ ", `\a`, `\\`, `\"`, `'`, `'x y'`, `"p q"`, `""`, `"a\b\$c\\d"`, `$'\x41\n'`, `$'\101'`,
	`$'\u00e9'`, `$'a\'b'`, "{a,b}", "{1..3}", "{3..1}", "{x", "y}", "{a,{b,c}}", "{,z}", "$v", "$w", "${v}", `"$w"`, `"${w}x"`, "$HOME", `"$HOME/q"`, "${u:-d}", "${w#one}", "${v%e}", "${v:1:2}", "$IFS", "가", "#", "[", "]", "[[",
	"!", "%", "+", "@", "^", "x=~", "x=~/y", ":~", "x=a:~/b",
}

var otherHome = regexp.MustCompile(`~[^/ ]`)

// TestWordsAreEvaluatedAsBashDoes compares known argument lists with bash.
func TestWordsAreEvaluatedAsBashDoes(t *testing.T) {
	needBash(t)
	c := testChecker()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 4).Draw(t, "parts"), "")
		}), 1, 3).Draw(t, "words")
		source := "v=value; w='one two'; printf '<%s>' X " + strings.Join(words, " ")
		if otherHome.MatchString(source) {
			return // there are no other users here
		}
		file, err := parse(source)
		if err != nil || len(file.Stmts) != 3 {
			return
		}
		j := newJudge(c, "/home/blu")
		s := newScope(j, nil)
		s.file(file)
		call := file.Stmts[2].Cmd.(*syntax.CallExpr)
		lists := s.arguments(call.Args[2:])
		if len(lists) != 1 {
			return
		}
		want := ""
		for _, f := range lists[0].fields {
			text, ok := f.val.lit()
			if !ok || f.many {
				return
			}
			want += "<" + text + ">"
		}
		for _, text := range []string{source, printNode(file)} {
			if got := bash(t, dir, "/home/blu", text); got != want {
				t.Fatalf("%q: bash gives %q, the checker %q", text, got, want)
			}
		}
	})
}

// TestSafeCommandsWriteNothing runs every Safe command of the tests in an empty home and directory, and looks
// for changes.
func TestSafeCommandsWriteNothing(t *testing.T) {
	needBash(t)
	if testing.Short() {
		t.Skip("runs some hundred commands")
	}
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "a.txt"), []byte("a\nb\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(home, "sub"), 0o700))
	// for that top, inxi and the clients of sound and input create at their first use; in the sandbox they
	// cannot.
	for _, own := range []string{".config/procps", ".inxi", ".config/pulse", ".config/ibus/bus"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, own), 0o700))
	}
	require.NoError(t, os.Mkdir(home+".run", 0o700))
	c := New(Options{Home: home, User: "blu"})
	commands := lines(t, "read-only.txt")
	for _, r := range corpus(t) {
		commands = append(commands, r.command)
	}
	before := snapshot(t, home)
	ran := 0
	there := map[string]bool{}
	for _, command := range commands {
		v := c.Judge(command)
		if v.Class != Safe || slow(command) {
			continue
		}
		for _, name := range v.Programs {
			if p := c.programs[name]; p != nil {
				ran++
				_, err := exec.LookPath(name)
				there[name] = err == nil
			}
		}
		if _, ended := runBash(home, home, v.Source, 10*time.Second); !ended {
			t.Logf("waits for a service that is not here: %q", command)
		}
		after := snapshot(t, home)
		assert.Equal(t, before, after, "%q", command)
		before = after
	}
	require.Greater(t, ran, 300)
	var missing []string
	for name, installed := range there {
		if !installed {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	t.Logf("%d programs ran; not installed here: %s", len(there)-len(missing), strings.Join(missing, " "))
}

// TestT1AProgramThatWritesIntoTheHomeIsAskedAbout does not need the programs to be installed.
func TestT1AProgramThatWritesIntoTheHomeIsAskedAbout(t *testing.T) {
	for _, command := range []string{"fcitx5-diagnose", "fcitx5-diagnose | head -60"} {
		require.Equal(t, Confirm, testChecker().Judge(command).Class, command)
	}
}

// slow reports whether a command walks the whole file system or uses the network.
func slow(command string) bool {
	for _, part := range []string{
		" / ", "/usr", "ping", "dig", "host", "nslookup", "trace", "mtr", "ahosts", "sleep", "find /", "du ", "-s 1", "vmstat 1", "reflector", "resolvectl", "lsof", "sosreport", "iostat 1", "mpstat", "sar", "pidstat",
		"timedatectl", "hostnamectl", "localectl", "loginctl", "busctl", "systemctl", "networkctl", "bootctl", "coredumpctl", "machinectl",
	} {
		if strings.Contains(command+" ", part) {
			return true
		}
	}
	return false
}

// stamp returns a file's modification time. Directories are described by their contents.
func stamp(d fs.DirEntry, info fs.FileInfo) string {
	if d.IsDir() {
		return ""
	}
	return " " + info.ModTime().String()
}

// snapshot describes every file below a directory.
func snapshot(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		if d.Name() == ".cache" {
			return filepath.SkipDir // dconf and shader caches
		}
		info, err := d.Info()
		require.NoError(t, err)
		out = append(out, path+" "+info.Mode().String()+stamp(d, info))
		return nil
	})
	require.NoError(t, err)
	return out
}
