// Package proxy is the browser's only way to the network: an HTTP proxy that judges the address of each connection
// (package guard). It is the one thing that the browser's network namespace can reach.
package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/tools/web/guard"
)

// Bounds of the proxy.
const (
	maxConnections = 256
	maxHeader      = 64 << 10 // bytes
	idleTimeout    = 2 * time.Minute
)

// Proxy forwards requests to where dial permits it.
type Proxy struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu sync.Mutex
	// failures has why the last connection to a host failed. Chromium only says that its proxy failed.
	failures map[string]error
}

// New returns a proxy.
func New(dial func(ctx context.Context, network, address string) (net.Conn, error)) *Proxy {
	return &Proxy{dial: dial, failures: map[string]error{}}
}

// Serve serves a listener until it is closed.
func (p *Proxy) Serve(l net.Listener) {
	transport := &http.Transport{DialContext: p.connect, DisableCompression: true, MaxResponseHeaderBytes: maxHeader, IdleConnTimeout: idleTimeout}
	defer transport.CloseIdleConnections()
	plain := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		Transport: transport,
		// A page of ours in place of the server's would look as if that had answered.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	busy := make(chan struct{}, maxConnections)
	server := &http.Server{
		ErrorLog: log.New(io.Discard, "", 0), MaxHeaderBytes: maxHeader, ReadHeaderTimeout: idleTimeout, IdleTimeout: idleTimeout,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case busy <- struct{}{}:
				defer func() { <-busy }()
			default:
				http.Error(w, "too many connections", http.StatusServiceUnavailable)
				return
			}
			switch {
			case r.Method == http.MethodConnect:
				p.tunnel(w, r)
			case r.URL.Scheme == "http" && r.URL.Host != "":
				plain.ServeHTTP(w, r)
			default:
				http.Error(w, "this is a proxy", http.StatusBadRequest)
			}
		}),
	}
	_ = server.Serve(l) // until l is closed
	server.Close()
}

// Failure returns why the last connection to a host failed, or nil.
func (p *Proxy) Failure(host string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failures[strings.ToLower(host)]
}

// maxFailures bounds the hosts whose failures are kept.
const maxFailures = 1000

// connect connects and records whether that failed.
func (p *Proxy) connect(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := p.dial(ctx, network, address)
	host, _, _ := net.SplitHostPort(address) // "" if it has no port, which dial refuses
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.failures) >= maxFailures {
		clear(p.failures)
	}
	delete(p.failures, strings.ToLower(host))
	if err != nil {
		p.failures[strings.ToLower(host)] = err
	}
	return c, err
}

// tunnel connects the client with a host, as for TLS.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	far, err := p.connect(r.Context(), "tcp", r.Host)
	if err != nil {
		refuse(w, err)
		return
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	_ = near.SetDeadline(time.Time{}) // the server's own
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{}, 2)
	pass := func(to net.Conn, from io.Reader) {
		_, _ = io.Copy(to, from) // ends with either side
		if half, ok := to.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		done <- struct{}{}
	}
	go pass(far, buffered)
	go pass(near, far)
	<-done
	<-done
}

// refuse answers that a host is not reached.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	if errors.Is(err, guard.ErrForbidden) || errors.Is(err, guard.ErrPort) {
		status = http.StatusForbidden
	}
	http.Error(w, "not reached", status)
}
