package automation

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A daemon that was started for a single run writes a single run.
func TestALongLedgerThatIsNeededIsNotRewrittenByEachDaemon(t *testing.T) {
	file := filepath.Join(fastDir(t), "ledger.jsonl")
	due := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	number := 0
	daemon := func(runs int) os.FileInfo {
		l := NewLedger(file)
		defer l.Close()
		_, err := l.Load()
		require.NoError(t, err)
		var lines []ledgerLine
		for range runs {
			number++
			r := Run{ID: fmt.Sprint(number), Rule: fmt.Sprint("rule ", number%2000), Due: due.Add(time.Duration(number) * time.Minute), State: Ran}
			lines = append(lines, ledgerLine{Run: &r})
		}
		require.NoError(t, l.write(lines...))
		fi, err := os.Stat(file)
		require.NoError(t, err)
		return fi
	}
	before := daemon(15_000)
	require.Greater(t, before.Size(), int64(maxLedger))
	after := daemon(1)
	require.True(t, os.SameFile(before, after), "it was written anew")
	require.Less(t, after.Size()-before.Size(), int64(1000))

	// It is rewritten once most of it is obsolete.
	for range 2 {
		before = daemon(2000 * maxRunsOfRule / 10)
	}
	require.False(t, os.SameFile(after, before))
}
