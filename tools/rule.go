package tools

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/tools/safety"
)

// RuleAction is what a rule does with a command it finds something in.
type RuleAction string

// The actions. Each only raises: there is no rule that lets something run.
const (
	RuleWarn    RuleAction = "warn"    // shows a warning where the command is asked about
	RuleConfirm RuleAction = "confirm" // has it asked about, also when it only reads
	RuleBlock   RuleAction = "block"   // has it never run
)

// Rule is one of the person's own rules.
type Rule struct {
	Name    string
	Pattern *regexp.Regexp
	Action  RuleAction
}

// Rules are what the person adds to the checker's verdict.
type Rules struct {
	Own []Rule
	// Dangerous are patterns that only warn.
	Dangerous []*regexp.Regexp
}

// ReasonUserRule is why a command asks or is blocked that one of the person's
// own rules finds something in.
const ReasonUserRule = "user-rule"

// The warnings of rules, before ": " and the rule's name or the pattern.
const (
	warnUserRule  = ReasonUserRule
	warnDangerous = "dangerous-pattern"
)

// RuleHits reports whether a pattern finds something in a command, in any of
// the ways it can be looked at ([views]).
func RuleHits(pattern *regexp.Regexp, command string) bool {
	if tree, err := parse(command); err == nil {
		command = canonical(command, tree)
	}
	return hits(pattern, views(command))
}

func hits(pattern *regexp.Regexp, views []string) bool {
	return slices.ContainsFunc(views, pattern.MatchString)
}

// apply raises a plan's verdict by the rules, and notes what a person should
// see.
func (rs Rules) apply(j *Judged) {
	if len(rs.Own)+len(rs.Dangerous) == 0 {
		return
	}
	var all []string
	for _, c := range j.Plan.Commands {
		all = append(all, views(c.String())...)
	}
	for _, r := range rs.Own {
		if hits(r.Pattern, all) {
			r.raise(j)
		}
	}
	for _, p := range rs.Dangerous {
		if hits(p, all) {
			j.warn(warnDangerous + ": " + p.String())
		}
	}
}

// Raise adds the rules to a checker's verdict on one command, as the gate does,
// and returns the warnings that a question would carry.
func (rs Rules) Raise(v safety.Verdict) (raised safety.Verdict, warnings []string) {
	source := v.Source
	if source == "" {
		source = v.Command
	}
	j := Judged{Class: v.Class, Parts: v.Reasons, Plan: Plan{Commands: []Command{{Shell: source}}}}
	rs.apply(&j)
	v.Class, v.Reasons = j.Class, j.Parts
	return v, j.Warnings
}

// raise does what the rule says with a plan it finds something in.
func (r Rule) raise(j *Judged) {
	j.warn(warnUserRule + ": " + r.Name)
	class := safety.Confirm
	switch r.Action {
	case RuleWarn:
		return
	case RuleBlock:
		class = safety.Blocked
	}
	reason := safety.Reason{Code: ReasonUserRule, Part: r.Name}
	if class > j.Class { // the worst first
		j.Parts = slices.Insert(slices.Clone(j.Parts), 0, reason)
	} else {
		j.Parts = append(slices.Clip(j.Parts), reason)
	}
	j.Class = max(j.Class, class)
	if !slices.Contains(j.Reasons, ReasonUserRule) {
		j.Reasons = append(slices.Clip(j.Reasons), ReasonUserRule)
	}
}

func (j *Judged) warn(warning string) {
	if !slices.Contains(j.Warnings, warning) {
		j.Warnings = append(slices.Clip(j.Warnings), warning)
	}
}

// unquoted takes away what changes how a command is written and not what it
// does.
var unquoted = strings.NewReplacer(`'`, "", `"`, "", `\`, "")

// views are the texts of a canonical command that patterns look at: as it is,
// with quotes and backslashes taken away, and with quotes resolved, so that
// r\m, "rm" and $'\x72m' all are rm.
func views(command string) []string {
	if !strings.ContainsAny(command, `'"\`) {
		return []string{command}
	}
	list := []string{command, unquoted.Replace(command)}
	if tree, err := parse(command); err == nil {
		resolveQuotes(tree)
		list = append(list, canonical(command, tree))
	}
	return list
}

func parse(source string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
}

// canonical prints a command as the checker does, on one line if it was written
// on one and is read the same; "" when it cannot be.
func canonical(source string, tree *syntax.File) string {
	usual := printTree(tree, syntax.Indent(2))
	if strings.Contains(strings.TrimRight(source, "\n"), "\n") {
		return usual
	}
	line := printTree(tree, syntax.SingleLine(true))
	again, err := parse(line)
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

// resolveQuotes puts in the place of every quoted part what it stands for.
func resolveQuotes(tree *syntax.File) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			w.Parts = resolved(w.Parts)
		}
		return true
	})
}

func resolved(parts []syntax.WordPart) []syntax.WordPart {
	var out []syntax.WordPart
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out = append(out, &syntax.Lit{Value: strings.ReplaceAll(p.Value, `\`, "")})
		case *syntax.SglQuoted:
			out = append(out, &syntax.Lit{Value: singleQuoted(p)})
		case *syntax.DblQuoted:
			out = append(out, resolved(p.Parts)...)
		default:
			out = append(out, part)
		}
	}
	if len(out) == 0 {
		out = append(out, &syntax.Lit{}) // "": the printer takes no word without parts
	}
	return out
}

// singleQuoted returns what '…' or $'…' stands for.
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
