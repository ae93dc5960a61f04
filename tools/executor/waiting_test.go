package executor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// cellProcesses returns the process ids of the cells of this process, without zombies.
func cellProcesses(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	dirs, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, dir := range dirs {
		stat, _ := os.ReadFile(filepath.Join(dir, "stat")) // it can end meanwhile
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		_, fields, _ := strings.Cut(string(stat), ") ")
		if strings.HasPrefix(string(line), cell.Name+"\x00") && strings.HasPrefix(fields[min(len(fields), 2):], fmt.Sprint(os.Getpid(), " ")) {
			all[filepath.Base(dir)] = true
		}
	}
	return all
}

// awaitCell waits for a cell's process and returns its id.
func awaitCell(t *testing.T) (id string) {
	t.Helper()
	require.Eventually(t, func() bool {
		for id = range cellProcesses(t) {
			return true
		}
		return false
	}, time.Minute, time.Millisecond)
	return id
}

// newWaiting returns an executor with a sandbox that is tested already, and how to run a command in a cell.
func newWaiting(t *testing.T) (*executor.Executor, func(source string, n sandbox.Needs, limit time.Duration) executor.Result) {
	x := executor.New(executor.Options{Sandbox: sandbox.New(sandbox.Options{Dir: filepath.Join(t.TempDir(), "sandbox")})})
	require.NoError(t, x.CanConfine(sandbox.Needs{}))
	return x, func(source string, n sandbox.Needs, limit time.Duration) executor.Result {
		c := shell.Command{Shell: source}
		r, err := x.Run(t.Context(), executor.Job{Command: c, Dir: "/usr", Timeout: limit, Cells: []executor.Cell{{Command: c, Needs: n}}})
		require.NoError(t, err)
		return r
	}
}

func TestACommandRunsInTheCellThatWaitsForIt(t *testing.T) {
	x, run := newWaiting(t)
	release := x.Anticipate()
	waiting := awaitCell(t)
	first := run("readlink /proc/self", sandbox.Needs{}, time.Minute)
	require.Equal(t, waiting+"\n", first.Stdout)
	require.NotEqual(t, waiting+"\n", run("readlink /proc/self", sandbox.Needs{}, time.Minute).Stdout, "it serves one command")
	require.Equal(t, "/usr\n", run("readlink /proc/self/cwd", sandbox.Needs{}, time.Minute).Stdout)
	release()
	require.Empty(t, cellProcesses(t))
}

func TestACellThatNoCommandTakesEnds(t *testing.T) {
	x, run := newWaiting(t)
	release := x.Anticipate()
	require.Eventually(t, func() bool { return len(cellProcesses(t)) == 1 }, time.Minute, time.Millisecond)
	release()
	require.Eventually(t, func() bool { return len(cellProcesses(t)) == 0 }, time.Minute, time.Millisecond)

	// A command that does not fit a message needs another cell.
	release = x.Anticipate()
	require.Equal(t, "yes\n", run("echo yes #"+strings.Repeat("x", cell.MaxCommand), sandbox.Needs{}, time.Minute).Stdout)
	require.Eventually(t, func() bool { return len(cellProcesses(t)) == 0 }, time.Minute, time.Millisecond)
	release()
}

func TestACommandThatNeedsOtherWallsLeavesTheWaitingCell(t *testing.T) {
	x, run := newWaiting(t)
	defer x.Anticipate()()
	waiting := awaitCell(t)
	require.NotEqual(t, waiting+"\n", run("readlink /proc/self", sandbox.Needs{Net: cell.View}, time.Minute).Stdout)
	require.Equal(t, waiting+"\n", run("readlink /proc/self", sandbox.Needs{}, time.Minute).Stdout)
}

func TestTheTimeoutEndsACommandInAWaitingCell(t *testing.T) {
	for _, limit := range []time.Duration{50 * time.Millisecond, time.Nanosecond} { // before the cell has the command, too
		x, run := newWaiting(t)
		release := x.Anticipate()
		require.True(t, run("sleep 1000 & sleep 1000", sandbox.Needs{}, limit).TimedOut, limit)
		release()
	}
}
