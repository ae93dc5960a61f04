// Package claudecli is Claude by subscription: the installed `claude` program
// (Claude Code) answers, with its own tools off and ours in their place.
//
// The program runs a whole turn by itself: it asks its model, calls tools, and
// prints the answer. Its tools are those of `blunux-ai mcp --turn ID`, a
// child of it, which brings each call back here: [Program.Call] hands it to
// the Call of the request that is being answered, so the gate judges, asks and
// records as for any other model. The ID is a capability of one process, of
// 128 random bits, and only that process's descendants may use it.
//
// One process a conversation is kept warm, because a fresh one costs a third
// of a second; it is ended after a few idle minutes, when the conversation is
// not what it was told any more, and with the daemon.
//
// What it prints is judged by is_error and by how it ended, never by subtype:
// a missing login has subtype "success". What holds of the program was measured
// with versions 2.1.197 and 2.1.329 (docs/claude.md).
package claudecli

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// Options makes a [Program]. Zero values mean the defaults.
type Options struct {
	// Getenv is the environment of the daemon, of which claude gets a few
	// variables by name; nil means none.
	Getenv func(string) string
	Home   string // the person's home directory
	// Dir is a directory of our own for prompts and as claude's working
	// directory; it is made when it is missing.
	Dir string
	// Server is the command that serves the tools, without "--turn ID", and
	// ServerEnv what it needs beside claude's own environment.
	Server    []string
	ServerEnv map[string]string
	// MaxTokens bounds a reply; 0 leaves it to claude.
	MaxTokens int
	// Patience is how long claude may print nothing while no tool runs, default
	// 120 s; Idle how long a warm process is kept, default 5 min; Most how many
	// there are at a time, default 2; Calls how many tools an answer may call,
	// default 40.
	Patience, Idle time.Duration
	Most, Calls    int
}

// Program is the installed claude and its running processes. It is safe for
// concurrent use and outlives models.
type Program struct {
	o Options

	mu     sync.Mutex
	warm   map[string]*process // by session and model; none of them is answering
	turns  map[string]*process // by capability
	closed bool
	seats  chan struct{} // one for each process there may be
	looked looked
}

// New returns a program. It starts nothing and looks for nothing yet.
func New(o Options) *Program {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Patience == 0 {
		o.Patience = 120 * time.Second
	}
	if o.Idle == 0 {
		o.Idle = 5 * time.Minute
	}
	if o.Most == 0 {
		o.Most = 2
	}
	if o.Calls == 0 {
		o.Calls = 40
	}
	return &Program{o: o, warm: map[string]*process{}, turns: map[string]*process{}, seats: make(chan struct{}, o.Most)}
}

// Model is one model of the program; the conversations of all share its
// processes.
type Model struct {
	p    *Program
	name string
	id   string
}

// Model returns the model with a catalog name and a model id, "" for the one
// claude chooses by itself.
func (p *Program) Model(name, id string) *Model { return &Model{p, name, id} }

// Name returns the catalog name.
func (m *Model) Name() string { return m.name }

// ModelID returns the model id, or "default".
func (m *Model) ModelID() string {
	if m.id == "" {
		return "default"
	}
	return m.id
}

// ErrClosed reports a program that was closed.
var ErrClosed = errors.New("claude was closed")

// Complete has claude answer, tools and all. Its errors are a
// [providers.Error], with Acted set once a tool was called, or ctx's own.
func (m *Model) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	a := &answer{Model: m, req: req, onText: onText, wants: markAll(req.Messages)}
	c, err := a.run(ctx)
	if ctx.Err() != nil {
		return providers.Completion{}, ctx.Err()
	}
	var pe *providers.Error
	if errors.As(err, &pe) {
		pe.Provider, pe.Acted = m.name, pe.Acted || a.acted()
	}
	return c, err
}

// take returns a process that answers req and belongs to nobody else until
// [Program.give] or [process.end]: the conversation's warm one if that knows
// just what the request says was said, else a fresh one.
func (p *Program) take(ctx context.Context, a *answer) (*process, error) {
	key := a.key()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	w := p.warm[key]
	delete(p.warm, key)
	p.mu.Unlock()
	if w != nil {
		w.rest.Stop()
		if w.alive() && w.offers == offersOf(a.req.Tools) && continues(w.knows, a.wants) {
			return w, nil
		}
		w.end()
	}
	if err := p.seat(ctx); err != nil {
		return nil, err
	}
	fresh, err := p.start(a)
	if err != nil {
		<-p.seats
	}
	return fresh, err
}

// seat waits until there may be one more process; an idle one makes room.
func (p *Program) seat(ctx context.Context) error {
	select {
	case p.seats <- struct{}{}:
		return nil
	default:
	}
	p.endOldest()
	select {
	case p.seats <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Program) endOldest() {
	p.mu.Lock()
	key, oldest := "", (*process)(nil)
	for k, w := range p.warm {
		if oldest == nil || w.used.Before(oldest.used) {
			key, oldest = k, w
		}
	}
	delete(p.warm, key)
	p.mu.Unlock()
	if oldest != nil {
		oldest.end()
	}
}

// give keeps a process warm for the next message of its conversation.
func (p *Program) give(w *process, key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || key == "" || !w.alive() || w.overfed() {
		go w.end()
		return
	}
	if old := p.warm[key]; old != nil {
		go old.end()
	}
	w.used = time.Now()
	p.warm[key] = w
	w.rest = time.AfterFunc(p.o.Idle, func() { p.retire(key, w) })
}

// retire ends a process that nobody took meanwhile.
func (p *Program) retire(key string, w *process) {
	p.mu.Lock()
	mine := p.warm[key] == w
	if mine {
		delete(p.warm, key)
	}
	p.mu.Unlock()
	if mine {
		w.end()
	}
}

// Warm returns how many processes wait for the next message.
func (p *Program) Warm() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.warm)
}

// Close ends every process and waits until they are gone.
func (p *Program) Close() {
	p.mu.Lock()
	p.closed = true
	var all []*process
	for _, w := range p.turns {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	clear(p.warm)
	p.mu.Unlock()
	for _, w := range all {
		w.end()
	}
}
