package ipc

import "encoding/json"

// Call is the data of a call: one tool call, which is judged, confirmed and recorded like a model's.
type Call struct {
	// Turn is the capability of a turn that waits for its calls. "" means a call outside a turn and conversation.
	Turn  string          `json:"turn,omitempty"`
	Call  string          `json:"call,omitempty"` // the caller's id of the call
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"`
	Cwd   string          `json:"cwd,omitempty"` // the caller's working directory
}

// CallResult is the data of the result that ends a call. Content is fenced, because it is untrusted data.
type CallResult struct {
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
	// Refusal is a reason code if nothing ran, Pending the code of the open approval.
	Refusal string `json:"refusal,omitempty"`
	Pending string `json:"pending,omitempty"`
}

// ToolInfo is a tool as the query "tools" lists it.
type ToolInfo struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}
