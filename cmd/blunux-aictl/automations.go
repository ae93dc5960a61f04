package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

func (a *app) automations() *cobra.Command {
	cmd := a.automationsList("automations", i18n.CmdAutomations)
	cmd.AddCommand(
		a.automationsList("list", i18n.CmdAutomationsList), a.automationsShow(), a.automationsNext(), a.automationsHistory(), a.automationsRun(),
		a.automationsAdd(), a.automationsEdit(), a.automationsSnooze(),
		a.automationsToggle("enable", i18n.CmdAutomationsEnable, ipc.ActionAutomationEnable, i18n.AutomationEnabled),
		a.automationsToggle("disable", i18n.CmdAutomationsDisable, ipc.ActionAutomationDisable, i18n.AutomationDisabled),
		a.automationsToggle("remove", i18n.CmdAutomationsRemove, ipc.ActionAutomationRemove, i18n.AutomationRemoved),
	)
	return cmd
}

// listAutomations asks the daemon for the automations.
func (a *app) listAutomations(ctx context.Context) (ipc.AutomationList, error) {
	all := ipc.AutomationList{Automations: []ipc.Automation{}}
	for page := 1; ; page++ {
		var list ipc.AutomationList
		if err := a.query(ctx, ipc.Query{What: "automations", Limit: pageSize, Page: page}, &list); err != nil {
			return all, err
		}
		list.Automations = append(all.Automations, list.Automations...)
		got := len(list.Automations) - len(all.Automations)
		if all = list; got < pageSize {
			return all, nil
		}
	}
}

// pageSize is the number of automations per request, so that the answer fits into one frame.
const pageSize = 300

func (a *app) automationsList(use string, short i18n.Text) *cobra.Command {
	return a.jsonCommand(use, short, manual.NoArgs, func(in invocation) error {
		list, err := a.listAutomations(in.Context())
		switch {
		case err != nil:
			return err
		case in.json:
			return printJSON(a.out, list)
		case len(list.Automations) == 0:
			fmt.Fprintln(os.Stderr, i18n.NoAutomations.In(a.lang))
		default:
			printRules(a.out, list.Automations, a.lang, time.Now())
		}
		a.printProblems(list)
		return nil
	})
}

// printProblems prints mistakes in the files, and a warning if no timer starts the daemon.
func (a *app) printProblems(list ipc.AutomationList) {
	for _, p := range list.Problems {
		fmt.Fprintln(os.Stderr, problemLine(p))
	}
	if list.Wakes == "" && slices.ContainsFunc(list.Automations, func(r ipc.Automation) bool { return r.Next != nil }) {
		fmt.Fprintln(os.Stderr, i18n.AutomationAsleep.In(a.lang))
	}
}

// problemLine formats a mistake in a file the way compilers do.
func problemLine(p ipc.AutomationProblem) string {
	place := p.File
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			place += fmt.Sprintf(":%d", n)
		}
	}
	if p.Rule != "" {
		place += ": " + p.Rule
	}
	return visible(place) + ": " + clean(strings.Join(strings.Fields(p.Text), " "))
}

func (a *app) automationsShow() *cobra.Command {
	cmd := a.jsonCommand("show NAME...", i18n.CmdAutomationsShow, manual.AtLeastOneArg, func(in invocation) error {
		list, err := a.listAutomations(in.Context())
		if err != nil {
			return err
		}
		name := strings.Join(in.args, " ")
		i := indexOfRule(list, name)
		switch {
		case i < 0:
			return a.unknownRule(name, list)
		case in.json:
			return printJSON(a.out, list.Automations[i])
		}
		s := newSheet(a.out, a.lang, term.Columns(os.Stdout))
		printRule(s, list.Automations[i], time.Now())
		return nil
	})
	cmd.ValidArgsFunction = a.ruleNames
	return cmd
}

// indexOfRule returns the index of the automation with a name, or else of the one with that name in another language.
// It returns -1 if there is none.
func indexOfRule(list ipc.AutomationList, name string) int {
	i := slices.IndexFunc(list.Automations, func(r ipc.Automation) bool { return r.Name == name })
	if i < 0 {
		i = slices.IndexFunc(list.Automations, func(r ipc.Automation) bool { return i18n.IsRuleName(r.Name, name) })
	}
	return i
}

// unknownRule returns an error that lists the existing automations.
func (a *app) unknownRule(name string, list ipc.AutomationList) error {
	var names []string
	for _, r := range list.Automations {
		names = append(names, ipc.VisibleProse(i18n.RuleName(r.Name, a.lang)))
	}
	if len(names) == 0 {
		return errors.New(i18n.NoAutomationAtAll(name).In(a.lang))
	}
	return errors.New(i18n.NoAutomation(name, strings.Join(names, ", ")).In(a.lang))
}

// explainMissing replaces the error for an automation that does not exist with one that lists the existing ones. It
// returns other errors unchanged.
func (a *app) explainMissing(ctx context.Context, name string, err error) error {
	var wire *ipc.Error
	if !errors.As(err, &wire) {
		return err
	}
	list, failed := a.listAutomations(ctx)
	if failed != nil || indexOfRule(list, name) >= 0 {
		return err
	}
	return a.unknownRule(name, list)
}

func (a *app) automationsNext() *cobra.Command {
	q := ipc.Query{What: "automation-next"}
	cmd := a.jsonCommand("next", i18n.CmdAutomationsNext, manual.NoArgs, func(in invocation) error {
		due := []ipc.AutomationDue{}
		if err := a.queryRows(in.Context(), q, &due); err != nil {
			return err
		}
		switch {
		case in.json:
			return printJSON(a.out, due)
		case len(due) == 0:
			fmt.Fprintln(os.Stderr, i18n.NoAutomationNext.In(a.lang))
			return nil
		}
		printDue(a.out, due, a.lang, time.Now())
		return nil
	})
	a.addRowsFlag(cmd, &q.Limit, 10)
	return cmd
}

func (a *app) automationsHistory() *cobra.Command {
	q := ipc.Query{What: "automation-history"}
	cmd := a.jsonCommand("history [NAME...]", i18n.CmdAutomationsHistory, cobra.ArbitraryArgs, func(in invocation) error {
		q.Name = strings.Join(in.args, " ")
		runs := []ipc.AutomationRun{}
		if err := a.queryRows(in.Context(), q, &runs); err != nil {
			return a.explainMissing(in.Context(), q.Name, err)
		}
		switch {
		case in.json:
			return printJSON(a.out, runs)
		case len(runs) > 0:
			printRuns(a.out, runs, a.lang, time.Now())
			return nil
		}
		return a.printNoRuns(in.Context(), q.Name)
	})
	cmd.ValidArgsFunction = a.ruleNames
	a.addRowsFlag(cmd, &q.Limit, 20)
	return cmd
}

// printNoRuns prints that nothing has run yet, or returns an error if the automation does not exist.
func (a *app) printNoRuns(ctx context.Context, name string) error {
	if name != "" {
		list, err := a.listAutomations(ctx)
		if err == nil && indexOfRule(list, name) < 0 {
			return a.unknownRule(name, list)
		}
	}
	fmt.Fprintln(os.Stderr, i18n.NoAutomationRuns.In(a.lang))
	return nil
}

// maxRows is the largest number of rows in a request.
const maxRows = 1000

func (a *app) addRowsFlag(cmd *cobra.Command, limit *int, usual int) {
	cmd.Flags().IntVarP(limit, "lines", "n", usual, i18n.FlagRows.In(a.lang))
}

// queryRows makes a query with a limited number of rows.
func (a *app) queryRows(ctx context.Context, q ipc.Query, v any) error {
	if q.Limit < 1 || q.Limit > maxRows {
		return a.newUsageError(i18n.MistakeBetween("--lines", 1, maxRows))
	}
	return a.query(ctx, q, v)
}

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

func printDue(out io.Writer, due []ipc.AutomationDue, lang i18n.Lang, now time.Time) {
	t := newTable(out, []bool{true, false, true, true}, i18n.ColumnNext.In(lang), i18n.ColumnLeft.In(lang), i18n.ColumnRule.In(lang), i18n.ColumnWhen.In(lang))
	for _, d := range due {
		t.row(formatMinute(&d.Due, now), span(d.Due.Sub(now)), d.Rule, d.When)
	}
	t.write("")
}

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
		t.row(due, r.Rule, i18n.RunStates.In(r.State, lang), took, cost, reasonOf(r))
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

func printRule(s sheet, r ipc.Automation, now time.Time) {
	s.Line(0, "● "+ipc.VisibleProse(i18n.RuleName(r.Name, s.lang))+"  "+stateOf(r).In(s.lang))
	s.optionalRow(i18n.RuleWhen, r.When)
	s.optionalRow(i18n.RuleWhat, r.Action)
	s.optionalRow(i18n.RuleSays, r.Say)
	if r.Check != "" {
		s.row(i18n.RuleWatches, strings.Join(conditionOf(r), " "))
	}
	s.optionalRow(i18n.RuleNotifies, strings.Join(r.Notify, ", "))
	s.unattendedCommands(r)
	if r.Next != nil {
		s.row(i18n.RuleNext, formatMinute(r.Next, now)+" ("+span(r.Next.Sub(now))+")")
	}
	if r.Last != nil {
		s.row(i18n.RuleLast, strings.TrimRight(formatMinute(&r.Last.Due, now)+" "+i18n.RunStates.In(r.Last.State, s.lang)+" "+reasonOf(*r.Last), " "))
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
			s.Extra(line)
		}
	}
	if !r.Signed {
		s.Extra(s.t(i18n.RuleUnsigned))
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
