package figures

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.Local)

// clocked are figures whose time is a variable, and whose commands print nothing.
func clocked(t *testing.T, dir string) (f *Figures, now *time.Time) {
	t.Helper()
	now = new(time.Time)
	*now = noon
	f = New(Options{Path: filepath.Join(dir, "figures.jsonl"), Home: dir, Now: func() time.Time { return *now }, Log: zerolog.New(zerolog.NewTestWriter(t))})
	f.run = func(context.Context, ...string) (check.Output, error) { return check.Output{}, check.ErrMissing }
	return f, now
}

func TestADayIsMeasuredOnce(t *testing.T) {
	dir := t.TempDir()
	f, now := clocked(t, dir)
	var group sync.WaitGroup
	for range 20 {
		group.Go(f.Record)
	}
	group.Wait()
	*now = now.Add(11 * time.Hour) // 23:00
	f.Record()
	*now = now.Add(2 * time.Hour) // the next day
	f.Record()
	f, later := clocked(t, dir) // the next daemon
	*later = *now
	f.Record()
	r, err := f.Report(t.Context())
	require.NoError(t, err)
	require.Len(t, r.Days, 2)
	require.Equal(t, noon.UTC(), r.Days[0].At)
	for _, d := range append(r.Days, r.Now) {
		require.Equal(t, "/", d.Disks[0].Path)
		for _, disk := range d.Disks {
			require.Positive(t, disk.Size)
			require.LessOrEqual(t, disk.Used, disk.Size)
		}
		require.Positive(t, d.MemoryUsed)
		require.Less(t, d.MemoryUsed, d.MemorySize)
	}
}

func TestTheFileStaysSmall(t *testing.T) {
	dir := t.TempDir()
	f, now := clocked(t, dir)
	for range 400 {
		f.Record()
		*now = now.AddDate(0, 0, 1)
	}
	text, err := os.ReadFile(filepath.Join(dir, "figures.jsonl"))
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(text), "\n"), maxLines+2)
	require.Less(t, len(text), 32<<10)
	r, err := f.Report(t.Context())
	require.NoError(t, err)
	require.LessOrEqual(t, len(r.Days), keptDays+1)
	require.GreaterOrEqual(t, len(r.Days), keptDays-1)
}

func TestADamagedFileLosesNoDayAfterIt(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "figures.jsonl"), []byte("no JSON\n"), 0o600))
	f, _ := clocked(t, dir)
	f.Record()
	f, _ = clocked(t, dir)
	r, err := f.Report(t.Context())
	require.NoError(t, err)
	require.Len(t, r.Days, 1)
}

func TestTheJournalIsReadOnceInAWhile(t *testing.T) {
	f, now := clocked(t, t.TempDir())
	hints, runs := "", 0
	f.run = func(_ context.Context, argv ...string) (check.Output, error) {
		runs++
		if !strings.Contains(strings.Join(argv, " "), "MESSAGE_ID") {
			return check.Output{Stderr: hints}, nil
		}
		return check.Output{Stdout: "1795690800.250000 desk systemd[1]: Startup finished in 1.1s (kernel) + 5s (userspace) = 6.1s.\n" +
			"1795694400.500000 desk systemd[1]: cups.service: Failed with result 'exit-code'.\n"}, nil
	}
	r, err := f.Report(t.Context())
	require.NoError(t, err)
	require.Equal(t, ipc.JournalFigures{
		Since: now.AddDate(0, 0, -30).UTC(), Boots: []ipc.BootFigure{{At: time.UnixMicro(1795690800250000).UTC(), Seconds: 6.1}},
		Failures: []ipc.UnitFailure{{At: time.UnixMicro(1795694400500000).UTC(), Unit: "cups.service"}},
	}, r.Journal)
	require.Equal(t, 2, runs)
	_, err = f.Report(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, runs)
	for access, text := range map[string]string{
		ipc.JournalOwn:    "Hint: You are currently not seeing messages from other users and the system.",
		ipc.JournalDenied: "No journal files were opened due to insufficient permissions.",
		ipc.JournalAbsent: "No journal files were found.",
	} {
		hints = text
		*now = now.Add(freshTime)
		r, err = f.Report(t.Context())
		require.NoError(t, err)
		require.Equal(t, access, r.Journal.Access)
		require.Equal(t, access != ipc.JournalOwn, len(r.Journal.Boots) == 0)
	}
}

func TestACutJournalSaysSinceWhenItIsComplete(t *testing.T) {
	f, _ := clocked(t, t.TempDir())
	f.run = func(context.Context, ...string) (check.Output, error) {
		return check.Output{Stdout: strings.Repeat("1795694400.500000 desk systemd[1]: a.service: Failed with result 'exit-code'.\n", 400)}, nil
	}
	r, err := f.Report(t.Context())
	require.NoError(t, err)
	require.Equal(t, time.UnixMicro(1795694400500000).UTC(), r.Journal.Since)
}
