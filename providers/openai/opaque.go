package openai

import (
	"encoding/json"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// opaque is the Raw of an opaque block made here. Reasoning and thought signatures are stored as they were
// received, with a tool call id if they belong to a call. They are sent back only to the vendor that made them
// and only if its quirks ask for them, because other vendors reject unknown fields.
type opaque struct {
	Vendor     string          `json:"vendor"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Extra      json.RawMessage `json:"extra_content,omitempty"`

	ReasoningContent json.RawMessage `json:"reasoning_content,omitempty"`
	Reasoning        json.RawMessage `json:"reasoning,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
	Think            string          `json:"think,omitempty"` // from <think> tags
}

func (o opaque) block() (providers.Block, error) {
	raw, err := transport.EncodeJSON(o)
	return providers.Block{Type: providers.BlockOpaque, Provider: Package, Raw: raw}, err
}

// vendorData is the data for one vendor from the opaque blocks of a message.
type vendorData struct {
	fields map[string]json.RawMessage // reasoning by field name
	extra  map[string]json.RawMessage // by tool call id; "" for the message
	think  string
}

// add adds a block of the same vendor and ignores those of others.
func (r *vendorData) add(raw json.RawMessage, vendor string) {
	var o opaque
	if json.Unmarshal(raw, &o) != nil || o.Vendor != vendor {
		return
	}
	if r.fields == nil {
		r.fields, r.extra = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	}
	for name, value := range map[string]json.RawMessage{
		"reasoning_content": o.ReasoningContent, "reasoning": o.Reasoning, "reasoning_details": o.ReasoningDetails,
	} {
		if value != nil {
			r.fields[name] = value
		}
	}
	if o.Extra != nil {
		r.extra[o.ToolCallID] = o.Extra
	}
	r.think += o.Think
}
