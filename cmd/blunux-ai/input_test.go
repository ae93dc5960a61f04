package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestInputIsReadWholeAndLeftWhenASignalComes(t *testing.T) {
	in, err := openInterruptible(t.Context(), "-", strings.NewReader("all of it"))
	require.NoError(t, err)
	text, err := io.ReadAll(in)
	require.NoError(t, err)
	require.Equal(t, "all of it", string(text))

	r, w, err := os.Pipe() // no data is written
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, err = openInterruptible(ctx, "-", r)
	require.NoError(t, err)
	_, err = io.ReadAll(in)
	require.ErrorIs(t, err, context.Canceled)
	_, err = openInterruptible(ctx, pipe, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, isCancelled(ctx, err))
	release, err := os.OpenFile(pipe, os.O_RDWR, 0) // unblocks the opening goroutine
	require.NoError(t, err)
	require.NoError(t, release.Close())
}
