package wire

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/disk"
)

const (
	// lockTimeout is how long a daemon waits for the previous one, which may take its whole orderly shutdown.
	lockTimeout = 30 * time.Second
	lockPause   = 20 * time.Millisecond
	// lockGrace is how long a daemon may take to write its pid after starting, or its leaving mark after it was
	// stopped.
	lockGrace = 500 * time.Millisecond
)

// leavingMark follows the pid of a daemon that is shutting down.
const leavingMark = "leaving"

// HomeLock is this process's lock on a state directory.
type HomeLock struct{ f *os.File }

// MarkLeaving marks the lock, so that the next daemon waits for this one.
func (h *HomeLock) MarkLeaving() { h.write(" " + leavingMark) }

// Release unlocks the directory.
func (h *HomeLock) Release() {
	if h.f != nil {
		h.f.Close()
	}
}

// write writes the owner of the lock, for the next daemon and for people. The size is constant, so that it can be
// overwritten even on a full disk.
func (h *HomeLock) write(more string) {
	if h.f != nil {
		_, _ = h.f.WriteAt(fmt.Appendf(nil, "%-31s\n", strconv.Itoa(os.Getpid())+more), 0)
	}
}

// LockHome locks a state directory, because two daemons on the same tasks would do everything twice. It fails with the
// owner's pid if another daemon has the lock. If that one is shutting down, Hold calls waiting with its pid and
// waits. The kernel releases the lock when the process ends. A directory that does not exist or is not writable
// needs no lock.
func LockHome(ctx context.Context, home string, waiting func(pid string)) (*HomeLock, error) {
	f, err := os.OpenFile(filepath.Join(home, "daemon.lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0o600)
	if settings.Unwritable(err) || errors.Is(err, fs.ErrNotExist) {
		return &HomeLock{}, nil
	}
	if err != nil {
		return nil, i18n.DaemonNotOwn(home, err).WithCause(err)
	}
	if err := acquireLock(ctx, f, home, sync.OnceFunc(func() { pid, _ := owner(f); waiting(pid) })); err != nil {
		f.Close()
		return nil, err
	}
	h := &HomeLock{f}
	h.write("")
	return h, nil
}

// acquireLock takes the lock, or fails with its owner. An owner that is not leaving gets a moment to write its pid.
func acquireLock(ctx context.Context, f *os.File, home string, waiting func()) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	for began := time.Now(); ; {
		err := disk.TryLock(f, disk.Exclusive)
		if err == nil {
			return nil
		}
		if !errors.Is(err, disk.ErrLocked) {
			return i18n.DaemonNotOwn(home, err).WithCause(err)
		}
		who, leaving := owner(f)
		if leaving {
			waiting()
		}
		if ctx.Err() != nil || !leaving && time.Since(began) > lockGrace {
			return i18n.DaemonOther(who, home).WithCause(nil)
		}
		select {
		case <-ctx.Done():
		case <-time.After(lockPause):
		}
	}
}

// owner reads the owner's pid, and whether it is leaving.
func owner(f *os.File) (pid string, leaving bool) {
	buf := make([]byte, 64)
	n, _ := f.ReadAt(buf, 0)
	words := strings.Fields(string(buf[:n]))
	if len(words) == 0 {
		return "unknown", false
	}
	return words[0], len(words) > 1 && words[1] == leavingMark
}
