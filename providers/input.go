package providers

import (
	"bytes"
	"encoding/json"
	"strings"
)

// MalformedKey is the one key of a tool_use input that stands for arguments
// the model wrote wrongly: {"_malformed": "the raw text"}. A tool answers it
// with an error result that quotes the text, so that the model can try again.
const MalformedKey = "_malformed"

// ToolInput makes the input of a tool_use block from what a model wrote: ""
// and null become {}, an object stays as it is, everything else (cut off, not
// JSON, not an object) is wrapped under [MalformedKey]. The result is always
// a valid JSON object.
func ToolInput(raw string) json.RawMessage {
	s := strings.TrimSpace(raw)
	if s == "" || s == "null" {
		return json.RawMessage("{}")
	}
	if s[0] == '{' && json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	wrapped, err := json.Marshal(map[string]string{MalformedKey: raw})
	if err != nil { // a map of strings always encodes
		return json.RawMessage("{}")
	}
	return wrapped
}

// MalformedInput returns what the model wrote when input stands for malformed
// arguments, and reports whether it does.
func MalformedInput(input json.RawMessage) (raw string, malformed bool) {
	if !bytes.Contains(input, []byte(MalformedKey)) {
		return "", false
	}
	var m map[string]any
	if json.Unmarshal(input, &m) != nil || len(m) != 1 {
		return "", false
	}
	raw, malformed = m[MalformedKey].(string)
	return raw, malformed
}

// CanonicalInput returns an input without blanks and with its keys in order, so
// that a call counts as the same however it is written. What is no JSON comes
// back as it is.
func CanonicalInput(input json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(input)
	}
	out, err := json.Marshal(v)
	if err != nil { // what was decoded can be encoded
		return string(input)
	}
	return string(out)
}
