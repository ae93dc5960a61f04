package ipc

import (
	"context"
	"io"
)

// Interruptible reads as r does until ctx ends: a pipe nobody writes to, or a
// terminal nobody types at, holds up nothing that a signal ends. What r is still
// waited for then is lost; it ends with the program.
func Interruptible(ctx context.Context, r io.Reader) io.Reader { return interruptible{ctx, r} }

type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read reads as the reader does, into memory of its own, because it may come back
// after its caller has left.
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
