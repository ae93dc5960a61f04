package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// Answer is made of what a server sends, in one dialect.
type Answer interface {
	// Whole takes an answer that came in one piece.
	Whole(data []byte) error
	// Stream takes one that comes in events, the longest of limit bytes.
	Stream(body io.Reader, limit int) error
	// Completion returns what was said, once it was taken.
	Completion(call *Call) (providers.Completion, error)
}

// Reported is an error that a server wrote into an answer with status 200.
type Reported struct {
	Status  int // the HTTP status it stands for
	Message string
}

// Error implements error.
func (r *Reported) Error() string { return r.Message }

// Unbuilt is the error of a request that could not be put into a dialect.
func (c *Client) Unbuilt(err error) error {
	return &providers.Error{Kind: providers.KindAPI, Provider: c.provider, Message: "cannot build the request: " + err.Error(), Err: err}
}

// Post sends a request and takes its answer, streamed or whole. When ctx is
// cancelled the request stops upstream and the error is context.Canceled; every
// other failure is a [providers.Error]. Nothing is retried.
func (c *Client) Post(ctx context.Context, endpoint string, body []byte, begin func(*Call) Answer) (providers.Completion, error) {
	call := c.Call(ctx)
	complete := false
	defer func() { call.End(complete) }()
	done, err := call.post(endpoint, body, begin(call))
	if err != nil {
		return providers.Completion{}, call.Fail(err)
	}
	complete = true
	return done, nil
}

func (k *Call) post(endpoint string, body []byte, a Answer) (providers.Completion, error) {
	req, err := http.NewRequestWithContext(k.ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return providers.Completion{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "blunux-ai")
	resp, err := k.Do(req)
	if err != nil {
		return providers.Completion{}, err
	}
	if err := k.take(resp, a); err != nil {
		return providers.Completion{}, err
	}
	return a.Completion(k)
}

// take reads an answer as its type says it comes.
func (k *Call) take(resp *http.Response, a Answer) error {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // unreadable counts as absent
	var err error
	switch media {
	case "application/json":
		err = k.whole(resp.Body, a)
	case "text/event-stream", "text/plain", "application/octet-stream", "":
		err = a.Stream(resp.Body, k.Limit())
	default:
		err = ErrProtocol("an answer of type %q; check base_url", media)
	}
	var r *Reported
	if errors.As(err, &r) {
		return k.Error(r.Status, r.Message)
	}
	return err
}

func (k *Call) whole(body io.Reader, a Answer) error {
	data, err := io.ReadAll(io.LimitReader(body, int64(k.Limit())+1))
	if err != nil {
		return err
	}
	if len(data) > k.Limit() {
		return ErrTooLong
	}
	return a.Whole(data)
}

// CutOff tells JSON that just ends, which is [ErrCutOff], from JSON that is
// wrong.
func CutOff(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end") {
		return ErrCutOff
	}
	return err
}
