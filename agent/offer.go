package agent

import (
	"slices"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// setTools sets the turn's tools: those of the toolbox with the directory of the deferred ones, and the turn's own.
func (t *turn) setTools(past []providers.Message) {
	all := t.o.Tools.Definitions()
	if directory, ok := tools.Directory(all); ok {
		all = append(slices.Clip(all), directory)
	}
	extra := t.Extra
	if t.o.Allows != nil {
		extra = slices.DeleteFunc(slices.Clone(extra), func(d providers.ToolDefinition) bool { return !t.o.Allows(d.Name) })
	}
	t.tools = slices.Concat(all, extra)
	for _, m := range past {
		for _, b := range m.Content {
			if b.Type == providers.BlockToolUse {
				t.addTools(b)
			}
		}
	}
}

// addTools adds the deferred tools that a call names or is of. It reports whether the call is one of the directory, and
// returns its result.
func (t *turn) addTools(call providers.Block) (text string, isDirectory bool) {
	names, isDirectory := tools.ParseDirectoryCall(call.Name, call.Input)
	if !isDirectory {
		t.addTool(call.Name)
		return "", false
	}
	var added, unknown []string
	for _, name := range names {
		if t.addTool(name) {
			added = append(added, name)
		} else {
			unknown = append(unknown, name)
		}
	}
	return tools.AddedText(added, unknown), true
}

// addTool adds a deferred tool and reports whether the turn has a tool of this name.
func (t *turn) addTool(name string) bool {
	i := slices.IndexFunc(t.tools, func(d providers.ToolDefinition) bool { return d.Name == name })
	if i < 0 {
		return false
	}
	if t.tools[i].Deferred && !slices.Contains(t.addedTools, name) {
		t.addedTools = append(t.addedTools, name)
	}
	return true
}
