package written

import (
	"encoding/json"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// wrappers are the tags that can enclose calls.
var wrappers = []string{"tool_call", "tool_calls", "function_calls"}

// parseTagged parses a call between tags.
func (g grammar) parseTagged(s string) ([]call, string, verdict) {
	v := no
	for _, name := range wrappers {
		open := "<" + name + ">"
		if strings.HasPrefix(s, open) {
			return g.parseWrapped(s[len(open):], "</"+name+">")
		}
		v = max(v, prefixVerdict(open, s))
	}
	for _, form := range []struct{ open, close, end string }{
		{`<function=`, `>`, `</function>`},
		{`<function name="`, `">`, `</function>`},
		{`<invoke name="`, `">`, `</invoke>`},
	} {
		if strings.HasPrefix(s, form.open) {
			return g.parseFunction(s[len(form.open):], form.close, form.end)
		}
		v = max(v, prefixVerdict(form.open, s))
	}
	return nil, "", v
}

// parseWrapped parses calls up to the closing tag. It can be missing at the end of a message, because some servers
// treat it as the model's stop token.
func (g grammar) parseWrapped(s, end string) ([]call, string, verdict) {
	calls, rest, v := g.parse(s, end)
	if v == partial && len(calls) > 0 {
		if bare, _, alone := g.parse(s, ""); alone == whole {
			return bare, "", whole
		}
	}
	return calls, rest, v
}

// parseFunction parses a call whose tag contains the name.
func (g grammar) parseFunction(s, closing, end string) ([]call, string, verdict) {
	name, body, closed := strings.Cut(s, closing)
	if !closed {
		if len(name) > maxName || strings.ContainsAny(name, " \n<>") {
			return nil, "", no
		}
		return nil, "", partial
	}
	tool, ok := g.findTool(strings.Trim(name, `"'`))
	if !ok {
		return nil, "", no
	}
	input, rest, v := parseArguments(body, end, tool)
	if v != whole {
		return nil, "", v
	}
	return []call{{tool.Name, input}}, rest, whole
}

// maxName bounds the name of a tool in bytes, like the vendors' limits.
const maxName = 128

// parseArguments parses the content of a function's tags: an object, or parameters in their own tags.
func parseArguments(s, end string, tool providers.ToolDefinition) (json.RawMessage, string, verdict) {
	s = strings.TrimLeft(s, " \t\r\n")
	if !strings.HasPrefix(s, "{") {
		return parseParameters(s, end, tool)
	}
	n := balancedLength(s)
	if n < 0 {
		return nil, "", partial
	}
	input, ok := parseObject(json.RawMessage(s[:n]))
	if !ok {
		return nil, "", no
	}
	rest := strings.TrimLeft(s[n:], " \t\r\n")
	if !strings.HasPrefix(rest, end) {
		return nil, "", prefixVerdict(end, rest)
	}
	return input, rest[len(end):], whole
}

// parseParameters parses <parameter=KEY>…</parameter> or <parameter name="KEY">….
func parseParameters(s, end string, tool providers.ToolDefinition) (json.RawMessage, string, verdict) {
	kinds := propertyTypes(tool.InputSchema)
	input := map[string]json.RawMessage{}
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if strings.HasPrefix(s, end) {
			raw, err := json.Marshal(input)
			if err != nil { // strings and valid JSON always encode
				return nil, "", no
			}
			return raw, s[len(end):], whole
		}
		key, value, rest, v := parseParameter(s)
		if v == no && strings.HasPrefix(end, s) {
			v = partial
		}
		if v != whole {
			return nil, "", v
		}
		if _, twice := input[key]; twice {
			return nil, "", no
		}
		input[key], s = convertValue(value, kinds[key]), rest
	}
}

// parseParameter parses one parameter. One line break after the opening tag and one before the closing tag are not
// part of the value.
func parseParameter(s string) (key, value, rest string, v verdict) {
	for _, form := range []struct{ open, close string }{{`<parameter=`, `>`}, {`<parameter name="`, `">`}} {
		after, ok := strings.CutPrefix(s, form.open)
		if !ok {
			v = max(v, prefixVerdict(form.open, s))
			continue
		}
		key, after, ok = strings.Cut(after, form.close)
		if !ok {
			return "", "", "", partial
		}
		value, rest, ok = strings.Cut(after, "</parameter>")
		if !ok {
			return "", "", "", partial
		}
		value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
		return key, value, rest, whole
	}
	return "", "", "", v
}

// propertyTypes returns the types of a schema's properties by name.
func propertyTypes(schema json.RawMessage) map[string]string {
	var s struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s) // other schemas have no types
	kinds := map[string]string{}
	for name, p := range s.Properties {
		kinds[name] = p.Type
	}
	return kinds
}

// convertValue converts a written value to the schema's type. A string stays a string.
func convertValue(value, kind string) json.RawMessage {
	if kind != "" && kind != "string" && json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	raw, err := json.Marshal(value)
	if err != nil { // a string always encodes
		return json.RawMessage(`""`)
	}
	return raw
}
