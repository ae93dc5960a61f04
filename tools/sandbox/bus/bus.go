// Package bus serves a D-Bus that only passes reading calls, for programs that query services over it
// (systemctl, nmcli, bluetoothctl).
//
// A process that reaches a real bus can have the service manager start anything (systemd-run --user), regardless of
// what the kernel forbids to the process itself. So a confined process finds a socket of this package in place of
// each bus. It speaks the D-Bus protocol (D-Bus Specification 0.43, "Authentication Protocol" and "Message
// Protocol") with both sides. It forwards method calls that are listed as reading ([IsReading]) and answers all others
// with AccessDenied. It drops signals, replies and file descriptors from the process. A call does not start a
// service, except system services that only run on demand.
package bus

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Options configures a [Bus].
type Options struct {
	// Dir is a directory of the daemon in which the sockets are created.
	Dir string
	// RuntimeDir is the user's runtime directory, or "" if there is none.
	RuntimeDir string
	// SystemAddress and SessionAddress are the values of DBUS_SYSTEM_BUS_ADDRESS and DBUS_SESSION_BUS_ADDRESS,
	// or "" for the standard addresses.
	SystemAddress, SessionAddress string
}

// Bus serves read-only sockets. It listens from the first call of [Bus.Sockets] until [Bus.Close], and is safe
// for concurrent use.
type Bus struct {
	o       Options
	mu      sync.Mutex
	served  map[string]string // our socket by the path it replaces
	sockets []net.Listener
	conns   map[net.Conn]struct{}
	work    sync.WaitGroup
	closed  bool
}

// New returns a bus that does not listen yet.
func New(o Options) *Bus { return &Bus{o: o, conns: map[net.Conn]struct{}{}} }

// upstream is a real socket and the path at which programs look for it.
type upstream struct{ name, target, address string }

// systemName is the name of the system bus among the upstreams.
const systemName = "system"

// upstreams returns the buses and the service managers' private sockets, which systemctl prefers to a bus
// (systemd, bus_connect_transport_systemd).
func (b *Bus) upstreams() []upstream {
	const system, manager = "/run/dbus/system_bus_socket", "/run/systemd/private"
	list := []upstream{{systemName, system, unixSocket(b.o.SystemAddress, system)}}
	if os.Getuid() == 0 {
		list = append(list, upstream{"manager", manager, manager})
	}
	if dir := b.o.RuntimeDir; dir != "" {
		session, user := filepath.Join(dir, "bus"), filepath.Join(dir, "systemd/private")
		list = append(list, upstream{"session", session, unixSocket(b.o.SessionAddress, session)}, upstream{"user", user, user})
	}
	return list
}

// unixSocket returns the socket of the first unix address in a list (D-Bus Specification, "Server Addresses"),
// with @ for an abstract one, or other if there is none.
func unixSocket(list, other string) string {
	for one := range strings.SplitSeq(list, ";") {
		params, ok := strings.CutPrefix(one, "unix:")
		if !ok {
			continue
		}
		for param := range strings.SplitSeq(params, ",") {
			switch key, value, _ := strings.Cut(param, "="); key {
			case "path":
				return value
			case "abstract":
				return "@" + value
			}
		}
	}
	return other
}

// Sockets returns the read-only sockets by the path they replace, one for each existing bus.
func (b *Bus) Sockets() (map[string]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, net.ErrClosed
	}
	if b.served == nil {
		b.served = map[string]string{}
	}
	for _, u := range b.upstreams() {
		if _, ok := b.served[u.target]; ok || !exists(u.address) {
			continue
		}
		path, err := b.listen(u)
		if err != nil {
			return nil, err
		}
		b.served[u.target] = path
	}
	return maps.Clone(b.served), nil
}

func exists(address string) bool {
	if strings.HasPrefix(address, "@") {
		return true
	}
	fi, err := os.Stat(address)
	return err == nil && fi.Mode()&os.ModeSocket != 0
}

// listen creates the socket that replaces u.
func (b *Bus) listen(u upstream) (string, error) {
	dir := filepath.Join(b.o.Dir, "bus")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("cannot make the reading bus: %w", err)
	}
	path := filepath.Join(dir, u.name)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("cannot make the reading bus: %w", err)
	}
	l, err := listenIn(dir, u.name)
	if err != nil {
		return "", fmt.Errorf("cannot make the reading bus: %w", err)
	}
	b.sockets = append(b.sockets, l)
	b.work.Go(func() { b.accept(l, u) })
	return path, nil
}

// listenIn listens on a name in a directory whose path can be longer than a socket address holds (107 bytes, unix(7)).
func listenIn(dir, name string) (net.Listener, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), name)})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // that name soon refers to another directory
	return l, nil
}

func (b *Bus) accept(l net.Listener, upstream upstream) {
	for {
		client, err := l.Accept()
		if err != nil {
			return // closed
		}
		b.work.Go(func() { b.serve(client, upstream) })
	}
}

// serve connects a client with the real bus until one of them disconnects.
func (b *Bus) serve(client net.Conn, upstream upstream) {
	defer client.Close()
	server, err := net.Dial("unix", upstream.address)
	if err != nil {
		return
	}
	defer server.Close()
	if !b.track(client, server) {
		return
	}
	defer b.untrack(client, server)
	p := newProxy(client, server, upstream.name == systemName)
	if p.authenticate() != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.forwardReplies(); client.Close() })
	both.Go(func() { p.forwardCalls(); server.Close() })
	both.Wait()
}

// track registers connections for [Bus.Close]. It returns false if the bus is already closed.
func (b *Bus) track(conns ...net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range conns {
		b.conns[c] = struct{}{}
	}
	return !b.closed
}

func (b *Bus) untrack(conns ...net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range conns {
		delete(b.conns, c)
	}
}

// Close stops listening, closes every connection and waits for them.
func (b *Bus) Close() {
	b.mu.Lock()
	b.closed = true
	for _, l := range b.sockets {
		l.Close()
	}
	for _, path := range b.served {
		_ = os.Remove(path)
	}
	for c := range b.conns {
		c.Close()
	}
	b.mu.Unlock()
	b.work.Wait()
}
