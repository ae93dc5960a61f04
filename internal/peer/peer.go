// Package peer connects two programs over a pair of pipes. Either side calls methods of the other, several at a time,
// and sends notices. A message is one JSON object on a line:
//
//	{"id":1,"method":"search","params":{…},"timeout_ms":2000}    a request
//	{"id":1,"result":{…}}    {"id":1,"error":{"code":"busy","message":"…"}}    its answer
//	{"cancel":1}    the caller no longer wants an answer; one with the code "canceled" follows
//	{"method":"warning","params":{…}}    a notice, which has no answer
//
// Each side counts its own ids from 1. Input that is no such line ends the connection.
package peer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Defaults of [Options].
const (
	DefaultMaxLine     = 4 << 20
	DefaultMaxRequests = 64
	DefaultHangTimeout = 30 * time.Second
)

// Codes of an [Error] that the connection itself makes.
const (
	CodeCanceled = "canceled" // the caller ended its context, or its time ran out
	CodeBusy     = "busy"     // too many requests at once
	CodeMethod   = "unknown-method"
	CodeTooLarge = "too-large" // the answer does not fit into a line
	CodeFailed   = "failed"    // any other error of a [Handler]
)

// Error is an error answer. A [Handler] returns one to choose its code.
type Error struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// The errors of a connection that has ended.
var (
	ErrClosed = errors.New("the connection is closed")
	// ErrHung reports that the other side did not answer a canceled request in time.
	ErrHung = errors.New("the other program does not react")
	// ErrTooLong reports a line longer than Options.MaxLine. Only a received one ends the connection.
	ErrTooLong = errors.New("message too long")
	// ErrMalformed reports input that is not a message.
	ErrMalformed = errors.New("malformed message")

	errBusy = errors.New("too many requests at once")
)

// Handler answers a request: its result is encoded as JSON. Handlers run concurrently. ctx ends if the caller cancels,
// its timeout passes or the connection ends.
type Handler func(ctx context.Context, method string, params json.RawMessage) (result any, err error)

// Options configures a [Conn]. The zero value is usable.
type Options struct {
	// Handle answers the other side's requests. If nil, all methods are unknown.
	Handle Handler
	// Notice receives notices, one after the other. It must not block and must not call the connection's other side.
	// It may be nil.
	Notice func(method string, params json.RawMessage)
	// MaxLine bounds a line in bytes, in both directions. 0 means [DefaultMaxLine].
	MaxLine int
	// MaxRequests bounds the requests that are handled at once; more are answered with [CodeBusy]. 0 means
	// [DefaultMaxRequests].
	MaxRequests int
	// HangTimeout is how long the other side may take to answer a canceled request before the connection ends with
	// [ErrHung]. 0 means [DefaultHangTimeout].
	HangTimeout time.Duration
}

// Conn is a connection. It is safe for concurrent use.
type Conn struct {
	o    Options
	out  chan []byte // lines to write
	done chan struct{}
	busy sync.WaitGroup

	ctx  context.Context // of handlers
	stop context.CancelFunc

	mu      sync.Mutex
	err     error // why the connection ended
	nextID  uint64
	pending map[uint64]*call
	serving map[uint64]context.CancelFunc
}

// call is a request to the other side.
type call struct {
	answer chan frame  // buffers one
	hung   *time.Timer // runs while the call is canceled and not answered, else nil
}

// New returns a connection that reads from r and writes to w, and starts to serve it. The caller closes r and w after
// the end of the connection, which ends a read and a write that still block.
func New(r io.Reader, w io.Writer, o Options) *Conn {
	o.MaxLine = cmp.Or(o.MaxLine, DefaultMaxLine)
	o.MaxRequests = cmp.Or(o.MaxRequests, DefaultMaxRequests)
	o.HangTimeout = cmp.Or(o.HangTimeout, DefaultHangTimeout)
	if o.Handle == nil {
		o.Handle = func(_ context.Context, method string, _ json.RawMessage) (any, error) {
			return nil, UnknownMethod(method)
		}
	}
	if o.Notice == nil {
		o.Notice = func(string, json.RawMessage) {}
	}
	c := &Conn{
		o: o, out: make(chan []byte, 64), done: make(chan struct{}),
		pending: map[uint64]*call{}, serving: map[uint64]context.CancelFunc{},
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.busy.Go(func() { c.fail(c.read(r)) })
	c.busy.Go(func() { c.write(w) })
	return c
}

// UnknownMethod returns the error of a [Handler] for a method that it does not have.
func UnknownMethod(method string) error {
	return &Error{Code: CodeMethod, Message: fmt.Sprintf("unknown method %q", method)}
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended: [io.EOF] if the other side closed it, [ErrClosed] after [Conn.Close]. It is nil
// until [Conn.Done] is closed.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection: calls fail, and the contexts of handlers end. It does not wait.
func (c *Conn) Close() { c.fail(ErrClosed) }

// Wait waits until nothing of the connection runs any more: its handlers, and its reads and writes, which the caller
// ends by closing the pipes.
func (c *Conn) Wait() {
	<-c.done
	c.busy.Wait()
}

// fail ends the connection for a reason, unless it has ended already.
func (c *Conn) fail(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = why
	for _, p := range c.pending {
		if p.hung != nil {
			p.hung.Stop()
		}
	}
	clear(c.pending)
	c.stop()
	close(c.done)
}

// write writes lines until the connection ends.
func (c *Conn) write(w io.Writer) {
	for {
		select {
		case line := <-c.out:
			if _, err := w.Write(line); err != nil {
				c.fail(err)
				return
			}
		case <-c.done:
			return
		}
	}
}

// send queues a message.
func (c *Conn) send(ctx context.Context, f frame) error {
	line, err := f.encode(c.o.MaxLine)
	if err != nil {
		return err
	}
	select {
	case <-c.done:
		return c.Err()
	default:
	}
	select {
	case c.out <- line:
		return nil
	case <-c.done:
		return c.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Notify sends a notice. It blocks while the other side does not read.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("cannot encode the notice %s: %w", method, err)
	}
	return c.send(ctx, frame{Method: method, Params: raw})
}

// Call calls a method of the other side and decodes its result, which may be nil. The other side learns about the end
// of ctx and its deadline. The error is an [*Error] of the other side, the error of ctx, or that of the connection.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("cannot encode the request %s: %w", method, err)
	}
	f := frame{Method: method, Params: raw}
	if end, ok := ctx.Deadline(); ok {
		f.Timeout = max(1, time.Until(end).Milliseconds())
	}
	p := &call{answer: make(chan frame, 1)}
	if f.ID, err = c.register(p); err != nil {
		return err
	}
	if err := c.send(ctx, f); err != nil {
		c.unregister(f.ID)
		return err
	}
	select {
	case a := <-p.answer:
		return a.decode(result)
	case <-ctx.Done():
		c.cancel(f.ID, p)
		return ctx.Err()
	case <-c.done:
	}
	select {
	case a := <-p.answer: // came just before the end
		return a.decode(result)
	default:
		return c.Err()
	}
}

func (c *Conn) register(p *call) (id uint64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	c.nextID++
	c.pending[c.nextID] = p
	return c.nextID, nil
}

func (c *Conn) unregister(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// cancel asks the other side to end a request, and waits in the background for its answer.
func (c *Conn) cancel(id uint64, p *call) {
	line, err := frame{Cancel: id}.encode(c.o.MaxLine)
	if err != nil {
		return // cannot happen: it is short
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[id] != p || c.err != nil {
		return
	}
	p.hung = time.AfterFunc(c.o.HangTimeout, func() { c.fail(ErrHung) })
	select {
	case c.out <- line:
	default: // the other side does not read; the timer decides
	}
}

// read handles the messages of the other side until its input ends.
func (c *Conn) read(r io.Reader) error {
	lines := newLines(r, c.o.MaxLine)
	for {
		line, err := lines.next()
		if err != nil {
			return err
		}
		f, err := decodeFrame(line)
		if err != nil {
			return err
		}
		switch {
		case f.Cancel != 0:
			c.cancelServed(f.Cancel)
		case f.Method == "":
			c.deliver(f)
		case f.ID == 0:
			c.o.Notice(f.Method, f.Params)
		default:
			c.serve(f)
		}
	}
}

// deliver hands an answer to its call. An answer without a waiting call is dropped.
func (c *Conn) deliver(f frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.pending[f.ID]
	if !ok {
		return
	}
	delete(c.pending, f.ID)
	if p.hung != nil {
		p.hung.Stop()
	}
	p.answer <- f
}

// cancelServed ends the context of a request that is handled.
func (c *Conn) cancelServed(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stop, ok := c.serving[id]; ok {
		stop()
	}
}

// serve handles a request in a goroutine.
func (c *Conn) serve(f frame) {
	ctx, stop := context.WithCancel(c.ctx)
	if f.Timeout > 0 {
		ctx, stop = context.WithTimeout(c.ctx, time.Duration(f.Timeout)*time.Millisecond)
	}
	c.mu.Lock()
	_, twice := c.serving[f.ID]
	full := len(c.serving) >= c.o.MaxRequests
	if !twice && !full {
		c.serving[f.ID] = stop
	}
	c.mu.Unlock()
	if twice || full {
		stop()
		c.busy.Go(func() { c.answer(f.ID, nil, &Error{Code: CodeBusy, Message: errBusy.Error()}) })
		return
	}
	c.busy.Go(func() {
		result, err := c.o.Handle(ctx, f.Method, f.Params)
		if err != nil && ctx.Err() != nil {
			err = &Error{Code: CodeCanceled, Message: ctx.Err().Error()}
		}
		c.mu.Lock()
		delete(c.serving, f.ID)
		c.mu.Unlock()
		stop()
		c.answer(f.ID, result, err)
	})
}

// answer sends the answer of a request.
func (c *Conn) answer(id uint64, result any, err error) {
	f := frame{ID: id}
	if err == nil {
		f.Result, err = json.Marshal(result)
	}
	if err != nil {
		f.Result, f.Error = nil, errorOf(err)
	}
	if err = c.send(c.ctx, f); errors.Is(err, ErrTooLong) {
		_ = c.send(c.ctx, frame{ID: id, Error: &Error{Code: CodeTooLarge, Message: err.Error()}})
	}
}

// errorOf returns the error answer for an error of a handler.
func errorOf(err error) *Error {
	var coded *Error
	if errors.As(err, &coded) {
		return coded
	}
	return &Error{Code: CodeFailed, Message: err.Error()}
}
