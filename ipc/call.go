package ipc

import "encoding/json"

// Call is the data of a call: one tool call, judged, asked about and recorded
// like a model's own.
type Call struct {
	// Turn is the capability of a turn that waits for its calls; "" calls on
	// the peer's own account, in no conversation.
	Turn  string          `json:"turn,omitempty"`
	Call  string          `json:"call,omitempty"` // the caller's own id of the call
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"`
	Cwd   string          `json:"cwd,omitempty"` // where the caller is
}

// Called is the data of the result that ends a call. Content is fenced: it is
// data, whatever it says.
type Called struct {
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
	// Refusal is a reason code when nothing ran, Pending the code of the
	// approval that waits.
	Refusal string `json:"refusal,omitempty"`
	Pending string `json:"pending,omitempty"`
}

// ToolInfo is a tool as the query "tools" lists it.
type ToolInfo struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}
