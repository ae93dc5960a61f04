package wire

import (
	"context"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// It waits for a daemon that is leaving.
func TestD6ASecondDaemonOnAHomeSaysSoAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		home, told := t.TempDir(), ""
		waiting := func(pid string) { told = pid }
		first, err := LockHome(t.Context(), home, waiting)
		require.NoError(t, err)
		start := time.Now()
		_, err = LockHome(t.Context(), home, waiting)
		require.ErrorContains(t, err, "pid "+strconv.Itoa(os.Getpid()))
		require.LessOrEqual(t, time.Since(start), time.Second)
		require.Empty(t, told)

		first.MarkLeaving()
		time.AfterFunc(5*time.Second, first.Release)
		again, err := LockHome(t.Context(), home, waiting)
		require.NoError(t, err)
		require.Equal(t, strconv.Itoa(os.Getpid()), told)

		again.MarkLeaving() // and never releases the lock
		start = time.Now()
		_, err = LockHome(t.Context(), home, waiting)
		require.ErrorContains(t, err, "another daemon")
		require.GreaterOrEqual(t, time.Since(start), lockTimeout)
		again.Release()
	})
}

func TestAHomeNobodyCanWriteToNeedsNoOwner(t *testing.T) {
	for _, home := range []string{"/proc", "/nowhere/at/all"} {
		h, err := LockHome(context.Background(), home, nil)
		require.NoError(t, err)
		h.MarkLeaving()
		h.Release()
	}
}
