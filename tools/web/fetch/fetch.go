// Package fetch makes the requests of the web tools, in another program than the daemon ([web.Serve]). It follows
// redirects only to hosts that were agreed to, judges the address of each connection (package guard), and bounds the
// size and the time of all it reads. It sends no cookies and uses no proxy of the environment.
package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/nidoit/blunux-ai/tools/web"
	"github.com/nidoit/blunux-ai/tools/web/guard"
	"github.com/nidoit/blunux-ai/tools/web/page"
)

// Bounds of a request.
const (
	maxRedirects   = 5
	maxHeader      = 64 << 10 // bytes of an answer's header
	connectTimeout = 10 * time.Second
	usualTimeout   = 30 * time.Second
)

// DefaultProbe is a page whose content is known, without encryption, so that a network that wants a login shows itself.
// It is the one that NetworkManager asks on Arch Linux.
const DefaultProbe = "http://ping.archlinux.org/nm-check.txt"

// ProbeAnswer is how the answer of the probe begins.
const ProbeAnswer = "NetworkManager is online"

// Fetcher makes requests.
type Fetcher struct {
	Resolver *net.Resolver // nil for the system's
	Roots    *x509.CertPool
	// Probe is the address that is asked whether a network wants a login, "" for none.
	Probe string
	// Interfaces returns the addresses of this computer.
	Interfaces func() ([]net.Addr, error)
}

// New returns the usual fetcher.
func New() Fetcher { return Fetcher{Probe: DefaultProbe, Interfaces: net.InterfaceAddrs} }

// Fetch makes a request. The error has one of the codes of package web.
func (f Fetcher) Fetch(ctx context.Context, q web.Request) (web.Answer, error) {
	limit := q.Timeout
	if limit <= 0 {
		limit = usualTimeout
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	a, err := f.fetch(within, q)
	if err == nil {
		return a, nil
	}
	return web.Answer{}, f.explain(ctx, within, q, err)
}

func (f Fetcher) fetch(ctx context.Context, q web.Request) (web.Answer, error) {
	address, host, err := web.Parse(q.URL)
	if err != nil {
		return web.Answer{}, web.Fail(web.CodeAddress, err.Error())
	}
	req, err := newRequest(ctx, q, address)
	if err != nil {
		return web.Answer{}, web.Fail(web.CodeAddress, err.Error())
	}
	client, end := f.client(q, host)
	defer end()
	res, err := client.Do(req)
	if err != nil {
		return web.Answer{}, err
	}
	defer res.Body.Close()
	a := web.Answer{URL: res.Request.URL.String(), Status: res.StatusCode}
	switch {
	case res.StatusCode == http.StatusNetworkAuthenticationRequired:
		return a, web.Fail(web.CodePortal, "the network wants a login first")
	case isRedirect(res.StatusCode) && res.Header.Get("Location") != "":
		a.Redirect = redirectOf(res)
		return a, nil
	case q.Name != "" && res.StatusCode == http.StatusOK:
		return a, save(res.Body, q, &a)
	}
	return a, readText(res, q.Method, &a)
}

// newRequest returns the request with what it sends besides the method.
func newRequest(ctx context.Context, q web.Request, address string) (*http.Request, error) {
	if q.Method == "" {
		q.Method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, q.Method, address, strings.NewReader(q.Body))
	if err != nil {
		return nil, err
	}
	if q.Body == "" {
		req.Body, req.GetBody = nil, nil
	}
	if req.URL.Host, err = asciiHost(req.URL); err != nil {
		return nil, err
	}
	req.Host = req.URL.Host
	req.Header.Set("User-Agent", q.Agent)
	for _, h := range q.Header {
		req.Header.Set(h.Name, h.Value)
	}
	return req, nil
}

// asciiHost returns a URL's host and port with a name as the resolver gets it.
func asciiHost(u *url.URL) (string, error) {
	host := u.Hostname()
	if !strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		return u.Host, nil
	}
	host, err := idna.Lookup.ToASCII(host)
	if err != nil || web.LooksNumeric(host) {
		return "", errors.New("the address has no valid host name")
	}
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	return host, nil
}

// client returns a client for one request. end closes its connections.
func (f Fetcher) client(q web.Request, host string) (c *http.Client, end func()) {
	t := &http.Transport{
		DialContext:            f.dial(q),
		TLSClientConfig:        &tls.Config{RootCAs: f.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    connectTimeout,
		MaxResponseHeaderBytes: maxHeader,
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
		DisableCompression:     q.Name != "", // the file as the server has it
	}
	hops := 0
	return &http.Client{
		Transport: t,
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if hops++; hops > maxRedirects {
				return web.Fail(web.CodeRedirects, fmt.Sprintf("the server redirects more than %d times", maxRedirects))
			}
			if !mayFollow(q, host, next, via[len(via)-1]) {
				return http.ErrUseLastResponse
			}
			next.Header.Del("Referer")
			return nil
		},
	}, t.CloseIdleConnections
}

// mayFollow reports whether a redirect leads to a host that was agreed to, without giving up encryption.
func mayFollow(q web.Request, host string, next, last *http.Request) bool {
	_, to, err := web.Parse(next.URL.String())
	if err != nil || q.Method != http.MethodGet && q.Method != http.MethodHead && q.Method != "" {
		return false
	}
	if last.URL.Scheme == "https" && next.URL.Scheme != "https" {
		return false
	}
	same := strings.TrimPrefix(to, "www.") == strings.TrimPrefix(host, "www.")
	return same || web.Covers(q.Hosts, to)
}

func isRedirect(status int) bool {
	return slices.Contains([]int{301, 302, 303, 307, 308}, status)
}

// redirectOf returns where an answer redirects to, in the one spelling of addresses, or as much as can be said.
func redirectOf(res *http.Response) string {
	to, err := res.Location()
	if err != nil {
		return "an address that cannot be read"
	}
	if address, _, err := web.Parse(to.String()); err == nil {
		return address
	}
	return "an address that is not opened"
}

// dial returns a function that connects to where the guard permits.
func (f Fetcher) dial(q web.Request) func(ctx context.Context, network, address string) (net.Conn, error) {
	g := guard.Guard{Own: f.Interfaces}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return g.Dial(ctx, network, address, web.CoversAddress(q.LAN, address), f.Resolver)
	}
}

// readText reads an answer as text.
func readText(res *http.Response, method string, a *web.Answer) error {
	if method == http.MethodHead || res.StatusCode == http.StatusNoContent {
		return nil
	}
	head := res.Header.Get("Content-Type")
	data, err := io.ReadAll(io.LimitReader(res.Body, web.MaxPage+1))
	switch {
	case err != nil:
		return err
	case len(data) > web.MaxPage:
		return web.Fail(web.CodeTooLarge, fmt.Sprintf("the page is larger than %d MiB", web.MaxPage>>20))
	}
	if head == "" {
		head = http.DetectContentType(data)
	}
	kind, _, err := mime.ParseMediaType(head)
	if err != nil {
		kind, _, _ = strings.Cut(head, ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	a.Type, a.Size = kind, int64(len(data))
	isPage := kind == "text/html" || kind == "application/xhtml+xml"
	if !isPage && !isText(kind) {
		return web.Fail(web.CodeNotText, "the answer is no text but "+kind)
	}
	text, name := page.Decode(data, head)
	if name != "utf-8" {
		a.Charset = name
	}
	if !isPage {
		a.Text, a.Cut = cut(text)
		return nil
	}
	p, err := page.Read(text, a.URL, web.MaxText)
	if err != nil {
		return web.Fail(web.CodeNotText, err.Error())
	}
	a.Title = p.Title
	a.Text, a.Cut = cut(p.Text)
	a.Cut = a.Cut || p.Cut
	return nil
}

// isText reports whether a media type is text that can be shown as it is.
func isText(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") {
		return true
	}
	return slices.Contains([]string{"application/json", "application/xml", "application/toml", "application/yaml", "application/x-yaml", "application/javascript"}, kind)
}

// cut returns the beginning of a text.
func cut(text string) (string, bool) {
	if len(text) <= web.MaxText {
		return text, false
	}
	return strings.ToValidUTF8(text[:web.MaxText], ""), true
}
