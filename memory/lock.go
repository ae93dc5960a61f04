package memory

import (
	"context"
	"os"
	"time"

	"github.com/nidoit/blunux-ai/internal/disk"
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
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errBusy)
	defer cancel()
	if err := disk.WaitLock(ctx, f, lockTry); err != nil {
		f.Close()
		return nil, fault("write", m.path(lockFile), lockFile, err)
	}
	return func() { f.Close() }, nil
}
