// Package anthropic speaks Claude's Messages API, streamed, through the
// official SDK (github.com/anthropics/anthropic-sdk-go) over our own HTTP
// client and limits ([transport]). Requests and answers are translated to and
// from the vocabulary of package providers; format: Anthropic API reference,
// "Messages" and "Streaming messages", version 2023-06-01.
//
// Four things are done here rather than by the SDK:
//
//   - Nothing is read from the environment. The SDK's client would pick up
//     ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN,
//     ANTHROPIC_CUSTOM_HEADERS and profile files; its bare message service,
//     used here, does not. Which key is used is decided by our configuration
//     alone.
//   - Content blocks are put together from the stream's events by [assembly],
//     not by the SDK's Accumulate: that one replaces a tool input that is not
//     valid JSON by {} (a tool would run with arguments nobody wrote), loses
//     the deltas of block types it does not know, and copies the whole text
//     once a delta.
//   - Blocks that are neither text nor tool_use (thinking, redacted_thinking,
//     whatever comes next) become opaque blocks and go back unchanged and in
//     their place: thinking blocks must precede the tool_use they led to.
//   - The request's body is finished here, because the SDK's encoder would not
//     leave those blocks' bytes alone; see [encoder].
package anthropic

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Package is the [providers.Block] Provider of the opaque blocks made here.
const Package = "anthropic"

// DefaultBaseURL is Anthropic's own server.
const DefaultBaseURL = "https://api.anthropic.com"

// DefaultMaxTokens bounds a reply when nobody said otherwise; the API requires
// a bound.
const DefaultMaxTokens = 4096

// Options configures a [Model].
type Options struct {
	Name  string // catalog name; "" means "claude"
	Model string // model id, required
	Key   string // may be empty for a local server
	// BaseURL is the server, with or without a trailing "/v1" or
	// "/v1/messages"; the request goes to BaseURL/v1/messages, with the query
	// there may be. "" means [DefaultBaseURL].
	BaseURL     string
	AuthStyle   transport.AuthStyle // "" means x-api-key
	MaxTokens   int                 // default upper bound of a reply; 0 means [DefaultMaxTokens]
	Temperature *float64            // nil leaves it to the model
	Images      bool                // the model takes images
	HTTPClient  *http.Client        // nil means one of its own
	Limits      transport.Limits
	Observer    transport.Observer
}

// Model is one Claude model behind one server. It is safe for concurrent use.
type Model struct {
	name, model string
	baseURL     string
	query       url.Values // of the base URL: the SDK would lose it
	maxTokens   int
	temperature *float64
	images      bool
	client      *transport.Client
}

// New returns a model. It fails when the options cannot work: no model id, a
// base URL that is none, an unknown authentication style, a malformed key. It
// makes no connection.
func New(o Options) (*Model, error) {
	if o.Name == "" {
		o.Name = "claude"
	}
	if o.Model == "" {
		return nil, fmt.Errorf("%s: no model id given", o.Name)
	}
	base, query, err := serverOf(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	if o.AuthStyle == "" {
		o.AuthStyle = transport.AuthXAPIKey
	}
	client, err := transport.New(transport.Options{
		Provider: o.Name, Model: o.Model, Key: o.Key, AuthStyle: o.AuthStyle, HTTPClient: o.HTTPClient, Limits: o.Limits,
		Observer: o.Observer,
	})
	if err != nil {
		return nil, err
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	return &Model{
		name: o.Name, model: o.Model, baseURL: base, query: query,
		maxTokens: o.MaxTokens, temperature: o.Temperature, images: o.Images, client: client,
	}, nil
}

// serverOf cuts what the SDK appends itself from a configured base URL.
func serverOf(raw string) (string, url.Values, error) {
	if raw == "" {
		return DefaultBaseURL, nil, nil
	}
	u, err := transport.BaseURL(raw)
	if err != nil {
		return "", nil, err
	}
	u.Path = strings.TrimSuffix(u.Path, "/messages")
	u.Path = strings.TrimSuffix(u.Path, "/v1")
	query := u.Query()
	u.RawQuery = ""
	return u.String(), query, nil
}

// Name returns the catalog name.
func (m *Model) Name() string { return m.name }

// ModelID returns the model id sent to the server.
func (m *Model) ModelID() string { return m.model }

// Complete asks for one completion. onText may be nil; otherwise it is called
// from the calling goroutine with each piece of answer text as it arrives, in
// order. When ctx is cancelled the request stops upstream and the error is
// context.Canceled; every other failure is a [providers.Error]. Nothing is
// retried here.
func (m *Model) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	if onText == nil {
		onText = func(string) {}
	}
	body, err := m.encode(req)
	if err != nil {
		return providers.Completion{}, &providers.Error{
			Kind: providers.KindAPI, Provider: m.name, Message: "cannot build the request: " + err.Error(), Err: err,
		}
	}
	call := m.client.Call(ctx)
	complete := false
	defer func() { call.End(complete) }()
	done, err := m.exchange(call, body, onText)
	if err != nil {
		return providers.Completion{}, call.Fail(err)
	}
	complete = true
	return done, nil
}

func (m *Model) exchange(call *transport.Call, body []byte, onText func(string)) (providers.Completion, error) {
	var resp *http.Response
	// The bare service reads nothing from the environment; see the package comment.
	options := []option.RequestOption{
		option.WithBaseURL(m.baseURL),
		option.WithHTTPClient(call),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
		option.WithRequestBody("application/json", body),
		option.WithResponseInto(&resp),
	}
	for name, values := range m.query {
		for _, v := range values {
			options = append(options, option.WithQueryAdd(name, v))
		}
	}
	service := anthropic.NewMessageService(options...)
	stream := service.NewStreaming(call.Context(), anthropic.MessageNewParams{}) // the body is given above
	if resp == nil {
		return providers.Completion{}, stream.Err()
	}
	switch media := mediaType(resp.Header); media {
	case "text/event-stream":
		return m.streamed(call, stream, onText)
	case "application/json":
		return m.whole(call, resp, onText)
	default:
		return providers.Completion{}, transport.ErrProtocol("an answer of type %q; check base_url", media)
	}
}
