package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// directory is the tool that lists the deferred tools and adds them to a conversation: all definitions are most of a
// short request.
const directory = "more_tools"

// maxListed bounds what the directory says about another server's tool, in bytes.
const maxListed = 60

// Directory returns the definition of the tool that lists the deferred tools among all, or false if there are none.
func Directory(all []providers.ToolDefinition) (providers.ToolDefinition, bool) {
	var ours, foreign []string
	for _, t := range all {
		switch {
		case !t.Deferred:
		case isOurs(t.Name):
			ours = append(ours, t.Name)
		default:
			foreign = append(foreign, "\n- "+t.Name+": "+cut(strings.Join(strings.Fields(t.Description), " "), maxListed))
		}
	}
	if len(ours)+len(foreign) == 0 {
		return providers.ToolDefinition{}, false
	}
	text := "Adds tools by name. Prefer one that fits to run_command: " + strings.Join(ours, ", ") + "."
	return providers.ToolDefinition{
		Name: directory, Description: text + strings.Join(foreign, ""), Directory: true,
		InputSchema: json.RawMessage(`{"type":"object",` +
			`"properties":{"names":{"type":"array","items":{"type":"string"}}},"required":["names"]}`),
	}, true
}

func isOurs(name string) bool {
	return slices.ContainsFunc(table, func(row tableRow) bool { return row.name == name })
}

// ParseDirectoryCall returns the names in a call of the directory, and reports whether a call is one.
func ParseDirectoryCall(name string, input json.RawMessage) (names []string, ok bool) {
	if name != directory {
		return nil, false
	}
	var in struct {
		Names []string `json:"names"`
	}
	_ = json.Unmarshal(input, &in) // nothing is added then, and the model reads which names there are
	return in.Names, true
}

// AddedText returns the result of a call of the directory: which tools can be called now, and which do not exist.
func AddedText(added, unknown []string) string {
	var rows []string
	if len(added) > 0 {
		rows = append(rows, "You can call now: "+strings.Join(added, ", ")+".")
	}
	if len(unknown) > 0 || len(added) == 0 {
		rows = append(rows, fmt.Sprintf("No such tools: %q. See the list in the description of %s.", unknown, directory))
	}
	return strings.Join(rows, "\n")
}

// cut returns the beginning of a text.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n] + "…"
}
