package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Setting is an effective value and its origin.
type Setting struct {
	// Path is the key, table by table. An element of a list of tables is its number in brackets: security, rules,
	// [0], name.
	Path  []string
	Value any // string, bool, int64, float64, a list of them, or an empty table
	// File is the file, or the variable with its $, that set the value. It is "" for a default.
	File string
	Line int // from 1; 0 for a variable
}

// Key returns the path as one string, as in errors: security.rules[0].name.
func (s Setting) Key() string { return keyOf(s.Path) }

// Default reports whether the value is a default.
func (s Setting) Default() bool { return s.File == "" }

func keyOf(path []string) string {
	var b strings.Builder
	for i, p := range path {
		if i > 0 && !strings.HasPrefix(p, "[") {
			b.WriteByte('.')
		}
		b.WriteString(p)
	}
	return b.String()
}

// implicitDefaults returns the defaults that are applied where a setting is used, and not by [Load].
func implicitDefaults() map[string]any {
	return map[string]any{
		"ai_agent.enabled": true, "ai_agent.provider": "auto", "ai_agent.claude_mode": "api", "ai_agent.language": "auto", "ai_agent.safe_mode": true,
		"ai_agent.fallback": []any{"offline"}, "automations.enabled": true, "memory.auto_save": true, "limits.first_byte": int64(30), "whatsapp.session_timeout": int64(3600),
	}
}

// Effective returns every setting that has a value, in the order of the tables. It fails like [Load].
func Effective(src Source) ([]Setting, error) {
	c, err := load(src)
	if err != nil {
		return nil, err
	}
	top, err := values(c)
	if err != nil {
		return nil, err
	}
	for key, v := range implicitDefaults() {
		table, name, _ := strings.Cut(key, ".")
		fields, _ := top[table].(map[string]any)
		if old, there := fields[name]; fields != nil && (!there || isZero(old) && !isList(old) && old != false) {
			fields[name] = v
		}
	}
	for i := range c.layers {
		_ = toml.Unmarshal(c.layers[i].text, &c.layers[i].top) // decoded before without error
	}
	var all []Setting
	walk(nil, top, func(path []string, v any) {
		s := Setting{Path: path, Value: v}
		s.File, s.Line = origin(c.layers, path, v)
		if !s.Default() || !isZero(v) {
			all = append(all, s)
		}
	})
	sorting.Stably(all, func(a, b Setting) int { return slices.Compare(a.order(), b.order()) })
	return all, nil
}

// values returns a configuration as the values of a settings file.
func values(c Config) (map[string]any, error) {
	text, err := toml.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("cannot write the settings: %w", err)
	}
	var top map[string]any
	if err := toml.Unmarshal(text, &top); err != nil {
		return nil, fmt.Errorf("cannot read the settings back: %w", err)
	}
	if agent, ok := top["ai_agent"].(map[string]any); ok && c.Agent.Fallback == nil {
		delete(agent, "fallback") // an absent list is different from an empty one
	}
	return top, nil
}

// tables is the order of display.
var tables = append([]string{"ai_agent", "providers", "budget", "memory", "automations", "limits", "security", "mcp"}, channel.Names()...)

// order returns the sort key: a table's own values come before its subtables.
func (s Setting) order() []string {
	last := len(s.Path) - 1
	key := []string{fmt.Sprintf("%02d", slices.Index(tables, s.Path[0]))}
	for _, p := range s.Path[:last] {
		if n, ok := elementNumber(p); ok {
			p = fmt.Sprintf("%06d", n)
		}
		key = append(key, p)
	}
	return append(key, "", s.Path[last])
}

func elementNumber(p string) (n int, ok bool) {
	_, err := fmt.Sscanf(p, "[%d]", &n)
	return n, err == nil
}

// walk visits the values below a table.
func walk(path []string, v any, visit func([]string, any)) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 && len(path) > 1 {
			visit(path, v) // a provider or a price with an empty table
		}
		for name, inner := range v {
			walk(append(slices.Clone(path), name), inner, visit)
		}
	case []any:
		if len(v) > 0 && reflect.TypeOf(v[0]) == reflect.TypeFor[map[string]any]() {
			for i, inner := range v {
				walk(append(slices.Clone(path), fmt.Sprintf("[%d]", i)), inner, visit)
			}
			return
		}
		visit(path, v)
	default:
		visit(path, v)
	}
}

// isZero reports whether v is the zero value of a setting.
func isZero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case float64:
		return false // optional floats are present only if set
	}
	return reflect.ValueOf(v).IsZero()
}

func isList(v any) bool { _, ok := v.([]any); return ok }

// origin returns the position of a value in the last layer that sets it. Layers with another value, for example
// an ignored empty model, are skipped.
func origin(layers []layer, path []string, v any) (file string, line int) {
	for _, l := range slices.Backward(layers) {
		if said, key, ok := l.valueOf(path); ok && fmt.Sprint(said) == fmt.Sprint(v) {
			at, _ := l.place(key)
			return l.file, at.line
		}
	}
	return "", 0
}

// valueOf returns a layer's own value of a setting, with its key in the layer.
func (l layer) valueOf(path []string) (v any, key string, ok bool) {
	if l.foreign && path[0] != "ai_agent" {
		return nil, "", false
	}
	if len(path) > 3 && path[0] == "security" && path[1] == "rules" { // rules are numbered over all layers
		n, _ := elementNumber(path[2])
		path = slices.Clone(path)
		path[2] = fmt.Sprintf("[%d]", n-l.rules)
	}
	if v, ok = lookUp(l.top, path); !ok && path[0] == "ai_agent" {
		v, ok = lookUp(l.top, append([]string{"agent"}, path[1:]...))
	}
	return v, keyOf(path), ok
}

func lookUp(v any, path []string) (any, bool) {
	for _, p := range path {
		switch inner := v.(type) {
		case map[string]any:
			next, ok := inner[p]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			n, ok := elementNumber(p)
			if !ok || n < 0 || n >= len(inner) {
				return nil, false
			}
			v = inner[n]
		default:
			return nil, false
		}
	}
	return v, true
}

var bareKey = lazyregexp.New(`^[A-Za-z0-9_-]+$`)

// Render formats settings as TOML. note returns a comment for a setting, or ""; it may be nil. The result without
// notes parses to the same values.
func Render(settings []Setting, note func(Setting) string) (string, error) {
	var b strings.Builder
	at := ""
	for i, s := range settings {
		if table := header(s.Path); table != at {
			if i > 0 {
				b.WriteByte('\n')
			}
			at = table
			b.WriteString(headline(s.Path) + "\n")
		}
		line, err := assignment(s)
		if err != nil {
			return "", err
		}
		if note != nil {
			if text := note(s); text != "" {
				line += "  # " + text
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String(), nil
}

// header returns the key of a setting's table. Elements of lists are distinct.
func header(path []string) string { return keyOf(path[:len(path)-1]) }

// headline returns the header line of a setting's table.
func headline(path []string) string {
	var words []string
	list := false
	for _, p := range path[:len(path)-1] {
		if _, list = elementNumber(p); !list {
			words = append(words, quoteKey(p))
		}
	}
	name := strings.Join(words, ".")
	if list {
		return "[[" + name + "]]"
	}
	return "[" + name + "]"
}

func quoteKey(key string) string {
	if bareKey.MatchString(key) {
		return key
	}
	text, err := toml.Marshal(map[string]any{key: true})
	if err != nil {
		return fmt.Sprintf("%q", key)
	}
	name, _, _ := strings.Cut(string(text), " = true")
	return name
}

func assignment(s Setting) (string, error) {
	if _, table := s.Value.(map[string]any); table {
		return quoteKey(s.Path[len(s.Path)-1]) + " = {}", nil
	}
	text, err := toml.Marshal(map[string]any{s.Path[len(s.Path)-1]: s.Value})
	if err != nil {
		return "", fmt.Errorf("cannot write %s: %w", s.Key(), err)
	}
	return strings.TrimRight(string(text), "\n"), nil
}
