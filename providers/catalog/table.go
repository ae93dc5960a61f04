package catalog

import (
	"encoding/json"

	"github.com/nidoit/blunux-ai/providers/openai"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// table returns a new copy of the rows, so that callers cannot change them.
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
