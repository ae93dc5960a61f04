package config

import (
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

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
	f.clawList(v, key, isCommandName, func(list []any) { f.set(list, "security", "allowed_commands") })
}

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
