package transport

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxObserved bounds what an observer is shown of a body, in bytes.
const maxObserved = 256 << 10

// Observer is told of every exchange when it has ended. The zero value is
// told nothing.
type Observer struct {
	// Ended is called once for each exchange that got as far as a request, with
	// the context the call was made with. It must not wait.
	Ended func(ctx context.Context, e Exchange)
	// Bodies adds the bodies to what is told. They hold whole conversations.
	Bodies bool
}

// Exchange is one request and its answer. There are no headers in it: the key
// travels in one of them.
type Exchange struct {
	Provider, Model string
	Method, URL     string        // without a query, where keys may stand too
	Status          int           // 0 when no answer came
	First           time.Duration // until the answer began; 0 when none came
	Took            time.Duration // until the end
	Bytes           int64         // of the answer's body
	Err             error         // as the caller was told; nil when all went well
	// Request and Answer are the bodies, at most 256 KiB of each; nil unless
	// the observer wants them.
	Request, Answer []byte

	began time.Time
}

// observe begins to take notes of a request.
func (k *Call) observe(req *http.Request) {
	o := k.client.observer
	if o.Ended == nil {
		return
	}
	u := url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path}
	k.seen = &Exchange{
		Provider: k.client.provider, Model: k.client.model, Method: req.Method, URL: u.String(), began: time.Now(),
	}
	if !o.Bodies || req.GetBody == nil {
		return
	}
	if body, err := req.GetBody(); err == nil {
		k.seen.Request, _ = io.ReadAll(io.LimitReader(body, maxObserved)) // it is memory
		body.Close()
	}
}

func (k *Call) answered(status int) {
	if k.seen != nil {
		k.seen.Status, k.seen.First = status, time.Since(k.seen.began)
	}
}

func (k *Call) received(p []byte) {
	if k.seen == nil {
		return
	}
	k.seen.Bytes += int64(len(p))
	if k.client.observer.Bodies {
		k.seen.Answer = append(k.seen.Answer, p[:min(len(p), maxObserved-len(k.seen.Answer))]...)
	}
}

func (k *Call) failed(err error) {
	if k.seen != nil {
		k.seen.Err = err
	}
}

// tell ends the notes.
func (k *Call) tell() {
	if k.seen == nil {
		return
	}
	e := *k.seen
	k.seen = nil
	e.Took = time.Since(e.began)
	k.client.observer.Ended(k.parent, e)
}
