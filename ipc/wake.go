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

// BridgeOf returns the channel of the bridge whose socket has this path. ok is false for other paths.
func BridgeOf(path string) (channel string, ok bool) {
	dir := filepath.Dir(path)
	channel = filepath.Base(dir)
	return channel, filepath.Base(path) == "socket" && slices.Contains(Bridged, channel) && strings.HasSuffix(filepath.Dir(dir), "-bridges")
}

// maxSocketPath is the maximum length of a socket's path, unix(7), without the terminating zero byte.
const maxSocketPath = 107

// ListenBridge listens on the socket of a channel's bridge, next to the daemon's own, by the rules of
// [Locator.Listen]. It creates the needed directories for their owner only.
func (l Locator) ListenBridge(socket, channel string) (*Listener, error) {
	path := BridgeSocket(socket, channel)
	if err := l.bridgeDir(path); err != nil {
		return nil, err
	}
	return l.Listen(path)
}

// bridgeDir creates the directory of a bridge's sockets.
func (l Locator) bridgeDir(path string) error {
	if len(path) > maxSocketPath {
		return fmt.Errorf("cannot make a socket at %s: the path has %d bytes, the limit is %d", path, len(path), maxSocketPath)
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

// WakeSocket is the datagram socket that wakes a disconnected bridge.
type WakeSocket struct {
	conn *net.UnixConn
	rung chan struct{}
}

// ListenWake listens on the wake-up socket of a channel's bridge. It replaces the socket of an earlier bridge, so
// the caller must hold the channel's lock.
func (l Locator) ListenWake(socket, channel string) (*WakeSocket, error) {
	path := WakeSocketPath(socket, channel)
	if err := l.bridgeDir(path); err != nil {
		return nil, err
	}
	if err := CheckSocket(path, l.UID); err == nil {
		err = os.Remove(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot replace the wake-up socket: %w", err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot use the wake-up socket: %w", err)
	}
	old := syscall.Umask(0o177)
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	syscall.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on the wake-up socket: %w", err)
	}
	b := &WakeSocket{conn: conn, rung: make(chan struct{}, 1)}
	go b.listen()
	return b, nil
}

func (b *WakeSocket) listen() {
	defer close(b.rung)
	var nothing [1]byte
	for {
		if _, _, err := b.conn.ReadFromUnix(nothing[:]); err != nil {
			return
		}
		select {
		case b.rung <- struct{}{}:
		default: // already signalled
		}
	}
}

// Woken signals that the bell was rung at least once. It is closed with the bell.
func (b *WakeSocket) Woken() <-chan struct{} { return b.rung }

// Close stops listening.
func (b *WakeSocket) Close() error { return b.conn.Close() }

// WakeBridge wakes a channel's bridge without blocking. A bridge that does not listen fetches its messages when it
// starts.
func WakeBridge(socket, channel string) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	_ = unix.Sendto(fd, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, &unix.SockaddrUnix{Name: WakeSocketPath(socket, channel)})
}
