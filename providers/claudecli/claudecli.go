// Package claudecli answers with Claude by subscription: the installed `claude` program (Claude Code), with its
// own tools disabled and ours offered instead.
//
// The program runs a whole turn itself: it asks its model, calls tools and prints the answer. Its tools come
// from `blunux-ai mcp --turn ID`, a child of claude, which forwards each call to [Program.Call] and so to the
// Call of the request. The gate judges, asks and records as for any other model. [Program] keeps idle processes
// for the next message, because starting one takes a third of a second. Its behaviour was measured with
// versions 2.1.197 and 2.1.329 (docs/claude.md).
package claudecli

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// Options configures a [Program]. Zero values mean the defaults.
type Options struct {
	// Getenv reads the daemon's environment. claude gets a few variables of it by name. nil means none.
	Getenv func(string) string
	Home   string // the user's home directory
	// Dir contains the prompts and claude's working directory. It is created if missing.
	Dir string
	// Server is the command that serves the tools, without "--turn ID". ServerEnv is its additional
	// environment.
	Server    []string
	ServerEnv map[string]string
	// MaxTokens bounds a reply, 0 means claude's default.
	MaxTokens int
	// OutputTimeout is how long claude may print nothing while no tool runs (default 120 s). Idle is how long an
	// idle process is kept (default 5 min). Most is the maximum number of processes (default 2). Calls is the
	// maximum number of tool calls for an answer (default 40).
	OutputTimeout, IdleTimeout time.Duration
	MaxProcesses, MaxCalls     int
}

// Program is the installed claude and its running processes. It is safe for concurrent use and outlives its
// models. It ends a process after a few idle minutes, when its conversation was changed, and with the daemon.
type Program struct {
	o Options

	mu        sync.Mutex
	idle      map[string]*process // idle processes by session and model
	turns     map[string]*process // processes by capability
	closed    bool
	slots     chan struct{} // semaphore with one slot for each allowed process
	lastCheck versionCheck
}

// New returns a program. It neither starts nor looks for claude yet.
func New(o Options) *Program {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.OutputTimeout == 0 {
		o.OutputTimeout = 120 * time.Second
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = 5 * time.Minute
	}
	if o.MaxProcesses == 0 {
		o.MaxProcesses = 2
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = 40
	}
	return &Program{o: o, idle: map[string]*process{}, turns: map[string]*process{}, slots: make(chan struct{}, o.MaxProcesses)}
}

// Model is one model of the program. All models share the program's processes.
type Model struct {
	p    *Program
	name string
	id   string
}

// Model returns the model with a catalog name and a model id. "" is claude's own default.
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

// ErrClosed reports that the program was closed.
var ErrClosed = errors.New("claude was closed")

// Complete lets claude answer, including its tool calls. The error is a [providers.Error], with Acted set once
// a tool was called, or ctx's own.
func (m *Model) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	a := &answer{Model: m, req: req, onText: onText, history: messageDigests(req.Messages)}
	c, err := a.run(ctx)
	if ctx.Err() != nil {
		return providers.Completion{}, ctx.Err()
	}
	var pe *providers.Error
	if errors.As(err, &pe) {
		pe.Provider, pe.ToolsCalled = m.name, pe.ToolsCalled || a.hasActed()
	}
	return c, err
}

// acquire returns a process for the exclusive use of req until [Program.release] or [process.end]. It is the idle one
// of the conversation if the request's history matches what that process knows, else a new one.
func (p *Program) acquire(ctx context.Context, a *answer) (*process, error) {
	key := a.key()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	w := p.idle[key]
	delete(p.idle, key)
	p.mu.Unlock()
	if w != nil {
		w.idleTimer.Stop()
		if w.isRunning() && w.toolsDigest == digestTools(a.req.Available()) && isContinuation(w.history, a.history) {
			return w, nil
		}
		w.end()
	}
	if err := p.acquireSlot(ctx); err != nil {
		return nil, err
	}
	fresh, err := p.start(a)
	if err != nil {
		<-p.slots
	}
	return fresh, err
}

// acquireSlot waits for a free process slot and ends an idle process to get one.
func (p *Program) acquireSlot(ctx context.Context) error {
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	p.endOldest()
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Program) endOldest() {
	p.mu.Lock()
	key, oldest := "", (*process)(nil)
	for k, w := range p.idle {
		if oldest == nil || w.lastUsed.Before(oldest.lastUsed) {
			key, oldest = k, w
		}
	}
	delete(p.idle, key)
	p.mu.Unlock()
	if oldest != nil {
		oldest.end()
	}
}

// release keeps a process for the next message of its conversation.
func (p *Program) release(w *process, key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || key == "" || !w.isRunning() || w.isFull() {
		go w.end()
		return
	}
	if old := p.idle[key]; old != nil {
		go old.end()
	}
	w.lastUsed = time.Now()
	p.idle[key] = w
	w.idleTimer = time.AfterFunc(p.o.IdleTimeout, func() { p.expire(key, w) })
}

// expire ends a process if it is still idle.
func (p *Program) expire(key string, w *process) {
	p.mu.Lock()
	mine := p.idle[key] == w
	if mine {
		delete(p.idle, key)
	}
	p.mu.Unlock()
	if mine {
		w.end()
	}
}

// IdleProcesses returns the number of idle processes.
func (p *Program) IdleProcesses() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// Close ends all processes and waits for them.
func (p *Program) Close() {
	p.mu.Lock()
	p.closed = true
	var all []*process
	for _, w := range p.turns {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	clear(p.idle)
	p.mu.Unlock()
	for _, w := range all {
		w.end()
	}
}
