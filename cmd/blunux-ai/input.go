package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/nidoit/blunux-ai/ipc"
)

// opened is a file, or standard input for "-", that is read until the context is
// done: a pipe nobody writes to, or a terminal nobody types at, holds up nothing
// that a signal ends. Opening a named pipe waits for its writer just so.
func opened(ctx context.Context, file string, stdin io.Reader) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(ipc.Interruptible(ctx, stdin)), nil
	}
	type opening struct {
		f   *os.File
		err error
	}
	done := make(chan opening, 1)
	go func() {
		f, err := os.Open(file)
		done <- opening{f, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return struct {
			io.Reader
			io.Closer
		}{ipc.Interruptible(ctx, o.f), o.f}, nil
	}
}

// cancelled reports that a signal ended what was going on.
func cancelled(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}
