// Package web is the daemon's side of the tools that reach the web: addresses as a person can judge them, what the
// settings permit, and the program that makes the requests (tools/web/fetch), which is started on demand. The daemon
// itself opens no connection to a page.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/internal/peer"
)

// MethodFetch is the method of the program that makes requests: [Request] -> [Answer], or a [peer.Error] with one of
// the codes below.
const MethodFetch = "fetch"

// The codes of failed requests.
const (
	CodeOffline     = "offline"
	CodePortal      = "captive-portal"
	CodeCertificate = "certificate"
	CodeName        = "name"      // the host has no address
	CodeForbidden   = "forbidden" // the address is one of this computer or its network
	CodeUnreachable = "unreachable"
	CodeTimeout     = "timeout"
	CodeTooLarge    = "too-large"
	CodeRedirects   = "redirects"
	CodeNotText     = "not-text"
	CodeFile        = "file" // the downloaded file cannot be written
	CodeAddress     = "address"
)

// Bounds of a request and its answer, in bytes.
const (
	MaxPage     = 10 << 20 // of a page, unpacked
	MaxDownload = 2 << 30
	// MaxText bounds the text of an answer. A model is shown less.
	MaxText = 1 << 20
)

// maxLine bounds a message between the programs: JSON writes each byte of a text as up to six.
const maxLine = 6*MaxText + 64<<10

// Request is what to fetch.
type Request struct {
	Method string   `json:"method"`
	URL    string   `json:"url"` // as [Parse] writes it
	Header []Header `json:"header,omitempty"`
	Body   string   `json:"body,omitempty"`
	// Hosts are further hosts that a redirect may lead to, besides the URL's own.
	Hosts []string `json:"hosts,omitempty"`
	// LAN are the hosts that may have an address of this computer or its network.
	LAN     []string      `json:"lan,omitempty"`
	Timeout time.Duration `json:"timeout"`
	Agent   string        `json:"agent"` // the User-Agent
	// Dir and Name are where to write the answer; Dir is "" for a page.
	Dir  string `json:"dir,omitempty"`
	Name string `json:"name,omitempty"`
}

// Header is one line of a request's header.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Answer is what a server answered.
type Answer struct {
	URL    string `json:"url"` // after redirects
	Status int    `json:"status"`
	// Redirect is where the server redirects to, if that is a host that was not agreed to.
	Redirect string `json:"redirect,omitempty"`
	Type     string `json:"type,omitempty"`
	Charset  string `json:"charset,omitempty"` // if the page is not in UTF-8
	Title    string `json:"title,omitempty"`
	Text     string `json:"text,omitempty"`
	Cut      bool   `json:"cut,omitempty"`
	// ReadAt is when a kept page was read; zero for one that was read now.
	ReadAt time.Time `json:"read_at,omitzero"`
	// Path, Size and SHA256 describe the downloaded file.
	Path   string `json:"path,omitempty"`
	Size   int64  `json:"size,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// Settings are the person's settings for the web.
type Settings struct {
	Allow   []string // hosts that are reached unasked; *.NAME means all below NAME
	LAN     []string // hosts of this computer or its network that may be reached
	Timeout time.Duration
	// Downloads is the directory for files, and Cache for pages of some hosts (cache.go); "" keeps none.
	Downloads, Cache string
	Now              func() time.Time
}

// Allows reports whether the settings let a host be reached unasked.
func (s Settings) Allows(host string) bool { return Covers(s.Allow, host) }

// Covers reports whether a list of names has a host. *.NAME covers all hosts below NAME.
func Covers(list []string, host string) bool {
	return slices.ContainsFunc(list, func(name string) bool {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		if below, ok := strings.CutPrefix(name, "*"); ok && strings.HasPrefix(below, ".") {
			return strings.HasSuffix(host, below)
		}
		return name == host
	})
}

// CoversAddress reports whether a list of names, with or without a port, has the host of an address HOST:PORT.
func CoversAddress(list []string, address string) bool {
	host, port, err := net.SplitHostPort(address)
	return err == nil && (Covers(list, host) || Covers(list, net.JoinHostPort(host, port)) || Covers(list, host+":"+port))
}

// Program is the program that makes the requests, which the first one starts. It is safe for concurrent use.
type Program struct {
	helper *helper.Program
	agent  string
}

// NewProgram returns the program of a version of ours, which servers see. log receives what it writes to its
// standard error. The caller closes it.
func NewProgram(launch func(stderr io.Writer) (helper.Process, error), log func(line string), version string) *Program {
	o := helper.Options{Launch: launch, Log: log, Peer: peer.Options{MaxLine: maxLine}}
	return &Program{helper.New(o), "blunux-ai/" + version}
}

// Close ends the program.
func (p *Program) Close() { p.helper.Close() }

// Web makes requests as the settings permit it.
type Web struct {
	Settings
	program *Program
}

// New returns the web.
func New(program *Program, s Settings) *Web { return &Web{s, program} }

// Fetch makes a request. A failed one is a [*peer.Error] with a code.
func (w *Web) Fetch(ctx context.Context, r Request) (a Answer, err error) {
	if w.isCached(r) {
		if a, ok := w.kept(r, CacheAge); ok {
			return a, nil
		}
		asked := r
		defer func() {
			switch {
			case err == nil && a.Status == http200 && a.Redirect == "":
				w.keep(asked, a)
			case slices.Contains(unreached, Code(err)):
				if old, ok := w.kept(asked, StaleAge); ok {
					a, err = old, nil
				}
			}
		}()
	}
	r.Hosts, r.LAN, r.Timeout, r.Agent = w.Allow, w.LAN, w.Timeout, w.program.agent
	if r.Name != "" {
		r.Dir, r.Timeout = w.Downloads, fileTimes*w.Timeout
	}
	err = w.program.helper.Call(ctx, MethodFetch, r, &a)
	return a, err
}

// fileTimes is how many times as long as a page a file may take.
const fileTimes = 10

// http200 is the status of a page that is there; net/http is not linked for it.
const http200 = 200

// Code returns the code of a failed request, or "".
func Code(err error) string {
	var failed *peer.Error
	if errors.As(err, &failed) {
		return failed.Code
	}
	return ""
}

// Serve answers requests from r on w with fetch, until r ends.
func Serve(r io.Reader, w io.Writer, fetch func(context.Context, Request) (Answer, error)) {
	peer.New(r, w, peer.Options{
		MaxLine: maxLine,
		Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			if method != MethodFetch {
				return nil, peer.UnknownMethod(method)
			}
			var q Request
			if err := json.Unmarshal(params, &q); err != nil {
				return nil, err
			}
			return fetch(ctx, q)
		},
	}).Wait()
}

// Fail returns an error with a code.
func Fail(code, message string) error { return &peer.Error{Code: code, Message: message} }
