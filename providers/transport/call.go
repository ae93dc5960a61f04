package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// The errors of an exchange that this package aborts.
var (
	// ErrOverall, ErrFirst and ErrIdle name the time limit that an answer exceeded.
	ErrOverall = errors.New("the answer took too long")
	ErrFirst   = errors.New("the answer did not begin in time")
	ErrIdle    = errors.New("the answer stopped arriving")
	// ErrTooLong reports that an answer exceeded its size limit.
	ErrTooLong = errors.New("answer too long")
	// ErrCutOff reports that an answer ended before the protocol's end marker.
	ErrCutOff = errors.New("the answer was cut off")
)

// drainTimeout is how long [Call.End] waits for the end of a finished answer, so that the connection can be
// reused.
const drainTimeout = 50 * time.Millisecond

// Call is one exchange with limits. Only one goroutine can use it.
type Call struct {
	client    *Client
	parent    context.Context
	ctx       context.Context
	cancel    context.CancelCauseFunc
	stop      context.CancelFunc
	idleTimer *time.Timer // aborts the exchange if no data arrives
	started   bool        // part of the body was received
	head      []byte      // beginning of the body
	body      io.ReadCloser
	answer    int       // bytes of answer counted so far
	exchange  *Exchange // record for the observer, nil without one
}

// Call starts an exchange. The caller must call [Call.End].
func (c *Client) Call(ctx context.Context) *Call {
	inner, cancel := context.WithCancelCause(ctx)
	timed, stop := context.WithTimeoutCause(inner, c.limits.Overall, ErrOverall)
	return &Call{client: c, parent: ctx, ctx: timed, cancel: cancel, stop: stop}
}

// Context returns the exchange's context. It is cancelled with the caller's context or when a limit is
// exceeded.
func (k *Call) Context() context.Context { return k.ctx }

// Do adds the key and the fixed headers, sends the request and returns a 2xx answer whose body is subject to the limits. Any other
// status is returned as a [providers.Error] with the provider's message.
func (k *Call) Do(req *http.Request) (*http.Response, error) {
	k.observe(req) // before the key is added
	for name, value := range k.client.header {
		req.Header.Set(name, value)
	}
	k.client.authorize(req.Header)
	k.idleTimer = time.AfterFunc(k.client.limits.First, func() { k.cancel(ErrFirst) })
	resp, err := k.client.http.Do(req)
	if err != nil {
		return nil, err
	}
	k.recordStatus(resp.StatusCode)
	body := &meteredBody{call: k, rc: resp.Body, left: int64(k.client.limits.MaxAnswer) * wireFactor}
	resp.Body, k.body = body, body
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, k.statusError(resp)
	}
	return resp, nil
}

// Count adds n bytes to the answer and returns [ErrTooLong] past the limit.
func (k *Call) Count(n int) error {
	k.answer += n
	if k.answer > k.client.limits.MaxAnswer {
		return ErrTooLong
	}
	return nil
}

// Limit returns the maximum size of an answer in bytes.
func (k *Call) Limit() int { return k.client.limits.MaxAnswer }

// End releases the exchange. After a complete answer it reads the rest of the body, because only a body read to
// its end leaves the connection reusable.
func (k *Call) End(complete bool) {
	if k.body != nil {
		if complete {
			late := time.AfterFunc(drainTimeout, func() { k.cancel(ErrIdle) })
			_, _ = io.CopyN(io.Discard, k.body, 4<<10) // an error only costs the connection
			late.Stop()
		}
		_ = k.body.Close()
	}
	if k.idleTimer != nil {
		k.idleTimer.Stop()
	}
	k.stop()
	k.cancel(nil)
	k.report()
}

// maxHead bounds the stored beginning of an answer, in bytes.
const maxHead = 256

// resetIdle restarts the idle timer and stores the beginning of the answer.
func (k *Call) resetIdle(piece []byte) {
	if room := maxHead - len(k.head); room > 0 {
		k.head = append(k.head, piece[:min(room, len(piece))]...)
	}
	if k.started {
		k.idleTimer.Reset(k.client.limits.Idle)
		return
	}
	k.started = true
	k.idleTimer.Stop()
	k.idleTimer = time.AfterFunc(k.client.limits.Idle, func() { k.cancel(ErrIdle) })
}

// meteredBody restarts the idle timer with every piece and aborts an endless stream.
type meteredBody struct {
	call *Call
	rc   io.ReadCloser
	left int64
}

func (b *meteredBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrTooLong
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.rc.Read(p)
	b.left -= int64(n)
	b.call.recordPiece(p[:n])
	if n > 0 {
		b.call.resetIdle(p[:n])
	}
	return n, err
}

func (b *meteredBody) Close() error { return b.rc.Close() }
