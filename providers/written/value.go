package written

import (
	"bytes"
	"encoding/json"
	"strings"
)

// callKeys are the keys with which a call's object can begin.
var callKeys = []string{"tool", "name", "function", "type", "id", "tool_calls", "tool_name"}

// inputKeys are the keys that can contain the input.
var inputKeys = []string{"input", "arguments", "parameters", "args"}

// mistralPrefix precedes the list of calls in Mistral's template.
const mistralPrefix = "[TOOL_CALLS]"

// parseValue parses JSON that represents calls: an object or a list of objects.
func (g grammar) parseValue(s string) ([]call, string, verdict) {
	if strings.HasPrefix(s, mistralPrefix) {
		s = strings.TrimLeft(s[len(mistralPrefix):], " \t\r\n")
		if s == "" {
			return nil, "", partial
		}
		if s[0] != '[' {
			return nil, "", no
		}
	} else if strings.HasPrefix(mistralPrefix, s) {
		return nil, "", partial
	}
	if v := looksLikeCall(s); v == no {
		return nil, "", no
	}
	end := balancedLength(s)
	if end < 0 {
		return nil, "", partial
	}
	calls := g.decode(json.RawMessage(s[:end]))
	if calls == nil {
		return nil, "", no
	}
	return calls, s[end:], whole
}

// looksLikeCall reports whether an object begins with a key of a call, so that other JSON is not held back.
func looksLikeCall(s string) verdict {
	for _, next := range []string{"[", "{"} {
		if rest, ok := strings.CutPrefix(s, next); ok {
			s = strings.TrimLeft(rest, " \t\r\n")
		} else if next == "{" {
			return no
		}
		if s == "" {
			return partial
		}
	}
	if s[0] != '"' {
		return no
	}
	key, _, closed := strings.Cut(s[1:], `"`)
	for _, n := range callKeys {
		if closed && key == n || !closed && strings.HasPrefix(n, key) {
			return partial
		}
	}
	return no
}

// balancedLength returns the length of the object or list at the beginning of a text, -1 if it is incomplete.
func balancedLength(s string) int {
	depth, inString, escaped := 0, false, false
	for i := range len(s) {
		switch c := s[i]; {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// decode returns the calls that a JSON value represents, or nil if it contains anything else.
func (g grammar) decode(raw json.RawMessage) []call {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var calls []call
		for _, one := range list {
			more := g.decodeObject(one)
			if more == nil {
				return nil
			}
			calls = append(calls, more...)
		}
		return calls
	}
	return g.decodeObject(raw)
}

func (g grammar) decodeObject(raw json.RawMessage) []call {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	if inner, ok := fields["tool_calls"]; ok && len(fields) == 1 && strings.HasPrefix(strings.TrimSpace(string(inner)), "[") {
		return g.decode(inner)
	}
	if inner, ok := fields["function"]; ok && beginsObject(inner) {
		if !hasOnlyKeys(fields, "function", "type", "id", "index") {
			return nil
		}
		return g.decodeObject(inner)
	}
	for _, key := range []string{"tool", "name", "tool_name", "function"} {
		var name string
		if value, ok := fields[key]; ok && json.Unmarshal(value, &name) == nil {
			delete(fields, key)
			return g.namedCall(name, key, fields)
		}
	}
	return nil
}

// namedCall returns the call of a tool. The other fields contain the input, under a separate key or, next to
// "tool", directly.
func (g grammar) namedCall(name, key string, fields map[string]json.RawMessage) []call {
	tool, ok := g.findTool(name)
	if !ok {
		return nil
	}
	own := propertyTypes(tool.InputSchema)
	for _, at := range inputKeys {
		value, ok := fields[at]
		if _, known := own[at]; !ok || known {
			continue
		}
		input, ok := parseObject(value)
		if !ok || !hasOnlyKeys(fields, at, "type", "id") {
			return nil
		}
		return []call{{tool.Name, input}}
	}
	if key != "tool" && len(fields) > 0 {
		return nil // {"name":"…","age":3} can be anything
	}
	input, err := json.Marshal(fields)
	if err != nil { // it was decoded from JSON
		return nil
	}
	if key != "tool" && !needsNoInput(tool.InputSchema) {
		return nil
	}
	return []call{{tool.Name, input}}
}

// needsNoInput reports whether a tool can be called without input.
func needsNoInput(schema json.RawMessage) bool {
	var s struct {
		Required []string `json:"required"`
	}
	return len(schema) == 0 || json.Unmarshal(schema, &s) == nil && len(s.Required) == 0
}

// parseObject returns a value as an object. OpenAI's format has the object inside a string.
func parseObject(value json.RawMessage) (json.RawMessage, bool) {
	var s string
	if json.Unmarshal(value, &s) == nil {
		value = json.RawMessage(strings.TrimSpace(s))
		if s == "" {
			value = json.RawMessage("{}")
		}
	}
	var b bytes.Buffer
	if !beginsObject(value) || json.Compact(&b, value) != nil {
		return nil, false
	}
	return b.Bytes(), true
}

func beginsObject(raw json.RawMessage) bool {
	return strings.HasPrefix(strings.TrimSpace(string(raw)), "{")
}

// hasOnlyKeys reports whether an object has no other keys.
func hasOnlyKeys(fields map[string]json.RawMessage, keys ...string) bool {
	n := 0
	for _, k := range keys {
		if _, ok := fields[k]; ok {
			n++
		}
	}
	return n == len(fields)
}
