// Package server asks the AUR for recipes and for what it knows of packages. It connects to public addresses only (package
// guard), over TLS, and follows no redirect to another host.
package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/nidoit/blunux-ai/tools/web/guard"
	"github.com/nidoit/blunux-ai/upgrade/aur"
)

// Default is the address of the AUR.
const Default = "https://aur.archlinux.org"

// Bounds of an answer.
const (
	timeout     = 20 * time.Second
	maxInfo     = 1 << 20  // bytes of the answer about a package
	maxSnapshot = 16 << 20 // bytes of a recipe's archive
)

// ErrUnknown reports a name that the AUR does not have.
var ErrUnknown = errors.New("the AUR has no such package")

// Server is the AUR.
type Server struct {
	Base   string // its address
	client *http.Client
	agent  string
}

// New returns the AUR for a version of this program.
func New(version string) *Server {
	g := guard.Guard{Own: net.InterfaceAddrs}
	return newServer(Default, version, &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return g.Dial(ctx, network, address, false, nil)
		},
		TLSHandshakeTimeout: timeout, MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true,
	})
}

func newServer(base, version string, transport http.RoundTripper) *Server {
	return &Server{Base: base, agent: "blunux-ai/" + version, client: &http.Client{
		Timeout: timeout, Transport: transport,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > 3 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}}
}

// get returns the body of an answer of at most limit bytes.
func (s *Server) get(ctx context.Context, path string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Base+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", s.agent)
	res, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNotFound {
		return nil, ErrUnknown
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", res.Status)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = errors.New("the answer is too large")
	}
	return text, err
}

// Info returns what the AUR knows of a package.
func (s *Server) Info(ctx context.Context, name string) (info aur.Info, err error) {
	text, err := s.get(ctx, "/rpc/v5/info/"+url.PathEscape(name), maxInfo)
	if err != nil {
		return info, fmt.Errorf("cannot ask the AUR about %s: %w", name, err)
	}
	var answer struct {
		Type    string     `json:"type"`
		Error   string     `json:"error"`
		Results []aur.Info `json:"results"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return info, fmt.Errorf("cannot read the AUR's answer about %s: %w", name, err)
	}
	if answer.Type == "error" {
		return info, fmt.Errorf("cannot ask the AUR about %s: %s", name, answer.Error)
	}
	for _, found := range answer.Results {
		if found.Name == name {
			return found, nil
		}
	}
	return info, fmt.Errorf("%s: %w", name, ErrUnknown)
}

// Recipe returns the recipe of a package base as it is now.
func (s *Server) Recipe(ctx context.Context, base string) (aur.Recipe, error) {
	if !aur.IsName(base) {
		return aur.Recipe{}, fmt.Errorf("%s: %w", base, ErrUnknown)
	}
	text, err := s.get(ctx, "/cgit/aur.git/snapshot/"+url.PathEscape(base)+".tar.gz", maxSnapshot)
	if err != nil {
		return aur.Recipe{}, fmt.Errorf("cannot fetch the recipe of %s: %w", base, err)
	}
	return aur.ReadSnapshot(bytes.NewReader(text))
}
