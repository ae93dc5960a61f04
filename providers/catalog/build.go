package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/anthropic"
	"github.com/nidoit/blunux-ai/providers/gemini"
	"github.com/nidoit/blunux-ai/providers/openai"
	"github.com/nidoit/blunux-ai/providers/scripted"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/providers/written"
)

// Model is a model of any provider, as [Build] returns it.
type Model interface {
	// Complete requests one completion. onText may be nil. Otherwise it gets each piece of answer text in
	// order, from one goroutine. The error is a [providers.Error], or context.Canceled if ctx was cancelled.
	Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error)
	Name() string    // catalog name
	ModelID() string // model id or its equivalent
}

// Spec describes the model to build. Empty fields mean the catalog's values.
type Spec struct {
	Provider    string // name, alias, or "scripted:FILE"
	Model       string
	BaseURL     string
	AuthStyle   string // bearer, x-api-key, x-goog-api-key or none
	MaxTokens   int
	Temperature *float64
	Images      *bool // nil means the catalog's value
	// TextTools describes the tools to the model as text, for models without tool support. Models whose server
	// reports the lack are detected automatically.
	TextTools bool
	// TextCallMemory remembers the detected models, nil means for this model only.
	TextCallMemory *written.Memory
	// Key returns a key, or "" if there is none. nil means no keys.
	Key func(KeyNames) (string, error)
	// HTTPClient is shared by all wire providers, nil means a new one.
	HTTPClient *http.Client
	Limits     transport.Limits
	// Observer receives every request of a wire provider.
	Observer transport.Observer
	// Offline returns the built-in engine, and Claude a model of the installed `claude` by its id. nil means
	// not available.
	Offline func() Model
	Claude  func(model string) Model
}

// ErrNotConfigured reports that a setting is missing that the user must provide: a key, a base URL or a model id.
var ErrNotConfigured = errors.New("not configured")

// UnknownProviderError reports that a provider is not in the catalog.
type UnknownProviderError struct{ Name string }

// Error lists the known providers.
func (e *UnknownProviderError) Error() string {
	return e.In(i18n.English)
}

// In returns the text of [UnknownProviderError.Error] in a language.
func (e *UnknownProviderError) In(lang i18n.Lang) string {
	return i18n.ProviderUnknown(e.Name, strings.Join(Names(), ", ")).In(lang)
}

// Unwrap returns [ErrNotConfigured].
func (e *UnknownProviderError) Unwrap() error { return ErrNotConfigured }

// MissingKeyError reports that a provider needs a key and none was found.
type MissingKeyError struct {
	Provider string
	Keys     KeyNames
	KeyURL   string // where to get one
}

// Error lists the places where a key is searched.
func (e *MissingKeyError) Error() string {
	return e.In(i18n.English)
}

// In returns the text of [MissingKeyError.Error] in a language.
func (e *MissingKeyError) In(lang i18n.Lang) string {
	or := i18n.ProviderOr.In(lang)
	return i18n.ProviderNoKey(e.Provider, strings.Join(e.Keys.Env, or), e.Keys.Credential).In(lang)
}

// Unwrap returns [ErrNotConfigured] and a [providers.Error] of kind auth.
func (e *MissingKeyError) Unwrap() []error {
	return []error{ErrNotConfigured, &providers.Error{Kind: providers.KindAuth, Provider: e.Provider, Message: e.Error()}}
}

// Build returns a model. It does not connect. The error is an [UnknownProviderError] or a [MissingKeyError],
// wraps [ErrNotConfigured], or describes an invalid base URL, authentication style, key or script.
func Build(s Spec) (Model, error) {
	name, file, hasFile := strings.Cut(s.Provider, ":")
	e, ok := Lookup(name)
	if !ok || (hasFile && e.Dialect != DialectScripted) {
		return nil, &UnknownProviderError{Name: s.Provider}
	}
	switch e.Dialect {
	case DialectOffline:
		if s.Offline == nil {
			return nil, fmt.Errorf("offline: %w: this program was built without the built-in helper", ErrNotConfigured)
		}
		return s.Offline(), nil
	case DialectClaudeCode:
		if s.Claude == nil {
			return nil, fmt.Errorf("%s: %w: claude is not available in this program", e.Name, ErrNotConfigured)
		}
		return s.Claude(cmp.Or(s.Model, e.DefaultModel)), nil
	case DialectScripted:
		if file == "" {
			return nil, fmt.Errorf("scripted: %w: name the script, as in scripted:tour.toml", ErrNotConfigured)
		}
		m, err := scripted.Load(file)
		if err != nil {
			return nil, err // not a typed nil
		}
		return m, nil
	}
	return s.buildWire(e)
}

func (s Spec) buildWire(e Entry) (Model, error) {
	s.Model = cmp.Or(s.Model, e.DefaultModel)
	s.BaseURL = cmp.Or(s.BaseURL, e.BaseURL)
	switch {
	case s.BaseURL == "":
		return nil, fmt.Errorf("%s: %w: set base_url in [providers.%s]", e.Name, ErrNotConfigured, e.Name)
	case s.Model == "":
		return nil, fmt.Errorf("%s: %w: set model in [providers.%s]", e.Name, ErrNotConfigured, e.Name)
	}
	dialect, usual := e.dialectAt(s.BaseURL)
	style := transport.AuthStyle(cmp.Or(s.AuthStyle, string(usual)))
	key, err := s.findKey(e, style)
	if err != nil {
		return nil, err
	}
	if s.MaxTokens <= 0 {
		s.MaxTokens = e.MaxTokens
	}
	m, err := s.newModel(e, dialect, style, key)
	if err != nil {
		return nil, err
	}
	return written.New(m, written.Options{Always: s.TextTools, Memory: s.TextCallMemory}), nil
}

func (s Spec) newModel(e Entry, dialect Dialect, style transport.AuthStyle, key string) (Model, error) {
	images := e.Info(s.Model, Override{Images: s.Images}).Images
	var m Model
	var err error
	switch dialect {
	case DialectMessages:
		m, err = anthropic.New(anthropic.Options{
			Name: e.Name, Model: s.Model, Key: key, BaseURL: s.BaseURL, AuthStyle: style, Images: images,
			MaxTokens: s.MaxTokens, Temperature: s.Temperature, HTTPClient: s.HTTPClient, Limits: s.Limits, Observer: s.Observer,
		})
	case DialectGemini:
		m, err = gemini.New(gemini.Options{
			Name: e.Name, Model: s.Model, Key: key, BaseURL: s.BaseURL, AuthStyle: style, Images: images,
			MaxTokens: s.MaxTokens, Temperature: s.Temperature, HTTPClient: s.HTTPClient, Limits: s.Limits, Observer: s.Observer,
		})
	default:
		m, err = openai.New(openai.Options{
			Name: e.Name, Model: s.Model, Key: key, BaseURL: s.BaseURL, AuthStyle: style, Images: images,
			MaxTokens: s.MaxTokens, Temperature: s.Temperature, HTTPClient: s.HTTPClient, Limits: s.Limits, Observer: s.Observer,
			Quirks: e.Quirks,
		})
	}
	if err != nil {
		return nil, err // not a typed nil
	}
	return m, nil
}

// findKey returns the provider's key. A server on this computer works without one, for every dialect.
func (s Spec) findKey(e Entry, style transport.AuthStyle) (string, error) {
	if style == transport.AuthNone {
		return "", nil
	}
	key := ""
	if s.Key != nil {
		var err error
		if key, err = s.Key(e.Keys); err != nil {
			return "", fmt.Errorf("cannot read the key of %s: %w", e.Name, err)
		}
	}
	if strings.TrimSpace(key) == "" && !e.Keys.Optional && !transport.IsLoopback(s.BaseURL) {
		return "", &MissingKeyError{Provider: e.Name, Keys: e.Keys, KeyURL: e.KeyURL}
	}
	return key, nil
}

// maxListed bounds the number of model ids from a server, and maxModelID the length of one in bytes.
const (
	maxListed  = 500
	maxModelID = 200
)

// ListModels returns the sorted ids of the models that a provider's server offers, using GET /v1/models or the Gemini
// equivalent. The error is one of [Build]'s or a [providers.Error]. ctx and s.Limits bound the time.
func ListModels(ctx context.Context, s Spec) ([]string, error) {
	e, ok := Lookup(s.Provider)
	if !ok {
		return nil, &UnknownProviderError{Name: s.Provider}
	}
	s.BaseURL = cmp.Or(s.BaseURL, e.BaseURL)
	if s.BaseURL == "" {
		return nil, fmt.Errorf("%s: %w: set base_url in [providers.%s]", e.Name, ErrNotConfigured, e.Name)
	}
	dialect, usual := e.dialectAt(s.BaseURL)
	style := transport.AuthStyle(cmp.Or(s.AuthStyle, string(usual)))
	key, err := s.findKey(e, style)
	if err != nil {
		return nil, err
	}
	address, err := modelsURL(dialect, s.BaseURL)
	if err != nil {
		return nil, err
	}
	o := transport.Options{
		Provider: e.Name, Key: key, AuthStyle: style, HTTPClient: s.HTTPClient, Limits: s.Limits, Observer: s.Observer,
	}
	if e.Dialect == DialectMessages {
		o.Header = anthropic.Header()
	}
	client, err := transport.New(o)
	if err != nil {
		return nil, err
	}
	return fetchModels(ctx, client, address, e)
}

// modelsURL returns the URL of a server's model list for any form of its configured base URL.
func modelsURL(d Dialect, base string) (string, error) {
	u, err := transport.BaseURL(base)
	if err != nil {
		return "", err
	}
	version := "/v1"
	switch d {
	case DialectGemini:
		version = "/v1beta"
		u.Path, _, _ = strings.Cut(u.Path, "/models")
	default:
		u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/chat/completions"), "/messages")
	}
	if u.Path == "" || d == DialectMessages && !strings.HasSuffix(u.Path, version) {
		u.Path += version
	}
	u.Path += "/models"
	query := u.Query()
	query.Del("alt") // the streaming format of generateContent
	u.RawQuery = query.Encode()
	return u.String(), nil
}

func fetchModels(ctx context.Context, client *transport.Client, address string, e Entry) ([]string, error) {
	call := client.Call(ctx)
	defer call.End(true)
	req, err := http.NewRequestWithContext(call.Context(), http.MethodGet, address, nil)
	if err != nil {
		return nil, call.Fail(err)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := call.Do(req)
	if err != nil {
		return nil, call.Fail(err)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, int64(call.Limit())))
	if err != nil {
		return nil, call.Fail(err)
	}
	ids, err := parseModels(text)
	if err != nil {
		return nil, &providers.Error{Kind: providers.KindParse, Provider: e.Name, Message: "cannot read the server's list of models", Err: err}
	}
	return ids, nil
}

// parseModels parses a server's list of model ids: {"data":[{"id":…}]}, or {"models":[{"name":"models/…"}]} from
// some servers.
func parseModels(text []byte) ([]string, error) {
	var answer struct {
		Data   []struct{ ID string }
		Models []struct{ Name string }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	ids := []string{}
	for _, m := range answer.Data {
		ids = append(ids, m.ID)
	}
	for _, m := range answer.Models {
		ids = append(ids, strings.TrimPrefix(m.Name, "models/"))
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" || len(id) > maxModelID })
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), maxListed)], nil
}
