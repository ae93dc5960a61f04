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
)

// ErrInUse reports that a live daemon already listens on the socket.
var ErrInUse = errors.New("a daemon is already listening")

// A daemon that was killed may leave a child between fork and exec, which has
// its socket and its lock for an instant more.
const (
	lingering  = 500 * time.Millisecond
	lingerStep = 5 * time.Millisecond
)

// Listen listens on the socket at path, with mode 0600. The private directory
// of [Locator.Path] is made when it is missing. A stale socket file is
// replaced; one that stays live is [ErrInUse]; a symbolic link, another kind of file
// or somebody else's is refused and left as it is.
//
// Two daemons starting at once are kept apart by a lock on path+".lock", held
// until the listener is closed or the process ends.
func (l Locator) Listen(path string) (*Listener, error) {
	if l.IsPrivate(path) {
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("cannot make the socket's directory: %w", err)
		}
		if err := CheckDir(filepath.Dir(path), l.UID); err != nil {
			return nil, err
		}
	}
	for end := time.Now().Add(lingering); ; time.Sleep(lingerStep) {
		listener, err := l.take(path)
		if !errors.Is(err, ErrInUse) || time.Now().After(end) {
			return listener, err
		}
	}
}

// take makes the socket this process's own, if it is nobody else's just now.
func (l Locator) take(path string) (*Listener, error) {
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

// Listener is a listening socket that no other daemon can take over.
type Listener struct {
	*net.UnixListener
	lock *os.File
}

// Close stops listening, removes the socket file and lets go of the lock.
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
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
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
	// The socket is created closed to others: between bind and a later chmod
	// anybody could connect.
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	ul, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", path, err)
	}
	return ul, nil
}

// alive reports whether somebody accepts connections at path.
func alive(path string) bool {
	c, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return errors.Is(err, syscall.EAGAIN) // a full backlog is a live daemon
	}
	c.Close()
	return true
}
