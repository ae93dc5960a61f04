package executor_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/test/unittest"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// bashMark is what the bash of a countingPath prints first.
const bashMark = "bash was started\n"

// countingPath returns the program directories with a bash in front that prints when it is started.
func countingPath(t *testing.T) []string {
	dir := t.TempDir()
	script := "#!/bin/sh\necho '" + strings.TrimSpace(bashMark) + "'\nexec /bin/bash \"$@\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bash"), []byte(script), 0o755))
	return []string{dir, "/usr/bin", "/bin"}
}

// ways returns the ways in which a command is started: as a child, in a cell, in one that waits for it, and in a unit.
func ways(t *testing.T, o executor.Options) map[string]func(c shell.Command, dir string, limit time.Duration) executor.Result {
	o.Sandbox = sandbox.New(sandbox.Options{Dir: filepath.Join(t.TempDir(), "sandbox")})
	o.Units = unit.New(unit.Options{Dir: filepath.Join(t.TempDir(), "runs"), Recorder: os.Args[0], Manager: unittest.New(t)})
	x := executor.New(o)
	way := func(change func(*executor.Job)) func(shell.Command, string, time.Duration) executor.Result {
		return func(c shell.Command, dir string, limit time.Duration) executor.Result {
			j := executor.Job{Command: c, Dir: dir, Timeout: limit}
			change(&j)
			r, err := x.Run(t.Context(), j)
			require.NoError(t, err, c)
			if r.HasFiles() {
				require.NoError(t, r.RemoveFiles())
			}
			return executor.Result{Stdout: r.Stdout, Stderr: r.Stderr, Exit: r.Exit, TimedOut: r.TimedOut}
		}
	}
	count := 0
	return map[string]func(shell.Command, string, time.Duration) executor.Result{
		"child": way(func(*executor.Job) {}),
		"cell":  way(func(j *executor.Job) { j.Cells = []executor.Cell{{Command: j.Command}} }),
		"waiting cell": way(func(j *executor.Job) {
			t.Cleanup(x.Anticipate())
			j.Cells = []executor.Cell{{Command: j.Command}}
		}),
		"unit": way(func(j *executor.Job) {
			count++
			j.Unit = "run-" + strings.Repeat("x", count)
		}),
	}
}

// TestAPlainCommandIsStartedWithoutBash counts the programs that are started after the cell or the unit's recorder: one
// for a plain command, and bash before it for all others.
func TestAPlainCommandIsStartedWithoutBash(t *testing.T) {
	for name, run := range ways(t, executor.Options{Path: countingPath(t)}) {
		for source, bash := range map[string]bool{
			"uname":                false,
			"'uname' -s":           false,
			"/usr/bin/uname":       false,
			"ldd --help":           false, // a script
			"uname | cat":          true,
			"uname 2>&1":           true,
			"X=1 uname":            true,
			"uname $X":             true,
			"! uname":              true,
			"echo a":               true,
			"printf a":             true,
			"test a":               true,
			"pwd":                  true,
			"env":                  true,
			"printenv PATH":        true,
			"surely-no-such-thing": true,
		} {
			r := run(shell.Command{Shell: source}, "/", plenty)
			require.Equal(t, bash, strings.HasPrefix(r.Stdout, bashMark), "%s: %s: %+v", name, source, r)
		}
	}
}

// TestAPlainCommandRunsAsInBash compares plain commands with the same ones in bash: what they print, their status, their
// environment, and what is printed where they cannot be started.
func TestAPlainCommandRunsAsInBash(t *testing.T) {
	real, dir := t.TempDir(), filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(real, dir))
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(real, name)
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	binary, err := os.ReadFile("/bin/true")
	require.NoError(t, err)
	sources := []string{
		"cat /proc/self/environ", "readlink /proc/self/cwd", "cat /nonexistent", "uname --no-such-option", "nproc", "ls /proc/self/fd",
		"grep -E '^(Sig[PBIC]|Shd)' /proc/self/status", "cat /proc/self/limits", "head -c 20 /proc/self/cmdline",
		"surely-no-such-thing -x", "/nonexistent/program", real, "./plain", "..", "/",
		write("plain", "echo not a program\n", 0o644), write("no-shebang", "echo run by bash: $0\n", 0o755), write("empty", "", 0o755),
		write("no-interpreter", "#!/nonexistent/interpreter\n", 0o755), write("relative", "#!interpreter\n", 0o755),
		write("script", "#!/bin/sh\necho \"$0\" \"$@\" \"$_\"\n", 0o755) + " 'a  b'", write("garbage", "\x7fELF\x01\x02\x03garbage", 0o755),
		write("other-machine", string(binary[:18])+"\xff\xff"+string(binary[20:]), 0o755), write("copy", string(binary), 0o755),
		write("no-loader", strings.Replace(string(binary), "/ld-linux", "/no-linux", 1), 0o755), write("half", string(binary[:100]), 0o755),
		write("killed", "#!/bin/sh\nkill -KILL $$\n", 0o755), write("segv", "#!/bin/sh\nkill -SEGV $$\n", 0o755),
		write("status", "#!/bin/sh\nexit 126\n", 0o755), write("group", "#!/bin/sh\nps -o pid=,pgid=,sid= -p $$ | tr -s ' ' '\\n' | grep . | sort -u | wc -l\n", 0o755),
	}
	env := map[string]string{"HOME": real, "SHELL": "/bin/zsh", "DISPLAY": ":0"}
	for variant, o := range map[string]executor.Options{
		"usual": {Getenv: func(name string) string { return env[name] }},
		"bare":  {Path: []string{real, "/usr/bin", "/bin"}},
	} {
		for name, run := range ways(t, o) {
			for _, source := range sources {
				bash := shell.Command{Argv: shell.Command{Shell: source}.Args()}
				want, got := run(bash, dir, plenty), run(shell.Command{Shell: source}, dir, plenty)
				if strings.HasSuffix(source, "environ") {
					want.Stdout, got.Stdout = sortedVariables(want.Stdout), sortedVariables(got.Stdout)
					require.Contains(t, got.Stdout, "\nPWD="+real+"\n", name)
				}
				require.Equal(t, want, got, "%s %s: %s", variant, name, source)
			}
		}
	}
}

// privateTmp is the part of a cell's temporary directory that differs each time.
var privateTmp = regexp.MustCompile(`/run-[0-9]+`)

// sortedVariables returns the content of /proc/PID/environ with a variable a line, sorted.
func sortedVariables(environ string) string {
	list := strings.Split(privateTmp.ReplaceAllString(environ, "/run"), "\x00")
	slices.Sort(list)
	return strings.Join(list, "\n") + "\n"
}

// TestAPlainCommandEndsAtItsTimeout also covers the processes that it has started.
func TestAPlainCommandEndsAtItsTimeout(t *testing.T) {
	for name, run := range ways(t, executor.Options{}) {
		var r executor.Result
		for limit := 500 * time.Millisecond; r.Stdout == "" && limit < plenty; limit *= 2 { // a busy machine starts it late
			r = run(shell.Command{Shell: "sh -c 'sleep 600 & sleep 600 & echo $!; wait'"}, "/", limit)
			require.True(t, r.TimedOut, name)
		}
		unittest.WaitEnded(t, unittest.PIDs(t, r.Stdout)[0])
	}
}

// TestAProgramThatCannotBeExecutedIsSkipped has names in the first directory that this user cannot execute: bash takes
// the next ones.
func TestAProgramThatCannotBeExecutedIsSkipped(t *testing.T) {
	first := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(first, "uname"), []byte("#!/bin/sh\necho wrong\n"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(first, "nproc"), 0o755))
	x := executor.New(executor.Options{Path: []string{first, "/usr/bin", "/bin"}})
	require.Equal(t, "Linux\n", mustRun(t, x, shell.Command{Shell: "uname"}).Stdout)
	require.Equal(t, 0, mustRun(t, x, shell.Command{Shell: "nproc"}).Exit)
}

// BenchmarkPlainCommand starts a program that does nothing, alternately without and with bash, as a child and in a cell.
func BenchmarkPlainCommand(b *testing.B) {
	x := executor.New(executor.Options{Sandbox: sandbox.New(sandbox.Options{
		Dir: filepath.Join(b.TempDir(), "sandbox"), Helper: os.Getenv("BLUNUX_AI_TEST_CELL"),
	})})
	require.NoError(b, x.CanConfine(sandbox.Needs{}))
	plain := shell.Command{Shell: "/bin/true"}
	for name, needs := range map[string]*sandbox.Needs{"child": nil, "cell": {}} {
		b.Run(name, func(b *testing.B) {
			var direct, inBash []time.Duration
			for b.Loop() {
				direct = append(direct, took(b, x, needs, plain))
				inBash = append(inBash, took(b, x, needs, shell.Command{Argv: plain.Args()}))
			}
			slices.Sort(direct)
			slices.Sort(inBash)
			d, w := direct[len(direct)/2], inBash[len(inBash)/2]
			b.ReportMetric(float64(d.Microseconds()), "direct-µs")
			b.ReportMetric(float64(w.Microseconds()), "bash-µs")
			b.ReportMetric(float64((w - d).Microseconds()), "saved-µs")
		})
	}
}

func took(b *testing.B, x *executor.Executor, needs *sandbox.Needs, c shell.Command) time.Duration {
	start := time.Now()
	r, err := x.Run(b.Context(), executor.Job{Command: c, Dir: "/", Timeout: plenty, Confine: needs})
	require.NoError(b, err)
	require.Zero(b, r.Exit)
	return time.Since(start)
}
