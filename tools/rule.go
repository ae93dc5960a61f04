package tools

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/tools/safety"
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

// RuleMatches reports whether a pattern matches a command in any of its [commandViews].
func RuleMatches(pattern *regexp.Regexp, command string) bool {
	if tree, err := parseShell(command); err == nil {
		command = canonical(command, tree)
	}
	return matchesAny(pattern, commandViews(command))
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
		all = append(all, commandViews(line)...)
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
	j := JudgedPlan{Class: v.Class, Parts: v.Reasons, Plan: Plan{Commands: []Command{{Shell: source}}}}
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
		j.Parts = slices.Insert(slices.Clone(j.Parts), 0, reason)
	} else {
		j.Parts = append(slices.Clip(j.Parts), reason)
	}
	j.Class = max(j.Class, class)
	if !slices.Contains(j.Reasons, ReasonUserRule) {
		j.Reasons = append(slices.Clip(j.Reasons), ReasonUserRule)
	}
}

func (j *JudgedPlan) warn(warning string) {
	if !slices.Contains(j.Warnings, warning) {
		j.Warnings = append(slices.Clip(j.Warnings), warning)
	}
}

// quoteStripper removes the characters that only change how a command is written.
var quoteStripper = strings.NewReplacer(`'`, "", `"`, "", `\`, "")

// commandViews returns the texts of a canonical command that patterns are matched against: as it is, without quotes
// and backslashes, and with quotes resolved, so that r\m, "rm" and $'\x72m' all are rm.
func commandViews(command string) []string {
	if !strings.ContainsAny(command, `'"\`) {
		return []string{command}
	}
	list := []string{command, quoteStripper.Replace(command)}
	if tree, err := parseShell(command); err == nil {
		resolveQuotes(tree)
		list = append(list, canonical(command, tree))
	}
	return list
}

func parseShell(source string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
}

// canonical prints a command like the checker: on one line if it was written on one line and means the same, ""
// if it cannot be printed.
func canonical(source string, tree *syntax.File) string {
	usual := printTree(tree, syntax.Indent(2))
	if strings.Contains(strings.TrimRight(source, "\n"), "\n") {
		return usual
	}
	line := printTree(tree, syntax.SingleLine(true))
	again, err := parseShell(line)
	if err != nil || printTree(again, syntax.Indent(2)) != usual {
		return usual
	}
	return line
}

func printTree(tree *syntax.File, layout syntax.PrinterOption) string {
	var b strings.Builder
	if err := syntax.NewPrinter(layout).Print(&b, tree); err != nil {
		return ""
	}
	return strings.TrimRight(b.String(), "\n")
}

// resolveQuotes replaces every quoted part by its value.
func resolveQuotes(tree *syntax.File) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			w.Parts = resolveParts(w.Parts)
		}
		return true
	})
}

func resolveParts(parts []syntax.WordPart) []syntax.WordPart {
	var out []syntax.WordPart
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out = append(out, &syntax.Lit{Value: strings.ReplaceAll(p.Value, `\`, "")})
		case *syntax.SglQuoted:
			out = append(out, &syntax.Lit{Value: singleQuoted(p)})
		case *syntax.DblQuoted:
			out = append(out, resolveParts(p.Parts)...)
		default:
			out = append(out, part)
		}
	}
	if len(out) == 0 {
		out = append(out, &syntax.Lit{}) // "": the printer needs at least one part
	}
	return out
}

// singleQuoted returns the value of '…' or $'…'.
func singleQuoted(p *syntax.SglQuoted) string {
	if !p.Dollar {
		return p.Value
	}
	text, _, err := expand.Format(nil, p.Value, nil)
	if err != nil {
		return p.Value
	}
	text, _, _ = strings.Cut(text, "\x00")
	return text
}
