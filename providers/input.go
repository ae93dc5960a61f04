package providers

import (
	"bytes"
	"encoding/json"
	"strings"
)

// MalformedKey is the only key of a tool_use input whose arguments the model wrote wrongly: {"_malformed": "the
// raw text"}. Tools answer it with an error result that quotes the text, so that the model can try again.
const MalformedKey = "_malformed"

// ToolInput returns the input of a tool_use block from a model's text. "" and null become {}, and an object
// stays unchanged. Anything else (cut off, not JSON, not an object) is wrapped under [MalformedKey]. The result
// is always a valid JSON object.
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

// MalformedInput returns the raw text of malformed arguments and reports whether input contains such.
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

// CanonicalInput returns an input without blanks and with sorted keys, so that equal calls compare equal. It
// returns invalid JSON unchanged.
func CanonicalInput(input json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(input)
	}
	out, err := json.Marshal(v)
	if err != nil { // a decoded value always encodes
		return string(input)
	}
	return string(out)
}
