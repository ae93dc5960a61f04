package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// changes returns the command that lists what was changed through the assistant, or all that changed on this machine.
func (a *app) changes() *cobra.Command {
	var limit int
	var day, since string
	var all bool
	cmd := a.jsonCommand("changes [THING]", i18n.CmdChanges, manual.AtMostOneArg, func(in invocation) error {
		if all || since != "" || len(in.args) > 0 {
			return a.listTimeline(in, ipc.Query{What: "timeline", Limit: limit, Since: day, From: since, Name: strings.Join(in.args, "")})
		}
		return a.listChanges(in, ipc.Query{What: "changes", Limit: limit, Since: day}, func(ipc.Change) bool { return true })
	})
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, i18n.FlagChanges.In(a.lang))
	cmd.Flags().StringVar(&day, "day", "", i18n.FlagDay.In(a.lang))
	cmd.Flags().StringVar(&since, "since", "", i18n.FlagSinceChanges.In(a.lang))
	cmd.Flags().BoolVarP(&all, "all", "a", false, i18n.FlagAllChanges.In(a.lang))
	return cmd
}

// listTimeline prints what changed on this machine, by anyone.
func (a *app) listTimeline(in invocation, q ipc.Query) error {
	var t ipc.Timeline
	if err := a.query(in.Context(), q, &t); err != nil {
		return err
	}
	if in.json {
		return printJSON(a.out, t)
	}
	for _, e := range t.Events {
		fmt.Fprintln(a.out, visible(e.Row))
		for _, line := range e.Lines {
			fmt.Fprintln(a.out, "    "+visible(line))
		}
	}
	if len(t.Events) == 0 {
		fmt.Fprintln(os.Stderr, i18n.TimelineNone.In(a.lang))
	}
	if len(t.Unseen) > 0 {
		fmt.Fprintln(os.Stderr, i18n.TimelineUnseen(strings.Join(t.Unseen, ", ")).In(a.lang))
	}
	return nil
}

// undo returns the command that takes a change back.
func (a *app) undo() *cobra.Command {
	var list bool
	var o askOptions
	cmd := a.jsonCommand("undo [ID]", i18n.CmdUndo, manual.AtMostOneArg, func(in invocation) error {
		if list {
			return a.listChanges(in, ipc.Query{What: "changes"}, func(c ipc.Change) bool { return len(c.Effects) > 0 && c.TakenBack == "" })
		}
		id := strings.Join(in.args, "")
		o.json, o.undo = in.json, ipc.UndoRequest(id)
		return a.runAsk(in.Context(), question{text: ipc.UndoBody(id)}, o)
	})
	cmd.Flags().BoolVar(&list, "list", false, i18n.FlagUndoList.In(a.lang))
	cmd.Flags().StringVarP(&o.session, "session", "s", "", i18n.FlagSession.In(a.lang))
	return cmd
}

func (a *app) listChanges(in invocation, q ipc.Query, wanted func(ipc.Change) bool) error {
	all := []ipc.Change{}
	if err := a.query(in.Context(), q, &all); err != nil {
		return err
	}
	shown := []ipc.Change{}
	for _, c := range all {
		if wanted(c) {
			shown = append(shown, c)
		}
	}
	if in.json {
		return printJSON(a.out, shown)
	}
	if len(shown) == 0 {
		fmt.Fprintln(os.Stderr, i18n.NoChanges.In(a.lang))
	}
	for _, c := range shown {
		a.printChange(c)
	}
	return nil
}

// printChange prints a change with its steps.
func (a *app) printChange(c ipc.Change) {
	var about []string
	if goal := strings.Join(strings.Fields(visible(c.Goal)), " "); goal != "" {
		about = append(about, goal)
	}
	switch {
	case c.TakenBack != "":
		about = append(about, i18n.ChangeTakenBack(c.TakenBack).In(a.lang))
	case c.TakesBack != "":
		about = append(about, i18n.ChangeTakesBack(c.TakesBack).In(a.lang))
	case len(c.Effects) == 0:
		about = append(about, i18n.ChangeNoWayBack.In(a.lang))
	}
	row := fmt.Sprintf("%s  %s  %-8s %s", c.ID, c.Began.Local().Format("2006-01-02 15:04"), clean(c.Channel), strings.Join(about, " · "))
	fmt.Fprintln(a.out, strings.TrimRight(row, " "))
	for _, s := range c.Steps {
		fmt.Fprintf(a.out, "  %s %s\n", i18n.StepMark(s.State), stepCommand(s.Command, a.lang))
	}
}

// stepCommand returns the command of a step for a list. Its other lines have a sign.
func stepCommand(command string, lang i18n.Lang) string {
	return strings.ReplaceAll(i18n.StepCommand(ipc.Visible(command), lang), "\n", "\n  | ")
}
