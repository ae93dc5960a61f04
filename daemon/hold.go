package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
)

// Hold makes a directory this process's own: two daemons that take up the same
// tasks would do everything twice. It waits for one that is just ending, and
// fails with who has it. The kernel gives it back with the process, however
// that ends. A directory that is not there, or in which nothing can be written,
// needs no owner.
func Hold(ctx context.Context, home string) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(home, "daemon.lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0o600)
	if unwritable(err) || errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	if err != nil {
		return nil, i18n.DaemonNotOwn.With(home, err).Failed(err)
	}
	ctx, cancel := context.WithTimeout(ctx, holdTimeout)
	defer cancel()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, i18n.DaemonNotOwn.With(home, err).Failed(err)
		}
		select {
		case <-ctx.Done():
			who := owner(f)
			f.Close()
			return nil, i18n.DaemonOther.With(who, home).Failed(nil)
		case <-time.After(holdPause):
		}
	}
	// For people; a full disk must not keep the daemon from starting.
	_ = f.Truncate(0)
	_, _ = f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return func() { f.Close() }, nil
}

// owner is what the owner wrote of itself.
func owner(f *os.File) string {
	buf := make([]byte, 32)
	n, _ := f.ReadAt(buf, 0)
	if who := strings.TrimSpace(string(buf[:n])); who != "" {
		return who
	}
	return "unknown"
}
