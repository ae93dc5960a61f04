// Package providers is the vocabulary that every language model and the rest
// of the program share: messages made of content blocks, tool definitions, a
// completion with its stop reason and usage, and one error type whose kind
// says what a person or the program can do about it.
//
// The packages below it (anthropic, openai, gemini, offline, scripted) each translate
// this vocabulary to one wire format or one engine; nothing outside them ever
// learns who answered. The shapes follow seeds NARE TDD section 4: a message
// has a role and content blocks of type text, tool_use and tool_result. The
// additional opaque block carries provider data (thinking signatures,
// reasoning_content, …) that must be sent back unchanged or tool use fails.
package providers

import (
	"context"
	"encoding/json"
	"strings"
)

// Role says who wrote a message.
type Role string

// The two roles of a conversation. The system prompt is not a message: it
// travels in [Request.System].
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// BlockType tells which fields of a [Block] are meaningful.
type BlockType string

// The block types.
const (
	BlockText       BlockType = "text"        // Text
	BlockToolUse    BlockType = "tool_use"    // ID, Name, Input
	BlockToolResult BlockType = "tool_result" // ToolUseID, Content, IsError, Output
	BlockOpaque     BlockType = "opaque"      // Provider, Raw
	BlockImage      BlockType = "image"       // MediaType, Data
)

// Block is one piece of a message's content.
type Block struct {
	Type BlockType `json:"type"`

	Text string `json:"text,omitempty"`

	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	ToolUseID string `json:"tool_use_id,omitempty"`
	// Content is what a wire model reads of the result: fenced as data, cut
	// to limits.
	Content string `json:"content,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
	// Output is the same result as figures and streams, for engines that
	// parse it (offline). Wire dialects never send it.
	Output *Output `json:"output,omitempty"`

	// Provider names the package that made an opaque block; a dialect sends
	// back only its own and drops the others.
	Provider string          `json:"provider,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty"`

	// MediaType is an image's type, as image/png, and Data the image itself. A
	// dialect leaves images out for models that take none.
	MediaType string `json:"media_type,omitempty"`
	Data      []byte `json:"data,omitempty"`
}

// Output is what one tool call really did: the steps it ran, in order.
type Output struct {
	Steps []Step `json:"steps,omitempty"`
	// Refusal is a reason code when nothing ran (blocked, denied, …).
	Refusal string `json:"refusal,omitempty"`
	// Waits is the code of the approval that waits, Wanted the command it is for, when
	// the refusal is that nobody could be asked.
	Waits  string `json:"waits,omitempty"`
	Wanted string `json:"wanted,omitempty"`
	// Lacks says why nothing here gives root's rights, "rung: reason code" each,
	// when that is the refusal; ByHand is the command for the person to run in a
	// terminal.
	Lacks  []string `json:"lacks,omitempty"`
	ByHand string   `json:"by_hand,omitempty"`
}

// Step is one executed command of a tool call.
type Step struct {
	Command string `json:"command"` // canonical, as logged
	Stdout  string `json:"stdout,omitempty"`
	Stderr  string `json:"stderr,omitempty"`
	Exit    int    `json:"exit"` // -1 when it did not end by itself
	// Missing names the program that is not installed; nothing ran then.
	Missing string `json:"missing,omitempty"`
	// Found is where a program of that name lies outside the system's directories.
	Found    string `json:"found,omitempty"`
	TimedOut bool   `json:"timed_out,omitempty"`
	Limit    int    `json:"limit,omitempty"` // seconds it was given, when it timed out
	Cut      bool   `json:"cut,omitempty"`   // output was cut to the limits
	// Unknown reports a command that was started and cut short from outside, as
	// by a power cut: what it did is not known, and it is not run again.
	Unknown bool `json:"unknown,omitempty"`
	// Denied is the reason code of why the command got no root's rights, and
	// ByHand the command for the person to run in a terminal instead.
	Denied string `json:"denied,omitempty"`
	ByHand string `json:"by_hand,omitempty"`
}

// Ended returns why the command did not come to its own end: "missing", "timeout"
// or "unknown"; "" when it did.
func (s Step) Ended() string {
	switch {
	case s.Missing != "":
		return "missing"
	case s.TimedOut:
		return "timeout"
	case s.Unknown:
		return "unknown"
	}
	return ""
}

// Text returns a text block.
func Text(s string) Block { return Block{Type: BlockText, Text: s} }

// Message is one turn's half: everything one side said before the other.
type Message struct {
	Role    Role    `json:"role"`
	Content []Block `json:"content"`
}

// UserText returns a user message with one text block.
func UserText(s string) Message { return Message{Role: RoleUser, Content: []Block{Text(s)}} }

// AssistantText returns an assistant message with one text block.
func AssistantText(s string) Message {
	return Message{Role: RoleAssistant, Content: []Block{Text(s)}}
}

// Text returns the message's text blocks joined with newlines.
func (m Message) Text() string { return joinText(m.Content) }

// ToolDefinition tells a model what a tool is for and what input it takes.
type ToolDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"` // JSON Schema, type object
}

// Request is everything a model needs for one completion.
type Request struct {
	System    string
	Messages  []Message
	Tools     []ToolDefinition
	MaxTokens int    // upper bound of the reply; 0 means the provider's default
	Lang      string // "ko", "en" or "zh": the language to answer in
	// Session is the conversation's key, for models that keep something warm
	// between its turns; "" for none.
	Session string
	// Call carries out a tool call and returns its result, for a model that asks
	// for tools in the midst of its answer (claudecli) instead of ending it with
	// tool_use blocks. nil means that nothing may be called that way.
	Call func(ctx context.Context, use Block) Block
	// Answering is who answered the earlier rounds of the turn; "" in the first.
	Answering string
	// OnSwitch is told that another model answers in the place of one that
	// failed, before it is asked; may be nil.
	OnSwitch func(Switch)
	// PlanOnly reports that nothing of what is called will run: an engine that
	// plans may name tools that are not offered, so that its plan is seen whole.
	PlanOnly bool
}

// Switch is another model taking over.
type Switch struct {
	From, To string // catalog names
	Err      error  // why
	// Shown reports that some of the failed answer's text was passed on already.
	Shown bool
}

// StopReason says why a model stopped writing.
type StopReason string

// The stop reasons. A provider maps its own words to these.
const (
	StopEndTurn   StopReason = "end_turn"
	StopToolUse   StopReason = "tool_use"
	StopMaxTokens StopReason = "max_tokens"
	StopRefusal   StopReason = "refusal"
	// The offline engine's own: it asks back, or says that it cannot do it.
	StopNotUnderstood StopReason = "not_understood"
	StopNothingDone   StopReason = "nothing_done"
)

// Usage counts tokens as the provider billed them; zero when it did not say.
type Usage struct {
	InputTokens  int `json:"in"` // all of the request, cached or not
	OutputTokens int `json:"out"`
	// CachedTokens is the part of the input that was read from the provider's
	// cache, which costs less.
	CachedTokens int `json:"cached,omitempty"`
	// CostUSD is what the provider says it cost, in US dollars; 0 when it does
	// not say.
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.CachedTokens + v.CachedTokens, u.CostUSD + v.CostUSD,
	}
}

// Completion is a model's reply to one [Request].
type Completion struct {
	Content []Block
	Stop    StopReason
	Usage   Usage
	// Provider and Model are who answered, where that is not the model that was
	// asked.
	Provider, Model string
	// Why explains how an explainable engine came to this reply (the offline
	// engine's score and evidence); empty for others. Shown by --dry-run.
	Why string
}

// Text returns the completion's text blocks joined with newlines.
func (c Completion) Text() string { return joinText(c.Content) }

// ToolUses returns the completion's tool_use blocks in order.
func (c Completion) ToolUses() []Block {
	var uses []Block
	for _, b := range c.Content {
		if b.Type == BlockToolUse {
			uses = append(uses, b)
		}
	}
	return uses
}

func joinText(blocks []Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Type == BlockText {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}
