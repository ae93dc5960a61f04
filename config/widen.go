package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/channel"
)

// Widening is a change of a setting that permits more, or sends data and keys to another place.
type Widening struct {
	Key           string
	Before, After any // nil if unset
}

// FindWidenings returns the settings that permit more in will than in was: fewer approvals and refusals, more allowed
// people or programs, other servers, larger budgets. Both lists are from [Effective]. A person should confirm
// each change before it takes effect, so doubtful ones are included.
func FindWidenings(was, will []Setting) []Widening {
	before, after := valuesOf(was), valuesOf(will)
	var all []Widening
	for _, s := range append(slices.Clone(will), was...) {
		w := Widening{s.Key(), before[s.Key()], after[s.Key()]}
		if fmt.Sprint(w.Before) == fmt.Sprint(w.After) || !w.isWider(s.Path) || slices.ContainsFunc(all, func(o Widening) bool { return o.Key == w.Key }) {
			continue
		}
		all = append(all, w)
	}
	return append(all, lostRules(was, will)...)
}

func valuesOf(all []Setting) map[string]any {
	m := map[string]any{}
	for _, s := range all {
		m[s.Key()] = s.Value
	}
	return m
}

// isWider reports whether the change permits more.
func (w Widening) isWider(path []string) bool {
	switch w.Key {
	case "ai_agent.autonomy":
		ranks := []string{"read_only", "supervised", "full"}
		return slices.Index(ranks, fmt.Sprint(w.After)) > slices.Index(ranks, fmt.Sprint(w.Before))
	case "ai_agent.safe_mode", "whatsapp.require_prefix":
		return w.After != true
	case "ai_agent.enabled", "ai_agent.whatsapp_enabled", "automations.enabled", "web.enabled", "web.browser":
		return w.After == true
	case "security.allowed_commands", "security.known_hosts", "web.allow", "web.lan_hosts":
		return hasNew(w.Before, w.After)
	case "security.dangerous_patterns", "security.blocked_paths":
		return hasNew(w.After, w.Before)
	case "security.privilege":
		return w.After != "none"
	case "security.workspace", sessionsKey:
		return w.After != nil && w.After != ""
	}
	if c, ok := channel.ByName(path[0]); ok && (w.Key == c.Key() || w.Key == c.RoomsKey()) {
		return hasNew(w.Before, w.After)
	}
	switch last := path[len(path)-1]; {
	case last == "base_url":
		return true // also if removed, because another server is then used
	case path[0] == "agents" && last == "prompt":
		return w.After != nil
	case path[0] == "agents" && last == "tools":
		return w.Before != nil && (w.After == nil || hasNew(w.Before, w.After))
	case path[0] == "mcp":
		return w.After != nil && last != "timeout"
	case path[0] == "budget" && last != "warn_at":
		return !isLower(w.Before, w.After)
	}
	return false
}

// hasNew reports whether other contains an element that list does not.
func hasNew(list, other any) bool {
	have, _ := list.([]any)
	want, _ := other.([]any)
	return slices.ContainsFunc(want, func(v any) bool { return !slices.Contains(have, v) })
}

// isLower reports whether after is a limit below before. 0 means no limit.
func isLower(before, after any) bool {
	was, will := amount(before), amount(after)
	return will > 0 && (was == 0 || will < was)
}

func amount(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// lostRules returns the person's rules that were removed or changed.
func lostRules(was, will []Setting) []Widening {
	kept := rulesOf(will)
	var lost []Widening
	for _, r := range rulesOf(was) {
		if !slices.Contains(kept, r) {
			lost = append(lost, Widening{Key: "security.rules", Before: r.name})
		}
	}
	return lost
}

// ruleEffect is a rule without its examples.
type ruleEffect struct{ name, pattern, action string }

func rulesOf(all []Setting) []ruleEffect {
	var rules []ruleEffect
	at := ""
	for _, s := range all {
		if !strings.HasPrefix(s.Key(), "security.rules[") {
			continue
		}
		if at != s.Path[2] {
			at, rules = s.Path[2], append(rules, ruleEffect{})
		}
		r, text := &rules[len(rules)-1], fmt.Sprint(s.Value)
		switch s.Path[len(s.Path)-1] {
		case "name":
			r.name = text
		case "pattern":
			r.pattern = text
		case "action":
			r.action = text
		}
	}
	return rules
}
