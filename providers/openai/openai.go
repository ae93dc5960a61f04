// Package openai speaks the chat/completions dialect that OpenAI began and
// most others serve: DeepSeek, GLM (Z.AI), MiniMax, Gemini's compatible
// endpoint, Ollama, llama.cpp, vLLM and anything else with a base URL. It is
// written on net/http and [transport] alone: an SDK would cost megabytes and
// drops the vendor fields that must come back unchanged.
//
// Format: OpenAI API reference, "Create chat completion" and "Streaming";
// what a vendor does differently is data, see [Quirks].
//
// Opaque blocks. Reasoning and thought signatures become opaque blocks whose
// Raw is {"vendor":…} plus the fields as they came, and "tool_call_id" when
// they belong to one call. They go back only to the vendor that made them,
// and only when its quirks ask for them: another vendor would refuse the
// unknown field.
//
// Tool results that are errors have no field in this dialect; their content
// gets the prefix [ErrorPrefix]. Arguments that are not a JSON object arrive
// as {"_malformed": "the text"}, see [providers.MalformedKey].
package openai

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
const Package = "openai"

// ErrorPrefix begins the content of a tool result that is an error.
const ErrorPrefix = "Error: "

// DefaultBaseURL is OpenAI's own server.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options configures a [Model].
type Options struct {
	Name  string // catalog name, required: "deepseek", "openai", …
	Model string // model id, required
	Key   string // may be empty: local servers need none
	// BaseURL is where chat/completions lies. A URL without a path gets /v1; a
	// path is taken as it is, with or without a trailing slash or
	// "/chat/completions": http://127.0.0.1:11434 and
	// http://127.0.0.1:11434/v1/ are the same. "" means [DefaultBaseURL].
	BaseURL     string
	AuthStyle   transport.AuthStyle // "" means bearer
	MaxTokens   int                 // default upper bound of a reply; 0 leaves it to the server
	Temperature *float64            // nil leaves it to the model
	Images      bool                // the model takes images
	HTTPClient  *http.Client        // nil means one of its own
	Limits      transport.Limits
	Observer    transport.Observer
	Quirks      Quirks
}

// Model is one model behind one server. It is safe for concurrent use.
type Model struct {
	name, model string
	endpoint    string
	maxTokens   int
	temperature *float64
	images      bool
	quirks      Quirks
	client      *transport.Client
}

// New returns a model. It fails when the options cannot work: no name or model
// id, a base URL that is none, an unknown authentication style, a malformed
// key. It makes no connection.
func New(o Options) (*Model, error) {
	if o.Name == "" || o.Model == "" {
		return nil, fmt.Errorf("cannot use provider %q with model %q: both must be named", o.Name, o.Model)
	}
	endpoint, err := endpointOf(o.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	client, err := transport.New(transport.Options{
		Provider: o.Name, Model: o.Model, Key: o.Key, AuthStyle: o.AuthStyle, HTTPClient: o.HTTPClient, Limits: o.Limits,
		Observer: o.Observer,
	})
	if err != nil {
		return nil, err
	}
	return &Model{
		name: o.Name, model: o.Model, endpoint: endpoint, maxTokens: o.MaxTokens,
		temperature: o.Temperature, images: o.Images, quirks: o.Quirks, client: client,
	}, nil
}

func endpointOf(raw string) (string, error) {
	if raw == "" {
		raw = DefaultBaseURL
	}
	u, err := transport.BaseURL(raw)
	if err != nil {
		return "", err
	}
	u.Path = strings.TrimSuffix(u.Path, "/chat/completions")
	if u.Path == "" {
		u.Path = "/v1"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path + "/chat/completions", RawQuery: u.RawQuery}).String(), nil
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
		return providers.Completion{}, m.client.Unbuilt(err)
	}
	return m.client.Post(ctx, m.endpoint, body, func(call *transport.Call) transport.Answer {
		return &assembly{vendor: m.name, thinkTags: m.quirks.ThinkTags, count: call.Count, onText: onText}
	})
}
