package i18n

import (
	"slices"
	"strings"
)

// AutomationReason translates the reason for the result of a run. It returns "" for "".
func AutomationReason(lang Lang, code string) string { return AutomationReasons.In(code, lang) }

// AutomationNames lists the existing automations.
func AutomationNames(lang Lang, names []string) string {
	if len(names) == 0 {
		return NamesNone.In(lang)
	}
	return NamesThere(strings.Join(names, ", ")).In(lang)
}

// defaultRules are the names of the automations that exist from the start (package automation, default/*.toml).
var defaultRules = []Text{RuleDefaultHealth, RuleDefaultUpdates, RuleDefaultSecurity, RuleDefaultDisk}

// RuleName returns the name of an automation in a language. Only those that exist from the start have more than one.
func RuleName(name string, lang Lang) string {
	for _, rule := range defaultRules {
		if isRule(rule, name) {
			return rule.In(lang)
		}
	}
	return name
}

// IsRuleName reports whether a person means an automation by a name in any language.
func IsRuleName(name, typed string) bool {
	return name == typed || RuleName(name, English) == RuleName(typed, English) && RuleName(name, Korean) == RuleName(typed, Korean)
}

func isRule(rule Text, name string) bool {
	return slices.ContainsFunc(Languages, func(lang Lang) bool { return rule.In(lang) == name })
}

// RunState translates the state of a run. An unknown state is returned unchanged.
func RunState(state string, lang Lang) string { return RunStates.In(state, lang) }
