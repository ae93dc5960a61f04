package executor_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/test/unittest"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// terminalHelper makes the test binary run one command through an executor while it has a terminal, and print
// the command's output.
const terminalHelper = "BLUNUX_TEST_TERMINAL_HELPER"

func TestMain(m *testing.M) {
	unittest.RunRecorder()
	if os.Getenv(terminalHelper) != "" {
		helpWithTerminal()
		return
	}
	goleak.VerifyTestMain(m)
}

// plenty is a timeout that no test should reach.
const plenty = 5 * time.Minute

func newExecutor(o executor.Options) *executor.Executor { return executor.New(o) }

func sh(script string) shell.Command { return shell.Command{Argv: []string{"sh", "-c", script}} }

func mustRun(t *testing.T, x *executor.Executor, c shell.Command) executor.Result {
	t.Helper()
	r, err := x.Run(t.Context(), executor.Job{Command: c, Dir: t.TempDir(), Timeout: plenty})
	require.NoError(t, err)
	return r
}

func TestStdoutAndStderrAreApart(t *testing.T) {
	r := mustRun(t, newExecutor(executor.Options{}), sh("echo out; echo err >&2; echo out2"))
	require.Equal(t, "out\nout2\n", r.Stdout)
	require.Equal(t, "err\n", r.Stderr)
	require.Equal(t, 13, r.Bytes)
	require.Zero(t, r.Exit)
	require.False(t, r.Cut)
	require.False(t, r.TimedOut)
	require.Positive(t, r.Took)
}

func TestTheExitStatusIsTold(t *testing.T) {
	for script, want := range map[string]int{
		"exit 0": 0, "exit 3": 3, "exit 255": 255,
		"kill -TERM $$": 128 + 15, "kill -KILL $$": 128 + 9, "kill -SEGV $$": 128 + 11,
	} {
		r := mustRun(t, newExecutor(executor.Options{}), sh(script))
		require.Equal(t, want, r.Exit, script)
		require.False(t, r.TimedOut)
	}
}

func TestWhatCannotBeStartedIsAnError(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644))
	x := newExecutor(executor.Options{})
	for name, argv := range map[string][]string{
		"no such program":      {"surely-there-is-no-such-program"},
		"no such file":         {filepath.Join(dir, "none")},
		"not executable":       {plain},
		"a directory":          {dir},
		"a relative path":      {"./sh"},
		"an empty name":        {""},
		"nothing at all":       nil,
		"a NUL in an argument": {"echo", "a\x00b"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := x.Run(t.Context(), executor.Job{Command: shell.Command{Argv: argv}, Dir: dir, Timeout: plenty})
			require.Error(t, err)
			require.Equal(t, executor.Result{Exit: -1}, r)
		})
	}
	_, err := x.Run(t.Context(), executor.Job{Command: shell.Command{Argv: []string{"surely-there-is-no-such-program"}}, Dir: dir, Timeout: plenty})
	require.ErrorIs(t, err, exec.ErrNotFound)
	_, err = x.Run(t.Context(), executor.Job{Command: sh("true"), Dir: filepath.Join(dir, "gone"), Timeout: plenty})
	require.Error(t, err, "a working directory that is gone")
}

func TestACommandRunsWhereItIsTold(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r, err := newExecutor(executor.Options{}).Run(t.Context(), executor.Job{Command: shell.Command{Argv: []string{"pwd"}}, Dir: dir, Timeout: plenty})
	require.NoError(t, err)
	require.Equal(t, dir+"\n", r.Stdout)
}

// TestTheEnvironmentIsExactlyTheShortList sets unwanted variables in both possible sources.
func TestTheEnvironmentIsExactlyTheShortList(t *testing.T) {
	planted := map[string]string{
		"ANTHROPIC_API_KEY": "sk-secret", "DEEPSEEK_API_KEY": "sk-secret", "LD_PRELOAD": "/evil.so", "LD_LIBRARY_PATH": "/evil",
		"BASH_ENV": "/evil.sh", "ENV": "/evil.sh", "PATH": "/evil", "LESSOPEN": "|evil", "PAGER": "evil", "GIT_PAGER": "evil",
		"IFS": "x", "PYTHONSTARTUP": "/evil.py", "CREDENTIALS_DIRECTORY": "/run/credentials", "SSH_AUTH_SOCK": "/agent",
		"BLUNUX_AI_HOME": "/secret", "NOTIFY_SOCKET": "/n", "LISTEN_FDS": "1", "LC_ALL": "ko_KR.UTF-8", "TERM": "xterm",
	}
	for name, value := range planted {
		if name != "LD_PRELOAD" && name != "LD_LIBRARY_PATH" { // these would affect the test itself
			t.Setenv(name, value)
		}
	}
	passed := map[string]string{
		"HOME": "/home/blu", "USER": "blu", "LOGNAME": "blu", "SHELL": "/bin/zsh", "TZ": "Asia/Seoul",
		"XDG_RUNTIME_DIR": "/run/user/1000", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/k",
		"XDG_STATE_HOME": "/s", "XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "KDE",
		"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus", "DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "XAUTHORITY": "/x",
		"SWAYSOCK": "/run/user/1000/sway-ipc.1000.1.sock", "HYPRLAND_INSTANCE_SIGNATURE": "abc",
	}
	fixed := []string{
		"PATH=/usr/bin:/usr/sbin:/bin:/sbin:/usr/local/bin", "LC_ALL=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "COLUMNS=200",
		"PAGER=cat", "SYSTEMD_PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "LESSSECURE=1", "SYSTEMD_COLORS=0", "MANOPT=-C /dev/null -M /usr/share/man:/usr/local/share/man",
	}
	environment := func(getenv func(string) string) []string {
		r := mustRun(t, newExecutor(executor.Options{Getenv: getenv}), shell.Command{Argv: []string{"env"}})
		got := strings.Split(strings.TrimSuffix(r.Stdout, "\n"), "\n")
		slices.Sort(got)
		return got
	}
	want := slices.Clone(fixed)
	slices.Sort(want)
	require.Equal(t, want, environment(nil), "by default nothing is picked")

	for name, value := range passed {
		want = append(want, name+"="+value)
	}
	slices.Sort(want)
	require.Equal(t, want, environment(func(name string) string { return passed[name] + planted[name] }))
}

func TestAShellReadsNoStartUpFile(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{".bashrc", ".bash_profile", ".profile", ".bash_login", "env.sh"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte("echo START-UP FILE\n"), 0o600))
	}
	t.Setenv("BASH_ENV", filepath.Join(home, "env.sh"))
	x := newExecutor(executor.Options{Getenv: func(name string) string {
		return map[string]string{"HOME": home, "BASH_ENV": filepath.Join(home, "env.sh")}[name]
	}})
	r := mustRun(t, x, shell.Command{Shell: `echo "$BASH_VERSION" | cut -c1; echo "[$BASH_ENV]"; for i in {1..3}; do echo $i; done`})
	require.NotContains(t, r.Stdout, "START-UP")
	require.Contains(t, r.Stdout, "[]\n1\n2\n3\n", "bash grammar, the one it was judged by")
}

func TestProgramsAreLookedUpInTheFixedDirectoriesOnly(t *testing.T) {
	evil, good := t.TempDir(), t.TempDir()
	for dir, says := range map[string]string{evil: "evil", good: "good"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "prog"), []byte("#!/bin/sh\necho "+says+"\n"), 0o755))
	}
	t.Setenv("PATH", evil)
	_, err := newExecutor(executor.Options{}).FindProgram("prog")
	require.ErrorIs(t, err, exec.ErrNotFound)

	x := newExecutor(executor.Options{Path: []string{good, "/usr/bin", "/bin"}, Getenv: os.Getenv})
	file, err := x.FindProgram("prog")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(good, "prog"), file)
	require.Equal(t, "good\n", mustRun(t, x, shell.Command{Argv: []string{"prog"}}).Stdout)
	require.Equal(t, "good\n", mustRun(t, x, shell.Command{Shell: "prog"}).Stdout, "a shell looks there too")
}

func TestStandardInputIsEmpty(t *testing.T) {
	r := mustRun(t, newExecutor(executor.Options{}), sh("readlink /proc/self/fd/0; cat; read line || echo end of input"))
	require.Equal(t, "/dev/null\nend of input\n", r.Stdout)
}

// TestACommandHasNoTerminal gives this program a terminal first, which a command could inherit by mistake.
func TestACommandHasNoTerminal(t *testing.T) {
	self := exec.Command(os.Args[0])
	self.Env = append(os.Environ(), terminalHelper+"=1")
	terminal, err := pty.Start(self)
	require.NoError(t, err)
	defer terminal.Close()
	var seen strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := terminal.Read(buf)
		seen.Write(buf[:n])
		if err != nil {
			break // EIO after the other side is closed
		}
	}
	require.NoError(t, self.Wait(), seen.String())
	out := seen.String()
	require.Contains(t, out, "PROGRAM HAS A TERMINAL")
	require.Contains(t, out, "not a tty")
	require.Contains(t, out, "COMMAND HAS NONE")
	require.NotContains(t, out, "COMMAND HAS ONE")
}

func helpWithTerminal() {
	if f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		f.Close()
		fmt.Println("PROGRAM HAS A TERMINAL")
	}
	r, err := executor.New(executor.Options{}).Run(context.Background(), executor.Job{
		Command: sh("tty; if (exec 3<>/dev/tty) 2>/dev/null; then echo COMMAND HAS ONE; else echo COMMAND HAS NONE; fi"),
		Dir:     "/", Timeout: plenty,
	})
	fmt.Println(r.Stdout, r.Stderr, err)
}

// runPastTimeout runs a command that does not end by itself until its timeout, a longer one while it has not come far
// enough: a busy machine starts it late.
func runPastTimeout(t *testing.T, o executor.Options, c shell.Command, far func(executor.Result) bool) executor.Result {
	for limit := 500 * time.Millisecond; ; limit *= 2 {
		r, err := newExecutor(o).Run(t.Context(), executor.Job{Command: c, Dir: t.TempDir(), Timeout: limit})
		require.NoError(t, err)
		require.True(t, r.TimedOut)
		if far(r) {
			return r
		}
		require.Less(t, limit, plenty)
	}
}

func TestThreat26ATimeoutEndsTheWholeGroupEvenIfItIgnoresTerm(t *testing.T) {
	for name, script := range map[string]string{
		"one that ignores it":          `trap "" TERM; echo $$; while :; do sleep 60; done`,
		"a child that ignores it":      `sh -c 'trap "" TERM; echo $$; while :; do sleep 60; done' & echo $$; wait`,
		"all of them ignore it":        `trap "" TERM; sh -c 'echo $$; while :; do sleep 60; done' & echo $$; while :; do wait; sleep 60; done`,
		"one that let go of its pipes": `(trap "" TERM; exec >/dev/null 2>&1; while :; do sleep 60; done) & echo $! $$; wait`,
		"one that obeys":               `sleep 60 & echo $! $$; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runPastTimeout(t, executor.Options{}, sh(script), func(r executor.Result) bool { return r.Stdout != "" })
			require.Greater(t, r.Exit, 128)
			list := unittest.PIDs(t, r.Stdout)
			require.NotEmpty(t, list)
			for _, pid := range list {
				unittest.WaitEnded(t, pid)
			}
		})
	}
}

func TestAGrandchildThatHoldsThePipeDoesNotHoldUs(t *testing.T) {
	t.Parallel()
	r, err := newExecutor(executor.Options{}).Run(t.Context(), executor.Job{Command: sh("sleep 600 & echo $!"), Dir: t.TempDir(), Timeout: plenty})
	require.NoError(t, err)
	pid := unittest.PIDs(t, r.Stdout)[0]
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	unittest.WaitEnded(t, pid)
	require.Zero(t, r.Exit)
	require.False(t, r.TimedOut)
	require.Less(t, r.Took, plenty/2)
}

func TestACancelledContextEndsTheCommand(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "started")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan executor.Result, 1)
	errs := make(chan error, 1)
	go func() {
		r, err := newExecutor(executor.Options{}).Run(ctx, executor.Job{Command: sh("echo $$ | tee " + fifo + "; exec sleep 600"), Dir: "/", Timeout: plenty})
		done <- r
		errs <- err
	}()
	pid, err := os.ReadFile(fifo) // returns after the command has written
	require.NoError(t, err)
	cancel()
	r := <-done
	require.ErrorIs(t, <-errs, context.Canceled)
	require.False(t, r.TimedOut, "cancelled is not timed out")
	for _, pid := range unittest.PIDs(t, string(pid)) {
		unittest.WaitEnded(t, pid)
	}
}

func TestAContextThatIsOverStartsNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newExecutor(executor.Options{}).Run(ctx, executor.Job{Command: sh("touch " + filepath.Join(dir, "ran")), Dir: dir, Timeout: plenty})
	require.ErrorIs(t, err, context.Canceled)
	require.NoFileExists(t, filepath.Join(dir, "ran"))
}

func TestThreat25AHundredMegabytesAreCutAndNotHeld(t *testing.T) {
	x := newExecutor(executor.Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := mustRun(t, x, sh("head -c 100000000 /dev/zero | tr '\\0' x; head -c 100000000 /dev/zero | tr '\\0' y >&2"))
	runtime.ReadMemStats(&after)
	require.Equal(t, 200_000_000, r.Bytes)
	require.True(t, r.Cut)
	require.Less(t, len(r.Stdout), 51<<10)
	require.Less(t, len(r.Stderr), 51<<10)
	require.Contains(t, r.Stdout, "[… cut: 99948800 bytes, 0 lines left out …]")
	require.True(t, strings.HasPrefix(r.Stdout, "xxx") && strings.HasSuffix(r.Stdout, "xxx"))
	require.True(t, strings.HasPrefix(r.Stderr, "yyy") && strings.HasSuffix(r.Stderr, "yyy"))
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "200 MB went through, almost nothing was allocated")
}

func TestEndlessOutputIsCutUntilTimeIsUp(t *testing.T) {
	t.Parallel()
	x := newExecutor(executor.Options{MaxBytes: 1 << 10, MaxLines: 20})
	r, err := x.Run(t.Context(), executor.Job{Command: shell.Command{Argv: []string{"yes"}}, Dir: "/", Timeout: 200 * time.Millisecond})
	require.NoError(t, err)
	require.True(t, r.TimedOut)
	require.True(t, r.Cut)
	require.Equal(t, 128+15, r.Exit)
	require.Greater(t, r.Bytes, 1<<20)
	require.Contains(t, r.Stdout, "lines left out")
	require.Len(t, strings.Split(strings.TrimSuffix(r.Stdout, "\n"), "\n"), 21)
}

func TestTheLimitsHoldForEachStream(t *testing.T) {
	x := newExecutor(executor.Options{MaxLines: 4})
	r := mustRun(t, x, sh("seq 1 9; seq 11 14 >&2"))
	require.Equal(t, "1\n2\n3\n[… cut: 10 bytes, 5 lines left out …]\n9\n", r.Stdout)
	require.Equal(t, "11\n12\n13\n14\n", r.Stderr)
	require.True(t, r.Cut)
}
