package providertest

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nidoit/blunux-ai/providers"
)

// messagesWire is Anthropic's Messages API.
type messagesWire struct{}

func (messagesWire) serves(path string) bool { return path == "/v1/messages" }

type messagesBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   messagesContent `json:"content"`
	Source    struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	} `json:"source"`
}

// messagesContent is a list of blocks, or a string for a single text block.
type messagesContent []messagesBlock

// UnmarshalJSON parses both forms.
func (c *messagesContent) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = messagesContent{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]messagesBlock)(c))
}

func (messagesWire) decode(_ string, body []byte) (Request, error) {
	var req struct {
		Model     string                     `json:"model"`
		MaxTokens int                        `json:"max_tokens"`
		Stream    bool                       `json:"stream"`
		System    []messagesBlock            `json:"system"`
		Tools     []providers.ToolDefinition `json:"tools"`
		Messages  []struct {
			Role    providers.Role  `json:"role"`
			Content messagesContent `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return Request{}, err
	}
	seen := Request{Model: req.Model, Tools: req.Tools, MaxTokens: req.MaxTokens, Stream: req.Stream}
	for _, b := range req.System {
		seen.System += b.Text
	}
	switch {
	case req.Model == "" || req.MaxTokens < 1:
		return seen, errors.New("model and max_tokens are required")
	case len(req.Messages) == 0:
		return seen, errors.New("messages: at least one message is required")
	}
	for _, msg := range req.Messages {
		for _, b := range msg.Content {
			e, err := b.entry(msg.Role)
			if err != nil {
				return seen, err
			}
			seen.Entries = append(seen.Entries, e)
			for _, c := range b.Content {
				if c.Type == "image" {
					e, err := c.entry(msg.Role)
					if err != nil {
						return seen, err
					}
					seen.Entries = append(seen.Entries, e)
				}
			}
		}
	}
	return seen, nil
}

func (b messagesBlock) entry(role providers.Role) (Entry, error) {
	e := Entry{Role: role, Kind: b.Type}
	switch b.Type {
	case "text":
		if b.Text == "" {
			return e, errors.New("text content blocks must be non-empty")
		}
		e.Text = b.Text
	case "thinking":
		e.Text, e.Signature = b.Thinking, b.Signature
	case "tool_use":
		if len(b.Input) == 0 || b.Input[0] != '{' {
			return e, errors.New("tool_use.input: input should be a valid dictionary")
		}
		e.ID, e.Name, e.Input = b.ID, b.Name, string(b.Input)
	case "tool_result":
		e.ID, e.IsError = b.ToolUseID, b.IsError
		for _, c := range b.Content {
			if c.Type == "image" { // an entry of its own
				continue
			}
			if c.Text == "" {
				return e, errors.New("text content blocks must be non-empty")
			}
			e.Text += c.Text
		}
	case "image":
		if b.Source.Type != "base64" {
			return e, errors.New("image.source: only base64 is served here")
		}
		e.MediaType, e.Data = b.Source.MediaType, b.Source.Data
	case "redacted_thinking":
	default:
		return e, fmt.Errorf("unexpected content block type %q", b.Type)
	}
	return e, nil
}

// object is a JSON object.
type object = map[string]any

func event(name string, data any) string {
	return "event: " + name + "\ndata: " + mustJSON(data) + "\n\n"
}

// mustJSON encodes values built by this package.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func messagesUsage(u providers.Usage) object {
	return object{"input_tokens": u.InputTokens - u.CachedTokens, "cache_read_input_tokens": u.CachedTokens, "output_tokens": u.OutputTokens}
}

// messageID returns a new id each time, because clients merge messages with the same id.
func messageID() string { return "msg_" + rand.Text() }

func (messagesWire) events(r Reply) []string {
	list := []string{event("message_start", object{"type": "message_start", "message": object{
		"id": messageID(), "type": "message", "role": "assistant", "model": "fake", "content": []any{},
		"stop_reason": nil, "usage": messagesUsage(providers.Usage{InputTokens: r.Usage.InputTokens, CachedTokens: r.Usage.CachedTokens, OutputTokens: 1}),
	}}), event("ping", object{"type": "ping"})}
	index := 0
	open := func(start object, deltas ...object) {
		list = append(list, event("content_block_start", object{"type": "content_block_start", "index": index, "content_block": start}))
		for _, d := range deltas {
			list = append(list, event("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": d}))
		}
	}
	block := func(start object, deltas ...object) {
		open(start, deltas...)
		list = append(list, event("content_block_stop", object{"type": "content_block_stop", "index": index}))
		index++
	}
	if r.Thinking != "" {
		var deltas []object
		for _, s := range halves(r.Thinking) {
			deltas = append(deltas, object{"type": "thinking_delta", "thinking": s})
		}
		deltas = append(deltas, object{"type": "signature_delta", "signature": r.Signature})
		block(object{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
	}
	if len(r.Text) > 0 {
		var deltas []object
		for _, s := range r.Text {
			deltas = append(deltas, object{"type": "text_delta", "text": s})
		}
		if r.Endless || r.Hold || r.Cut || r.Short || r.Broken {
			open(object{"type": "text", "text": ""}, deltas...) // without content_block_stop
			return list
		}
		block(object{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range r.Tools {
		var deltas []object
		for _, s := range halves(c.Input) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": s})
		}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas...)
	}
	return list
}

// halves splits a text into an empty piece and two others, as servers do.
func halves(s string) []string {
	runes := []rune(s)
	return []string{"", string(runes[:len(runes)/2]), string(runes[len(runes)/2:])}
}

func (messagesWire) piece(s string) string {
	return event("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": s}})
}

func (messagesWire) ending(r Reply) []string {
	return []string{
		event("message_delta", object{
			"type":  "message_delta",
			"delta": object{"stop_reason": messagesStop(r), "stop_sequence": nil},
			"usage": object{"output_tokens": r.Usage.OutputTokens},
		}),
		event("message_stop", object{"type": "message_stop"}),
	}
}

func messagesStop(r Reply) string {
	switch {
	case r.Stop != "":
		return string(r.Stop)
	case len(r.Tools) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (messagesWire) document(r Reply) any {
	content := []any{}
	if r.Thinking != "" {
		content = append(content, object{"type": "thinking", "thinking": r.Thinking, "signature": r.Signature})
	}
	for _, s := range r.Text {
		content = append(content, object{"type": "text", "text": s})
	}
	for _, c := range r.Tools {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Input)})
	}
	return object{
		"id": messageID(), "type": "message", "role": "assistant", "model": "fake",
		"content": content, "stop_reason": messagesStop(r), "usage": messagesUsage(r.Usage),
	}
}

func (messagesWire) failure(status int, message string) any {
	kind := map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
		404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error",
	}[status]
	if kind == "" {
		kind = "api_error"
	}
	return object{"type": "error", "error": object{"type": kind, "message": message}}
}
