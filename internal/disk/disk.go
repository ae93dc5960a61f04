// Package disk makes names durable and locks files.
package disk

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// SyncDir syncs the names in a directory to disk. It succeeds on file systems that cannot sync a directory: they
// fail with EINVAL (fsync(2)).
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); !errors.Is(err, unix.EINVAL) {
		return err
	}
	return nil
}

// Mode is a kind of lock.
type Mode int

// The modes of flock(2).
const (
	Shared    Mode = unix.LOCK_SH
	Exclusive Mode = unix.LOCK_EX
)

// ErrLocked reports that another open file has the lock.
var ErrLocked = errors.New("locked by another process")

// Lock waits for the lock of a file (flock(2)), which excludes other holders in this and in other processes. Closing
// the file releases it, and so does the end of the process.
func Lock(f *os.File, mode Mode) error { return flock(f, int(mode)) }

// TryLock takes the lock of a file, or fails with [ErrLocked] at once.
func TryLock(f *os.File, mode Mode) error {
	err := flock(f, int(mode)|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// WaitLock tries to take the exclusive lock of a file until the context ends, and then fails with its cause.
func WaitLock(ctx context.Context, f *os.File, pause time.Duration) error {
	again := time.NewTicker(pause)
	defer again.Stop()
	for {
		if err := TryLock(f, Exclusive); !errors.Is(err, ErrLocked) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-again.C:
		}
	}
}

// Unlock releases the lock of a file that stays open.
func Unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

// flock repeats a call that a signal interrupted.
func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
