package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// The reasons a call gives up by itself.
var (
	// ErrOverall, ErrFirst and ErrIdle say which limit of time an answer passed.
	ErrOverall = errors.New("the answer took too long")
	ErrFirst   = errors.New("the answer did not begin in time")
	ErrIdle    = errors.New("the answer stopped arriving")
	// ErrTooLong says that an answer passed its size limit.
	ErrTooLong = errors.New("answer too long")
	// ErrCutOff says that an answer ended before the protocol's end mark.
	ErrCutOff = errors.New("the answer was cut off")
)

// drainTime is how long [Call.End] waits for the end mark of a finished
// answer, so that the connection can be used again.
const drainTime = 50 * time.Millisecond

// Call is one exchange under limits. It belongs to one goroutine.
type Call struct {
	client *Client
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	stop   context.CancelFunc
	silent *time.Timer // ends the exchange when nothing comes
	begun  bool        // something of the body has come
	head   []byte      // the beginning of the body
	body   io.ReadCloser
	answer int       // bytes of answer counted so far
	seen   *Exchange // what the observer will be told; nil when there is none
}

// Call starts an exchange. The caller must [Call.End] it.
func (c *Client) Call(ctx context.Context) *Call {
	inner, cancel := context.WithCancelCause(ctx)
	timed, stop := context.WithTimeoutCause(inner, c.limits.Overall, ErrOverall)
	return &Call{client: c, parent: ctx, ctx: timed, cancel: cancel, stop: stop}
}

// Context returns the exchange's context: it ends with the caller's, and when
// a limit is passed.
func (k *Call) Context() context.Context { return k.ctx }

// Do sends the request with the key and returns an answer with status 2xx,
// its body under the call's limits. Any other status becomes a
// [providers.Error] with the provider's own words.
func (k *Call) Do(req *http.Request) (*http.Response, error) {
	k.observe(req) // before the key is in it
	k.client.authorize(req.Header)
	k.silent = time.AfterFunc(k.client.limits.First, func() { k.cancel(ErrFirst) })
	resp, err := k.client.http.Do(req)
	if err != nil {
		return nil, err
	}
	k.answered(resp.StatusCode)
	body := &meteredBody{call: k, rc: resp.Body, left: int64(k.client.limits.MaxAnswer) * wireFactor}
	resp.Body, k.body = body, body
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, k.statusError(resp)
	}
	return resp, nil
}

// Count adds n bytes to the answer and fails with [ErrTooLong] past the limit.
func (k *Call) Count(n int) error {
	k.answer += n
	if k.answer > k.client.limits.MaxAnswer {
		return ErrTooLong
	}
	return nil
}

// Limit returns the largest answer in bytes.
func (k *Call) Limit() int { return k.client.limits.MaxAnswer }

// End releases the exchange. After a complete answer it reads what little is
// left, because only a body read to its end leaves the connection reusable.
func (k *Call) End(complete bool) {
	if k.body != nil {
		if complete {
			late := time.AfterFunc(drainTime, func() { k.cancel(ErrIdle) })
			_, _ = io.CopyN(io.Discard, k.body, 4<<10) // failing only costs the connection
			late.Stop()
		}
		_ = k.body.Close()
	}
	if k.silent != nil {
		k.silent.Stop()
	}
	k.stop()
	k.cancel(nil)
	k.tell()
}

// maxHead bounds what is kept of an answer's beginning, in bytes.
const maxHead = 256

// heard restarts the clock of silence.
func (k *Call) heard(piece []byte) {
	if room := maxHead - len(k.head); room > 0 {
		k.head = append(k.head, piece[:min(room, len(piece))]...)
	}
	if k.begun {
		k.silent.Reset(k.client.limits.Idle)
		return
	}
	k.begun = true
	k.silent.Stop()
	k.silent = time.AfterFunc(k.client.limits.Idle, func() { k.cancel(ErrIdle) })
}

// meteredBody restarts the idle clock with every piece and ends an endless
// stream.
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
	b.call.received(p[:n])
	if n > 0 {
		b.call.heard(p[:n])
	}
	return n, err
}

func (b *meteredBody) Close() error { return b.rc.Close() }
