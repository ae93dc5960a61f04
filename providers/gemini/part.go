package gemini

import (
	"encoding/json"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// placeholderSignature replaces the signature of calls and thoughts made by other models, which Gemini 3
// otherwise rejects. It means "skip the validation" (Gemini API docs, "Thought signatures", FAQ on transferring
// a conversation from another model).
const placeholderSignature = "skip_thought_signature_validator"

// The shapes that requests and answers share.
type (
	content struct {
		Role  string `json:"role,omitempty"` // user or model
		Parts []part `json:"parts"`
	}
	part struct {
		Text             *string           `json:"text,omitempty"`
		Thought          bool              `json:"thought,omitempty"`
		Signature        string            `json:"thoughtSignature,omitempty"`
		InlineData       *blob             `json:"inlineData,omitempty"`
		FunctionCall     *functionCall     `json:"functionCall,omitempty"`
		FunctionResponse *functionResponse `json:"functionResponse,omitempty"`

		raw json.RawMessage // sent instead of all other fields
	}
	blob struct {
		MimeType string `json:"mimeType"`
		Data     []byte `json:"data"` // base64 in JSON
	}
	functionCall struct {
		ID   string          `json:"id,omitempty"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args,omitempty"`
	}
	functionResponse struct {
		ID       string            `json:"id,omitempty"`
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
	}
)

// MarshalJSON implements [json.Marshaler].
func (p part) MarshalJSON() ([]byte, error) {
	if p.raw != nil {
		return p.raw, nil
	}
	type plain part
	return transport.EncodeJSON(plain(p))
}

func textPart(s string) part { return part{Text: &s} }

// opaque is the Raw of an opaque block made here: a whole part, or the signature of the part that follows. A
// thought signature must be sent back with the part it came with ("Thought signatures" in the Gemini API docs),
// so it is stored in an opaque block before that part's block: by id for calls, by position for text. Thoughts
// and parts of unknown kinds are stored whole. Thoughts are never shown.
type opaque struct {
	Vendor string          `json:"vendor"`
	Part   json.RawMessage `json:"part,omitempty"`

	Signature  string `json:"thoughtSignature,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"` // id of the call it belongs to, "" for the text that follows
}

func (o opaque) block() (providers.Block, error) {
	raw, err := transport.EncodeJSON(o)
	return providers.Block{Type: providers.BlockOpaque, Provider: Package, Raw: raw}, err
}

// readOpaque returns the data of a block for its vendor, and whether it has any.
func readOpaque(b providers.Block, vendor string) (opaque, bool) {
	var o opaque
	if b.Provider != Package || json.Unmarshal(b.Raw, &o) != nil || o.Vendor != vendor {
		return opaque{}, false
	}
	return o, o.Part != nil || o.Signature != ""
}
