package openai

import "encoding/json"

// Reasoning says when a vendor needs its model's reasoning sent back.
type Reasoning string

// The reasoning policies.
const (
	// ReasoningDrop never sends reasoning back. OpenAI ignores it, and some servers answer HTTP 400 to it.
	ReasoningDrop Reasoning = ""
	// ReasoningToolTurns sends it back in turns with tool calls. DeepSeek answers HTTP 400 without it ("must be
	// passed back") and ignores it in other turns (DeepSeek API docs, "Thinking Mode").
	ReasoningToolTurns Reasoning = "tool_turns"
	// ReasoningAlways sends it back with every message. Models that think between tool calls otherwise lose
	// context (MiniMax and Z.AI docs, "Interleaved thinking").
	ReasoningAlways Reasoning = "always"
)

// Quirks are a vendor's differences from OpenAI, as data. The zero value is the plain dialect.
type Quirks struct {
	Reasoning Reasoning
	// ReasoningField is the field with the reasoning: "reasoning_content" (default), "reasoning" or
	// "reasoning_details".
	ReasoningField string
	// FillReasoning sends an empty field with tool calls whose reasoning is unknown, for example because
	// another provider made them.
	FillReasoning bool
	// ExtraContent sends back the extra_content of tool calls and messages: Gemini's thought signatures (Gemini
	// API docs, "Thought signatures").
	ExtraContent bool
	// MissingExtraContent is sent if the first tool call of a message has no extra_content.
	MissingExtraContent json.RawMessage
	// ThinkTags removes a leading <think>…</think> from the text, where open models on plain servers put their
	// reasoning.
	ThinkTags bool
	// MaxTokensField is the field that limits the reply, "" means "max_tokens". OpenAI's reasoning models
	// accept only "max_completion_tokens".
	MaxTokensField string
	// NoStreamUsage omits stream_options, for servers that reject it.
	NoStreamUsage bool
	// Body holds fields added to every request.
	Body map[string]json.RawMessage
}

func (q Quirks) reasoningField() string {
	if q.ReasoningField == "" {
		return "reasoning_content"
	}
	return q.ReasoningField
}

func (q Quirks) maxTokensField() string {
	if q.MaxTokensField == "" {
		return "max_tokens"
	}
	return q.MaxTokensField
}
