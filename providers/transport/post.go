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

// Answer parses a server's answer in one dialect.
type Answer interface {
	// Whole parses an answer that is not streamed.
	Whole(data []byte) error
	// Stream parses an answer sent as events of at most limit bytes.
	Stream(body io.Reader, limit int) error
	// Completion returns the parsed answer.
	Completion(call *Call) (providers.Completion, error)
}

// EmbeddedError is an error that a server reported inside an answer with status 200.
type EmbeddedError struct {
	Status  int // the equivalent HTTP status
	Message string
}

// Error implements error.
func (r *EmbeddedError) Error() string { return r.Message }

// RequestError returns the error for a request that could not be encoded.
func (c *Client) RequestError(err error) error {
	return &providers.Error{Kind: providers.KindAPI, Provider: c.provider, Message: "cannot build the request: " + err.Error(), Err: err}
}

// Post sends a request and parses its answer, streamed or whole. If ctx is cancelled, the request is aborted
// and the error is context.Canceled. Every other failure is a [providers.Error]. Post does not retry.
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
	if err := k.parse(resp, a); err != nil {
		return providers.Completion{}, err
	}
	return a.Completion(k)
}

// parse parses an answer according to its content type.
func (k *Call) parse(resp *http.Response, a Answer) error {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // unreadable counts as absent
	var err error
	switch media {
	case "application/json":
		err = k.parseWhole(resp.Body, a)
	case "text/event-stream", "text/plain", "application/octet-stream", "":
		err = a.Stream(resp.Body, k.Limit())
	default:
		err = ErrProtocol("an answer of type %q; check base_url", media)
	}
	var r *EmbeddedError
	if errors.As(err, &r) {
		return k.Error(r.Status, r.Message)
	}
	return err
}

func (k *Call) parseWhole(body io.Reader, a Answer) error {
	data, err := io.ReadAll(io.LimitReader(body, int64(k.Limit())+1))
	if err != nil {
		return err
	}
	if len(data) > k.Limit() {
		return ErrTooLong
	}
	return a.Whole(data)
}

// AsCutOff returns [ErrCutOff] for JSON that ends too early, and err itself for other errors.
func AsCutOff(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end") {
		return ErrCutOff
	}
	return err
}
