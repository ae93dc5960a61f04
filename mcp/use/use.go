// Package use lets the gate use other programs' tools: it is the client of MCP
// servers that the person configured.
//
// A server is started when its tools are first asked for, never before, and
// ended when nobody needed it for a while, with everything it started. What it
// says of itself is the words of a stranger: names that could pass for ours,
// schemas without end and instructions in descriptions are cut or left out, and
// told. A server that crashes, hangs or lies costs nobody more than its own
// calls: it is left alone for a growing while, and everything else goes on.
package use

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/tools"
)

// Server is one server as the person configured it.
type Server struct {
	Name    string
	Command []string // program and arguments, or
	URL     string
	Env     []string // NAME=value, all the program gets
	Dir     string   // that the program works in
	Allow   []string // its tools, by its own names, that only read
	Timeout time.Duration
	// Lacks says why it cannot be used as it is configured; "" for nothing.
	Lacks string
}

func (c Server) equal(o Server) bool {
	return c.Name == o.Name && c.URL == o.URL && c.Dir == o.Dir && c.Timeout == o.Timeout && c.Lacks == o.Lacks &&
		slices.Equal(c.Command, o.Command) && slices.Equal(c.Env, o.Env) && slices.Equal(c.Allow, o.Allow)
}

// Options makes [Servers]. Only Dial has no default.
type Options struct {
	Version string // of this program, as servers are told
	// Dial reaches a server; end, which may be nil, ends whatever it started.
	Dial func(ctx context.Context, s Server, errors io.Writer) (t mcp.Transport, end func(), err error)
	// Told is told of what happens to a server, a line at a time.
	Told func(server, line string)
	Now  func() time.Time
	// Patience is how long the first list of tools is waited for, default 2 s;
	// Startup bounds a start, default 20 s; Idle is when a server that nobody
	// needs is ended, default 5 min.
	Patience, Startup, Idle time.Duration
}

// Servers are the servers of one configuration at a time. They are safe for
// concurrent use, and a [tools.Foreign].
type Servers struct {
	o Options

	mu     sync.Mutex
	list   []*server // in order of name
	closed bool
}

// New returns no servers yet; nothing is started.
func New(o Options) *Servers {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Told == nil {
		o.Told = func(string, string) {}
	}
	for _, d := range []struct {
		v   *time.Duration
		def time.Duration
	}{{&o.Patience, 2 * time.Second}, {&o.Startup, 20 * time.Second}, {&o.Idle, 5 * time.Minute}} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	return &Servers{o: o}
}

// Configure puts these servers in the place of the former ones. Those that stay
// as they were go on; the others are ended.
//
// own are the names of this program's tools, which no other may have; clean makes
// a stranger's text harmless to a model.
func (s *Servers) Configure(list []Server, own []string, clean func(string) string) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	former := s.list
	s.list = nil
	for _, c := range list {
		i := slices.IndexFunc(former, func(f *server) bool { return f.c.equal(c) })
		if i < 0 {
			s.list = append(s.list, newServer(&s.o, c, own, clean))
			continue
		}
		s.list = append(s.list, former[i])
		former = slices.Delete(slices.Clone(former), i, i+1)
	}
	slices.SortFunc(s.list, func(a, b *server) int { return strings.Compare(a.c.Name, b.c.Name) })
	s.mu.Unlock()
	for _, f := range former {
		f.close()
	}
}

func (s *Servers) servers() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

func (s *Servers) server(name string) *server {
	for _, v := range s.servers() {
		if v.c.Name == name {
			return v
		}
	}
	return nil
}

// Tools returns the tools of all servers as they were listed last. Who was never
// asked is started, and waited for a little, all of them together.
func (s *Servers) Tools() []tools.ForeignTool {
	all := s.servers()
	var wg sync.WaitGroup
	for _, v := range all {
		wg.Go(v.first)
	}
	wg.Wait()
	var list []tools.ForeignTool
	for _, v := range all {
		list = append(list, v.listed()...)
	}
	return list
}

// Allows reports whether the person holds a tool to only read.
func (s *Servers) Allows(name, tool string) bool {
	v := s.server(name)
	return v != nil && slices.Contains(v.c.Allow, tool)
}

// Ready reports whether a call could be made now; its server is started where
// it is not there.
func (s *Servers) Ready(ctx context.Context, c tools.ForeignCall) error {
	v := s.server(c.Server)
	if v == nil {
		return fmt.Errorf("server %s: %w", c.Server, errUnknown)
	}
	_, err := v.ready(ctx, c)
	return err
}

// Call makes a call and writes what it brings as text.
func (s *Servers) Call(ctx context.Context, c tools.ForeignCall, to io.Writer) (failed bool, err error) {
	v := s.server(c.Server)
	if v == nil {
		return false, fmt.Errorf("server %s: %w", c.Server, errUnknown)
	}
	return v.call(ctx, c, to)
}

var errUnknown = errors.New("there is no such server in the configuration")

// Problems tells what is wrong with servers, as far as it is known: nothing is
// started for it.
func (s *Servers) Problems() []string {
	var list []string
	for _, v := range s.servers() {
		list = append(list, v.problems()...)
	}
	return list
}

// Close ends all servers, for good.
func (s *Servers) Close() {
	s.mu.Lock()
	list := s.list
	s.list, s.closed = nil, true
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, v := range list {
		wg.Go(v.close)
	}
	wg.Wait()
}
