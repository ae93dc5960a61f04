package tools

import (
	"regexp"
	"slices"

	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// RuleAction is the effect of a rule on a matching command.
type RuleAction string

// The actions. They only raise a verdict: no rule allows a command.
const (
	RuleWarn    RuleAction = "warn"    // adds a warning to the question
	RuleConfirm RuleAction = "confirm" // requires a confirmation, even for a reading command
	RuleBlock   RuleAction = "block"   // never runs the command
)

// Rule is one of the person's own rules.
type Rule struct {
	Name    string
	Pattern *regexp.Regexp
	Action  RuleAction
}

// Rules are the person's additions to the checker's verdict.
type Rules struct {
	Own []Rule
	// Dangerous are patterns that only add a warning.
	Dangerous []*regexp.Regexp
}

// ReasonUserRule is the reason to confirm or block a command that matches one of the person's own rules.
const ReasonUserRule = "user-rule"

// The warnings of rules, before ": " and the rule's name or the pattern.
const (
	warnUserRule  = ReasonUserRule
	warnDangerous = "dangerous-pattern"
)

// RuleMatches reports whether a pattern matches a command in any of its [shell.Views].
func RuleMatches(pattern *regexp.Regexp, command string) bool {
	return matchesAny(pattern, shell.Views(shell.Canonical(command)))
}

func matchesAny(pattern *regexp.Regexp, views []string) bool {
	return slices.ContainsFunc(views, pattern.MatchString)
}

// apply raises a plan's verdict by the rules and adds their warnings.
func (rs Rules) apply(j *JudgedPlan) {
	if len(rs.Own)+len(rs.Dangerous) == 0 {
		return
	}
	var all []string
	for _, line := range j.Lines() {
		all = append(all, shell.Views(line)...)
	}
	for _, r := range rs.Own {
		if matchesAny(r.Pattern, all) {
			r.raise(j)
		}
	}
	for _, p := range rs.Dangerous {
		if matchesAny(p, all) {
			j.warn(warnDangerous + ": " + p.String())
		}
	}
}

// Raise applies the rules to a checker's verdict on one command, like the gate, and returns the warnings of the
// question.
func (rs Rules) Raise(v safety.Verdict) (raised safety.Verdict, warnings []string) {
	source := v.Source
	if source == "" {
		source = v.Command
	}
	j := JudgedPlan{Finding: Finding{Class: v.Class, Parts: v.Reasons}, Plan: Plan{Commands: []shell.Command{{Shell: source}}}}
	rs.apply(&j)
	v.Class, v.Reasons = j.Class, j.Parts
	return v, j.Warnings
}

// raise applies a matching rule to a plan.
func (r Rule) raise(j *JudgedPlan) {
	j.warn(warnUserRule + ": " + r.Name)
	class := safety.Confirm
	switch r.Action {
	case RuleWarn:
		return
	case RuleBlock:
		class = safety.Blocked
	}
	reason := safety.Reason{Code: ReasonUserRule, Part: r.Name}
	if class > j.Class { // higher class first
		j.Class, j.Parts = class, slices.Insert(slices.Clone(j.Parts), 0, reason)
		j.addReason(reason.Code)
		return
	}
	j.require(class, reason)
}
