package fetch_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/nidoit/blunux-ai/tools/web"
	"github.com/nidoit/blunux-ai/tools/web/fetch"
)

// nameServer answers questions for addresses: each name with its list, one a question, the last one from then on.
type nameServer struct {
	*net.Resolver
	mu    sync.Mutex
	names map[string][]string
	asked map[string]int
}

func newNameServer(t *testing.T, names map[string][]string) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	s := &nameServer{names: names, asked: map[string]int{}}
	s.Resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply, err := s.answer(buf[:n]); err == nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return s
}

func (s *nameServer) answer(question []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		return nil, err
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	s.mu.Lock()
	defer s.mu.Unlock()
	addresses := s.names[name]
	if len(addresses) == 0 {
		m.RCode = dnsmessage.RCodeNameError
		return m.Pack()
	}
	head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	ip := netip.MustParseAddr(addresses[min(s.asked[name], len(addresses)-1)])
	switch {
	case q.Type == dnsmessage.TypeA && ip.Is4():
		s.asked[name]++
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: ip.As4()}})
	case q.Type == dnsmessage.TypeAAAA && ip.Is6():
		s.asked[name]++
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
	}
	return m.Pack()
}

// newServer returns a server on loopback, how often it was reached, and the request that the settings permit it with.
func newServer(t *testing.T, handle http.HandlerFunc) (q web.Request, reached *atomic.Int32) {
	t.Helper()
	reached = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	return web.Request{Method: http.MethodGet, URL: s.URL + "/", LAN: []string{u.Host}, Agent: "blunux-ai/test", Timeout: time.Minute}, reached
}

// online is a fetcher on a computer with a network, without a probe.
func online() fetch.Fetcher {
	return fetch.Fetcher{Interfaces: func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("192.0.2.7"), Mask: net.CIDRMask(24, 32)}}, nil
	}}
}

func page(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}
}

func requireCode(t *testing.T, code string, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, web.Code(err), "%v", err)
}

func TestAPageIsFetchedAsTextWithoutAnythingOfThePerson(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	var head http.Header
	q, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		head = r.Header
		w.Header().Set("Set-Cookie", "id=1")
		page("<title>A page</title><h1>Hello</h1><p>World")(w, r)
	})
	a, err := online().Fetch(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, "A page", a.Title)
	require.Equal(t, "# Hello\n\nWorld", a.Text)
	require.Equal(t, http.Header{"User-Agent": {"blunux-ai/test"}, "Accept-Encoding": {"gzip"}, "Connection": {"close"}}, head)
}

func TestThreat20LoopbackAndTheNetworkAreReachedOnlyByNameInTheSettings(t *testing.T) {
	q, reached := newServer(t, page("secret"))
	u, err := url.Parse(q.URL)
	require.NoError(t, err)
	q.LAN = nil
	names := newNameServer(t, map[string][]string{
		"four.test": {"127.0.0.1"}, "six.test": {"::1"}, "mapped.test": {"::ffff:127.0.0.1"}, "any.test": {"0.0.0.0"}, "meta.test": {"169.254.169.254"},
	})
	f := online()
	f.Resolver = names.Resolver
	for _, host := range []string{
		"127.0.0.1", "127.0.0.2", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[fe80::1]", "10.0.0.1", "169.254.169.254",
		"four.test", "six.test", "mapped.test", "any.test", "meta.test",
	} {
		q.URL = "http://" + host + ":" + u.Port() + "/"
		_, err := f.Fetch(t.Context(), q)
		requireCode(t, web.CodeForbidden, err)
	}
	q.URL, q.LAN = "http://four.test:"+u.Port()+"/", []string{"other.test", "four.test:1"}
	_, err = f.Fetch(t.Context(), q)
	requireCode(t, web.CodeForbidden, err)
	require.Zero(t, reached.Load())
	q.LAN = []string{"four.test"}
	_, err = f.Fetch(t.Context(), q)
	require.NoError(t, err)
	require.EqualValues(t, 1, reached.Load())
}

// TestThreat20ARedirectLeadsNowhereElse: not to a host that no one agreed to, and not into this computer although the
// host was agreed to.
func TestThreat20ARedirectLeadsNowhereElse(t *testing.T) {
	inside, reached := newServer(t, page("secret"))
	target := inside.URL
	q, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
	inner, err := url.Parse(inside.URL)
	require.NoError(t, err)
	names := newNameServer(t, map[string][]string{"near.test": {"127.0.0.1"}, "evil.test": {"127.0.0.1"}})
	f := online()
	f.Resolver = names.Resolver
	outer, err := url.Parse(q.URL)
	require.NoError(t, err)
	q.URL, q.LAN = "http://near.test:"+outer.Port()+"/", []string{"near.test"}

	for _, target = range []string{inside.URL, "http://evil.test:" + inner.Port() + "/?data=1", "http://[::1]:" + inner.Port() + "/"} {
		a, err := f.Fetch(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, target, a.Redirect, "it is only reported")
		require.Empty(t, a.Text)
	}
	q.Hosts = []string{"evil.test", "127.0.0.1"}
	for _, target = range []string{inside.URL, "http://evil.test:" + inner.Port() + "/"} {
		_, err = f.Fetch(t.Context(), q)
		requireCode(t, web.CodeForbidden, err)
	}
	for _, target = range []string{"file:///etc/passwd", "http://user:pw@near.test/", "http://2130706433/", "gopher://near.test/"} {
		a, err := f.Fetch(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, "an address that is not opened", a.Redirect)
	}
	require.Zero(t, reached.Load())
}

// TestThreat20ANameThatChangesItsAddressDoesNotHelp: what was public when it was looked up first is judged again when it
// is connected to.
func TestThreat20ANameThatChangesItsAddressDoesNotHelp(t *testing.T) {
	var port string
	q, reached := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://rebind.test:"+port+"/again", http.StatusFound)
	})
	u, err := url.Parse(q.URL)
	require.NoError(t, err)
	port = u.Port()
	names := newNameServer(t, map[string][]string{"rebind.test": {"93.184.216.34", "127.0.0.1"}})
	f := online()
	f.Resolver = names.Resolver
	looked, err := names.LookupNetIP(t.Context(), "ip4", "rebind.test")
	require.NoError(t, err)
	require.Equal(t, "93.184.216.34", looked[0].String(), "the answer at first")
	q.URL, q.LAN = "http://rebind.test:"+port+"/", nil
	_, err = f.Fetch(t.Context(), q)
	requireCode(t, web.CodeForbidden, err)
	require.Zero(t, reached.Load())
}

func TestRedirectsWithinAHostAreFollowedAtMostFiveTimes(t *testing.T) {
	q, reached := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		var left int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &left)
		if left == 0 {
			page("<p>here")(w, r)
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/%d", left-1), http.StatusFound)
	})
	base := q.URL
	q.URL = base + "5"
	a, err := online().Fetch(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, "here", a.Text)
	require.Equal(t, base+"0", a.URL)
	q.URL = base + "6"
	_, err = online().Fetch(t.Context(), q)
	requireCode(t, web.CodeRedirects, err)

	reached.Store(0)
	q.URL, q.Method, q.Body = base+"1", http.MethodPost, "data"
	a, err = online().Fetch(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, base+"0", a.Redirect)
	require.EqualValues(t, 1, reached.Load(), "what is sent is sent once")
}

func TestThreat20WhatIsTooLargeEnds(t *testing.T) {
	zeros := make([]byte, 1<<20)
	for name, handle := range map[string]http.HandlerFunc{
		"gzip bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 10 << 10 { // 10 GiB
				if _, err := z.Write(zeros); err != nil {
					return
				}
			}
		},
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for {
				if _, err := w.Write(zeros); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			q, _ := newServer(t, handle)
			_, err := online().Fetch(t.Context(), q)
			requireCode(t, web.CodeTooLarge, err)
		})
	}
	q, _ := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 100 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
		}
	})
	_, err := online().Fetch(t.Context(), q)
	requireCode(t, web.CodeUnreachable, err)
}

func TestThreat20ASlowServerEnds(t *testing.T) {
	for name, first := range map[string]string{"silent": "", "stalls": "<p>begin"} {
		t.Run(name, func(t *testing.T) {
			q, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) {
				if first != "" {
					_, _ = io.WriteString(w, first)
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})
			q.Timeout = 50 * time.Millisecond
			_, err := online().Fetch(t.Context(), q)
			requireCode(t, web.CodeTimeout, err)
		})
	}
	q, _ := newServer(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := online().Fetch(ctx, q)
	require.ErrorIs(t, err, context.Canceled)
}

func TestWhyAPageCannotBeFetchedIsSaid(t *testing.T) {
	f := online()
	f.Resolver = newNameServer(t, nil).Resolver
	q := web.Request{Method: http.MethodGet, URL: "https://nowhere.test/", Timeout: time.Minute}
	_, err := f.Fetch(t.Context(), q)
	requireCode(t, web.CodeName, err)
	require.Contains(t, err.Error(), "there is no host nowhere.test")

	away := f
	away.Interfaces = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("127.0.0.1"), Mask: net.CIDRMask(8, 32)}, &net.IPNet{IP: net.ParseIP("fe80::1"), Mask: net.CIDRMask(64, 128)}}, nil
	}
	_, err = away.Fetch(t.Context(), q)
	requireCode(t, web.CodeOffline, err)

	secure := httptest.NewTLSServer(page("x"))
	t.Cleanup(secure.Close)
	secure.Config.ErrorLog = nil
	u, err := url.Parse(secure.URL)
	require.NoError(t, err)
	s := web.Request{Method: http.MethodGet, URL: secure.URL, LAN: []string{u.Host}, Timeout: time.Minute}
	_, err = online().Fetch(t.Context(), s)
	requireCode(t, web.CodeCertificate, err)

	portal, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://login.test/", http.StatusFound)
	})
	caught := online()
	caught.Probe, s.LAN = portal.URL, append(s.LAN, portal.LAN...)
	_, err = caught.Fetch(t.Context(), s)
	requireCode(t, web.CodePortal, err)

	free, _ := newServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, fetch.ProbeAnswer+"\n") })
	caught.Probe, s.LAN = free.URL, append(s.LAN, free.LAN...)
	_, err = caught.Fetch(t.Context(), s)
	requireCode(t, web.CodeCertificate, err)

	login, _ := newServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNetworkAuthenticationRequired) })
	_, err = online().Fetch(t.Context(), login)
	requireCode(t, web.CodePortal, err)

	picture, _ := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = io.WriteString(w, "\x89PNG")
	})
	_, err = online().Fetch(t.Context(), picture)
	requireCode(t, web.CodeNotText, err)
	_, err = online().Fetch(t.Context(), web.Request{URL: "http://user:pw@example.org/"})
	requireCode(t, web.CodeAddress, err)
}

func TestThreat20ADownloadIsANewFileThatIsNotExecutable(t *testing.T) {
	q, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/short" {
			w.Header().Set("Content-Length", "100")
		}
		_, _ = io.WriteString(w, "#!/bin/sh\n")
	})
	dir := filepath.Join(t.TempDir(), "Downloads")
	q.Dir, q.Name = dir, "run.sh"
	for _, name := range []string{"run.sh", "run-1.sh", "run-2.sh"} {
		a, err := online().Fetch(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, name), a.Path)
		require.EqualValues(t, 10, a.Size)
		require.Equal(t, "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf", a.SHA256)
		fi, err := os.Lstat(a.Path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), fi.Mode())
	}
	whole := q.URL
	q.URL = whole + "short"
	_, err := online().Fetch(t.Context(), q)
	require.Error(t, err)
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.sh")))
	q.URL, q.Name = whole, "link.sh"
	a, err := online().Fetch(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "link-1.sh"), a.Path, "a link is a name that is taken")
	require.NoFileExists(t, outside)
	for _, name := range []string{"../out.sh", "/etc/out.sh"} {
		q.Name = name
		_, err = online().Fetch(t.Context(), q)
		requireCode(t, web.CodeFile, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	require.Empty(t, left, "what failed leaves nothing")
}
