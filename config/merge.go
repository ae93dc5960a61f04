package config

import (
	"bytes"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// OwnValues merges the person's own files, config.toml and config.d, into the values of one equivalent file. It fails
// like [Load].
func OwnValues(src Source) (map[string]any, error) {
	if _, err := Load(src); err != nil {
		return nil, err
	}
	files, err := src.ownFiles()
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for _, file := range files {
		text, err := src.read(file, openOwn)
		if err != nil {
			continue // missing; Load would have failed for other errors
		}
		var top map[string]any
		if err := toml.Unmarshal(text, &top); err != nil {
			return nil, decodeError(file, text, err)
		}
		MergeValues(all, top)
	}
	return all, nil
}

// MergeValues overrides the values of base by those of top, like [Load] does: empty values of the agent and of providers
// have no effect, servers are replaced as a whole, rules are added, and everything else is replaced.
func MergeValues(base, top map[string]any) {
	top = renameAgent(top)
	for name, v := range top {
		table, isTable := v.(map[string]any)
		below, there := base[name].(map[string]any)
		switch {
		case !isTable:
			base[name] = v
		case name == "mcp" && there:
			maps.Copy(below, table)
		case name == "mcp":
			base[name] = maps.Clone(table)
		default:
			if !there {
				below = map[string]any{}
				base[name] = below
			}
			layTable(name, below, table)
		}
	}
}

// renameAgent renames the old table [agent] to [ai_agent]. If a file has both, [ai_agent] wins.
func renameAgent(top map[string]any) map[string]any {
	old, ok := top["agent"].(map[string]any)
	if !ok {
		return top
	}
	top = maps.Clone(top)
	delete(top, "agent")
	agent := map[string]any{}
	layTable("ai_agent", agent, old)
	if now, ok := top["ai_agent"].(map[string]any); ok {
		layTable("ai_agent", agent, now)
	}
	top["ai_agent"] = agent
	return top
}

func layTable(name string, base, top map[string]any) {
	for key, v := range top {
		inner, isTable := v.(map[string]any)
		rules, isList := v.([]any)
		switch below, there := base[key].(map[string]any); {
		case name == "security" && key == "rules" && isList:
			before, _ := base[key].([]any)
			base[key] = append(slices.Clip(before), rules...)
		case isTable && name == "prices":
			base[key] = maps.Clone(inner) // a model's price is replaced as a whole
		case isTable:
			if !there {
				below = map[string]any{}
				base[key] = below
			}
			layTable(subtableName(name, key), below, inner)
		case (name == "ai_agent" || name == "providers/") && overrides(v):
			base[key] = v
		case name == "ai_agent" || name == "providers/":
		default:
			base[key] = v
		}
	}
}

// subtableName returns the name of a subtable for [layTable].
func subtableName(name, key string) string {
	switch name {
	case "providers":
		return "providers/"
	case "providers/":
		return key
	}
	return name + "." + key
}

// overrides reports whether a value of the agent or a provider overrides an earlier one: empty texts and zeros do not.
func overrides(v any) bool {
	switch v := v.(type) {
	case string:
		return v != ""
	case int64:
		return v != 0
	}
	return true
}

// Settings lists the values of a file in the order of [Effective].
func Settings(top map[string]any) []Setting {
	var all []Setting
	walk(nil, top, func(path []string, v any) { all = append(all, Setting{Path: path, Value: v}) })
	sorting.Stably(all, func(a, b Setting) int { return slices.Compare(a.order(), b.order()) })
	return all
}

// Split separates a file that contains both settings and automations: [[automation]], [[automations]] and their
// subtables are rules, everything else is settings. Each result keeps its line numbers; lines of the other are
// empty. After a syntax error, the type of the preceding line applies.
func Split(text []byte) (settings, rules []byte) {
	var p unstable.Parser
	p.Reset(text)
	lines := bytes.SplitAfter(text, []byte("\n"))
	isRule := make([]bool, len(lines)+1)
	lists := map[string]bool{}
	for p.NextExpression() {
		n := p.Expression()
		if n.Kind != unstable.Table && n.Kind != unstable.ArrayTable {
			continue
		}
		it := n.Key()
		it.Next()
		name := string(it.Node().Data)
		if n.Kind == unstable.ArrayTable && (name == "automation" || name == "automations") && it.IsLast() {
			lists[name] = true
		}
		from := p.Shape(n.Child().Raw).Start.Line - 1
		for i := from; i < len(isRule); i++ {
			isRule[i] = lists[name]
		}
	}
	for i, line := range lines {
		if isRule[i] {
			settings, rules = append(settings, lineEnd(line)...), append(rules, line...)
		} else {
			settings, rules = append(settings, line...), append(rules, lineEnd(line)...)
		}
	}
	return settings, rules
}

func lineEnd(line []byte) []byte {
	if bytes.HasSuffix(line, []byte("\n")) {
		return []byte("\n")
	}
	return nil
}
