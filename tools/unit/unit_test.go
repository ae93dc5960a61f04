package unit_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/test/unittest"
	"github.com/nidoit/blunux-ai/tools/unit"
	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// bench is a runner with its own manager.
type bench struct {
	*unit.Runner
	t       *testing.T
	dir     string
	manager *unittest.Manager
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "runs"), manager: unittest.New(t)}
	b.Runner = b.another()
	return b
}

// another returns the runner of a daemon that was started later.
func (b *bench) another() *unit.Runner {
	self, err := os.Executable()
	require.NoError(b.t, err)
	return unit.New(unit.Options{Dir: b.dir, Recorder: self, Manager: b.manager, Keep: 1000})
}

func spec(script string) unit.Spec {
	return unit.Spec{
		ID: "t1", Description: "a story", File: "/bin/sh", Argv: []string{"sh", "-c", script},
		Env: []string{"PATH=/usr/bin:/bin", "GREETING=hello"}, Dir: "/", Timeout: time.Minute, Note: json.RawMessage(`{"a":1}`),
	}
}

func (b *bench) run(s unit.Spec) unit.Result {
	b.t.Helper()
	run, err := b.Start(b.t.Context(), s)
	require.NoError(b.t, err)
	res, err := run.Wait(b.t.Context())
	require.NoError(b.t, err)
	return res
}

func TestACommandRunsWithWhatItWasGivenAndNothingElse(t *testing.T) {
	b := newBench(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := spec(`env | sort; pwd; umask; readlink /proc/self/fd/0; ls /proc/self/fd | wc -l; echo err >&2; exit 3`)
	s.Dir = dir
	res := b.run(s)
	require.Equal(t, 3, res.Exit)
	lines := strings.Split(string(res.Stdout.Head), "\n")
	require.Subset(t, lines, []string{"GREETING=hello", "PATH=/usr/bin:/bin", dir, "/dev/null"})
	require.NotContains(t, string(res.Stdout.Head), "NOTIFY_SOCKET")
	require.NotContains(t, string(res.Stdout.Head), "NOT=")
	require.Equal(t, "err\n", string(res.Stderr.Head))
	require.False(t, res.TimedOut)
	require.Positive(t, res.Took)

	started := b.manager.Started()
	require.Len(t, started, 1)
	require.Equal(t, "blunux-ai-run-t1.service", started[0].Name)
	require.Equal(t, "a story", started[0].Description)
	require.Equal(t, uint64(4096), started[0].Tasks)
	require.Greater(t, started[0].Memory, uint64(64<<20))
	require.Greater(t, started[0].Runtime, time.Minute)
}

func TestTheEndIsToldAsAShellWould(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 255": 255, "kill -KILL $$": 137, "kill -TERM $$": 143} {
		require.Equal(t, want, newBench(t).run(spec(script)).Exit, script)
	}
}

func TestACommandThatCannotBeStartedSaysWhy(t *testing.T) {
	for name, change := range map[string]func(*unit.Spec){
		"no such directory": func(s *unit.Spec) { s.Dir = "/there/is/none" },
		"no such program":   func(s *unit.Spec) { s.File = "/there/is/none" },
		"no program":        func(s *unit.Spec) { s.File = "/etc/passwd" },
	} {
		t.Run(name, func(t *testing.T) {
			s := spec("true")
			change(&s)
			res := newBench(t).run(s)
			require.Equal(t, -1, res.Exit)
			require.NotEmpty(t, res.Error)
		})
	}
}

func TestABrokenPipeInsideIsWhatItIsInATerminal(t *testing.T) {
	s := spec(`yes | head -n 1; echo "${PIPESTATUS[0]}"`)
	s.File, s.Argv[0] = "/bin/bash", "bash"
	require.Equal(t, "y\n141\n", string(newBench(t).run(s).Stdout.Head))
}

func TestBeginningAndEndOfLongOutputAreKept(t *testing.T) {
	b := newBench(t)
	res := b.run(spec(`seq 1 100000; seq 1 10 >&2`))
	require.Equal(t, int64(588895), res.Stdout.Bytes)
	require.Equal(t, int64(100000), res.Stdout.Lines)
	require.Len(t, res.Stdout.Head, 1000)
	require.Len(t, res.Stdout.Tail, 1000)
	require.True(t, strings.HasPrefix(string(res.Stdout.Head), "1\n2\n3\n"))
	require.True(t, strings.HasSuffix(string(res.Stdout.Tail), "99998\n99999\n100000\n"))
	require.Equal(t, int64(21), res.Stderr.Bytes)
	require.Empty(t, res.Stderr.Tail)
	fi, err := os.Stat(filepath.Join(b.dir, "t1", record.StdoutFile))
	require.NoError(t, err)
	require.Less(t, fi.Size(), int64(2100), "the disk holds no more than that")
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
}

func TestAProgramLeftInTheBackgroundGoesOn(t *testing.T) {
	b := newBench(t)
	fifo := filepath.Join(t.TempDir(), "go")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	// The background process prints after the command has ended, more than a pipe holds.
	run, err := b.Start(t.Context(), spec(`(read x <`+fifo+`; seq 1 100000; echo survived >`+fifo+`) & echo started`))
	require.NoError(t, err)
	res, err := run.Wait(t.Context())
	require.NoError(t, err)
	require.Zero(t, res.Exit)
	require.Equal(t, "started\n", string(res.Stdout.Head))
	require.NoError(t, run.Remove())

	require.NoError(t, os.WriteFile(fifo, []byte("now\n"), 0))
	said, err := os.ReadFile(fifo)
	require.NoError(t, err)
	require.Equal(t, "survived\n", string(said))
	require.NoDirExists(t, filepath.Join(b.dir, "t1"), "nothing more was kept")
}

func TestWhatIsKilledTellsWhatItPrintedUntilThen(t *testing.T) {
	for script, want := range map[string]int{
		"echo before; sleep 600":                                143,
		`trap "" TERM; echo before; while :; do sleep 60; done`: 137,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			run, err := b.Start(t.Context(), spec(script))
			require.NoError(t, err)
			b.awaitOutput("before\n")
			require.NoError(t, run.Kill(t.Context()))
			res, err := run.Wait(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, res.Exit)
			require.Equal(t, "before\n", string(res.Stdout.Head))
			require.False(t, res.TimedOut, "its time was not up")
		})
	}
}

// awaitOutput waits until the command has printed want.
func (b *bench) awaitOutput(want string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		data, _ := os.ReadFile(filepath.Join(b.dir, "t1", record.StdoutFile))
		return string(data) == want
	}, time.Minute, 5*time.Millisecond)
}

func TestAnEndFromOutsideAfterItsTimeIsATimeout(t *testing.T) {
	b := newBench(t)
	s := spec("echo before; sleep 600")
	s.Timeout = time.Nanosecond
	run, err := b.Start(t.Context(), s)
	require.NoError(t, err)
	b.awaitOutput("before\n")
	require.NoError(t, run.Kill(t.Context()))
	res, err := run.Wait(t.Context())
	require.NoError(t, err)
	require.True(t, res.TimedOut)
}

func TestTheNextDaemonFindsWhatTheLastOneLeft(t *testing.T) {
	b := newBench(t)
	fifo := filepath.Join(t.TempDir(), "go")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	_, err := b.Start(t.Context(), spec("read x <"+fifo+"; echo $x"))
	require.NoError(t, err)
	left, err := b.EarlierRuns(t.Context())
	require.NoError(t, err)
	require.Empty(t, left, "it is ours")

	next := b.another()
	left, err = next.EarlierRuns(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.JSONEq(t, `{"a":1}`, string(left[0].Note()))
	require.Equal(t, "t1", left[0].ID)
	again, err := next.EarlierRuns(t.Context())
	require.NoError(t, err)
	require.Empty(t, again, "told once")

	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("on its way out")
	cancel(reason)
	_, err = left[0].Wait(ctx)
	require.ErrorIs(t, err, reason, "it runs on")
	require.NoError(t, os.WriteFile(fifo, []byte("picked up\n"), 0))
	for range 2 {
		res, err := left[0].Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, "picked up\n", string(res.Stdout.Head))
	}
	require.NoError(t, left[0].Remove())
	left, err = b.another().EarlierRuns(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestD5ARunOfANewerProgramIsRefusedAndLeftAsItIs(t *testing.T) {
	b := newBench(t)
	_, err := b.Start(t.Context(), spec("true"))
	require.NoError(t, err)
	newer := filepath.Join(b.dir, "t2")
	require.NoError(t, os.Mkdir(newer, 0o700))
	job := []byte(`{"v":2,"description":"from the future"}`)
	require.NoError(t, os.WriteFile(filepath.Join(newer, "job.json"), job, 0o600))

	left, err := b.another().EarlierRuns(t.Context())
	require.Len(t, left, 1, "the other runs are found")
	var version *journal.VersionError
	require.ErrorAs(t, err, &version)
	require.Equal(t, "2", version.Version)
	kept, err := os.ReadFile(filepath.Join(newer, "job.json"))
	require.NoError(t, err)
	require.Equal(t, job, kept)
}

func TestARecorderThatIsKilledLeavesAnUnknownEnd(t *testing.T) {
	b := newBench(t)
	run, err := b.Start(t.Context(), spec("echo before; exec sleep 600"))
	require.NoError(t, err)
	b.awaitOutput("before\n")
	pid, err := b.manager.MainPID(run.Unit())
	require.NoError(t, err)
	child, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(pid) + "/children")
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	for range 2 {
		res, err := run.Wait(t.Context())
		require.ErrorIs(t, err, unit.ErrUnknown)
		require.Equal(t, "before\n", string(res.Stdout.Head), "what it said is told all the same")
	}
	for _, word := range strings.Fields(string(child)) {
		sleeper, err := strconv.Atoi(word)
		require.NoError(t, err)
		_ = syscall.Kill(sleeper, syscall.SIGKILL)
	}
}

func TestWhatWasNotStartedNeverStarts(t *testing.T) {
	b := newBench(t)
	b.manager.StartError = errors.New("no units today")
	trace := filepath.Join(t.TempDir(), "trace")
	require.ErrorContains(t, b.Available(t.Context()), "no units today")
	_, err := b.Start(t.Context(), spec("touch "+trace))
	require.ErrorIs(t, err, unit.ErrNotStarted)
	require.ErrorContains(t, err, "no units today")
	require.NoDirExists(t, filepath.Join(b.dir, "t1"))

	// The daemon died just before the recorder took the command: the first of the two decides, and the decision
	// is final.
	dir := filepath.Join(b.dir, "t2")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, record.AliveFile), 0o600))
	require.NoError(t, record.WriteFile(dir, "job.json", map[string]any{"keep": 10}))
	require.NoError(t, record.WriteFile(dir, record.CommandFile, record.Command{
		File: "/bin/sh", Argv: []string{"sh", "-c", "touch " + trace}, Dir: "/", Timeout: time.Minute, Keep: 10,
	}))
	left, err := b.another().EarlierRuns(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	for range 2 {
		_, err = left[0].Wait(t.Context())
		require.ErrorIs(t, err, unit.ErrNotStarted)
	}
	require.Zero(t, record.Main([]string{dir}), "the recorder comes too late")
	require.NoFileExists(t, trace)
}

func TestADirectoryGivenUpHalfWayIsClearedAway(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.MkdirAll(filepath.Join(b.dir, "t3"), 0o700))
	left, err := b.EarlierRuns(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoDirExists(t, filepath.Join(b.dir, "t3"))
}

func TestAnIdIsUsedOnce(t *testing.T) {
	b := newBench(t)
	b.run(spec("true"))
	_, err := b.Start(t.Context(), spec("true"))
	require.ErrorIs(t, err, unit.ErrExists)
	require.ErrorIs(t, err, unit.ErrNotStarted)
	for _, id := range []string{"a/b", "..", "a b", "a.b", "한글", strings.Repeat("x", 101)} {
		s := spec("true")
		s.ID = id
		_, err := b.Start(t.Context(), s)
		require.ErrorIs(t, err, unit.ErrNotStarted, id)
	}
	s := spec("true")
	s.ID = ""
	b.run(s)
}
