// Package providers defines the types shared by all language models and the rest of the program: messages made
// of content blocks, tool definitions, completions with stop reason and usage, and an error type whose kind
// says what the user or the program can do about it.
//
// The packages below it (anthropic, openai, gemini, offline, scripted and others) each translate these types to
// one wire format or engine. The shapes follow seeds NARE TDD section 4.
package providers

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// Role is the author of a message.
type Role string

// The two roles of a conversation. The system prompt is not a message: see [Request.System].
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// BlockType says which fields of a [Block] are set.
type BlockType string

// The block types.
const (
	BlockText       BlockType = "text"        // Text
	BlockToolUse    BlockType = "tool_use"    // ID, Name, Input
	BlockToolResult BlockType = "tool_result" // ToolUseID, Content, IsError, Output, Picture
	BlockOpaque     BlockType = "opaque"      // Provider, Raw: provider data to send back unchanged
	BlockImage      BlockType = "image"       // MediaType, Data
)

// Block is one piece of a message's content. Messages have blocks of type text, tool_use and tool_result, as in
// seeds NARE TDD section 4, and images. Opaque blocks carry provider data (thinking signatures,
// reasoning_content, …) that must be sent back unchanged for tool use to work.
type Block struct {
	Type BlockType `json:"type"`

	Text string `json:"text,omitempty"`

	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	ToolUseID string `json:"tool_use_id,omitempty"`
	// Content is the result for a wire model: fenced as data and cut to the limits.
	Content string `json:"content,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
	// Output is the same result as structured data for engines that parse it (offline). It is never sent on the
	// wire.
	Output *Output `json:"output,omitempty"`
	// Picture belongs to the result, nil for none. It is never stored: Content names it.
	Picture *Picture `json:"-"`

	// Provider is the package that made an opaque block. A dialect sends back only its own blocks and drops the
	// others.
	Provider string          `json:"provider,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty"`

	// MediaType is an image's type, such as image/png, and Data is the image. Dialects omit images for models
	// that take none.
	MediaType string `json:"media_type,omitempty"`
	Data      []byte `json:"data,omitempty"`
}

// Output is the record of one tool call: the steps that ran, in order.
type Output struct {
	Steps []Step `json:"steps,omitempty"`
	// Checks are the commands that this program ran to check what the steps changed. Contradicted reports that they show
	// that a change is not there.
	Checks       []Step `json:"checks,omitempty"`
	Contradicted bool   `json:"contradicted,omitempty"`
	// Refusal is a reason code if nothing ran (blocked, denied, …).
	Refusal string `json:"refusal,omitempty"`
	// If the refusal is a pending approval, Waits is the approval's code and Wanted is the command it is for.
	ApprovalCode    string `json:"waits,omitempty"`
	ApprovalCommand string `json:"wanted,omitempty"`
	// If the refusal is missing root privileges, Lacks lists why each way to get them failed ("rung: reason
	// code"), and ByHand is the command for the user to run in a terminal.
	RootProblems  []string `json:"lacks,omitempty"`
	ManualCommand string   `json:"by_hand,omitempty"`
	// Preview is why an upgrade was not started, as the tool preview_upgrade prints it.
	Preview json.RawMessage `json:"preview,omitempty"`
	// OldServices go on with what an upgrade replaced until they are restarted. OldUserServices are those of the user's manager.
	OldServices     []string `json:"old_services,omitempty"`
	OldUserServices []string `json:"old_user_services,omitempty"`
}

// HasText reports whether a command printed anything.
func (o Output) HasText() bool {
	printed := func(s Step) bool { return s.Stdout != "" || s.Stderr != "" }
	return slices.ContainsFunc(o.Steps, printed) || slices.ContainsFunc(o.Checks, printed)
}

// Step is one executed command of a tool call.
type Step struct {
	Command string `json:"command"` // canonical form, as logged
	Stdout  string `json:"stdout,omitempty"`
	Stderr  string `json:"stderr,omitempty"`
	Exit    int    `json:"exit"` // -1 if it did not exit normally
	// MissingProgram is the program that is not installed. Nothing ran in that case.
	MissingProgram string `json:"missing,omitempty"`
	// FoundPath is the path of a program of that name outside the system's directories.
	FoundPath string `json:"found,omitempty"`
	TimedOut  bool   `json:"timed_out,omitempty"`
	Limit     int    `json:"limit,omitempty"` // time limit in seconds, set if it timed out
	Cut       bool   `json:"cut,omitempty"`   // output was cut to the limits
	// Interrupted reports a command that was started and interrupted from outside, for example by a power cut. Its
	// effect is unknown, and it is not repeated.
	Interrupted bool `json:"unknown,omitempty"`
	// Denied is the reason code if the command could not get root privileges. ByHand is the command for the
	// user to run in a terminal instead.
	Denied        string `json:"denied,omitempty"`
	ManualCommand string `json:"by_hand,omitempty"`
}

// EndReason returns why the command did not exit normally: "missing", "timeout" or "unknown", or "" if it did.
func (s Step) EndReason() string {
	switch {
	case s.MissingProgram != "":
		return "missing"
	case s.TimedOut:
		return "timeout"
	case s.Interrupted:
		return "unknown"
	}
	return ""
}

// Text returns a text block.
func Text(s string) Block { return Block{Type: BlockText, Text: s} }

// Message is everything that one side wrote before the other side's next message.
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

// ToolDefinition describes a tool and its input to a model.
type ToolDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"` // JSON Schema, type object
	// Deferred tools are offered once a conversation needs them. A directory is the tool that lists them and adds them.
	Deferred  bool `json:"-"`
	Directory bool `json:"-"`
}

// Request is the input for one completion.
type Request struct {
	System   string
	Messages []Message
	// Tools are all tools, in an order that stays. Added are the names of deferred ones that the conversation needs, in
	// the order of their first use. [Request.Offered] and [Request.Available] are for those who send them.
	Tools     []ToolDefinition
	Added     []string
	MaxTokens int    // upper bound of the reply; 0 means the provider's default
	Lang      string // "ko", "en" or "zh": the language to answer in
	// Session is the conversation's key, for models that keep state between its turns. "" means none.
	Session string
	// Call runs a tool call and returns its result, for a model that calls tools during its answer (claudecli)
	// instead of ending it with tool_use blocks. nil means that such calls are not allowed.
	Call func(ctx context.Context, use Block) Block
	// LastProvider is the model that answered the earlier rounds of the turn, "" in the first.
	LastProvider string
	// OnSwitch is called when another model replaces one that failed, before its first text. It may be nil.
	OnSwitch func(Switch)
	// PlanOnly reports that no tool call will run. An engine that plans can then name tools that are not
	// offered, so that the whole plan is shown.
	PlanOnly bool
	// Continues reports that the turn continues an earlier request whose call was approved later. The last message of
	// the user is then the program's, in English. An engine that plans from the person's words cannot answer it.
	Continues bool
}

// Offered returns the tools for a model that reads each definition with each request: those that are not deferred, then
// the added ones. A later request of the conversation only appends to them, so that the beginning stays in the prompt's
// cache.
func (r Request) Offered() []ToolDefinition {
	var offered []ToolDefinition
	for _, t := range r.Tools {
		if !t.Deferred {
			offered = append(offered, t)
		}
	}
	for _, name := range r.Added {
		i := slices.IndexFunc(r.Tools, func(t ToolDefinition) bool { return t.Name == name && t.Deferred })
		if i >= 0 {
			offered = append(offered, r.Tools[i])
		}
	}
	return offered
}

// Available returns the tools for an engine that has them all at no cost: all without the directory.
func (r Request) Available() []ToolDefinition {
	return slices.DeleteFunc(slices.Clone(r.Tools), func(t ToolDefinition) bool { return t.Directory })
}

// Switch describes a change to another model.
type Switch struct {
	From, To string // catalog names
	Err      error  // why From failed
	// TextShown reports that text of the failed answer was already passed on.
	TextShown bool
}

// StopReason says why a model stopped writing.
type StopReason string

// The stop reasons. Providers map their own words to these.
const (
	StopEndTurn   StopReason = "end_turn"
	StopToolUse   StopReason = "tool_use"
	StopMaxTokens StopReason = "max_tokens"
	StopRefusal   StopReason = "refusal"
	// Used only by the built-in helper: it asks a question, or it cannot do the request.
	StopNotUnderstood StopReason = "not_understood"
	StopNothingDone   StopReason = "nothing_done"
)

// Usage counts tokens as billed by the provider, zero if it did not report them.
type Usage struct {
	InputTokens  int `json:"in"` // the whole request, cached or not
	OutputTokens int `json:"out"`
	// CachedTokens is the part of the input that was read from the provider's cache, at a lower price.
	CachedTokens int `json:"cached,omitempty"`
	// CostUSD is the cost in US dollars as reported by the provider, 0 if not reported.
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
	// Provider and Model name the model that answered, if it is not the one that was asked.
	Provider, Model string
	// Explanation explains how an engine chose this reply (the built-in helper's score and evidence). It is empty for
	// other models. --dry-run shows it.
	Explanation string
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
