// Package transport is the HTTP layer shared by all wire dialects: a client that keeps connections alive,
// limits for each exchange (total time, idle time, size), authentication headers, and the translation of every
// failure into a [providers.Error] that never contains the key.
//
// A dialect sends its request with [Client.Post] and parses the body as an [Answer]. For other requests, open a [Call],
// send with [Call.Do], read the body, end the call with [Call.End] and pass every error through [Call.Fail].
package transport

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The default limits of one exchange. The total of 120 s follows seeds NARE TDD section 6.2.
const (
	DefaultOverall   = 120 * time.Second
	DefaultFirst     = 30 * time.Second
	DefaultIdle      = 20 * time.Second
	DefaultMaxAnswer = 8 << 20 // bytes
)

// wireFactor bounds the bytes received for each byte of answer, because of framing and JSON. A stream above it
// counts as endless. Small deltas take about 50.
const wireFactor = 64

// Limits are the limits of one exchange. A zero field means its default.
type Limits struct {
	Overall   time.Duration // from the request to the end of the answer
	First     time.Duration // from the request to the first piece of the body
	Idle      time.Duration // between two pieces of the body
	MaxAnswer int           // size of text, tool inputs and opaque data together, in bytes
}

func (l Limits) withDefaults() Limits {
	if l.Overall <= 0 {
		l.Overall = DefaultOverall
	}
	if l.First <= 0 {
		l.First = DefaultFirst
	}
	if l.Idle <= 0 {
		l.Idle = DefaultIdle
	}
	if l.MaxAnswer <= 0 {
		l.MaxAnswer = DefaultMaxAnswer
	}
	return l
}

// AuthStyle says which header carries the key.
type AuthStyle string

// The authentication styles.
const (
	AuthBearer  AuthStyle = "bearer"         // Authorization: Bearer KEY (RFC 6750)
	AuthXAPIKey AuthStyle = "x-api-key"      // x-api-key: KEY (Anthropic)
	AuthXGoog   AuthStyle = "x-goog-api-key" // x-goog-api-key: KEY (Google)
	AuthNone    AuthStyle = "none"           // no key is sent
)

// Options configures a [Client].
type Options struct {
	Provider  string // catalog name, for errors
	Model     string // model id, for the observer
	Key       string // may be empty for local servers
	AuthStyle AuthStyle
	Header    map[string]string // fixed headers of the dialect, such as the version of the API
	// HTTPClient sends the requests, nil means [NewHTTPClient]. Its Transport is shared, its redirect policy
	// and timeout are not used.
	HTTPClient *http.Client
	Limits     Limits
	Observer   Observer
}

// Client makes calls to one provider. It is safe for concurrent use.
type Client struct {
	provider string
	model    string
	http     *http.Client
	limits   Limits
	observer Observer
	header   map[string]string
	// Only these two closures hold the key, so that printing a Client cannot reveal it.
	authorize func(http.Header)
	redact    func(string) string
}

// New returns a client. It fails if the authentication style is unknown or the key has characters that a header
// cannot contain.
func New(o Options) (*Client, error) {
	key := strings.TrimSpace(o.Key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, &malformedKeyError{o.Provider}
	}
	authorize, err := newAuthorizer(o.AuthStyle, key)
	if err != nil {
		return nil, err
	}
	base := o.HTTPClient
	if base == nil {
		base = NewHTTPClient()
	}
	c := *base
	c.Timeout = 0
	c.CheckRedirect = refuseRedirect
	return &Client{
		provider: o.Provider, model: o.Model, http: &c, limits: o.Limits.withDefaults(), observer: o.Observer,
		header: o.Header, authorize: authorize, redact: newRedactor(key),
	}, nil
}

// refuseRedirect stops redirects, so that the key is not sent to another host: net/http then drops
// Authorization but not x-api-key. No model API redirects.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func newAuthorizer(style AuthStyle, key string) (func(http.Header), error) {
	header, value := "", ""
	switch style {
	case AuthBearer, "":
		header, value = "Authorization", "Bearer "+key
	case AuthXAPIKey:
		header, value = "X-Api-Key", key
	case AuthXGoog:
		header, value = "X-Goog-Api-Key", key
	case AuthNone:
	default:
		return nil, fmt.Errorf("unknown auth_style %q: use %s, %s, %s or %s", style, AuthBearer, AuthXAPIKey, AuthXGoog, AuthNone)
	}
	return func(h http.Header) {
		if key != "" && header != "" {
			h.Set(header, value)
		}
	}, nil
}

// NewHTTPClient returns a client for a long-running program. It keeps idle connections for minutes, takes
// proxies from the environment and disables compression, because a compressing proxy would delay streamed
// pieces.
func NewHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{Transport: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		MaxIdleConns:           8,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        5 * time.Minute,
		TLSHandshakeTimeout:    10 * time.Second,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
	}}
}

// keyParams are the query parameters that carry keys.
var keyParams = []string{"key", "api_key", "api-key", "access_token"}

// BaseURL parses a configured base URL. It must be http or https, with a host and without credentials, which
// would get into logs. Surrounding blanks, trailing slashes and a fragment are removed. A query is kept.
func BaseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		// url.Parse repeats its input, which may hold a password.
		return nil, errors.New("cannot read base_url: it is not a URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, errors.New("cannot use base_url: it must look like https://host or http://127.0.0.1:8080/v1")
	case u.User != nil:
		return nil, errors.New("cannot use base_url: it contains a user name or password; put the key into the credentials")
	}
	for _, name := range keyParams {
		if u.Query().Has(name) {
			return nil, errors.New("cannot use base_url: it contains a key; put the key into the credentials")
		}
	}
	u.Fragment = ""
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	return u, nil
}

// IsLoopback reports whether a base URL points to this computer.
func IsLoopback(raw string) bool {
	u, err := BaseURL(raw)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// IsLocalNetwork reports whether a base URL points to this computer or one on the local network, which can be reachable
// without a default route.
func IsLocalNetwork(raw string) bool {
	if IsLoopback(raw) {
		return true
	}
	u, err := BaseURL(raw)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	// Names without a dot and mDNS names (RFC 6762) are local.
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".lan")
}
