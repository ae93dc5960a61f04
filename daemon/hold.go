package daemon

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

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
)

const (
	// holdTimeout is how long a daemon waits for the one before it to end, which
	// may take its whole orderly shutdown.
	holdTimeout = 30 * time.Second
	holdPause   = 20 * time.Millisecond
	// holdMoment is how long one that has just started may take to say who it is, and
	// one that has just been told to end to say so.
	holdMoment = 500 * time.Millisecond
)

// leavingMark is what a daemon that ends writes behind its pid.
const leavingMark = "leaving"

// Holder is a directory that is this process's own.
type Holder struct{ f *os.File }

// Leaving tells the next daemon to wait: this one ends.
func (h *Holder) Leaving() { h.say(" " + leavingMark) }

// Release gives the directory back.
func (h *Holder) Release() {
	if h.f != nil {
		h.f.Close()
	}
}

// say writes who has the directory, for the next daemon and for people: always as many
// bytes, which a full disk takes too once they were there.
func (h *Holder) say(more string) {
	if h.f != nil {
		_, _ = h.f.WriteAt(fmt.Appendf(nil, "%-31s\n", strconv.Itoa(os.Getpid())+more), 0)
	}
}

// Hold makes a directory this process's own: two daemons that take up the same
// tasks would do everything twice. It fails at once with who has it, and waits for one
// that says that it is leaving; waiting is called before that with its pid. The kernel
// gives the directory back with the process, however that ends. A directory that is not
// there, or in which nothing can be written, needs no owner.
func Hold(ctx context.Context, home string, waiting func(pid string)) (*Holder, error) {
	f, err := os.OpenFile(filepath.Join(home, "daemon.lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0o600)
	if unwritable(err) || errors.Is(err, fs.ErrNotExist) {
		return &Holder{}, nil
	}
	if err != nil {
		return nil, i18n.DaemonNotOwn.With(home, err).Failed(err)
	}
	if err := lockHome(ctx, f, home, sync.OnceFunc(func() { pid, _ := owner(f); waiting(pid) })); err != nil {
		f.Close()
		return nil, err
	}
	h := &Holder{f}
	h.say("")
	return h, nil
}

// lockHome takes the lock, or says who has it. One that has it and is not leaving gets
// a moment to write down who it is.
func lockHome(ctx context.Context, f *os.File, home string, waiting func()) error {
	ctx, cancel := context.WithTimeout(ctx, holdTimeout)
	defer cancel()
	for began := time.Now(); ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return i18n.DaemonNotOwn.With(home, err).Failed(err)
		}
		who, leaving := owner(f)
		if leaving {
			waiting()
		}
		if ctx.Err() != nil || !leaving && time.Since(began) > holdMoment {
			return i18n.DaemonOther.With(who, home).Failed(nil)
		}
		select {
		case <-ctx.Done():
		case <-time.After(holdPause):
		}
	}
}

// owner is what the owner wrote of itself: its pid, and whether it is leaving.
func owner(f *os.File) (pid string, leaving bool) {
	buf := make([]byte, 64)
	n, _ := f.ReadAt(buf, 0)
	words := strings.Fields(string(buf[:n]))
	if len(words) == 0 {
		return "unknown", false
	}
	return words[0], len(words) > 1 && words[1] == leavingMark
}
