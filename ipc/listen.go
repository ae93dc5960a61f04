package ipc

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// ErrInUse reports that a running daemon already listens on the socket.
var ErrInUse = errors.New("a daemon is already listening")

// A killed daemon may leave a child between fork and exec that holds its socket and lock for another moment.
const (
	lockGrace = 500 * time.Millisecond
	lockRetry = 5 * time.Millisecond
)

// Listen listens on the socket at path, with mode 0600. It creates the private directory of [Locator.Path] if it
// is missing, and replaces a stale socket file. It fails with [ErrInUse] if a daemon listens there, and refuses a
// symbolic link, another kind of file, or another user's file, which it leaves unchanged.
//
// A lock on path+".lock" prevents two daemons from starting at the same time. It is held until the listener is
// closed or the process ends.
func (l Locator) Listen(path string) (*Listener, error) {
	if l.IsPrivate(path) {
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("cannot make the socket's directory: %w", err)
		}
		if err := CheckDir(filepath.Dir(path), l.UID); err != nil {
			return nil, err
		}
	}
	for end := time.Now().Add(lockGrace); ; time.Sleep(lockRetry) {
		listener, err := l.acquire(path)
		if !errors.Is(err, ErrInUse) || time.Now().After(end) {
			return listener, err
		}
	}
}

// acquire locks and binds the socket, or fails if another process has it.
func (l Locator) acquire(path string) (*Listener, error) {
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	ul, err := l.bind(path)
	if err != nil {
		lock.Close()
		return nil, err
	}
	return &Listener{UnixListener: ul, lock: lock}, nil
}

// Listener is a listening socket with its lock.
type Listener struct {
	*net.UnixListener
	lock *os.File
}

// Close stops listening, removes the socket file and releases the lock.
func (l *Listener) Close() error {
	err := l.UnixListener.Close()
	l.lock.Close()
	return err
}

func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot make the socket's lock: %w", err)
	}
	if err := disk.TryLock(f, disk.Exclusive); err != nil {
		f.Close()
		if errors.Is(err, disk.ErrLocked) {
			return nil, ErrInUse
		}
		return nil, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	return f, nil
}

func (l Locator) bind(path string) (*net.UnixListener, error) {
	switch err := CheckSocket(path, l.UID); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("cannot take over the socket: %w", err)
	default:
		if alive(path) {
			return nil, ErrInUse
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("cannot replace the stale socket: %w", err)
		}
	}
	// The umask makes the socket private from the start: a later chmod would leave a gap in which others could
	// connect.
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	ul, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", path, err)
	}
	return ul, nil
}

// alive reports whether a process accepts connections at path.
func alive(path string) bool {
	c, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return errors.Is(err, syscall.EAGAIN) // a full backlog means that a daemon runs
	}
	c.Close()
	return true
}
