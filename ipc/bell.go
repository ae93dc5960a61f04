package ipc

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// BridgeOf returns whose bridge's socket a path is; ok is false for another.
func BridgeOf(path string) (channel string, ok bool) {
	dir := filepath.Dir(path)
	channel = filepath.Base(dir)
	return channel, filepath.Base(path) == "socket" && slices.Contains(Bridged, channel) && strings.HasSuffix(filepath.Dir(dir), "-bridges")
}

// maxSocketPath is the longest path a socket can have, unix(7), without the byte
// that ends it.
const maxSocketPath = 107

// ListenBridge listens on the socket of a channel's bridge beside the daemon's own,
// by the rules of [Locator.Listen]. The directories it needs are made for their owner
// alone.
func (l Locator) ListenBridge(socket, channel string) (*Listener, error) {
	path := BridgeSocket(socket, channel)
	if err := l.bridgeDir(path); err != nil {
		return nil, err
	}
	return l.Listen(path)
}

// bridgeDir makes the directory of a bridge's sockets.
func (l Locator) bridgeDir(path string) error {
	if len(path) > maxSocketPath {
		return fmt.Errorf("cannot make a socket at %s: the path has %d bytes, and there may be %d", path, len(path), maxSocketPath)
	}
	dir := filepath.Dir(path)
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Mkdir(d, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("cannot make the directory of a bridge's socket: %w", err)
		}
		if err := CheckDir(d, l.UID); err != nil {
			return fmt.Errorf("cannot use the directory of a bridge's socket: %w", err)
		}
	}
	return nil
}

// Bell is what a bridge that rests is woken by.
type Bell struct {
	conn *net.UnixConn
	rung chan struct{}
}

// ListenBell listens on the bell of a channel's bridge. One that a former bridge left
// is replaced: who calls this holds the channel's lock.
func (l Locator) ListenBell(socket, channel string) (*Bell, error) {
	path := BridgeBell(socket, channel)
	if err := l.bridgeDir(path); err != nil {
		return nil, err
	}
	if err := CheckSocket(path, l.UID); err == nil {
		err = os.Remove(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot replace the bell: %w", err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot take over the bell: %w", err)
	}
	old := syscall.Umask(0o177)
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	syscall.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for the bell: %w", err)
	}
	b := &Bell{conn: conn, rung: make(chan struct{}, 1)}
	go b.listen()
	return b, nil
}

func (b *Bell) listen() {
	defer close(b.rung)
	var nothing [1]byte
	for {
		if _, _, err := b.conn.ReadFromUnix(nothing[:]); err != nil {
			return
		}
		select {
		case b.rung <- struct{}{}:
		default: // it was heard already
		}
	}
}

// Rung tells that the bell was rung, however often; it is closed with the bell.
func (b *Bell) Rung() <-chan struct{} { return b.rung }

// Close stops listening.
func (b *Bell) Close() error { return b.conn.Close() }

// Ring rings the bell of a channel's bridge and never waits: a bridge that does not
// listen asks by itself when it starts.
func Ring(socket, channel string) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	_ = unix.Sendto(fd, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, &unix.SockaddrUnix{Name: BridgeBell(socket, channel)})
}
