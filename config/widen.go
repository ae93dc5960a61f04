package config

import (
	"fmt"
	"slices"
	"strings"
)

// Widening is a setting whose change lets more be done, or has what is said and
// the keys sent elsewhere.
type Widening struct {
	Key           string
	Before, After any // nil for none
}

// Widened returns which settings give wider rights in will than they do in was:
// fewer questions and refusals, more people or programs that are let in, other
// servers, more money. Both are what [Effective] returns. A person should say yes
// to each before it counts; what only looks like one is better told than not.
func Widened(was, will []Setting) []Widening {
	before, after := valuesOf(was), valuesOf(will)
	var all []Widening
	for _, s := range append(slices.Clone(will), was...) {
		w := Widening{s.Key(), before[s.Key()], after[s.Key()]}
		if fmt.Sprint(w.Before) == fmt.Sprint(w.After) || !w.wider(s.Path) || slices.ContainsFunc(all, func(o Widening) bool { return o.Key == w.Key }) {
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

// wider reports whether the change of a setting gives rights.
func (w Widening) wider(path []string) bool {
	switch w.Key {
	case "ai_agent.autonomy":
		ranks := []string{"read_only", "supervised", "full"}
		return slices.Index(ranks, fmt.Sprint(w.After)) > slices.Index(ranks, fmt.Sprint(w.Before))
	case "ai_agent.safe_mode", "whatsapp.require_prefix":
		return w.After != true
	case "ai_agent.enabled", "ai_agent.whatsapp_enabled", "automations.enabled":
		return w.After == true
	case "security.allowed_commands", "security.known_hosts", "whatsapp.allowed_numbers", "telegram.allowed_chats", "discord.allowed_users":
		return lacks(w.Before, w.After)
	case "security.dangerous_patterns", "security.blocked_paths":
		return lacks(w.After, w.Before)
	case "security.privilege":
		return w.After != "none"
	case "security.workspace":
		return w.After != nil && w.After != ""
	}
	switch last := path[len(path)-1]; {
	case last == "base_url":
		return true // also where it is taken away: what counts then is another one
	case path[0] == "mcp":
		return w.After != nil && last != "timeout"
	case path[0] == "budget" && last != "warn_at":
		return !lower(w.Before, w.After)
	}
	return false
}

// lacks reports whether the second list has something that the first has not.
func lacks(list, other any) bool {
	have, _ := list.([]any)
	want, _ := other.([]any)
	return slices.ContainsFunc(want, func(v any) bool { return !slices.Contains(have, v) })
}

// lower reports whether a limit is there and below what it was; 0 is none.
func lower(before, after any) bool {
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

// lostRules are the person's own rules that count no more as they did.
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

// heldTo is what a rule does, without its examples.
type heldTo struct{ name, pattern, action string }

func rulesOf(all []Setting) []heldTo {
	var rules []heldTo
	at := ""
	for _, s := range all {
		if !strings.HasPrefix(s.Key(), "security.rules[") {
			continue
		}
		if at != s.Path[2] {
			at, rules = s.Path[2], append(rules, heldTo{})
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
