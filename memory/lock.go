package memory

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

const (
	lockFile = ".lock"
	// lockWait is how long a writer waits for another one. A write takes milliseconds.
	lockWait = 5 * time.Second
	lockTry  = 5 * time.Millisecond
)

// lock takes the lock for changes to the notes, which excludes writers in this and in other processes. Call the
// returned function to release it. The lock is also released when the process ends.
func (m *Memory) lock(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return nil, fault("write", m.dir, "the notes", err)
	}
	f, err := openRegular(m.path(lockFile), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, fault("write", m.path(lockFile), lockFile, err)
	}
	if err := flock(ctx, f); err != nil {
		f.Close()
		return nil, fault("write", m.path(lockFile), lockFile, err)
	}
	return func() { f.Close() }, nil
}

func flock(ctx context.Context, f *os.File) error {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errBusy)
	defer cancel()
	again := time.NewTicker(lockTry)
	defer again.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-again.C:
		}
	}
}
