// Package mcpclient is the MCP client: it makes the tools of configured MCP servers available to the gate.
//
// A server is started when its tools are first requested. It is stopped, with all its child processes, after
// being idle for a while. The connections are those of another program ([Helper]). Its descriptions are untrusted. Names that could be confused with ours, oversized
// schemas and instructions in descriptions are cut or skipped, and reported. If a server crashes, hangs or
// misbehaves, only its own calls fail. It is then paused for increasing times.
package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/tools/action"
)

// Servers manages the configured servers. It implements [action.Foreign] and is safe for concurrent use.
type Servers struct {
	o Options

	mu     sync.Mutex
	list   []*server // sorted by name
	closed bool
}

// New returns a value without servers. It does not start anything.
func New(o Options) *Servers {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = func(string, string) {}
	}
	for _, d := range []struct {
		v   *time.Duration
		def time.Duration
	}{{&o.ListTimeout, 2 * time.Second}, {&o.StartTimeout, 20 * time.Second}, {&o.IdleTimeout, 5 * time.Minute}} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	return &Servers{o: o}
}

// Configure replaces the servers. Unchanged ones keep running, the others are stopped.
//
// own are the names of this program's tools, which no other tool can have. clean makes untrusted text harmless
// to a model.
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
	sorting.By(s.list, func(a, b *server) int { return strings.Compare(a.c.Name, b.c.Name) })
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

// Tools returns the tools of all servers as last listed. It starts servers that were not requested before and
// waits briefly for them, in parallel.
func (s *Servers) Tools() []action.ForeignTool {
	all := s.servers()
	var wg sync.WaitGroup
	for _, v := range all {
		wg.Go(v.startFirst)
	}
	wg.Wait()
	var list []action.ForeignTool
	for _, v := range all {
		list = append(list, v.listedTools()...)
	}
	return list
}

// Allows reports whether the configuration declares a tool as read-only.
func (s *Servers) Allows(name, tool string) bool {
	v := s.server(name)
	return v != nil && slices.Contains(v.c.Allow, tool)
}

// Ready reports whether a call can be made now. It starts the server if necessary.
func (s *Servers) Ready(ctx context.Context, c action.ForeignCall) error {
	v := s.server(c.Server)
	if v == nil {
		return fmt.Errorf("server %s: %w", c.Server, errNoServer)
	}
	_, err := v.ready(ctx, c)
	return err
}

// Call runs a tool call and writes its result as text.
func (s *Servers) Call(ctx context.Context, c action.ForeignCall, to io.Writer) (failed bool, err error) {
	v := s.server(c.Server)
	if v == nil {
		return false, fmt.Errorf("server %s: %w", c.Server, errNoServer)
	}
	return v.call(ctx, c, to)
}

var errNoServer = errors.New("no such server in the configuration")

// Problems returns the known problems of the servers. It does not start any.
func (s *Servers) Problems() []string {
	var list []string
	for _, v := range s.servers() {
		list = append(list, v.problems()...)
	}
	return list
}

// Close stops all servers permanently.
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
