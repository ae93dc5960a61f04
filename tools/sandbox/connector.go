package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// connector makes connections and sockets on behalf of a confined process. It reads an address once and uses that
// copy, so the process cannot change it between check and use (seccomp_unotify(2)).
type connector struct {
	net     cell.Net
	bus     map[string]string // our socket by the path it replaces
	sockets []string          // paths of services or of directories with services
}

func newConnector(sp cell.Spec) connector {
	return connector{net: sp.Net, bus: sp.Bus, sockets: slices.Concat(sp.Sockets, existingPaths(queryServices))}
}

// connectLimit is the timeout of a connection on behalf of a process.
const connectLimit = 30 * time.Second

// maxAddress is the size of struct sockaddr_storage, which holds every address.
const maxAddress = 128

// connect connects a confined process's socket to the address in raw.
func (d connector) connect(socket int, raw []byte) error {
	domain, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return err
	}
	if len(raw) < 2 || int(raw[0])|int(raw[1])<<8 != domain {
		return unix.EACCES
	}
	switch domain {
	case unix.AF_UNIX:
		return d.connectService(socket, raw[2:])
	case unix.AF_NETLINK:
		return connectNetlink(socket, raw)
	case unix.AF_INET, unix.AF_INET6:
		return d.connectHost(socket, raw)
	}
	return unix.EACCES
}

// connectService connects to the service that listens at a path, if the command needs it. For any other it
// returns the error of a path without a listener, so that programs try the next one.
func (d connector) connectService(socket int, name []byte) error {
	name, _, _ = bytes.Cut(name, []byte{0})
	path := string(name)
	if !filepath.IsAbs(path) { // also abstract and unnamed addresses
		return unix.ECONNREFUSED
	}
	path = filepath.Clean(path)
	if ours, ok := d.bus[path]; ok {
		path = ours
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return unix.ENOENT
	}
	defer unix.Close(fd)
	link := "/proc/self/fd/" + strconv.Itoa(fd)
	real, err := os.Readlink(link)
	if err != nil || !d.isAllowed(real) {
		return unix.ECONNREFUSED
	}
	if ours, ok := d.bus[real]; ok { // another name of the path, such as /var/run
		return d.connectService(socket, []byte(ours))
	}
	return withConnectTimeout(socket, func() error { return unix.Connect(socket, &unix.SockaddrUnix{Name: link}) })
}

// isAllowed reports whether a path without symbolic links belongs to a service that the command needs.
func (d connector) isAllowed(path string) bool {
	if isBelow(path, d.sockets) {
		return true
	}
	for target, ours := range d.bus {
		if resolved, err := filepath.EvalSymlinks(ours); path == target || err == nil && path == resolved {
			return true
		}
	}
	return false
}

// isBelow reports whether path is one of dirs or is inside one of them.
func isBelow(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			dir = resolved
		}
		return path == dir || strings.HasPrefix(path, dir+"/")
	})
}

// connectNetlink connects to the kernel, and refuses other processes and groups.
func connectNetlink(socket int, raw []byte) error {
	if len(raw) < unix.SizeofSockaddrNetlink || slices.ContainsFunc(raw[4:unix.SizeofSockaddrNetlink], func(b byte) bool { return b != 0 }) {
		return unix.EPERM
	}
	return unix.Connect(socket, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
}

// connectHost connects to another host, if the cell allows the network.
func (d connector) connectHost(socket int, raw []byte) error {
	if d.net != cell.Reach {
		return unix.EACCES
	}
	to, err := parseHost(raw)
	if err != nil {
		return err
	}
	return withConnectTimeout(socket, func() error { return unix.Connect(socket, to) })
}

// parseHost parses struct sockaddr_in or sockaddr_in6 (ip(7), ipv6(7)).
func parseHost(raw []byte) (unix.Sockaddr, error) {
	port := func() int { return int(raw[2])<<8 | int(raw[3]) }
	switch {
	case raw[0] == unix.AF_INET && len(raw) >= unix.SizeofSockaddrInet4:
		return &unix.SockaddrInet4{Port: port(), Addr: [4]byte(raw[4:8])}, nil
	case raw[0] == unix.AF_INET6 && len(raw) >= unix.SizeofSockaddrInet6:
		zone := uint32(raw[24]) | uint32(raw[25])<<8 | uint32(raw[26])<<16 | uint32(raw[27])<<24
		return &unix.SockaddrInet6{Port: port(), Addr: [16]byte(raw[8:24]), ZoneId: zone}, nil
	}
	return nil, unix.EINVAL
}

// withConnectTimeout limits connect with the socket's send timeout (socket(7)), and restores that timeout afterwards.
func withConnectTimeout(socket int, connect func() error) error {
	if had, err := unix.GetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_SNDTIMEO); err == nil && *had == (unix.Timeval{}) {
		limit := unix.NsecToTimeval(int64(connectLimit))
		if unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit) == nil {
			defer func() { _ = unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_SNDTIMEO, had) }()
		}
	}
	return connect()
}

// newMuteSocket creates an internet socket that can query the machine's interfaces (netdevice(7)) but can neither send
// nor receive. Shutting down both directions returns ENOTCONN and takes effect nevertheless; the probe of each
// kind of cell verifies that.
func newMuteSocket(domain, flags int) (int, error) {
	fd, err := unix.Socket(domain, unix.SOCK_DGRAM|flags&(unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK), 0)
	if err != nil {
		return -1, err
	}
	if err := unix.Shutdown(fd, unix.SHUT_RDWR); err != nil && !errors.Is(err, unix.ENOTCONN) {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// processOf returns the process ID of a thread.
func processOf(thread int) (int, error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(thread) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if value, ok := bytes.CutPrefix(line, []byte("Tgid:")); ok {
			return strconv.Atoi(string(bytes.TrimSpace(value)))
		}
	}
	return 0, fmt.Errorf("cannot find the process of thread %d", thread)
}

// copyDescriptor duplicates descriptor fd of a thread's process into this process.
func copyDescriptor(thread, fd int) (int, error) {
	pid, err := processOf(thread)
	if err != nil {
		return -1, err
	}
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, fd, 0)
}
