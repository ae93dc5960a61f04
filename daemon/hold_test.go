package daemon

import (
	"context"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAHomeHasOneDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		home := t.TempDir()
		release, err := Hold(t.Context(), home)
		require.NoError(t, err)
		start := time.Now()
		_, err = Hold(t.Context(), home)
		require.ErrorContains(t, err, "pid "+strconv.Itoa(os.Getpid()))
		require.Equal(t, holdTimeout, time.Since(start))

		time.AfterFunc(5*time.Second, release) // one that is just ending is waited for
		again, err := Hold(t.Context(), home)
		require.NoError(t, err)
		again()
	})
}

func TestAHomeNobodyCanWriteToNeedsNoOwner(t *testing.T) {
	for _, home := range []string{"/proc", "/nowhere/at/all"} {
		release, err := Hold(context.Background(), home)
		require.NoError(t, err)
		release()
	}
}
