package ipc

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

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
	// The umask makes the socket private from the start: a later chmod would leave a gap in which others could connect.
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

// Peer is the process at the other end of a connection, as reported by the kernel.
type Peer struct {
	UID int
	PID int
}

// PeerOf asks the kernel for the peer of a connection (SO_PEERCRED, unix(7)).
func PeerOf(c *net.UnixConn) (Peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return Peer{}, fmt.Errorf("cannot read the peer's credentials: %w", err)
	}
	var cred *unix.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err == nil {
		err = credErr
	}
	if err != nil {
		return Peer{}, fmt.Errorf("cannot read the peer's credentials: %w", err)
	}
	return Peer{UID: int(cred.Uid), PID: int(cred.Pid)}, nil
}

// BridgeOf returns the channel of the bridge, or of the gateway, whose socket has this path. ok is false for other paths.
func BridgeOf(path string) (channel string, ok bool) {
	dir := filepath.Dir(path)
	channel = filepath.Base(dir)
	return channel, filepath.Base(path) == "socket" && slices.Contains(Restricted, channel) && strings.HasSuffix(filepath.Dir(dir), "-bridges")
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

// SocketName is the socket's file name in its directory.
const SocketName = "blunux-ai.sock"

// Locator finds the socket. Client and daemon use the same rules, so no configuration is needed. NewLocator sets
// the fields for this process.
type Locator struct {
	Getenv  func(string) string
	UID     int    // the owner of the socket
	RunDir  string // parent of the per-user runtime directories, /run/user
	TempDir string // parent of the private directory if there is no runtime directory
}

// NewLocator returns a locator for this process.
func NewLocator() Locator {
	return Locator{Getenv: os.Getenv, UID: os.Getuid(), RunDir: "/run/user", TempDir: os.TempDir()}
}

// Path returns the socket's path: $BLUNUX_AI_SOCK, else blunux-ai.sock in $XDG_RUNTIME_DIR, else in /run/user/UID if
// that directory is private to the user, else in blunux-ai-UID in the temporary directory. An existing directory must
// belong to the user and be closed to others. If not, the error says which and what to do. Path creates nothing.
func (l Locator) Path() (string, error) {
	if path := l.Getenv("BLUNUX_AI_SOCK"); path != "" {
		if !filepath.IsAbs(path) {
			return "", fmt.Errorf("BLUNUX_AI_SOCK=%s is not an absolute path", path)
		}
		return filepath.Clean(path), nil
	}
	if dir := l.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		err := CheckDir(dir, l.UID)
		if err == nil {
			return filepath.Join(dir, SocketName), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot use XDG_RUNTIME_DIR: %w; try: env -u XDG_RUNTIME_DIR blunux-aictl status", err)
		}
	}
	run := filepath.Join(l.RunDir, strconv.Itoa(l.UID))
	if CheckDir(run, l.UID) == nil {
		return filepath.Join(run, SocketName), nil
	}
	private := filepath.Join(l.TempDir, "blunux-ai-"+strconv.Itoa(l.UID))
	if err := CheckDir(private, l.UID); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("cannot use %s: %w; set BLUNUX_AI_SOCK to a path of your own", private, err)
	}
	return filepath.Join(private, SocketName), nil
}

// IsPrivate reports whether path is in the fallback directory of Path, which the listening process creates.
func (l Locator) IsPrivate(path string) bool {
	return filepath.Dir(path) == filepath.Join(l.TempDir, "blunux-ai-"+strconv.Itoa(l.UID))
}

// CheckDir returns why dir may not hold a socket of user uid: it is missing (an fs.ErrNotExist), a symbolic link,
// not a directory, another user's, or open to others.
func CheckDir(dir string, uid int) error {
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	switch owner := ownerOf(fi); {
	case fi.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link", dir)
	case !fi.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case owner != uid:
		return fmt.Errorf("%s belongs to uid %d, not to you (uid %d)", dir, owner, uid)
	case fi.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users (mode %04o, not 0700)", dir, fi.Mode().Perm())
	}
	return nil
}

// CheckSocket returns why the file at path may not be used as a socket of user uid: it is missing (an
// fs.ErrNotExist), a symbolic link, another kind of file, or another user's.
func CheckSocket(path string, uid int) error {
	fi, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch owner := ownerOf(fi); {
	case fi.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link", path)
	case fi.Mode()&fs.ModeSocket == 0:
		return fmt.Errorf("%s is not a socket", path)
	case owner != uid:
		return fmt.Errorf("%s belongs to uid %d, not to you (uid %d)", path, owner, uid)
	}
	return nil
}

func ownerOf(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}
