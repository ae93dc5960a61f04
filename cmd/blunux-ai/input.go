package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/nidoit/blunux-ai/ipc"
)

// openInterruptible opens a file, or standard input for "-", for reading until ctx ends. A pipe or terminal without
// input therefore does not block the end by a signal, nor does opening a named pipe without a writer.
func openInterruptible(ctx context.Context, file string, stdin io.Reader) (io.ReadCloser, error) {
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

// isCancelled reports whether err is due to a signal.
func isCancelled(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}
