package ipc

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatNobodyWritesToHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := io.ReadAll(Interruptible(ctx, r))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	text, err := io.ReadAll(Interruptible(t.Context(), strings.NewReader("한국어")))
	require.NoError(t, err)
	require.Equal(t, "한국어", string(text))
}
