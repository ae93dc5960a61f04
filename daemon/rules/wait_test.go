package rules

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation"
)

// startProcess starts a program under a name until its input is closed.
func startProcess(t *testing.T, name string) (id automation.ProcessID, end func()) {
	t.Helper()
	cat, err := exec.LookPath("cat")
	require.NoError(t, err)
	cmd := exec.Command(cat)
	cmd.Args[0] = "/opt/" + name
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p, ok := readProcess(cmd.Process.Pid)
	require.True(t, ok)
	end = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	t.Cleanup(end)
	return idOf(p), end
}

func TestTheEndOfAProcessIsSeen(t *testing.T) {
	id, end := startProcess(t, "encode job:1")
	require.False(t, hasEnded(id))
	other := id
	other.Start++
	require.True(t, hasEnded(other), "the number is of another process")
	done := make(chan error, 1)
	go func() { done <- awaitEnd(t.Context(), id) }()
	end()
	require.NoError(t, <-done)
	require.True(t, hasEnded(id))
	require.NoError(t, awaitEnd(t.Context(), id), "one that is over")
	_, err := automation.ParseEvent("process:" + id.String())
	require.NoError(t, err, "any name can be written into an event")
}

func TestWaitingForAProcessEndsWithItsContext(t *testing.T) {
	id, _ := startProcess(t, "long")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- awaitEnd(ctx, id) }()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestOutermostLeavesThoseThatNoOtherStarted(t *testing.T) {
	of := func(pid, parent int) (p process) {
		p.PID, p.Parent = pid, parent
		return p
	}
	left := outermost([]process{of(10, 1), of(11, 10), of(12, 11), of(20, 5)})
	require.Equal(t, []process{of(10, 1), of(20, 5)}, left)
}

func TestAProcessIsNamedByItsProgramOrScript(t *testing.T) {
	p := process{program: "python3 train.py"}
	p.Name = "python3"
	for _, name := range []string{"python3", "train.py", "Train.PY"} {
		require.True(t, p.matches(name), name)
	}
	require.False(t, p.matches("train"))
	require.False(t, p.matches("y"))
}

func TestAHostAnswersByAcceptingOrRefusingAConnection(t *testing.T) {
	require.True(t, acceptsOrRefuses(t.Context(), "127.0.0.1"), "whether a server listens or not")
	require.True(t, acceptsOrRefuses(t.Context(), "localhost"))
	require.False(t, acceptsOrRefuses(t.Context(), "no-such-host.invalid"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, acceptsOrRefuses(ctx, "127.0.0.1"))
}

func TestLooksBecomeRarer(t *testing.T) {
	for waited, want := range map[time.Duration]time.Duration{
		0: firstInterval, 30 * time.Second: firstInterval, 2 * time.Minute: 30 * time.Second, 24 * time.Hour: waitInterval,
	} {
		require.Equal(t, want, intervalAfter(waited), waited)
	}
}

func TestUnfinishedDownloads(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	for _, name := range []string{"film.mkv", "a.iso.part", "b.zip.crdownload", "C.PDF.PART", "part"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.Equal(t, []string{"C.PDF.PART", "a.iso.part", "b.zip.crdownload"}, unfinished(dir, now))
	require.Empty(t, unfinished(dir, now.Add(abandonedAfter+time.Hour)), "abandoned")
	require.Empty(t, unfinished(filepath.Join(dir, "none"), now))
}

func TestAFileIsCompleteWhenItNoLongerChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.bin")
	complete, again := isComplete(file, time.Now())
	require.False(t, complete)
	require.Equal(t, waitInterval, again)
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	require.NoError(t, os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0)), "a program can set this time")
	complete, again = isComplete(file, time.Now())
	require.False(t, complete)
	require.Positive(t, again)
	require.LessOrEqual(t, again, settleTime)
	complete, _ = isComplete(file, time.Now().Add(2*settleTime))
	require.True(t, complete)
	require.NoError(t, os.WriteFile(file+".aria2", nil, 0o600))
	complete, _ = isComplete(file, time.Now().Add(2*settleTime))
	require.False(t, complete, "its program is at work")
}

func TestAChargeIsWaitedForFromAboveOrBelow(t *testing.T) {
	full := wait{Event: automation.Event{Kind: automation.EventBattery, Percent: 80}}
	low := wait{Event: automation.Event{Kind: automation.EventLow, Percent: 20}}
	for percent, want := range map[float64][2]bool{79.9: {false, false}, 80: {true, false}, 100: {true, false}, 20.1: {false, false}, 20: {false, true}, 3: {false, true}} {
		require.Equal(t, want, [2]bool{full.isCharge(percent), low.isCharge(percent)}, percent)
	}
}
