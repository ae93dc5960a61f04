// Package openai implements the chat/completions dialect of OpenAI, which most other vendors serve too:
// DeepSeek, GLM (Z.AI), MiniMax, Gemini's compatible endpoint, Ollama, llama.cpp, vLLM and any server with a
// base URL. It uses only net/http and [transport]: an SDK would add megabytes and drop the vendor fields that
// must be sent back unchanged.
//
// Format: OpenAI API reference, "Create chat completion" and "Streaming". Differences of vendors are data, see
// [Quirks].
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

// ErrorPrefix begins the content of an error result, because the dialect has no field for errors.
const ErrorPrefix = "Error: "

// DefaultBaseURL is OpenAI's own server.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options configures a [Model].
type Options struct {
	Name  string // catalog name, required: "deepseek", "openai", …
	Model string // model id, required
	Key   string // may be empty for local servers
	// BaseURL is the URL below which chat/completions is. A URL without a path gets /v1. A trailing slash and
	// "/chat/completions" are ignored, so http://127.0.0.1:11434 and http://127.0.0.1:11434/v1/ are the same.
	// "" means [DefaultBaseURL].
	BaseURL     string
	AuthStyle   transport.AuthStyle // "" means bearer
	MaxTokens   int                 // default limit of a reply, 0 means the server's
	Temperature *float64            // nil means the model's default
	Images      bool                // the model takes images
	HTTPClient  *http.Client        // nil means a new client
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
	tools       transport.ToolLists
}

// New returns a model. It fails if the options cannot work: no name or model id, an invalid base URL, an
// unknown authentication style or a malformed key. It does not connect.
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
		return &assembly{vendor: m.name, thinkTags: m.quirks.ThinkTags, count: call.Count, onText: onText}
	})
}
