package gemini

import (
	"encoding/json"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// Parts of the request, with the field names of the format.
type (
	toolList struct {
		FunctionDeclarations []functionDeclaration `json:"functionDeclarations"`
	}
	functionDeclaration struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		// This field takes any JSON Schema. "parameters" takes an OpenAPI dialect and rejects unknown keywords.
		Schema json.RawMessage `json:"parametersJsonSchema,omitempty"`
	}
	generationConfig struct {
		MaxOutputTokens int      `json:"maxOutputTokens,omitempty"`
		Temperature     *float64 `json:"temperature,omitempty"`
	}
)

// encode returns the body of a request.
func (m *Model) encode(req providers.Request) ([]byte, error) {
	fields := []transport.Field{{Name: "contents", Value: m.contents(providers.WithImages(req.Messages, m.images))}}
	if strings.TrimSpace(req.System) != "" {
		fields = append(fields, transport.Field{Name: "system_instruction", Value: content{Parts: []part{textPart(req.System)}}})
	}
	if offered := req.Offered(); len(offered) > 0 {
		tools, err := m.tools.Encode(offered, encodeTools)
		if err != nil {
			return nil, err
		}
		fields = append(fields, transport.Field{Name: "tools", Value: tools})
	}
	limit := req.MaxTokens
	if limit <= 0 {
		limit = m.maxTokens
	}
	if limit > 0 || m.temperature != nil {
		config := generationConfig{MaxOutputTokens: max(limit, 0), Temperature: m.temperature}
		fields = append(fields, transport.Field{Name: "generationConfig", Value: config})
	}
	return transport.EncodeObject(fields)
}

func encodeTools(defs []providers.ToolDefinition) ([]byte, error) {
	return transport.EncodeJSON([]toolList{{functionDeclarations(defs)}})
}

func functionDeclarations(defs []providers.ToolDefinition) []functionDeclaration {
	list := make([]functionDeclaration, 0, len(defs))
	for _, d := range defs {
		list = append(list, functionDeclaration{Name: d.Name, Description: d.Description, Schema: d.InputSchema})
	}
	return list
}

// contents translates the messages. It omits messages that contain only blanks, because the API rejects parts
// without content.
func (m *Model) contents(messages []providers.Message) []content {
	list := []content{}
	names := map[string]string{} // call names by id, because results need the name too
	for _, msg := range messages {
		if msg.Role == providers.RoleAssistant {
			if c := m.assistantContent(msg, names); len(c.Parts) > 0 {
				list = append(list, c)
			}
			continue
		}
		list = append(list, userContents(msg, names)...)
	}
	return list
}

// userContents splits a user message. Results must directly follow the calls they answer, one for each call, so the
// user's text is separate. So are the pictures of results, because only some models take them within a result.
func userContents(msg providers.Message, names map[string]string) []content {
	var results, pictures, rest []part
	for _, b := range msg.Content {
		switch b.Type {
		case providers.BlockToolResult:
			results = append(results, resultPart(b, names[b.ToolUseID]))
			for _, picture := range providers.PictureBlocks(b) {
				pictures = append(pictures, userPart(picture))
			}
		case providers.BlockImage:
			rest = append(rest, userPart(b))
		case providers.BlockText:
			if strings.TrimSpace(b.Text) != "" {
				rest = append(rest, userPart(b))
			}
		}
	}
	var list []content
	for _, parts := range [][]part{results, append(pictures, rest...)} {
		if len(parts) > 0 {
			list = append(list, content{"user", parts})
		}
	}
	return list
}

// userPart translates a text or an image.
func userPart(b providers.Block) part {
	if b.Type == providers.BlockImage {
		return part{InlineData: &blob{b.MediaType, b.Data}}
	}
	return textPart(b.Text)
}

// resultPart returns a tool's result under "output" or "error", as the reference specifies for
// FunctionResponse.
func resultPart(b providers.Block, name string) part {
	key := "output"
	if b.IsError {
		key = "error"
	}
	if name == "" {
		name = "unknown" // the call was cut from the conversation
	}
	return part{FunctionResponse: &functionResponse{b.ToolUseID, name, map[string]string{key: b.Content}}}
}

// assistantContent translates an assistant message and adds the names of its calls to names.
func (m *Model) assistantContent(msg providers.Message, names map[string]string) content {
	c := content{Role: "model"}
	byCall, forText, called := map[string]string{}, "", false
	flush := func() { // sends a signature that came without text in a part without text
		if forText != "" {
			empty := textPart("")
			empty.Signature, forText = forText, ""
			c.Parts = append(c.Parts, empty)
		}
	}
	for _, b := range msg.Content {
		switch b.Type {
		case providers.BlockOpaque:
			o, ok := readOpaque(b, m.name)
			switch {
			case !ok:
			case o.Part != nil:
				flush()
				c.Parts = append(c.Parts, part{raw: o.Part})
			case o.ToolCallID != "":
				byCall[o.ToolCallID] = o.Signature
			default:
				flush()
				forText = o.Signature
			}
		case providers.BlockText:
			if strings.TrimSpace(b.Text) != "" || forText != "" {
				p := textPart(b.Text)
				p.Signature, forText = forText, ""
				c.Parts = append(c.Parts, p)
			}
		case providers.BlockToolUse:
			flush()
			names[b.ID] = b.Name
			p := part{Signature: byCall[b.ID], FunctionCall: &functionCall{b.ID, b.Name, providers.ToolInput(string(b.Input))}}
			if p.Signature == "" && !called {
				p.Signature = placeholderSignature
			}
			called = true
			c.Parts = append(c.Parts, p)
		}
	}
	flush()
	return c
}
