// Package anthropic implements Claude's Messages API with streaming, using the official SDK
// (github.com/anthropics/anthropic-sdk-go) over our own HTTP client and limits ([transport]). It translates
// requests and answers to and from the types of package providers. Format: Anthropic API reference, "Messages"
// and "Streaming messages", version 2023-06-01.
//
// [Model] does four things itself instead of leaving them to the SDK: it reads no environment
// ([Model.Complete]), assembles content blocks from events ([assembly]), keeps unknown blocks unchanged
// ([assembly]) and encodes the request body ([encoder]).
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

// DefaultMaxTokens bounds a reply if the request and the options set no limit. The API requires one.
const DefaultMaxTokens = 4096

// Options configures a [Model].
type Options struct {
	Name  string // catalog name; "" means "claude"
	Model string // model id, required
	Key   string // may be empty for a local server
	// BaseURL is the server, with or without a trailing "/v1" or "/v1/messages". The request goes to
	// BaseURL/v1/messages and keeps the query of BaseURL. "" means [DefaultBaseURL].
	BaseURL     string
	AuthStyle   transport.AuthStyle // "" means x-api-key
	MaxTokens   int                 // default upper bound of a reply; 0 means [DefaultMaxTokens]
	Temperature *float64            // nil means the model's default
	Images      bool                // the model takes images
	HTTPClient  *http.Client        // nil means a new client
	Limits      transport.Limits
	Observer    transport.Observer
}

// Model is one Claude model behind one server. It is safe for concurrent use.
type Model struct {
	name, model string
	baseURL     string
	query       url.Values // query of the base URL, which the SDK would drop
	maxTokens   int
	temperature *float64
	images      bool
	client      *transport.Client
	tools       transport.ToolLists
}

// New returns a model. It fails if the options cannot work: no model id, an invalid base URL, an unknown
// authentication style or a malformed key. It does not connect.
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

// serverOf removes the path that the SDK appends itself from a configured base URL.
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

// Complete requests one completion. If onText is not nil, Complete calls it from the calling goroutine with
// each piece of answer text in order. If ctx is cancelled, the request is aborted and the error is
// context.Canceled. Every other failure is a [providers.Error]. Complete does not retry.
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
	// The SDK's client would read ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN,
	// ANTHROPIC_CUSTOM_HEADERS and profile files. Its bare message service reads nothing from the environment:
	// only our configuration chooses the key.
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
		return m.readStream(call, stream, onText)
	case "application/json":
		return m.readWhole(call, resp, onText)
	default:
		return providers.Completion{}, transport.ErrProtocol("an answer of type %q; check base_url", media)
	}
}
