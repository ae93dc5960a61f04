package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/editor"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// changeAutomation makes the daemon change an automation and prints the new state. There is no confirmation,
// because the user typed the command.
func (a *app) changeAutomation(ctx context.Context, action string, c ipc.AutomationChange, asJSON bool, done changeReport) error {
	reply, err := a.request(ctx, ipc.Message{Type: ipc.TypeAction, Action: action}.WithData(c))
	if err != nil && action != ipc.ActionAutomationAdd {
		err = a.explainMissing(ctx, c.Name, err)
	}
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(a.out, reply.Data)
	}
	rule := ipc.Automation{Name: c.Name}
	_ = reply.Decode(&rule) // after a removal there is no data
	fmt.Fprintln(a.out, done(rule, a.lang))
	for _, warning := range rule.Warnings {
		fmt.Fprintln(os.Stderr, "! "+clean(warning))
	}
	return nil
}

// changeReport describes what became of a rule.
type changeReport func(rule ipc.Automation, lang i18n.Lang) string

// reportLine makes a report of a text that takes the rule's line.
func reportLine(text func(rule string) i18n.Text) changeReport {
	return func(rule ipc.Automation, lang i18n.Lang) string { return text(ruleLine(rule, lang)).In(lang) }
}

func (a *app) automationsToggle(verb string, short i18n.Text, action string, done func(name string) i18n.Text) *cobra.Command {
	cmd := a.jsonCommand(verb+" NAME...", short, manual.AtLeastOneArg, func(in invocation) error {
		change := ipc.AutomationChange{Name: strings.Join(in.args, " ")}
		return a.changeAutomation(in.Context(), action, change, in.json, reportLine(done))
	})
	cmd.ValidArgsFunction = a.ruleNames
	return cmd
}

func (a *app) automationsSnooze() *cobra.Command {
	cmd := a.jsonCommand("snooze NAME... SPAN", i18n.CmdAutomationsSnooze, manual.AtLeastTwoArgs, func(in invocation) error {
		last := len(in.args) - 1
		change := ipc.AutomationChange{Name: strings.Join(in.args[:last], " "), For: in.args[last]}
		return a.changeAutomation(in.Context(), ipc.ActionAutomationSnooze, change, in.json, snoozedLine)
	})
	cmd.ValidArgsFunction = a.ruleNames
	return cmd
}

// addRuleFlags adds the flags of add and edit that describe a rule.
func (a *app) addRuleFlags(cmd *cobra.Command, c *ipc.AutomationChange, over *float64) {
	f := cmd.Flags()
	f.StringVar(&c.Schedule, "schedule", "", i18n.FlagRuleSchedule.In(a.lang))
	f.StringVar(&c.At, "at", "", i18n.FlagRuleAt.In(a.lang))
	f.StringVar(&c.Say, "say", "", i18n.FlagRuleSay.In(a.lang))
	f.StringSliceVar(&c.On, "on", nil, i18n.FlagRuleOn.In(a.lang))
	f.StringVar(&c.Check, "check", "", i18n.FlagRuleCheck.In(a.lang))
	f.Float64Var(over, "over", 0, i18n.FlagRuleOver.In(a.lang))
	f.StringVar(&c.Within, "within", "", i18n.FlagRuleWithin.In(a.lang))
	f.StringArrayVar(&c.Paths, "path", nil, i18n.FlagRulePath.In(a.lang))
	f.StringSliceVar(&c.Notify, "notify", nil, i18n.FlagRuleNotify.In(a.lang))
	f.StringVar(&c.CatchUp, "catch-up", "", i18n.FlagRuleCatchUp.In(a.lang))
	f.StringVar(&c.Quiet, "quiet", "", i18n.FlagRuleQuiet.In(a.lang))
	f.StringVar(&c.Timeout, "timeout", "", i18n.FlagRuleTimeout.In(a.lang))
	f.StringVar(&c.Jitter, "jitter", "", i18n.FlagRuleJitter.In(a.lang))
	f.Float64Var(&c.Budget, "budget", 0, i18n.FlagRuleBudget.In(a.lang))
	f.StringVar(&c.Language, "language", "", i18n.FlagRuleLanguage.In(a.lang))
}

func (a *app) automationsAdd() *cobra.Command {
	var c ipc.AutomationChange
	var over float64
	cmd := a.jsonCommand("add [--schedule WHEN] [WORDS...]", i18n.CmdAutomationsAdd, nil, func(in invocation) error {
		c.Action = strings.Join(in.args, " ")
		if in.Flags().Changed("over") {
			c.Over = &over
		}
		switch {
		case c.Schedule == "" && c.At == "" && len(c.On) == 0:
			return a.newUsageError(i18n.AutomationNoTime)
		case strings.TrimSpace(c.Action) == "" && c.Check == "" && c.Say == "":
			return a.newUsageError(i18n.AutomationNoAction)
		case c.Name == "":
			c.Name = nameOf(c)
		}
		return a.changeAutomation(in.Context(), ipc.ActionAutomationAdd, c, in.json, reportLine(i18n.AutomationAdded))
	})
	cmd.Flags().StringVar(&c.Name, "name", "", i18n.FlagRuleName.In(a.lang))
	a.addRuleFlags(cmd, &c, &over)
	return cmd
}

// maxName limits the names made by nameOf, in runes.
const maxName = 40

// nameOf makes a name from the action: letters and digits in lower case, words joined by hyphens.
func nameOf(c ipc.AutomationChange) string {
	text := c.Action + c.Say
	if c.Check != "" {
		text = "watch " + c.Check
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	name := []rune(strings.Join(words, "-"))
	if len(name) == 0 {
		return "automation"
	}
	return strings.Trim(string(name[:min(len(name), maxName)]), "-")
}

// automationsEdit returns the command that opens the rules in the user's editor, or changes one by flags.
func (a *app) automationsEdit() *cobra.Command {
	var c ipc.AutomationChange
	var over float64
	cmd := a.jsonCommand("edit [NAME [WORDS...]]", i18n.CmdAutomationsEdit, nil, func(in invocation) error {
		flags := in.Flags().NFlag()
		if in.json {
			flags--
		}
		if len(in.args) > 0 {
			c.Name, c.Action = in.args[0], strings.Join(in.args[1:], " ")
		}
		if in.Flags().Changed("over") {
			c.Over = &over
		}
		switch {
		case len(in.args) == 0 && flags > 0:
			return a.newUsageError(i18n.AutomationEditOne)
		case flags == 0 && c.Action == "":
			return a.editRules(in.Context(), c.Name, in.json)
		}
		return a.changeAutomation(in.Context(), ipc.ActionAutomationChange, c, in.json, reportLine(i18n.AutomationChanged))
	})
	cmd.ValidArgsFunction = a.ruleNames
	a.addRuleFlags(cmd, &c, &over)
	return cmd
}

// editRules opens the main file of rules, or the file with the named rule. Then it prints mistakes in it.
func (a *app) editRules(ctx context.Context, name string, asJSON bool) error {
	list, err := a.listAutomations(ctx)
	if err != nil {
		return err
	}
	file := ""
	if len(list.Files) > 0 {
		file = list.Files[0]
	}
	if name != "" {
		if file = fileOf(list, name); file == "" {
			return a.unknownRule(name, list)
		}
	}
	if err := a.edit(file); err != nil {
		if errors.Is(err, editor.ErrNone) {
			return errors.New(i18n.AutomationNoEditor(file).In(a.lang))
		}
		return err
	}
	// Ctrl-C was for the editor.
	if list, err = a.listAutomations(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if asJSON {
		return printJSON(a.out, list)
	}
	a.printProblems(ipc.AutomationList{Problems: list.Problems})
	if len(list.Problems) > 0 {
		return quietExit(exitFailure)
	}
	return nil
}

// fileOf returns the file that contains a rule, or "".
func fileOf(list ipc.AutomationList, name string) string {
	if i := indexOfRule(list, name); i >= 0 {
		return list.Automations[i].File
	}
	for _, p := range list.Problems { // a rule with a mistake, to be corrected
		if p.Rule == name {
			return p.File
		}
	}
	return ""
}

func (a *app) edit(file string) error {
	if file == "" {
		return errors.New(i18n.NoRuleFile.In(a.lang))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return errors.New(i18n.CannotEdit(err).In(a.lang))
	}
	return editor.Run(file, os.Getenv)
}

func (a *app) automationsRun() *cobra.Command {
	var c ipc.AutomationChange
	cmd := a.jsonCommand("run NAME...", i18n.CmdAutomationsRun, manual.AtLeastOneArg, func(in invocation) error {
		c.Name = strings.Join(in.args, " ")
		reply, err := a.request(in.Context(), ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionAutomationRun}.WithData(c))
		if err != nil {
			return a.explainMissing(in.Context(), c.Name, err)
		}
		run := ipc.AutomationRun{Rule: c.Name}
		if err := reply.Decode(&run); err != nil {
			return err
		}
		if in.json {
			if err := printJSON(a.out, reply.Data); err != nil {
				return err
			}
		} else {
			a.printRun(run)
		}
		if run.State == "FAILED" || c.Wait && run.State == "SKIPPED" {
			return quietExit(exitFailure)
		}
		return nil
	})
	cmd.ValidArgsFunction = a.ruleNames
	cmd.Flags().BoolVar(&c.Wait, "wait", false, i18n.FlagRuleWait.In(a.lang))
	return cmd
}

// printRun prints the result of a run, or that it has started.
func (a *app) printRun(run ipc.AutomationRun) {
	if run.Ended == nil && run.Text == "" && run.Reason == "" {
		fmt.Fprintln(a.out, i18n.AutomationStarted(ipc.VisibleProse(run.Rule)).In(a.lang))
		return
	}
	if run.Text != "" {
		fmt.Fprintln(a.out, clean(strings.TrimRight(run.Text, "\n")))
	}
	if run.State != "RAN" && run.State != "RUNNING" {
		fmt.Fprintln(os.Stderr, strings.TrimSuffix(ipc.VisibleProse(run.Rule)+": "+i18n.RunStates.In(run.State, a.lang)+": "+clean(reasonOf(run)), ": "))
	}
}
