// Package catalog is a table of the model providers: their names, servers, key names, default models, context
// sizes and quirks. [Build] returns a model for a configuration, and [Detect] chooses a provider if none is
// configured. A new provider with a known dialect only needs a new row.
//
// Model ids are data, not an enum: any id can replace a row's default. Sources: seeds NARE TDD sections 4.5 and
// 6 (Claude, DeepSeek), Moonbot spec section 4 (OpenAI, GLM), and the vendors' API references.
package catalog

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/openai"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Dialect is the wire format or engine of a provider.
type Dialect string

// The dialects.
const (
	DialectMessages Dialect = "messages"         // package anthropic
	DialectChat     Dialect = "chat_completions" // package openai
	DialectGemini   Dialect = "generate_content" // package gemini
	// DialectClaudeCode is the installed `claude`, package claudecli.
	DialectClaudeCode Dialect = "claude_code"
	DialectOffline    Dialect = "offline"  // the built-in engine, without a language model
	DialectScripted   Dialect = "scripted" // package scripted
)

// Entry is one provider.
type Entry struct {
	Name    string // as in the configuration
	Label   string // name for people
	Aliases []string
	Dialect Dialect

	BaseURL   string              // "" for custom, offline and scripted
	ServerEnv []string            // environment variables for another base URL, in lookup order
	AuthStyle transport.AuthStyle // how the key is sent
	Keys      KeyNames
	// KeyURL is the page where users get a key.
	KeyURL string

	DefaultModel string
	Models       []ModelInfo // models to offer; any other id works too
	Context      int         // tokens, for models not in Models; 0 means unknown
	MaxTokens    int         // default limit of a reply, 0 means the server's
	Images       bool        // models not in Models take images
	Subscription bool        // paid by subscription, not per token
	Local        bool        // runs on this computer; package ollama lists its models
	Quirks       openai.Quirks
}

// ModelInfo is a model id and the known properties of the model.
type ModelInfo struct {
	ID      string
	Context int   // tokens
	Price   Price // zero if unknown
	Images  bool  // the model takes images
}

// Price is the price of a million tokens in US dollars.
type Price struct {
	Input, Cached, Output float64
	// AsOf is the day on which the vendor's page listed the price, such as 2026-11-20, "" if the price is unknown.
	AsOf string
}

// Cost returns the cost of a usage in US dollars.
func (p Price) Cost(u providers.Usage) float64 {
	fresh := float64(max(u.InputTokens-u.CachedTokens, 0))
	return (fresh*p.Input + float64(u.CachedTokens)*p.Cached + float64(u.OutputTokens)*p.Output) / 1e6
}

// KeyNames lists the places of a provider's key.
type KeyNames struct {
	Env        []string // environment variables, in lookup order
	Credential string   // file below credentials/, also the name below $CREDENTIALS_DIRECTORY
	Optional   bool     // the provider works without a key
}

// IsEmpty reports whether the provider does not use keys.
func (k KeyNames) IsEmpty() bool { return len(k.Env) == 0 && k.Credential == "" }

// ContextOf returns the context size of a model in tokens, 0 if unknown.
func (e Entry) ContextOf(model string) int {
	m, _ := e.Find(model)
	return m.Context
}

// Find returns the properties of a model, and whether it is in the entry's list.
func (e Entry) Find(model string) (ModelInfo, bool) {
	for _, m := range e.Models {
		if m.ID == model {
			return m, true
		}
	}
	return ModelInfo{ID: model, Context: e.Context, Images: e.Images}, false
}

// Override has the configured properties of a provider's models. They replace those of the catalog. nil and 0
// keep the catalog's.
type Override struct {
	Context int // tokens
	Images  *bool
}

// Info returns the properties of a model with the configured overrides.
func (e Entry) Info(model string, o Override) ModelInfo {
	m, _ := e.Find(model)
	if o.Context > 0 {
		m.Context = o.Context
	}
	if o.Images != nil {
		m.Images = *o.Images
	}
	return m
}

// All returns the providers in the order in which [Detect] looks for keys and in which the setup lists them.
func All() []Entry { return table() }

// Names returns the providers' names in the order of [All].
func Names() []string {
	var names []string
	for _, e := range table() {
		names = append(names, e.Name)
	}
	return names
}

// LocalServer returns the provider that runs on this computer.
func LocalServer() Entry {
	all := table()
	return all[slices.IndexFunc(all, func(e Entry) bool { return e.Local })]
}

// Lookup finds a provider by name or alias, ignoring case.
func Lookup(name string) (Entry, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, e := range table() {
		if e.Name == name || slices.Contains(e.Aliases, name) {
			return e, true
		}
	}
	return Entry{}, false
}
