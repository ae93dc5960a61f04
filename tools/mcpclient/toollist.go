package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/action"
)

// The limits for a server's tools. Every request to a model contains them.
const (
	maxTools       = 64
	maxSchemas     = 32 << 10 // bytes, for all tools of a server
	maxDescription = 1 << 10  // bytes, for one tool
)

// isToolName reports whether every model accepts a name.
func isToolName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}

// tooLarge is the reason to skip a tool whose schema has no room.
var tooLarge = fmt.Sprintf("the server's schemas have more than %d KiB", maxSchemas>>10)

// toolList is the usable part of a server's tool list.
type toolList struct {
	tools   []action.ForeignTool
	skipped []string
	schemas int // total size in bytes
}

// read reads a list of tools, up to the limits.
func (s *server) read(ctx context.Context, l Connection) (toolList, error) {
	listed, err := l.Tools(ctx)
	if err != nil {
		return toolList{}, err
	}
	var o toolList
	for _, t := range listed[:min(len(listed), MaxListed)] {
		o.add(s.c, t, s.ownNames, s.clean)
	}
	if len(o.skipped) > maxSkipped {
		o.skipped = append(o.skipped[:maxSkipped:maxSkipped], "and more tools skipped")
	}
	return o, nil
}

// maxSkipped bounds how many skipped tools are reported one by one.
const maxSkipped = 16

// add adds a tool if it can be used.
func (o *toolList) add(c Server, t Tool, own []string, clean func(string) string) {
	name := c.Name + "_" + t.Name
	schema, why := cleanSchema(t.Schema, clean)
	switch {
	case !isToolName(name) || !isToolName(t.Name):
		why = "invalid name, only up to 64 letters, digits, _ and - are supported"
	case slices.Contains(own, name):
		why = "a tool of this program has this name"
	case slices.ContainsFunc(o.tools, func(f action.ForeignTool) bool { return f.Tool == t.Name }):
		why = "duplicate name"
	case why != "":
	case len(o.tools) == maxTools:
		why = fmt.Sprintf("more than %d tools", maxTools)
	case o.schemas+len(schema) > maxSchemas:
		why = tooLarge
	}
	if why != "" {
		o.skipped = append(o.skipped, fmt.Sprintf("tool %q skipped: %s", cut(t.Name, 80), why))
		return
	}
	o.schemas += len(schema)
	o.tools = append(o.tools, action.ForeignTool{
		Definition: providers.ToolDefinition{
			Name: name, Description: "[" + c.Name + "] " + cut(strings.TrimSpace(clean(t.Description)), maxDescription), InputSchema: schema,
		},
		Server: c.Name, Tool: t.Name, Digest: t.Digest, Timeout: c.Timeout,
	})
}

// cleanSchema returns a schema with all texts cleaned, or the reason why it cannot be used.
func cleanSchema(schema json.RawMessage, clean func(string) string) (json.RawMessage, string) {
	if schema == nil {
		return nil, tooLarge
	}
	var object map[string]any
	if err := json.Unmarshal(schema, &object); err != nil || object == nil {
		return nil, "schema is not an object"
	}
	if kind, has := object["type"]; has && kind != "object" {
		return nil, "schema type is not object"
	}
	words, ok := cleanTexts(object, clean)
	if !ok {
		return nil, "schema has unsafe keys"
	}
	words.(map[string]any)["type"] = "object"
	data, err := json.Marshal(words)
	if err != nil {
		return nil, "schema is not valid JSON"
	}
	return data, ""
}

// cleanTexts cleans all texts in a value. Keys cannot be changed: a key that needs cleaning makes the value unusable.
func cleanTexts(v any, clean func(string) string) (any, bool) {
	switch v := v.(type) {
	case string:
		return clean(v), true
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			c, ok := cleanTexts(x, clean)
			if !ok {
				return nil, false
			}
			list[i] = c
		}
		return list, true
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, x := range v {
			c, ok := cleanTexts(x, clean)
			if !ok || clean(key) != key {
				return nil, false
			}
			object[key] = c
		}
		return object, true
	}
	return v, true
}

// cut returns the beginning of a text, at most n bytes plus "…".
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
