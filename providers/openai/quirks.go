package openai

import "encoding/json"

// Reasoning says when a vendor wants its model's reasoning back.
type Reasoning string

// The reasoning policies.
const (
	// ReasoningDrop never sends reasoning back: OpenAI ignores it, some servers
	// answer HTTP 400 to it.
	ReasoningDrop Reasoning = ""
	// ReasoningToolTurns sends it back for turns in which tools were called.
	// DeepSeek answers HTTP 400 without it ("must be passed back") and ignores
	// it elsewhere (DeepSeek API docs, "Thinking Mode").
	ReasoningToolTurns Reasoning = "tool_turns"
	// ReasoningAlways sends it back for every message: models that think
	// between tool calls lose their thread otherwise (MiniMax and Z.AI docs,
	// "Interleaved thinking").
	ReasoningAlways Reasoning = "always"
)

// Quirks is what one vendor does differently from OpenAI, as data. The zero
// value is the plain dialect.
type Quirks struct {
	Reasoning Reasoning
	// ReasoningField is the field it travels in: "reasoning_content" (the
	// meaning of ""), "reasoning" or "reasoning_details".
	ReasoningField string
	// FillReasoning sends an empty field with tool calls whose reasoning is
	// not known, as when another provider made them.
	FillReasoning bool
	// ExtraContent sends the extra_content of tool calls and messages back:
	// Gemini's thought signatures (Gemini API docs, "Thought signatures").
	ExtraContent bool
	// MissingExtraContent stands in for the extra_content of the first tool
	// call of a message that has none.
	MissingExtraContent json.RawMessage
	// ThinkTags cuts a leading <think>…</think> out of the text, where open
	// models behind plain servers put their reasoning.
	ThinkTags bool
	// MaxTokensField is the field that bounds the reply; "" means "max_tokens".
	// OpenAI's reasoning models know only "max_completion_tokens".
	MaxTokensField string
	// NoStreamUsage leaves stream_options out, for servers that refuse it.
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
