// Package catalog is a table of the model providers: their names, servers, key names, default models, context
// sizes and quirks. [Build] returns a model for a configuration, and [Detect] chooses a provider if none is
// configured. A new provider with a known dialect only needs a new row.
//
// Model ids are data, not an enum: any id can replace a row's default. Sources: seeds NARE TDD sections 4.5 and
// 6 (Claude, DeepSeek), Moonbot spec section 4 (OpenAI, GLM), and the vendors' API references.
package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

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
	for _, e := range rows() {
		names = append(names, e.Name)
	}
	return names
}

// LocalServer returns the provider that runs on this computer.
func LocalServer() Entry {
	all := rows()
	return all[slices.IndexFunc(all, func(e Entry) bool { return e.Local })]
}

// Lookup finds a provider by name or alias, ignoring case.
func Lookup(name string) (Entry, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, e := range rows() {
		if e.Name == name || slices.Contains(e.Aliases, name) {
			return e, true
		}
	}
	return Entry{}, false
}

// rows are the rows, made once. Nothing changes them: the slices of a row that [Lookup] returns are shared.
var rows = sync.OnceValue(table)

// table makes the rows.
func table() []Entry {
	return []Entry{
		claude(), claudeCode(), deepseek(), gpt(), glm(), glmCoding(), minimax(), google(), ollama(), custom(),
		{Name: "offline", Label: "Offline (built in, no model)", Aliases: []string{"none"}, Dialect: DialectOffline, DefaultModel: "offline"},
		{Name: "scripted", Label: "Scripted (for trying and testing)", Dialect: DialectScripted},
	}
}

func claude() Entry {
	return Entry{
		Name: "claude", Label: "Claude (Anthropic)", Aliases: []string{"anthropic"}, Dialect: DialectMessages,
		BaseURL: "https://api.anthropic.com", ServerEnv: []string{"ANTHROPIC_BASE_URL"}, AuthStyle: transport.AuthXAPIKey,
		Keys:         KeyNames{Env: []string{"ANTHROPIC_API_KEY"}, Credential: "claude"},
		KeyURL:       "https://platform.claude.com/settings/keys",
		DefaultModel: "claude-sonnet-4-6", Models: claudeModels(), Context: 200_000, MaxTokens: 4096, Images: true,
	}
}

// claudeCode is Claude by subscription: the installed `claude` answers. It also accepts the names of model
// families, which mean the newest model of each.
func claudeCode() Entry {
	return Entry{
		Name: "claude-code", Label: "Claude (subscription, Claude Code)", Aliases: []string{"claude-subscription", "claude-oauth"}, Dialect: DialectClaudeCode,
		DefaultModel: "default", Context: 200_000, Images: true, Subscription: true,
		Models: []ModelInfo{
			{ID: "default", Context: 200_000, Images: true},
			{ID: "sonnet", Context: 200_000, Images: true},
			{ID: "opus", Context: 200_000, Images: true},
			{ID: "haiku", Context: 100_000, Images: true},
		},
	}
}

func deepseek() Entry {
	return Entry{
		Name: "deepseek", Label: "DeepSeek", Dialect: DialectChat,
		BaseURL: "https://api.deepseek.com/v1", ServerEnv: []string{"DEEPSEEK_BASE_URL"}, AuthStyle: transport.AuthBearer,
		Keys:         KeyNames{Env: []string{"DEEPSEEK_API_KEY"}, Credential: "deepseek"},
		KeyURL:       "https://platform.deepseek.com/api_keys",
		DefaultModel: "deepseek-chat", Models: deepseekModels(), Context: 128_000, MaxTokens: 4096,
		// "The reasoning_content in the thinking mode must be passed back": otherwise HTTP 400, even if another
		// provider made the tool call.
		Quirks: openai.Quirks{Reasoning: openai.ReasoningToolTurns, FillReasoning: true},
	}
}

func gpt() Entry {
	return Entry{
		Name: "openai", Label: "GPT (OpenAI)", Aliases: []string{"gpt", "chatgpt"}, Dialect: DialectChat,
		BaseURL: "https://api.openai.com/v1", ServerEnv: []string{"OPENAI_BASE_URL"}, AuthStyle: transport.AuthBearer,
		Keys:         KeyNames{Env: []string{"OPENAI_API_KEY"}, Credential: "openai"},
		KeyURL:       "https://platform.openai.com/api-keys",
		DefaultModel: "gpt-4o", Models: gptModels(), Context: 128_000, MaxTokens: 4096, Images: true,
		Quirks: openai.Quirks{MaxTokensField: "max_completion_tokens"},
	}
}

func glm() Entry {
	return Entry{
		Name: "glm", Label: "GLM (Z.AI)", Aliases: []string{"zai", "z.ai", "zhipu"}, Dialect: DialectChat,
		BaseURL: "https://api.z.ai/api/paas/v4", ServerEnv: []string{"ZAI_BASE_URL"}, AuthStyle: transport.AuthBearer,
		Keys:         KeyNames{Env: []string{"ZAI_API_KEY", "GLM_API_KEY"}, Credential: "glm"},
		KeyURL:       "https://z.ai/manage-apikey/apikey-list",
		DefaultModel: "glm-4.7-flash", Models: glmModels(), Context: 128_000, MaxTokens: 4096,
		Quirks: openai.Quirks{Reasoning: openai.ReasoningAlways},
	}
}

// glmCoding is a separate row because it is paid by subscription, not per token. It has its own price, budget
// and place in the fallback order, and both can use the same key.
func glmCoding() Entry {
	e := glm()
	e.Name, e.Label, e.Aliases = "glm-coding", "GLM Coding Plan (Z.AI)", []string{"zai-coding"}
	e.BaseURL, e.ServerEnv = "https://api.z.ai/api/coding/paas/v4", []string{"ZAI_CODING_BASE_URL"}
	e.DefaultModel, e.Subscription = "glm-4.7", true
	for i := range e.Models {
		e.Models[i].Price = Price{}
	}
	return e
}

func minimax() Entry {
	return Entry{
		Name: "minimax", Label: "MiniMax", Dialect: DialectChat,
		BaseURL: "https://api.minimax.io/v1", ServerEnv: []string{"MINIMAX_BASE_URL"}, AuthStyle: transport.AuthBearer,
		Keys:         KeyNames{Env: []string{"MINIMAX_API_KEY"}, Credential: "minimax"},
		KeyURL:       "https://platform.minimax.io/user-center/basic-information/interface-key",
		DefaultModel: "MiniMax-M2", Models: minimaxModels(), Context: 204_800, MaxTokens: 4096,
		// Without reasoning_split the text contains the reasoning. ThinkTags covers models that ignore the field.
		Quirks: openai.Quirks{
			Reasoning: openai.ReasoningAlways, ReasoningField: "reasoning_details", ThinkTags: true,
			Body: map[string]json.RawMessage{"reasoning_split": json.RawMessage("true")},
		},
	}
}

func google() Entry {
	return Entry{
		Name: "gemini", Label: "Gemini (Google)", Aliases: []string{"google"}, Dialect: DialectGemini,
		BaseURL: "https://generativelanguage.googleapis.com/v1beta", ServerEnv: []string{"GOOGLE_GEMINI_BASE_URL"}, AuthStyle: transport.AuthXGoog,
		Keys:         KeyNames{Env: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, Credential: "gemini"},
		KeyURL:       "https://aistudio.google.com/apikey",
		DefaultModel: "gemini-2.5-flash", Models: geminiModels(), Context: 1_048_576, MaxTokens: 4096, Images: true,
		// For the compatible endpoint, see [Entry.dialectAt]. Tool calls made by another model need this
		// placeholder (Gemini API docs, "Thought signatures").
		Quirks: openai.Quirks{
			ExtraContent:        true,
			MissingExtraContent: json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`),
		},
	}
}

func ollama() Entry {
	return Entry{
		Name: "ollama", Label: "Ollama (on this computer)", Dialect: DialectChat,
		BaseURL: "http://127.0.0.1:11434/v1", ServerEnv: []string{"OLLAMA_HOST"}, AuthStyle: transport.AuthBearer,
		Keys:         KeyNames{Env: []string{"OLLAMA_API_KEY"}, Credential: "ollama", Optional: true},
		DefaultModel: "qwen3", Local: true,
		Quirks: openai.Quirks{Reasoning: openai.ReasoningToolTurns, ReasoningField: "reasoning", ThinkTags: true},
	}
}

func custom() Entry {
	return Entry{
		Name: "custom", Label: "Another server (base_url)", Aliases: []string{"openai-compatible"}, Dialect: DialectChat,
		AuthStyle: transport.AuthBearer,
		Keys:      KeyNames{Env: []string{"BLUNUX_AI_API_KEY"}, Credential: "custom", Optional: true},
		Quirks:    openai.Quirks{ThinkTags: true},
	}
}
