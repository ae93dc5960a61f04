// Package catalog knows the model providers: their names, servers, key names,
// default models, context sizes and quirks, as one table of data. [Build]
// makes a model from a configuration, [Detect] picks a provider when nobody
// chose one. Adding a provider that speaks a known dialect is adding a row.
//
// Model ids are data, never an enum: a row's default can be overridden with
// any id. Sources: seeds NARE TDD sections 4.5 and 6 (Claude, DeepSeek), Moonbot spec
// section 4 (OpenAI, GLM), the vendors' API references for the rest.
package catalog

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/openai"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Dialect says which package speaks to a provider.
type Dialect string

// The dialects.
const (
	DialectMessages Dialect = "messages"         // package anthropic
	DialectChat     Dialect = "chat_completions" // package openai
	DialectGemini   Dialect = "generate_content" // package gemini
	// DialectClaudeCode is the installed `claude`, package claudecli.
	DialectClaudeCode Dialect = "claude_code"
	DialectOffline    Dialect = "offline"  // the built-in engine, without a model
	DialectScripted   Dialect = "scripted" // package scripted
)

// Entry is one provider.
type Entry struct {
	Name    string // as in the configuration
	Label   string // as people know it
	Aliases []string
	Dialect Dialect

	BaseURL   string              // "" for custom, offline and scripted
	ServerEnv []string            // environment variables that name another server, in lookup order
	AuthStyle transport.AuthStyle // how the key travels
	Keys      KeyNames
	// KeyURL is the page where a person gets a key.
	KeyURL string

	DefaultModel string
	Models       []ModelInfo // the ones worth offering; any id works
	Context      int         // tokens, for models not in the list; 0 unknown
	MaxTokens    int         // default upper bound of a reply; 0 leaves it to the server
	Images       bool        // models not in the list are taken to take images
	Plan         bool        // paid by a plan, not by the token
	Quirks       openai.Quirks
}

// ModelInfo is a model id and what is known of it.
type ModelInfo struct {
	ID      string
	Context int   // tokens
	Price   Price // zero where it is not known
	Images  bool  // it takes images
}

// Price is what a million tokens cost, in US dollars.
type Price struct {
	Input, Cached, Output float64
	// Noted is the day the vendor's page said so, as 2026-11-20; "" where no
	// price is known.
	Noted string
}

// Of returns what a usage costs, in US dollars.
func (p Price) Of(u providers.Usage) float64 {
	fresh := float64(max(u.InputTokens-u.CachedTokens, 0))
	return (fresh*p.Input + float64(u.CachedTokens)*p.Cached + float64(u.OutputTokens)*p.Output) / 1e6
}

// KeyNames says where a provider's key may lie.
type KeyNames struct {
	Env        []string // environment variables, in lookup order
	Credential string   // file below credentials/, also the name below $CREDENTIALS_DIRECTORY
	Optional   bool     // the provider works without a key
}

// None reports whether the provider never takes a key.
func (k KeyNames) None() bool { return len(k.Env) == 0 && k.Credential == "" }

// ContextOf returns how many tokens the context of a model holds, 0 when
// unknown.
func (e Entry) ContextOf(model string) int {
	m, _ := e.Find(model)
	return m.Context
}

// Find returns what is known of a model, and whether its row is in the list.
func (e Entry) Find(model string) (ModelInfo, bool) {
	for _, m := range e.Models {
		if m.ID == model {
			return m, true
		}
	}
	return ModelInfo{ID: model, Context: e.Context, Images: e.Images}, false
}

// Override is what the configuration says of a provider's models, in the place
// of the list. nil and 0 leave what is known.
type Override struct {
	Context int // tokens
	Images  *bool
}

// Info returns what is known of a model, with what the person knows better.
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

// All returns the providers in the order in which [Detect] looks for keys and
// in which a wizard should list them.
func All() []Entry { return table() }

// Names returns the providers' names in the order of [All].
func Names() []string {
	var names []string
	for _, e := range table() {
		names = append(names, e.Name)
	}
	return names
}

// Lookup finds a provider by name or alias; letter case does not matter.
func Lookup(name string) (Entry, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, e := range table() {
		if e.Name == name || slices.Contains(e.Aliases, name) {
			return e, true
		}
	}
	return Entry{}, false
}
