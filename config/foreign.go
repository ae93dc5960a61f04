package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Foreign is the settings of a predecessor, converted to ours.
type Foreign struct {
	From   string         // agent-rs or rrclaw
	Values map[string]any // converted settings, in the structure of a settings file
	// Keys are the API keys in the file, by the name of the credential.
	Keys map[string]string
	// Left lists the keys that have no counterpart here.
	Left []string
	// Differs lists keys that work differently here, with an explanation.
	Differs []Difference
}

// ReadForeign parses the settings of a predecessor: agent-rs (its design, section 1.1) or RRClaw (its
// architecture, ~/.rrclaw/config.toml). It returns false for anything else.
func ReadForeign(text []byte) (Foreign, bool) {
	var top map[string]any
	if toml.Unmarshal(text, &top) != nil {
		return Foreign{}, false
	}
	f := Foreign{Values: map[string]any{}, Keys: map[string]string{}}
	_, isClaw := top["default"].(map[string]any)
	switch {
	case isClaw:
		f.From = "rrclaw"
		f.claw(top)
	case isAgent(top):
		f.From = "agent-rs"
		f.agent(top)
	default:
		return Foreign{}, false
	}
	slices.Sort(f.Left)
	sorting.By(f.Differs, func(a, b Difference) int { return strings.Compare(a.Key, b.Key) })
	return f, true
}

// isAgent reports whether a file consists of agent-rs's keys, which are not in tables.
func isAgent(top map[string]any) bool {
	known := []string{"api_key", "model", "max_history_messages", "max_output_bytes", "max_output_lines", "dangerous_patterns"}
	some := false
	for name, v := range top {
		if _, table := v.(map[string]any); table {
			return false
		}
		some = some || slices.Contains(known, name)
	}
	return some
}

func (f *Foreign) set(v any, table, key string) {
	t, ok := f.Values[table].(map[string]any)
	if !ok {
		t = map[string]any{}
		f.Values[table] = t
	}
	t[key] = v
}

// agent converts the settings of agent-rs, which uses Gemini.
func (f *Foreign) agent(top map[string]any) {
	f.set("gemini", "ai_agent", "provider")
	for name, v := range top {
		switch name {
		case "api_key":
			f.key("gemini", v)
		case "model":
			f.set(v, "ai_agent", "model")
		case "max_history_messages":
			f.set(v, "limits", "history_messages")
		case "max_output_bytes":
			f.set(v, "limits", "output_bytes")
		case "max_output_lines":
			f.set(v, "limits", "output_lines")
		case "dangerous_patterns":
			f.set(v, "security", "dangerous_patterns")
		default:
			f.Left = append(f.Left, name)
		}
	}
}

// claw converts the settings of RRClaw, whose providers mostly have the same names.
func (f *Foreign) claw(top map[string]any) {
	first, _ := top["default"].(map[string]any)
	providers, _ := top["providers"].(map[string]any)
	temperature := any(nil)
	for name, v := range first {
		switch name {
		case "provider":
			f.set(ourName(v), "ai_agent", "provider")
		case "model":
			f.set(v, "ai_agent", "model")
		case "temperature":
			temperature = v
		default:
			f.Left = append(f.Left, "default."+name)
		}
	}
	for name, v := range providers {
		f.clawProvider(name, v)
	}
	if name, ok := ourName(first["provider"]).(string); ok && temperature != nil {
		f.provider(name, "temperature", temperature)
	}
	for name, v := range top {
		switch name {
		case "default", "providers":
		case "memory":
			f.clawMemory(v)
		case "security":
			f.clawSecurity(v)
		default:
			f.Left = append(f.Left, name)
		}
	}
}

func (f *Foreign) clawProvider(name string, v any) {
	p, ok := v.(map[string]any)
	if !ok {
		f.Left = append(f.Left, "providers."+name)
		return
	}
	ours, _ := ourName(name).(string)
	for key, v := range p {
		switch key {
		case "base_url", "model", "temperature", "auth_style":
			f.provider(ours, key, v)
		case "api_key":
			f.key(ours, v)
		default:
			f.Left = append(f.Left, "providers."+name+"."+key)
		}
	}
}

func (f *Foreign) provider(name, key string, v any) {
	all, ok := f.Values["providers"].(map[string]any)
	if !ok {
		all = map[string]any{}
		f.Values["providers"] = all
	}
	p, ok := all[name].(map[string]any)
	if !ok {
		p = map[string]any{}
		all[name] = p
	}
	p[key] = v
}

// key stores an API key separately from the settings, except for the placeholder in the documentation.
func (f *Foreign) key(name string, v any) {
	if key, ok := v.(string); ok && key != "" && key != "your-key" {
		f.Keys[name] = key
	}
}

func ourName(v any) any {
	if v == "gpt" {
		return "openai"
	}
	return v
}

// Difference is a setting of a predecessor that works differently here.
type Difference struct {
	Key string
	Why i18n.Text
}

func (f *Foreign) addDifference(key string, why i18n.Text) {
	f.Differs = append(f.Differs, Difference{key, why})
}

// clawMemory converts RRClaw's [memory]. Its storage backend has no counterpart here.
func (f *Foreign) clawMemory(v any) {
	table, ok := v.(map[string]any)
	if !ok {
		f.Left = append(f.Left, "memory")
	}
	for key, v := range table {
		if on, isBool := v.(bool); key == "auto_save" && isBool {
			f.set(on, "memory", key)
			continue
		}
		f.Left = append(f.Left, "memory."+key)
	}
}

// clawSecurity converts RRClaw's [security] (its architecture, SecurityPolicy) and records differences.
func (f *Foreign) clawSecurity(v any) {
	table, ok := v.(map[string]any)
	if !ok {
		f.Left = append(f.Left, "security")
		return
	}
	level := clawAutonomy(table["autonomy"])
	for key, v := range table {
		switch key {
		case "autonomy":
			f.clawLevel(level)
		case "allowed_commands":
			f.clawCommands(level, v)
		case "workspace_only":
			f.clawWorkspace(v)
		case "workspace", "workspace_dir":
			f.clawList([]any{v}, "security."+key, isWholePath, func(list []any) { f.set(list[0], "security", "workspace") })
		case "blocked_paths":
			f.clawList(v, "security."+key, isWholePath, func(list []any) { f.set(list, "security", key) })
		default:
			f.Left = append(f.Left, "security."+key)
		}
	}
}

// clawAutonomy returns our name of a level, or "" for an unknown one.
func clawAutonomy(v any) string {
	text, _ := v.(string)
	switch strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(text), "-", ""), "_", "") {
	case "readonly":
		return "read_only"
	case "supervised":
		return "supervised"
	case "full":
		return "full"
	}
	return ""
}

func (f *Foreign) clawLevel(level string) {
	why := map[string]i18n.Text{"read_only": i18n.ClawReadOnly, "supervised": i18n.ClawSupervised, "full": i18n.ClawFull}
	if level == "" {
		f.Left = append(f.Left, "security.autonomy")
		return
	}
	f.set(level, "ai_agent", "autonomy")
	f.addDifference("security.autonomy", why[level])
}

// clawCommands converts the list, which applies only with full autonomy, like ours.
func (f *Foreign) clawCommands(level string, v any) {
	const key = "security.allowed_commands"
	if level != "full" {
		f.addDifference(key, i18n.ClawCommands)
		return
	}
	f.clawList(v, key, isCommandName, func(list []any) {
		for i, name := range list {
			list[i] = cmp.Or(fileTools[fmt.Sprint(name)], name)
		}
		f.set(slices.Compact(list), "security", "allowed_commands")
	})
}

// fileTools are the names that RRClaw and Moonbot have for the tools that change files, which full autonomy can allow.
var fileTools = map[string]any{"file_write": "write_file", "file.write": "write_file"}

// clawWorkspace records that RRClaw used its working directory, which is not in the file.
func (f *Foreign) clawWorkspace(v any) {
	why := i18n.ClawWorkspace
	if v != true {
		why = i18n.ClawAnywhere
	}
	f.addDifference("security.workspace_only", why)
}

// clawList converts the valid elements of a list and records the others.
func (f *Foreign) clawList(v any, key string, good func(string) bool, take func([]any)) {
	list, ok := v.([]any)
	if !ok {
		f.Left = append(f.Left, key)
		return
	}
	var used []any
	for _, v := range list {
		if text, ok := v.(string); ok && good(text) {
			used = append(used, text)
			continue
		}
		f.Left = append(f.Left, key+": "+fmt.Sprint(v))
	}
	if len(used) > 0 {
		take(used)
	}
}
