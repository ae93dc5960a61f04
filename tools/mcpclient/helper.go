package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/internal/peer"
)

// The methods of the program that holds the connections (tools/mcpclient/dial). The daemon numbers connections.
// MethodConnect is answered when the connection has ended; NoticeReady says that it is up.
const (
	MethodConnect = "connect" // [ConnectParams] -> nothing, or the reason of the end
	MethodTools   = "tools"   // [ConnectionParams] -> []Tool
	MethodCall    = "call"    // [CallParams] -> [Result]
	MethodClose   = "close"   // [ConnectionParams] -> nothing, when what was started for it has ended

	NoticeReady   = "ready"   // [ConnectionParams]
	NoticeChanged = "changed" // [ConnectionParams]
	NoticeStderr  = "stderr"  // [StderrParams]
)

// MaxLine bounds a message between the programs, in bytes. The longest is a result of 4 MiB, in which JSON writes each
// byte as up to six.
const MaxLine = 32 << 20

// ConnectionParams names a connection.
type ConnectionParams struct {
	ID uint64 `json:"id"`
}

// ConnectParams describes a connection to open.
type ConnectParams struct {
	ID     uint64 `json:"id"`
	Server Server `json:"server"`
}

// CallParams is a call of a tool.
type CallParams struct {
	ID    uint64          `json:"id"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

// StderrParams is a line that a server wrote to its standard error.
type StderrParams struct {
	ID   uint64 `json:"id"`
	Line string `json:"line"`
}

// exitTimeout is how long the program may take to end its servers and itself.
const exitTimeout = 5 * time.Second

// closeTimeout is how long the end of a connection is waited for.
const closeTimeout = 5 * time.Second

// Helper connects to servers through another program, which runs as long as there is a connection. It is safe for
// concurrent use.
type Helper struct {
	program *helper.Program

	mu   sync.Mutex
	last uint64
	open map[uint64]*remote
}

// NewHelper returns a helper, which the first connection starts with launch. log receives why the program ended
// unexpectedly and what it writes to its standard error. The caller closes it.
func NewHelper(launch func(stderr io.Writer) (helper.Process, error), log func(line string)) *Helper {
	h := &Helper{open: map[uint64]*remote{}}
	h.program = helper.New(helper.Options{
		Launch:      launch,
		Peer:        peer.Options{Notice: h.notice, MaxLine: MaxLine},
		Log:         log,
		ExitTimeout: exitTimeout,
	})
	return h
}

// Close ends the program and with it all connections.
func (h *Helper) Close() { h.program.Close() }

// notice handles a notice of the program.
func (h *Helper) notice(method string, params json.RawMessage) {
	var p StderrParams
	if json.Unmarshal(params, &p) != nil {
		return
	}
	h.mu.Lock()
	r := h.open[p.ID]
	h.mu.Unlock()
	switch {
	case r == nil: // it has ended
	case method == NoticeReady:
		r.once.Do(func() { close(r.ready) })
	case method == NoticeChanged:
		r.events.Changed()
	case method == NoticeStderr:
		r.events.Stderr(p.Line)
	}
}

// remote is a connection of the program. It implements [Connection].
type remote struct {
	h      *Helper
	id     uint64
	events Events
	ready  chan struct{}
	once   sync.Once // closes ready
	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// Connect is [Options.Connect].
func (h *Helper) Connect(ctx context.Context, s Server, e Events) (Connection, error) {
	live, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &remote{h: h, events: e, ready: make(chan struct{}), cancel: cancel, done: make(chan struct{})}
	h.mu.Lock()
	h.last++
	r.id = h.last
	h.open[r.id] = r
	h.mu.Unlock()
	go r.live(live, s)
	select {
	case <-r.ready:
		return r, nil
	case <-r.done:
		return nil, r.err
	case <-ctx.Done():
		cancel()
		return nil, ctx.Err()
	}
}

// live is the request that lasts as long as the connection.
func (r *remote) live(ctx context.Context, s Server) {
	defer r.cancel()
	r.err = r.h.program.Call(ctx, MethodConnect, ConnectParams{r.id, s}, nil)
	r.h.mu.Lock()
	delete(r.h.open, r.id)
	r.h.mu.Unlock()
	close(r.done)
}

// Tools implements [Connection].
func (r *remote) Tools(ctx context.Context) (list []Tool, err error) {
	return list, r.ask(ctx, MethodTools, ConnectionParams{r.id}, &list)
}

// Call implements [Connection].
func (r *remote) Call(ctx context.Context, tool string, input json.RawMessage) (result Result, err error) {
	return result, r.ask(ctx, MethodCall, CallParams{r.id, tool, input}, &result)
}

// ask makes a request about the connection. The program is not started for it.
func (r *remote) ask(ctx context.Context, method string, params, result any) error {
	ran, err := r.h.program.CallRunning(ctx, method, params, result)
	if err == nil && !ran {
		return errors.New("it exited")
	}
	var answer *peer.Error
	if errors.As(err, &answer) && answer.Code == peer.CodeCanceled {
		<-ctx.Done() // the program's clock was a little ahead
		return ctx.Err()
	}
	return err
}

// Done implements [Connection].
func (r *remote) Done() <-chan struct{} { return r.done }

// Err implements [Connection].
func (r *remote) Err() error { return r.err }

// Close implements [Connection].
func (r *remote) Close() {
	select {
	case <-r.done:
		return
	default:
	}
	ctx, stop := context.WithTimeout(context.Background(), closeTimeout)
	defer stop()
	_ = r.ask(ctx, MethodClose, ConnectionParams{r.id}, nil) // if it fails, the program has ended or hangs
	r.cancel()
	<-r.done
}
