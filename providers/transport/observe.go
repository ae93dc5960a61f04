package transport

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxObserved bounds each body that an observer gets, in bytes.
const maxObserved = 256 << 10

// Observer receives every exchange after its end. The zero value receives none.
type Observer struct {
	// OnEnd is called once for each exchange that sent a request, with the context of [Client.Call]. It must
	// not block.
	OnEnd func(ctx context.Context, e Exchange)
	// Bodies includes the bodies, which contain whole conversations.
	Bodies bool
}

// Exchange is one request and its answer. It has no headers, because one of them contains the key.
type Exchange struct {
	Provider, Model string
	Method, URL     string        // without the query, which can contain keys
	Status          int           // 0 if no answer came
	FirstByte       time.Duration // time until the answer began, 0 if none came
	Duration        time.Duration // time until the end
	Bytes           int64         // size of the answer's body
	Err             error         // as returned to the caller, nil on success
	// Request and Answer are the bodies, at most 256 KiB of each, nil unless the observer asks for them.
	Request, Answer []byte

	start time.Time
}

// observe starts the record of a request.
func (k *Call) observe(req *http.Request) {
	o := k.client.observer
	if o.OnEnd == nil {
		return
	}
	u := url.URL{Scheme: req.URL.Scheme, Host: req.URL.Host, Path: req.URL.Path}
	k.exchange = &Exchange{
		Provider: k.client.provider, Model: k.client.model, Method: req.Method, URL: u.String(), start: time.Now(),
	}
	if !o.Bodies || req.GetBody == nil {
		return
	}
	if body, err := req.GetBody(); err == nil {
		k.exchange.Request, _ = io.ReadAll(io.LimitReader(body, maxObserved)) // reads from memory
		body.Close()
	}
}

func (k *Call) recordStatus(status int) {
	if k.exchange != nil {
		k.exchange.Status, k.exchange.FirstByte = status, time.Since(k.exchange.start)
	}
}

func (k *Call) recordPiece(p []byte) {
	if k.exchange == nil {
		return
	}
	k.exchange.Bytes += int64(len(p))
	if k.client.observer.Bodies {
		k.exchange.Answer = append(k.exchange.Answer, p[:min(len(p), maxObserved-len(k.exchange.Answer))]...)
	}
}

func (k *Call) recordError(err error) {
	if k.exchange != nil {
		k.exchange.Err = err
	}
}

// report passes the record to the observer.
func (k *Call) report() {
	if k.exchange == nil {
		return
	}
	e := *k.exchange
	k.exchange = nil
	e.Duration = time.Since(e.start)
	k.client.observer.OnEnd(k.parent, e)
}
