package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// namespace is a thread in its own network and mount namespaces. Sockets that its functions open and programs that
// they start are in them.
type namespace struct {
	calls  chan func()
	thread int
}

func newNamespace(t *testing.T, flags int) *namespace {
	t.Helper()
	n := &namespace{calls: make(chan func())}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with this goroutine
		err := unix.Unshare(flags)
		n.thread = unix.Gettid()
		started <- err
		for f := range n.calls {
			f()
		}
	}()
	t.Cleanup(func() { close(n.calls) })
	if err := <-started; err != nil {
		skip(t, "this machine lets nobody make a network: %v", err)
	}
	return n
}

// do calls a function on the thread.
func (n *namespace) do(f func() error) error {
	result := make(chan error)
	n.calls <- func() { result <- f() }
	return <-result
}

// ip runs ip(8), once for each line of commands.
func (n *namespace) ip(t *testing.T, commands string) {
	t.Helper()
	require.NoError(t, n.do(func() error {
		for line := range strings.Lines(commands) {
			if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
				return fmt.Errorf("ip %s: %w: %s", strings.TrimSpace(line), err, out)
			}
		}
		return nil
	}))
}

func (n *namespace) listen(t *testing.T, address string) net.Listener {
	t.Helper()
	var l net.Listener
	require.NoError(t, n.do(func() (err error) {
		l, err = net.Listen("tcp", address)
		return err
	}))
	t.Cleanup(func() { l.Close() })
	return l
}

// start starts a daemon in the namespace.
func (n *namespace) start(d *machine) {
	d.t.Helper()
	require.NoError(d.t, n.do(func() error {
		cmd := exec.Command(binaries+"/blunux-aictl", "status")
		cmd.Dir, cmd.Env = d.home, d.env
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}))
}

// The addresses of the network. Public ones are those of well-known hosts, which the network does not reach.
const (
	publicIP   = "93.184.216.34"
	publicIP6  = "2606:2800:220:1::1"
	refusingIP = "93.184.216.35" // nothing listens there
	nameServer = "1.1.1.1"
	ownIP      = "93.184.215.14" // a public address of the computer
	ownIP6     = "2606:2800:77::2"
	ownLANIP   = "192.168.77.2"
	routerIP   = "192.168.77.1"
)

// probeHost is asked whether the network wants a login.
const probeHost = "ping.archlinux.org"

// internet is a computer in a network namespace, and an internet in another one: a name server and web servers.
type internet struct {
	t                 *testing.T
	computer, outside *namespace
	names             nameTable
	inner             atomic.Int32 // connections to servers that only the computer's network reaches

	mu      sync.Mutex
	sites   map[string]http.HandlerFunc // by host
	reached map[string]int              // requests, by host
	login   bool                        // the network wants a login
}

func newInternet(t *testing.T) *internet {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		skip(t, "ip is not installed")
	}
	n := &internet{t: t, sites: map[string]http.HandlerFunc{}, reached: map[string]int{}, names: nameTable{names: map[string][][]string{}, asked: map[string]int{}}}
	n.outside = newNamespace(t, unix.CLONE_NEWNET)
	n.computer = newNamespace(t, unix.CLONE_NEWNET|unix.CLONE_NEWNS)
	n.computer.ip(t, fmt.Sprintf("link set lo up\nlink add wan0 type veth peer name net0 netns %d\nlink set wan0 up", n.outside.thread))
	n.outside.ip(t, strings.TrimSpace(`
link set lo up
link set net0 up
addr add `+routerIP+`/24 dev net0
addr add `+publicIP+`/32 dev net0
addr add `+refusingIP+`/32 dev net0
addr add `+nameServer+`/32 dev net0
addr add 169.254.169.254/32 dev net0
addr add 10.0.0.5/32 dev net0
addr add 100.64.0.5/32 dev net0
addr add 2606:2800:77::1/64 dev net0 nodad
addr add fd00::5/128 dev net0 nodad
addr add `+publicIP6+`/128 dev net0 nodad`))
	n.computer.ip(t, strings.TrimSpace(`
addr add `+ownLANIP+`/24 dev wan0
addr add `+ownIP+`/32 dev wan0
addr add `+ownIP6+`/64 dev wan0 nodad
route add default via `+routerIP+`
-6 route add default via 2606:2800:77::1`))
	resolv := filepath.Join(t.TempDir(), "resolv.conf")
	require.NoError(t, os.WriteFile(resolv, []byte("nameserver "+nameServer+"\nsearch .\n"), 0o644))
	require.NoError(t, n.computer.do(func() error {
		if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			return err
		}
		return unix.Mount(resolv, "/etc/resolv.conf", "", unix.MS_BIND, "")
	}))
	n.serveNames()
	for _, ip := range []string{publicIP, "[" + publicIP6 + "]"} {
		n.serve(n.outside.listen(t, ip+":80"))
	}
	for _, ip := range innerIPs {
		n.serveInner(n.outside.listen(t, net.JoinHostPort(ip, "80")))
	}
	n.serveInner(n.computer.listen(t, ":80"))
	n.site(probeHost, func(w http.ResponseWriter, r *http.Request) {
		if n.wantsLogin() {
			http.Redirect(w, r, "http://"+routerIP+"/login", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "NetworkManager is online\n")
	})
	return n
}

// innerIPs are the addresses that the computer reaches and that are not the internet's, besides its own.
var innerIPs = []string{routerIP, "169.254.169.254", "10.0.0.5", "100.64.0.5", "fd00::5"}

// newMachine returns a machine in the network, with a daemon that starts with its first request.
func (n *internet) newMachine(config string) *machine {
	n.t.Helper()
	d := newMachine(n.t, "")
	d.write("config.toml", strings.ReplaceAll(config, "HOME", d.home))
	return d
}

// site serves a host at the public address.
func (n *internet) site(host string, handle http.HandlerFunc) {
	n.names.set(host, []string{publicIP})
	n.handle(host, handle)
}

// handle answers the requests for a host.
func (n *internet) handle(host string, handle http.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sites[host] = handle
}

func (n *internet) wantsLogin() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.login
}

func (n *internet) setLogin(wanted bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.login = wanted
}

// requests returns how many requests for a host there were.
func (n *internet) requests(host string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.reached[host]
}

func (n *internet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	n.mu.Lock()
	n.reached[host]++
	handle := n.sites[host]
	n.mu.Unlock()
	if handle == nil {
		http.NotFound(w, r)
		return
	}
	handle(w, r)
}

func (n *internet) serve(l net.Listener) {
	s := &http.Server{Handler: n, ErrorLog: log.New(io.Discard, "", 0)}
	n.t.Cleanup(func() { s.Close() })
	go func() { _ = s.Serve(l) }()
}

// serveInner serves a page that nothing may read, and counts the connections.
func (n *internet) serveInner(l net.Listener) {
	s := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the inner secret") }),
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				n.inner.Add(1)
			}
		},
	}
	n.t.Cleanup(func() { s.Close() })
	go func() { _ = s.Serve(l) }()
}

// requireInnerServers checks that the computer reaches the servers that it must not open, and counts from then on.
func (n *internet) requireInnerServers(ips ...string) {
	n.t.Helper()
	for i, ip := range ips {
		require.NoError(n.t, n.computer.do(func() error {
			c, err := net.Dial("tcp", net.JoinHostPort(ip, "80"))
			if err != nil {
				return err
			}
			return c.Close()
		}), ip)
		waitUntil(n.t, ip, func() bool { return n.inner.Load() == int32(i)+1 })
	}
	n.inner.Store(0)
}

// serveTLS serves the hosts with a certificate, at the public address.
func (n *internet) serveTLS(certificate func() *tls.Certificate) {
	l := tls.NewListener(n.outside.listen(n.t, publicIP+":443"), &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return certificate(), nil },
	})
	n.serve(l)
}

// nameTable is the content of a name server: the answers for each name, one for each lookup, the last one from then on.
type nameTable struct {
	mu    sync.Mutex
	names map[string][][]string
	asked map[string]int // by name and type
}

func (s *nameTable) set(name string, answers ...[]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = answers
}

func (n *internet) serveNames() {
	var conn net.PacketConn
	require.NoError(n.t, n.outside.do(func() (err error) {
		conn, err = net.ListenPacket("udp", nameServer+":53")
		return err
	}))
	n.t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			count, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply, err := n.names.answer(buf[:count]); err == nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
}

func (s *nameTable) answer(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	m.Response, m.Authoritative, m.RecursionAvailable, m.Additionals = true, true, true, nil
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	s.mu.Lock()
	defer s.mu.Unlock()
	answers := s.names[name]
	if len(answers) == 0 {
		m.RCode = dnsmessage.RCodeNameError
		return m.Pack()
	}
	key := name + " " + q.Type.String()
	now := answers[min(s.asked[key], len(answers)-1)]
	s.asked[key]++
	head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	for _, text := range now {
		switch ip := netip.MustParseAddr(text); {
		case q.Type == dnsmessage.TypeA && ip.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: ip.As4()}})
		case q.Type == dnsmessage.TypeAAAA && ip.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
	return m.Pack()
}

// authority signs certificates.
type authority struct {
	key  *ecdsa.PrivateKey
	root *x509.Certificate
}

// newAuthority returns an authority and the file of its certificate.
func newAuthority(t *testing.T) (a authority, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	from := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "test"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	data, err := x509.CreateCertificate(rand.Reader, from, from, &key.PublicKey, key)
	require.NoError(t, err)
	root, err := x509.ParseCertificate(data)
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "root.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: data}), 0o644))
	return authority{key, root}, file
}

// issue returns a certificate of a host that is valid from an hour ago until then.
func (a authority) issue(t *testing.T, host string, until time.Duration) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	from := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: host},
		DNSNames:     []string{host},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(until),
	}
	data, err := x509.CreateCertificate(rand.Reader, from, a.root, &key.PublicKey, a.key)
	require.NoError(t, err)
	return &tls.Certificate{Certificate: [][]byte{data}, PrivateKey: key}
}

// TestWhatRemindersWaitForIsTold: an address that no computer has yet, and a battery that is charged.
func TestWhatRemindersWaitForIsTold(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("unshare", "--net", "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		skip(t, "this machine lets nobody make a network: %s", out)
	}
	home := t.TempDir()
	require.NoError(t, os.Chmod(home, 0o700))
	t.Cleanup(func() { stopDaemon(filepath.Join(home, "blunux-ai.sock")) })
	script := filepath.Join(t.TempDir(), "story.sh")
	writeStory(t, script, "", "wait.lib.sh", "waits.sh")
	cmd := exec.Command("unshare", "--net", "--mount", "bash", script)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home, "BIN="+binaries, "BLUNUX_AI_AUTOMATIONS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "story complete")
}
