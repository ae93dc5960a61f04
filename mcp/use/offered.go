package use

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// The bounds of what a server offers. Every request to a model carries it.
const (
	maxTools       = 64
	maxSchemas     = 32 << 10 // bytes, of all of a server's tools
	maxDescription = 1 << 10  // bytes of one
	maxLooked      = 256      // tools that are looked at to find so many
)

// toolName is what every model takes as a name.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// offered is what can be used of a server's list, and what was left out of it.
type offered struct {
	tools   []tools.ForeignTool
	dropped []string
	schemas int // bytes so far
}

// add takes a tool over where it can be used.
func (o *offered) add(c Server, t *mcp.Tool, own []string, clean func(string) string) {
	name := c.Name + "_" + t.Name
	schema, why := cleanSchema(t.InputSchema, clean)
	switch {
	case !toolName.MatchString(name) || !toolName.MatchString(t.Name):
		why = "its name is not letters, digits, _ and -, or is too long"
	case slices.Contains(own, name):
		why = "it has the name of a tool of this program"
	case slices.ContainsFunc(o.tools, func(f tools.ForeignTool) bool { return f.Tool == t.Name }):
		why = "there are two of that name"
	case why != "":
	case len(o.tools) == maxTools:
		why = fmt.Sprintf("there are more than %d", maxTools)
	case o.schemas+len(schema) > maxSchemas:
		why = fmt.Sprintf("the server's schemas have more than %d KiB", maxSchemas>>10)
	}
	if why != "" {
		o.dropped = append(o.dropped, fmt.Sprintf("tool %q is left out: %s", cut(t.Name, 80), why))
		return
	}
	o.schemas += len(schema)
	o.tools = append(o.tools, tools.ForeignTool{
		Definition: providers.ToolDefinition{
			Name: name, Description: "[" + c.Name + "] " + cut(strings.TrimSpace(clean(t.Description)), maxDescription), InputSchema: schema,
		},
		Server: c.Name, Tool: t.Name, Digest: digest(t), Timeout: c.Timeout,
	})
}

// digest identifies a tool as its server describes it, cut or not.
func digest(t *mcp.Tool) string {
	data, _ := json.Marshal([]any{t.Name, t.Description, t.InputSchema}) // it was JSON before
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// cleanSchema returns a schema with all its words made harmless, or why it
// cannot be used.
func cleanSchema(schema any, clean func(string) string) (json.RawMessage, string) {
	object, ok := schema.(map[string]any)
	if !ok {
		return nil, "its schema is no object"
	}
	if kind, has := object["type"]; has && kind != "object" {
		return nil, "its schema is not of an object"
	}
	words, ok := cleanWords(object, clean)
	if !ok {
		return nil, "its schema has names that could be mistaken for something else"
	}
	words.(map[string]any)["type"] = "object"
	data, err := json.Marshal(words)
	if err != nil {
		return nil, "its schema is no JSON"
	}
	return data, ""
}

// cleanWords cleans every text in a value. A key cannot be changed: one that
// would have to be makes the whole unusable.
func cleanWords(v any, clean func(string) string) (any, bool) {
	switch v := v.(type) {
	case string:
		return clean(v), true
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			c, ok := cleanWords(x, clean)
			if !ok {
				return nil, false
			}
			list[i] = c
		}
		return list, true
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, x := range v {
			c, ok := cleanWords(x, clean)
			if !ok || clean(key) != key {
				return nil, false
			}
			object[key] = c
		}
		return object, true
	}
	return v, true
}

// cut returns a text's beginning, at most n bytes of it.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
