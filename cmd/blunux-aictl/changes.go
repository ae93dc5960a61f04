package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// changes returns the command that lists what was changed through the assistant.
func (a *app) changes() *cobra.Command {
	var limit int
	cmd := a.jsonCommand("changes", i18n.CmdChanges, manual.NoArgs, func(in invocation) error {
		return a.listChanges(in, limit, func(ipc.Change) bool { return true })
	})
	cmd.Flags().IntVarP(&limit, "lines", "n", 20, i18n.FlagChanges.In(a.lang))
	return cmd
}

// undo returns the command that takes a change back.
func (a *app) undo() *cobra.Command {
	var list bool
	var o askOptions
	cmd := a.jsonCommand("undo [ID]", i18n.CmdUndo, manual.AtMostOneArg, func(in invocation) error {
		if list {
			return a.listChanges(in, 0, func(c ipc.Change) bool { return len(c.Effects) > 0 && c.TakenBack == "" })
		}
		o.json, o.undo = in.json, ipc.UndoLast
		if id := strings.TrimSpace(strings.Join(in.args, "")); id != "" {
			o.undo = strings.ToUpper(id)
		}
		return a.runAsk(in.Context(), question{text: "undo " + o.undo}, o)
	})
	cmd.Flags().BoolVar(&list, "list", false, i18n.FlagUndoList.In(a.lang))
	cmd.Flags().StringVarP(&o.session, "session", "s", "", i18n.FlagSession.In(a.lang))
	return cmd
}

func (a *app) listChanges(in invocation, limit int, wanted func(ipc.Change) bool) error {
	all := []ipc.Change{}
	if err := a.query(in.Context(), ipc.Query{What: "changes", Limit: limit}, &all); err != nil {
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
	about := clean(c.Goal)
	switch {
	case c.TakenBack != "":
		about = i18n.ChangeTakenBack(c.TakenBack).In(a.lang)
	case c.TakesBack != "":
		about = i18n.ChangeTakesBack(c.TakesBack).In(a.lang)
	case len(c.Effects) == 0 && about == "":
		about = i18n.ChangeNoWayBack.In(a.lang)
	}
	fmt.Fprintln(a.out, strings.TrimRight(fmt.Sprintf("● %s  %s  %s", c.ID, c.Began.Local().Format(time.DateTime), about), " "))
	a.printSteps(c.Steps)
}

// stepMarks are the marks of the states of steps.
var stepMarks = map[string]string{"": "·", "running": "…", "done": "✓", "unproved": "○", "failed": "✗", "skipped": "-"}

// printSteps draws the steps of a plan with their states.
func (a *app) printSteps(steps []ipc.PlanStep) {
	for _, s := range steps {
		mark := stepMarks[s.State]
		if s.Looks && s.State == "done" {
			mark = "✓"
		}
		fmt.Fprintf(a.out, "  %s %s\n", mark, strings.ReplaceAll(clean(s.Command), "\n", "\n    "))
	}
}
