package providertest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// chatWire is the chat/completions dialect. Thinking is sent as reasoning_content, the signature as a Gemini
// thought signature.
type chatWire struct{}

func (chatWire) serves(path string) bool { return path == "/v1/chat/completions" }

type chatMessage struct {
	Role             string     `json:"role"`
	Content          chatParts  `json:"content"`
	ToolCallID       string     `json:"tool_call_id"`
	ToolCalls        []chatCall `json:"tool_calls"`
	ReasoningContent *string    `json:"reasoning_content"`
}

// chatParts is a content field: a string, null, or a list of parts.
type chatParts []chatPart

type chatPart struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Image struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *chatParts) UnmarshalJSON(raw []byte) error {
	var s *string
	if json.Unmarshal(raw, &s) == nil {
		if s != nil {
			*p = chatParts{{Type: "text", Text: *s}}
		}
		return nil
	}
	return json.Unmarshal(raw, (*[]chatPart)(p))
}

// text joins the text parts.
func (p chatParts) text() string {
	var b strings.Builder
	for _, one := range p {
		b.WriteString(one.Text)
	}
	return b.String()
}

// entry converts one part of a user's message.
func (p chatPart) entry() (Entry, error) {
	e := Entry{Role: providers.RoleUser, Kind: "text", Text: p.Text}
	switch p.Type {
	case "text":
		return e, nil
	case "image_url":
		media, data, ok := strings.Cut(strings.TrimPrefix(p.Image.URL, "data:"), ";base64,")
		if !ok {
			return e, errors.New("image_url must be a data URL")
		}
		image, err := base64.StdEncoding.DecodeString(data)
		return Entry{Role: providers.RoleUser, Kind: "image", MediaType: media, Data: image}, err
	}
	return e, fmt.Errorf("unknown part type %q", p.Type)
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra struct {
		Google struct {
			Signature string `json:"thought_signature"`
		} `json:"google"`
	} `json:"extra_content"`
}

func (chatWire) decode(_ string, body []byte) (Request, error) {
	var req struct {
		Model     string        `json:"model"`
		MaxTokens int           `json:"max_tokens"`
		MaxNew    int           `json:"max_completion_tokens"`
		Stream    bool          `json:"stream"`
		Messages  []chatMessage `json:"messages"`
		Tools     []struct {
			Type     string `json:"type"`
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return Request{}, err
	}
	seen := Request{Model: req.Model, MaxTokens: max(req.MaxTokens, req.MaxNew), Stream: req.Stream}
	if req.Model == "" || len(req.Messages) == 0 {
		return seen, errors.New("model and messages are required")
	}
	for _, t := range req.Tools {
		if t.Type != "function" || t.Function.Name == "" {
			return seen, errors.New("tools must be functions with a name")
		}
		seen.Tools = append(seen.Tools, providers.ToolDefinition{
			Name: t.Function.Name, Description: t.Function.Description, InputSchema: t.Function.Parameters,
		})
	}
	return seen, seen.readMessages(req.Messages)
}

// readMessages converts the messages and checks, like OpenAI, that results directly follow each tool call.
func (s *Request) readMessages(messages []chatMessage) error {
	open := map[string]bool{}
	for _, msg := range messages {
		if msg.Role != "tool" && len(open) > 0 {
			return errors.New("an assistant message with tool_calls must be followed by tool messages for each tool_call_id")
		}
		text := msg.Content.text()
		switch msg.Role {
		case "system":
			s.System += text
		case "user":
			for _, part := range msg.Content {
				e, err := part.entry()
				if err != nil {
					return err
				}
				s.Entries = append(s.Entries, e)
			}
		case "tool":
			if !open[msg.ToolCallID] {
				return fmt.Errorf("no tool call with id %q is open", msg.ToolCallID)
			}
			delete(open, msg.ToolCallID)
			plain, isError := strings.CutPrefix(text, "Error: ")
			s.Entries = append(s.Entries, Entry{Role: providers.RoleUser, Kind: "tool_result", ID: msg.ToolCallID, Text: plain, IsError: isError})
		case "assistant":
			if err := s.readAssistant(msg, text, open); err != nil {
				return err
			}
		default:
			return fmt.Errorf("unknown role %q", msg.Role)
		}
	}
	return nil
}

func (s *Request) readAssistant(msg chatMessage, text string, open map[string]bool) error {
	if msg.ReasoningContent != nil {
		s.Entries = append(s.Entries, Entry{Role: providers.RoleAssistant, Kind: "thinking", Text: *msg.ReasoningContent})
	}
	if text != "" {
		s.Entries = append(s.Entries, Entry{Role: providers.RoleAssistant, Kind: "text", Text: text})
	}
	for _, c := range msg.ToolCalls {
		if c.Type != "function" || c.ID == "" || c.Function.Name == "" || !json.Valid([]byte(c.Function.Arguments)) {
			return fmt.Errorf("malformed tool call %q", c.ID)
		}
		open[c.ID] = true
		s.Entries = append(s.Entries, Entry{
			Role: providers.RoleAssistant, Kind: "tool_use", ID: c.ID, Name: c.Function.Name,
			Input: c.Function.Arguments, Signature: c.Extra.Google.Signature,
		})
	}
	return nil
}

func chatChunk(delta object, finish any) string {
	return "data: " + mustJSON(object{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "fake",
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
	}) + "\n\n"
}

func (chatWire) events(r Reply) []string {
	list := []string{": keep-alive\n\n", chatChunk(object{"role": "assistant", "content": ""}, nil)}
	if r.Thinking != "" {
		for _, s := range halves(r.Thinking) {
			list = append(list, chatChunk(object{"reasoning_content": s}, nil))
		}
	}
	for _, s := range r.Text {
		list = append(list, chatChunk(object{"content": s}, nil))
	}
	for i, c := range r.Tools {
		first := object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}
		if i == 0 && r.Signature != "" {
			first["extra_content"] = object{"google": object{"thought_signature": r.Signature}}
		}
		list = append(list, chatChunk(object{"tool_calls": []object{first}}, nil))
		for _, s := range halves(c.Input) {
			more := object{"index": i, "function": object{"arguments": s}}
			list = append(list, chatChunk(object{"tool_calls": []object{more}}, nil))
		}
	}
	return list
}

func (chatWire) piece(s string) string { return chatChunk(object{"content": s}, nil) }

func (chatWire) ending(r Reply) []string {
	usage := object{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": []any{},
		"usage": chatUsage(r.Usage),
	}
	return []string{chatChunk(object{}, chatFinish(r)), "data: " + mustJSON(usage) + "\n\n", "data: [DONE]\n\n"}
}

func chatUsage(u providers.Usage) object {
	usage := object{"prompt_tokens": u.InputTokens, "completion_tokens": u.OutputTokens, "total_tokens": u.InputTokens + u.OutputTokens}
	if u.CachedTokens > 0 {
		usage["prompt_tokens_details"] = object{"cached_tokens": u.CachedTokens}
	}
	return usage
}

func chatFinish(r Reply) string {
	switch {
	case r.Stop == providers.StopMaxTokens:
		return "length"
	case r.Stop == providers.StopRefusal:
		return "content_filter"
	case len(r.Tools) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (chatWire) document(r Reply) any {
	msg := object{"role": "assistant", "content": strings.Join(r.Text, "")}
	if r.Thinking != "" {
		msg["reasoning_content"] = r.Thinking
	}
	var calls []object
	for _, c := range r.Tools {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Input}})
	}
	if calls != nil {
		msg["tool_calls"] = calls
	}
	return object{
		"id": "chatcmpl-1", "object": "chat.completion", "model": "fake", "usage": chatUsage(r.Usage),
		"choices": []object{{"index": 0, "message": msg, "finish_reason": chatFinish(r)}},
	}
}

func (chatWire) failure(_ int, message string) any {
	return object{"error": object{"message": message, "type": "invalid_request_error", "code": nil}}
}
