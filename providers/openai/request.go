package openai

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// The request's messages, with the field names of the format.
type (
	message struct {
		Role       string          `json:"role"`
		Content    content         `json:"content"`
		ToolCalls  []toolCall      `json:"tool_calls,omitempty"`
		ToolCallID string          `json:"tool_call_id,omitempty"`
		Extra      json.RawMessage `json:"extra_content,omitempty"`

		ReasoningContent json.RawMessage `json:"reasoning_content,omitempty"`
		Reasoning        json.RawMessage `json:"reasoning,omitempty"`
		ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
	}
	// content is a string, or a list of parts if it contains images. Many servers accept only the string.
	content struct {
		text  string // "" with tool calls, because some chat templates fail on null
		parts []contentPart
	}
	contentPart struct {
		Type  string    `json:"type"`
		Text  string    `json:"text,omitempty"`
		Image *imageURL `json:"image_url,omitempty"`
	}
	imageURL struct {
		URL string `json:"url"` // a data URL
	}
	toolCall struct {
		ID       string          `json:"id"`
		Type     string          `json:"type"`
		Function function        `json:"function"`
		Extra    json.RawMessage `json:"extra_content,omitempty"`
	}
	function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	tool struct {
		Type     string   `json:"type"`
		Function toolSpec `json:"function"`
	}
	toolSpec struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
)

// MarshalJSON implements [json.Marshaler].
func (c content) MarshalJSON() ([]byte, error) {
	if c.parts != nil {
		return transport.EncodeJSON(c.parts)
	}
	return transport.EncodeJSON(c.text)
}

// encode returns the body of a request.
func (m *Model) encode(req providers.Request) ([]byte, error) {
	body := map[string]any{"model": m.model, "messages": m.messages(req), "stream": true}
	for name, value := range m.quirks.Body {
		body[name] = value
	}
	if !m.quirks.NoStreamUsage {
		body["stream_options"] = map[string]bool{"include_usage": true}
	}
	if offered := req.Offered(); len(offered) > 0 {
		tools, err := m.tools.Encode(offered, encodeTools)
		if err != nil {
			return nil, err
		}
		body["tools"] = tools
	}
	if m.temperature != nil {
		body["temperature"] = *m.temperature
	}
	if limit := firstPositive(req.MaxTokens, m.maxTokens); limit > 0 {
		body[m.quirks.maxTokensField()] = limit
	}
	fields := make([]transport.Field, 0, len(body))
	for _, name := range slices.Sorted(maps.Keys(body)) {
		fields = append(fields, transport.Field{Name: name, Value: body[name]})
	}
	return transport.EncodeObject(fields)
}

func firstPositive(values ...int) int {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

func encodeTools(defs []providers.ToolDefinition) ([]byte, error) {
	return transport.EncodeJSON(toolParams(defs))
}

func toolParams(defs []providers.ToolDefinition) []tool {
	list := make([]tool, 0, len(defs))
	for _, d := range defs {
		schema := d.InputSchema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		list = append(list, tool{Type: "function", Function: toolSpec{Name: d.Name, Description: d.Description, Parameters: schema}})
	}
	return list
}

func (m *Model) messages(req providers.Request) []message {
	var list []message
	if strings.TrimSpace(req.System) != "" {
		list = append(list, message{Role: "system", Content: content{text: req.System}})
	}
	inToolTurn := toolTurns(req.Messages)
	for i, msg := range providers.WithImages(req.Messages, m.images) {
		if msg.Role == providers.RoleAssistant {
			if one, ok := m.assistantMessage(msg, inToolTurn[i]); ok {
				list = append(list, one)
			}
			continue
		}
		list = append(list, userMessages(msg)...)
	}
	return list
}

// toolTurns reports for each message whether its turn (from one user text to the next) calls tools.
func toolTurns(messages []providers.Message) []bool {
	in := make([]bool, len(messages))
	start := 0
	for i, msg := range messages {
		if msg.Role == providers.RoleUser && msg.Text() != "" && !hasBlock(msg, providers.BlockToolResult) {
			start = i
		}
		if hasBlock(msg, providers.BlockToolUse) {
			for j := start; j <= i; j++ {
				in[j] = true
			}
		}
		if i > start && in[start] {
			in[i] = true
		}
	}
	return in
}

func hasBlock(msg providers.Message, kind providers.BlockType) bool {
	for _, b := range msg.Content {
		if b.Type == kind {
			return true
		}
	}
	return false
}

// userMessages splits a user message. Each tool result is a separate message and must directly follow the
// calls it answers.
//
// Results are text in this format, so their pictures begin the user's message after them.
func userMessages(msg providers.Message) []message {
	var list []message
	var pictures []providers.Block
	for _, b := range msg.Content {
		if b.Type == providers.BlockToolResult {
			text := b.Content
			if b.IsError {
				text = ErrorPrefix + text
			}
			list = append(list, message{Role: "tool", ToolCallID: b.ToolUseID, Content: content{text: text}})
			pictures = append(pictures, providers.PictureBlocks(b)...)
		}
	}
	if pictures != nil {
		msg.Content = append(pictures, msg.Content...)
	}
	if parts := imageParts(msg); parts != nil {
		list = append(list, message{Role: "user", Content: content{parts: parts}})
	} else if text := msg.Text(); strings.TrimSpace(text) != "" {
		list = append(list, message{Role: "user", Content: content{text: text}})
	}
	return list
}

// imageParts returns the text and images of a message with images, else nil.
func imageParts(msg providers.Message) []contentPart {
	if !hasBlock(msg, providers.BlockImage) {
		return nil
	}
	var parts []contentPart
	for _, b := range msg.Content {
		switch {
		case b.Type == providers.BlockImage:
			url := "data:" + b.MediaType + ";base64," + base64.StdEncoding.EncodeToString(b.Data)
			parts = append(parts, contentPart{Type: "image_url", Image: &imageURL{url}})
		case b.Type == providers.BlockText && strings.TrimSpace(b.Text) != "":
			parts = append(parts, contentPart{Type: "text", Text: b.Text})
		}
	}
	return parts
}

// assistantMessage translates an assistant message and reports whether it has any content to send.
func (m *Model) assistantMessage(msg providers.Message, toolTurn bool) (message, bool) {
	out := message{Role: "assistant", Content: content{text: msg.Text()}}
	var kept vendorData
	for _, b := range msg.Content {
		switch b.Type {
		case providers.BlockToolUse:
			out.ToolCalls = append(out.ToolCalls, toolCall{
				ID: b.ID, Type: "function",
				Function: function{Name: b.Name, Arguments: string(providers.ToolInput(string(b.Input)))},
			})
		case providers.BlockOpaque:
			if b.Provider == Package {
				kept.add(b.Raw, m.name)
			}
		}
	}
	if strings.TrimSpace(out.Content.text) == "" && len(out.ToolCalls) == 0 {
		return out, false
	}
	m.sendReasoning(&out, kept, toolTurn)
	m.sendExtra(&out, kept)
	return out, true
}

func (m *Model) sendReasoning(out *message, kept vendorData, toolTurn bool) {
	q := m.quirks
	if q.Reasoning == ReasoningDrop || (q.Reasoning == ReasoningToolTurns && !toolTurn) {
		return
	}
	field := q.reasoningField()
	value := kept.fields[field]
	switch {
	case value == nil && kept.think != "":
		out.Content.text = thinkOpen + kept.think + thinkClose + out.Content.text
		return
	case value == nil && q.FillReasoning && len(out.ToolCalls) > 0:
		value = json.RawMessage(`""`)
	}
	switch field {
	case "reasoning":
		out.Reasoning = value
	case "reasoning_details":
		out.ReasoningDetails = value
	default:
		out.ReasoningContent = value
	}
}

func (m *Model) sendExtra(out *message, kept vendorData) {
	if !m.quirks.ExtraContent {
		return
	}
	out.Extra = kept.extra[""]
	for i := range out.ToolCalls {
		out.ToolCalls[i].Extra = kept.extra[out.ToolCalls[i].ID]
	}
	if len(out.ToolCalls) > 0 && out.ToolCalls[0].Extra == nil {
		out.ToolCalls[0].Extra = m.quirks.MissingExtraContent
	}
}
