package account

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ServerURL checks the URL of a server, "" for the default one. Requests contain the token, so the URL must use https or
// a loopback address.
func ServerURL(server, def string) (string, error) {
	if server == "" {
		return def, nil
	}
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("cannot use the server: not a URL like https://bot.example.org")
	case u.Scheme == "https", u.Scheme == "http" && IsLoopback(u.Hostname()):
		return strings.TrimRight(server, "/"), nil
	}
	return "", fmt.Errorf("cannot use the server %s: it must use https, or http on this computer", u.Host)
}

// IsLoopback reports whether a host is this computer.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// NewHTTP returns a client that uses little memory while idle: HTTP/1.1 with at most two idle connections. It does not
// follow redirects, because requests contain the token.
func NewHTTP() *http.Client {
	dialer := &net.Dialer{Timeout: 20 * time.Second, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 3}}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: 20 * time.Second,
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
			MaxIdleConns: 2, IdleConnTimeout: time.Minute, ReadBufferSize: 4 << 10, WriteBufferSize: 4 << 10, MaxResponseHeaderBytes: 32 << 10, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// WasNotSent reports whether a request that failed with err cannot have reached the server.
func WasNotSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

// MaxDelay is the maximum delay accepted from a server.
const MaxDelay = time.Hour

// Delay returns the delay that a server asks for, within bounds.
func Delay(d time.Duration) time.Duration { return min(max(d, time.Second), MaxDelay) }

// Shorten shortens a server's message for a log.
func Shorten(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
