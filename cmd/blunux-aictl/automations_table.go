package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// formatMinute formats a time for tables, in the local time zone.
func formatMinute(t *time.Time, now time.Time) string {
	if t == nil || t.IsZero() {
		return "-"
	}
	return t.In(now.Location()).Format("2006-01-02 15:04")
}

// stateOf returns the most important state of a rule.
func stateOf(r ipc.Automation) i18n.Text {
	switch {
	case r.Running:
		return i18n.RuleRunning
	case !r.Enabled:
		return i18n.RuleOff
	case r.Snoozed != nil:
		return i18n.RuleSilent
	case len(r.Firing) > 0:
		return i18n.RuleFiring
	case r.Last != nil && r.Last.State == "FAILED":
		return i18n.RuleFailed
	}
	return i18n.RuleOn
}

// printRules prints the automations as a table in the style of systemctl list-timers.
func printRules(out io.Writer, rules []ipc.Automation, lang i18n.Lang, now time.Time) {
	t := newTable(out, []bool{true, false, true, true, true, true}, i18n.ColumnNext.In(lang), i18n.ColumnLeft.In(lang), i18n.ColumnLast.In(lang),
		i18n.ColumnState.In(lang), i18n.ColumnRule.In(lang), i18n.ColumnWhen.In(lang))
	for _, r := range rules {
		left, last := "-", "-"
		if r.Next != nil {
			left = span(r.Next.Sub(now))
		}
		if r.Last != nil {
			last = formatMinute(&r.Last.Due, now)
		}
		t.row(formatMinute(r.Next, now), left, last, stateOf(r).In(lang), i18n.RuleName(r.Name, lang), r.When)
	}
	t.write("")
}

// printDue prints the next due times as a table.
func printDue(out io.Writer, due []ipc.AutomationDue, lang i18n.Lang, now time.Time) {
	t := newTable(out, []bool{true, false, true, true}, i18n.ColumnNext.In(lang), i18n.ColumnLeft.In(lang), i18n.ColumnRule.In(lang), i18n.ColumnWhen.In(lang))
	for _, d := range due {
		t.row(formatMinute(&d.Due, now), span(d.Due.Sub(now)), d.Rule, d.When)
	}
	t.write("")
}

// printRuns prints past runs as a table.
func printRuns(out io.Writer, runs []ipc.AutomationRun, lang i18n.Lang, now time.Time) {
	t := newTable(out, []bool{true, true, true, false, false, true}, i18n.ColumnDue.In(lang), i18n.ColumnRule.In(lang), i18n.ColumnState.In(lang),
		i18n.ColumnTook.In(lang), i18n.ColumnExpense.In(lang), i18n.ColumnWhy.In(lang))
	for _, r := range runs {
		due, took, cost := formatMinute(&r.Due, now), "-", "-"
		if r.Count > 1 {
			due += " ×" + strconv.Itoa(r.Count)
		}
		if r.Started != nil && r.Ended != nil {
			took = span(r.Ended.Sub(*r.Started))
		}
		if r.CostUSD > 0 {
			cost = i18n.Dollars(r.CostUSD)
		}
		t.row(due, r.Rule, i18n.RunState(r.State, lang), took, cost, reasonOf(r))
	}
	t.write("")
}

// reasonOf returns the reason for the result of a run, or else its subject.
func reasonOf(r ipc.AutomationRun) string {
	for _, text := range []string{r.Why, r.Reason, r.Event} {
		if text != "" {
			return strings.Join(strings.Fields(clean(text)), " ")
		}
	}
	return ""
}

// ruleLine formats a rule on one line: name, schedule, next due time.
func ruleLine(r ipc.Automation, lang i18n.Lang) string {
	line := ipc.VisibleProse(i18n.RuleName(r.Name, lang))
	if r.When != "" {
		line += ", " + clean(r.When)
	}
	if r.Next != nil && r.Enabled {
		line += ", " + i18n.RuleNext.In(lang) + " " + formatMinute(r.Next, time.Now())
	}
	return line
}

// snoozedLine says until when a rule is snoozed.
func snoozedLine(r ipc.Automation, lang i18n.Lang) string {
	if r.Snoozed == nil {
		return i18n.AutomationAwake(ipc.VisibleProse(i18n.RuleName(r.Name, lang))).In(lang)
	}
	return i18n.AutomationSnoozed(ipc.VisibleProse(i18n.RuleName(r.Name, lang)), formatMinute(r.Snoozed, time.Now())).In(lang)
}

// printRule prints all details of a rule.
func printRule(s sheet, r ipc.Automation, now time.Time) {
	s.line(0, "● "+ipc.VisibleProse(i18n.RuleName(r.Name, s.lang))+"  "+stateOf(r).In(s.lang))
	s.optionalRow(i18n.RuleWhen, r.When)
	s.optionalRow(i18n.RuleWhat, r.Action)
	if r.Check != "" {
		s.row(i18n.RuleWatches, strings.Join(conditionOf(r), " "))
	}
	s.optionalRow(i18n.RuleNotifies, strings.Join(r.Notify, ", "))
	s.unattendedCommands(r)
	if r.Next != nil {
		s.row(i18n.RuleNext, formatMinute(r.Next, now)+" ("+span(r.Next.Sub(now))+")")
	}
	if r.Last != nil {
		s.row(i18n.RuleLast, strings.TrimRight(formatMinute(&r.Last.Due, now)+" "+i18n.RunState(r.Last.State, s.lang)+" "+reasonOf(*r.Last), " "))
	}
	if r.Snoozed != nil {
		s.row(i18n.RuleSilent, formatMinute(r.Snoozed, now))
	}
	s.optionalRow(i18n.RuleHolds, strings.Join(r.Firing, "; "))
	s.optionalRow(i18n.RuleBounds, strings.Join(boundsOf(r), ", "))
	place := r.File
	if r.Line > 0 {
		place = fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	s.optionalRow(i18n.RuleLocation, place)
}

// optionalRow writes a row if the value is not empty.
func (s sheet) optionalRow(name i18n.Text, value string) {
	if value != "" {
		s.row(name, value)
	}
}

// unattendedCommands writes the commands that run without confirmation.
func (s sheet) unattendedCommands(r ipc.Automation) {
	if !r.AutoApply {
		return
	}
	for i, argv := range r.Commands {
		line := visible(commandLine(argv))
		if i == 0 {
			s.row(i18n.RuleUnasked, line)
		} else {
			s.extraValue(line)
		}
	}
	if !r.Signed {
		s.extraValue(s.t(i18n.RuleUnsigned))
	}
}

// commandLine formats an argument vector as it would be typed.
func commandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = word
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"\\$`*?[]{}()<>|&;#~!=%", r) }) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// conditionOf returns the conditions of a rule as the user wrote them.
func conditionOf(r ipc.Automation) []string {
	parts := []string{r.Check}
	if r.Over != nil {
		parts = append(parts, "> "+strconv.FormatFloat(*r.Over, 'f', -1, 64))
	}
	if r.Within != "" {
		parts = append(parts, r.Within)
	}
	if len(r.Paths) > 0 {
		parts = append(parts, "("+strings.Join(r.Paths, ", ")+")")
	}
	return parts
}

// boundsOf returns a rule's limits under the names that its file uses.
func boundsOf(r ipc.Automation) []string {
	var list []string
	for _, b := range []struct{ name, value string }{
		{"catch_up", r.CatchUp}, {"timeout", r.Timeout}, {"jitter", r.Jitter}, {"quiet", r.Quiet}, {"language", r.Language}, {"session", r.Session},
	} {
		if b.value != "" {
			list = append(list, b.name+" "+b.value)
		}
	}
	if r.BudgetUSD > 0 {
		list = append(list, "budget "+i18n.Dollars(r.BudgetUSD))
	}
	return list
}
