package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Parts of the request, with the field names of the format.
type (
	message struct {
		Role    providers.Role `json:"role"`
		Content []block        `json:"content"`
	}
	block struct {
		Type      string          `json:"type"`
		Text      string          `json:"text,omitempty"`
		Source    *source         `json:"source,omitempty"`
		ID        string          `json:"id,omitempty"`
		Name      string          `json:"name,omitempty"`
		Input     json.RawMessage `json:"input,omitempty"`
		ToolUseID string          `json:"tool_use_id,omitempty"`
		Content   []block         `json:"content,omitempty"`
		IsError   bool            `json:"is_error,omitempty"`

		raw json.RawMessage // sent instead of all other fields
	}
	source struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"` // base64 in JSON
	}
	tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
)

// MarshalJSON implements [json.Marshaler].
func (b block) MarshalJSON() ([]byte, error) {
	if b.raw != nil {
		return b.raw, nil
	}
	type plain block
	return transport.EncodeJSON(plain(b))
}

func textBlock(s string) block { return block{Type: "text", Text: s} }

func imageBlock(b providers.Block) block {
	return block{Type: "image", Source: &source{"base64", b.MediaType, b.Data}}
}

// encode returns the body of a request. It omits empty text, which the API rejects, and messages that are empty as a
// result.
func (m *Model) encode(req providers.Request) ([]byte, error) {
	limit := req.MaxTokens
	if limit <= 0 {
		limit = m.maxTokens
	}
	fields := []transport.Field{
		{Name: "model", Value: m.model},
		{Name: "max_tokens", Value: limit},
		{Name: "stream", Value: true},
	}
	if m.temperature != nil {
		fields = append(fields, transport.Field{Name: "temperature", Value: *m.temperature})
	}
	if offered := req.Offered(); len(offered) > 0 {
		tools, err := m.tools.Encode(offered, encodeTools)
		if err != nil {
			return nil, err
		}
		fields = append(fields, transport.Field{Name: "tools", Value: tools})
	}
	if strings.TrimSpace(req.System) != "" {
		fields = append(fields, transport.Field{Name: "system", Value: []block{textBlock(req.System)}})
	}
	messages := messagesOf(providers.WithImages(req.Messages, m.images))
	return transport.EncodeObject(append(fields, transport.Field{Name: "messages", Value: messages}))
}

func encodeTools(defs []providers.ToolDefinition) ([]byte, error) {
	return transport.EncodeJSON(toolsOf(defs))
}

func toolsOf(defs []providers.ToolDefinition) []tool {
	list := make([]tool, 0, len(defs))
	for _, d := range defs {
		schema := d.InputSchema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		list = append(list, tool{Name: d.Name, Description: d.Description, InputSchema: schema})
	}
	return list
}

func messagesOf(messages []providers.Message) []message {
	list := []message{}
	for _, msg := range messages {
		if content := contentOf(msg); len(content) > 0 {
			list = append(list, message{msg.Role, content})
		}
	}
	return list
}

// contentOf translates the blocks of one message. Tool results come first, as the API requires in the message that
// answers a tool_use.
func contentOf(msg providers.Message) []block {
	var results, rest []block
	for _, b := range msg.Content {
		switch b.Type {
		case providers.BlockText:
			if strings.TrimSpace(b.Text) != "" {
				rest = append(rest, textBlock(b.Text))
			}
		case providers.BlockImage:
			rest = append(rest, imageBlock(b))
		case providers.BlockToolUse:
			input := providers.ToolInput(string(b.Input))
			rest = append(rest, block{Type: "tool_use", ID: b.ID, Name: b.Name, Input: input})
		case providers.BlockToolResult:
			results = append(results, toolResult(b))
		case providers.BlockOpaque:
			if b.Provider == Package && len(b.Raw) > 0 {
				rest = append(rest, block{raw: b.Raw})
			}
		}
	}
	return append(results, rest...)
}

func toolResult(b providers.Block) block {
	result := block{Type: "tool_result", ToolUseID: b.ToolUseID, IsError: b.IsError}
	if b.Content != "" {
		result.Content = []block{textBlock(b.Content)}
	}
	if b.Picture != nil {
		result.Content = append(result.Content, imageBlock(b.Picture.Block()))
	}
	return result
}
