package ipc

import (
	"context"
	"io"
)

// Interruptible reads like r until ctx ends, so that a signal can stop a read from an idle pipe or terminal. Input
// that the pending read of r still gets is lost. That read ends with the program.
func Interruptible(ctx context.Context, r io.Reader) io.Reader { return interruptible{ctx, r} }

type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read reads into its own buffer, because the read of r may return after the caller has left.
func (i interruptible) Read(p []byte) (int, error) {
	type piece struct {
		text []byte
		err  error
	}
	done := make(chan piece, 1)
	go func() {
		text := make([]byte, len(p))
		n, err := i.r.Read(text)
		done <- piece{text[:n], err}
	}()
	select {
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	case got := <-done:
		return copy(p, got.text), got.err
	}
}
