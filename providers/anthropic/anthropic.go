// Package anthropic implements Claude's Messages API with streaming on [transport]. The official SDK only judges it, in
// test/interop: linked into the daemon it costs 5 MB, and its accumulator replaces a tool input that is not valid JSON
// by {}, which a tool would then run with. Format: Anthropic API reference, "Messages" and "Streaming messages", version 2023-06-01.
package anthropic

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Package is the [providers.Block] Provider of the opaque blocks made here.
const Package = "anthropic"

// DefaultBaseURL is Anthropic's own server.
const DefaultBaseURL = "https://api.anthropic.com"

// Header returns the headers of each request to the API, without the key.
func Header() map[string]string { return map[string]string{"Anthropic-Version": "2023-06-01"} }

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
	endpoint    string
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
	endpoint, err := endpointOf(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	if o.AuthStyle == "" {
		o.AuthStyle = transport.AuthXAPIKey
	}
	client, err := transport.New(transport.Options{
		Provider: o.Name, Model: o.Model, Key: o.Key, AuthStyle: o.AuthStyle, HTTPClient: o.HTTPClient, Limits: o.Limits,
		Observer: o.Observer, Header: Header(),
	})
	if err != nil {
		return nil, err
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	return &Model{
		name: o.Name, model: o.Model, endpoint: endpoint,
		maxTokens: o.MaxTokens, temperature: o.Temperature, images: o.Images, client: client,
	}, nil
}

// endpointOf returns the address of the messages below a configured base URL.
func endpointOf(raw string) (string, error) {
	if raw == "" {
		raw = DefaultBaseURL
	}
	u, err := transport.BaseURL(raw)
	if err != nil {
		return "", err
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/messages"), "/v1") + "/v1/messages"
	return u.String(), nil
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
		return providers.Completion{}, m.client.RequestError(err)
	}
	return m.client.Post(ctx, m.endpoint, body, func(call *transport.Call) transport.Answer {
		return &assembly{count: call.Count, onText: onText}
	})
}
