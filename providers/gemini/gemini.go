// Package gemini implements Google's generateContent API with streaming, using only net/http and [transport]:
// the official SDK adds Google's authentication and gRPC for a single POST. Format: Gemini API reference,
// "models.streamGenerateContent" with ?alt=sse. Names follow the reference's examples and
// seeds/agent-rs-design.md (contents, system_instruction, candidates).
package gemini

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Package is the [providers.Block] Provider of the opaque blocks made here.
const Package = "gemini"

// DefaultBaseURL is Google's own server.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

// Options configures a [Model].
type Options struct {
	Name  string // catalog name; "" means "gemini"
	Model string // model id, required, with or without "models/"
	Key   string // may be empty for a local server
	// BaseURL is the server with the API's version. A URL without a path gets /v1beta. Of a path, a trailing
	// slash, "/models" and "/models/ID:streamGenerateContent" are removed. A query is kept. "" means
	// [DefaultBaseURL].
	BaseURL     string
	AuthStyle   transport.AuthStyle // "" means x-goog-api-key
	MaxTokens   int                 // default limit of a reply, 0 means the server's
	Temperature *float64            // nil means the model's default
	Images      bool                // the model takes images
	HTTPClient  *http.Client        // nil means a new client
	Limits      transport.Limits
	Observer    transport.Observer
}

// Model is one model behind one server. It is safe for concurrent use.
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
		o.Name = "gemini"
	}
	if o.Model == "" {
		return nil, fmt.Errorf("%s: no model id given", o.Name)
	}
	endpoint, err := endpointOf(o.BaseURL, o.Model)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	if o.AuthStyle == "" {
		o.AuthStyle = transport.AuthXGoog
	}
	client, err := transport.New(transport.Options{
		Provider: o.Name, Model: o.Model, Key: o.Key, AuthStyle: o.AuthStyle, HTTPClient: o.HTTPClient, Limits: o.Limits,
		Observer: o.Observer,
	})
	if err != nil {
		return nil, err
	}
	return &Model{
		name: o.Name, model: o.Model, endpoint: endpoint, maxTokens: o.MaxTokens, temperature: o.Temperature,
		images: o.Images, client: client,
	}, nil
}

// endpointOf joins a configured base URL and a model id.
func endpointOf(raw, model string) (string, error) {
	if raw == "" {
		raw = DefaultBaseURL
	}
	u, err := transport.BaseURL(raw)
	if err != nil {
		return "", err
	}
	query := u.Query()
	query.Set("alt", "sse")
	path := strings.TrimSuffix(u.Path, ":streamGenerateContent")
	if before, _, found := strings.Cut(path, "/models"); found {
		path = before
	}
	if path == "" {
		path = "/v1beta"
	}
	full := url.URL{Scheme: u.Scheme, Host: u.Host, Path: path + "/" + resourceName(model) + ":streamGenerateContent", RawQuery: query.Encode()}
	return full.String(), nil
}

// resourceName returns a model's resource name. The id can already include the collection ("models/…",
// "tunedModels/…").
func resourceName(model string) string {
	if strings.Contains(model, "/") {
		return model
	}
	return "models/" + model
}

// Name returns the catalog name.
func (m *Model) Name() string { return m.name }

// ModelID returns the configured model id.
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
		return &assembly{vendor: m.name, count: call.Count, onText: onText}
	})
}
