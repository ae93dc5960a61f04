package written

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// describeTools returns the request for a model without tool support. The system prompt describes the tools, and
// the messages contain earlier calls and results as text.
func describeTools(req providers.Request) providers.Request {
	req.System = strings.TrimSpace(req.System + "\n\n" + toolInstructions(req.Offered()))
	req.Tools = nil
	called := map[string]string{} // tool names by call id
	messages := make([]providers.Message, 0, len(req.Messages))
	for _, m := range req.Messages {
		messages = append(messages, describeCalls(m, called))
	}
	req.Messages = messages
	return req
}

// toolInstructions returns the instructions for calling the tools. They are written for the model, not for people.
func toolInstructions(tools []providers.ToolDefinition) string {
	var b strings.Builder
	b.WriteString(`# Tools

You can use tools on this computer. To use one, end your message with one line of JSON and write nothing after it:
{"tool": "NAME", "input": {…}}
Then wait: the result comes in the next message. Use one tool at a time. Never write a result yourself. When no tool is needed, answer in words.
`)
	for _, t := range tools {
		schema := string(t.InputSchema)
		if schema == "" {
			schema = `{"type":"object","properties":{}}`
		}
		fmt.Fprintf(&b, "\n## %s\n%s\ninput (JSON Schema): %s\n", t.Name, strings.TrimSpace(t.Description), compact(schema))
	}
	return b.String()
}

func compact(schema string) string {
	var b strings.Builder
	for line := range strings.Lines(schema) {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String()
}

// describeCalls returns a message with its calls and results as text. It drops opaque blocks, because the calls they
// belong to are no longer sent.
func describeCalls(m providers.Message, called map[string]string) providers.Message {
	out := providers.Message{Role: m.Role}
	for _, b := range m.Content {
		switch b.Type {
		case providers.BlockOpaque:
		case providers.BlockToolUse:
			called[b.ID] = b.Name
			out.Content = append(out.Content, providers.Text(callText(b)))
		case providers.BlockToolResult:
			out.Content = append(out.Content, providers.Text(resultText(b, called[b.ToolUseID])))
			if b.Picture != nil { // right after the text that it belongs to
				out.Content = append(out.Content, b.Picture.Block())
			}
		default:
			out.Content = append(out.Content, b)
		}
	}
	return out
}

func callText(b providers.Block) string {
	line, err := json.Marshal(struct {
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input"`
	}{b.Name, providers.ToolInput(string(b.Input))})
	if err != nil { // a name and valid JSON always encode
		return ""
	}
	return string(line)
}

func resultText(b providers.Block, name string) string {
	if name == "" {
		name = "a tool"
	}
	word := "Result of "
	if b.IsError {
		word = "Error from "
	}
	return word + name + ":\n" + b.Content
}
