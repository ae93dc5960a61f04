package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
)

// Rule is a [[security.rules]] table: a pattern that makes a command warn, need approval, or be blocked. It needs
// examples, because a pattern that misses its target would fail silently.
type Rule struct {
	Name    string   `toml:"name"`     // shown to the person, at most 64 characters
	Pattern string   `toml:"pattern"`  // RE2, https://github.com/google/re2/wiki/Syntax
	Action  string   `toml:"action"`   // warn | confirm | block
	Match   []string `toml:"match"`    // commands that the pattern must match
	NoMatch []string `toml:"no_match"` // commands that it must not match

	// Compiled is the Pattern, set by [Load].
	Compiled *regexp.Regexp `toml:"-"`
}

// Bounds of rules and patterns. RE2 takes time proportional to the text for any pattern. These bound the factor.
const (
	maxPattern  = 1 << 10 // bytes of one pattern
	maxPatterns = 100     // dangerous patterns, and rules of all layers
	maxRuleName = 64      // characters
)

// defaultDangerous are the patterns to warn about unless a layer has its own list (agent-rs, section 1.1).
var defaultDangerous = []string{`rm\s+-rf\s+/`, `mkfs`, `dd\s+if=`, `:\(\)\s*\{`, `>\s*/dev/sd`}

// withDefaults compiles the default patterns if no layer sets any.
func (s *Security) withDefaults() {
	if s.DangerousPatterns != nil {
		return
	}
	s.DangerousPatterns = slices.Clone(defaultDangerous)
	for _, p := range s.DangerousPatterns {
		s.Dangerous = append(s.Dangerous, regexp.MustCompile(p))
	}
}

// badPattern compiles the dangerous patterns of the layer and returns the first invalid one.
func (s *Security) badPattern(l layer) problem {
	const key = "security.dangerous_patterns"
	if _, here := l.place(key); !here {
		return problem{}
	}
	if len(s.DangerousPatterns) > maxPatterns {
		return problem{fmt.Sprintf("%s[%d]", key, maxPatterns), i18n.SettingTooMany(key, maxPatterns)}
	}
	s.Dangerous = make([]*regexp.Regexp, len(s.DangerousPatterns))
	for i, text := range s.DangerousPatterns {
		pattern, why := compile(text)
		if !why.IsZero() {
			return problem{fmt.Sprintf("%s[%d]", key, i), i18n.SettingOf(key, why)}
		}
		s.Dangerous[i] = pattern
	}
	return problem{}
}

// badRule compiles the rules of the layer and returns the first invalid one.
func (s *Security) badRule(l layer) problem {
	for i := l.rules; i < len(s.Rules); i++ {
		key := fmt.Sprintf("security.rules[%d]", i-l.rules)
		if i >= maxPatterns {
			return problem{key, i18n.SettingTooMany("security.rules", maxPatterns)}
		}
		if field, why := s.Rules[i].bad(l.hits); !why.IsZero() {
			key += "." + field
			return problem{key, i18n.SettingOf(withoutNumbers(key), why)}
		}
	}
	return problem{}
}

// bad compiles a rule and returns the first invalid field and the reason.
func (r *Rule) bad(hits func(*regexp.Regexp, string) bool) (field string, why i18n.Text) {
	actions := []string{"warn", "confirm", "block"}
	switch n := utf8.RuneCountInString(r.Name); {
	case strings.TrimSpace(r.Name) == "" || n > maxRuleName || strings.ContainsFunc(r.Name, unicode.IsControl):
		return "name", i18n.RuleNameless(maxRuleName)
	case !slices.Contains(actions, r.Action):
		return "action", i18n.RuleAction(r.Action, strings.Join(actions, ", "))
	}
	if r.Compiled, why = compile(r.Pattern); !why.IsZero() {
		return "pattern", why
	}
	if field, why = r.badExample("match", r.Match, true, hits); !why.IsZero() {
		return field, why
	}
	return r.badExample("no_match", r.NoMatch, false, hits)
}

// badExample returns the first example that the pattern gets wrong.
func (r *Rule) badExample(list string, examples []string, want bool, hits func(*regexp.Regexp, string) bool) (field string, why i18n.Text) {
	if len(examples) == 0 {
		return list, i18n.RuleExamples
	}
	for i, example := range examples {
		field = fmt.Sprintf("%s[%d]", list, i)
		switch {
		case strings.TrimSpace(example) == "":
			return field, i18n.RuleExampleEmpty
		case hits(r.Compiled, example) && !want:
			return field, i18n.RuleHits(r.Name)
		case !hits(r.Compiled, example) && want:
			return field, i18n.RuleMisses(r.Name)
		}
	}
	return "", why
}

// compile compiles a pattern, or returns the reason why it is invalid.
func compile(text string) (pattern *regexp.Regexp, why i18n.Text) {
	switch {
	case text == "":
		return nil, i18n.PatternEmpty
	case len(text) > maxPattern:
		return nil, i18n.PatternLong(maxPattern)
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return nil, i18n.PatternBad(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return pattern, why
}
