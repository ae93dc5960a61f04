package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// diagnose returns the command that looks for the cause of a problem.
func (a *app) diagnose() *cobra.Command {
	var repair bool
	cmd := a.jsonCommand("diagnose [TOPIC] [OBJECT]", i18n.CmdDiagnose, manual.AtMostTwoArgs, func(in invocation) error {
		var p *ipc.Problem
		if len(in.args) > 0 {
			p = &ipc.Problem{Topic: in.args[0], Object: strings.Join(in.args[1:], "")}
		}
		switch {
		case repair && p == nil:
			return a.newUsageError(i18n.DiagnoseRepairTopic)
		case repair:
			return a.runAsk(in.Context(), question{text: strings.TrimSpace("diagnose " + strings.Join(in.args, " "))}, askOptions{json: in.json, repair: p})
		}
		return a.showDiagnosis(in, p)
	})
	cmd.Flags().BoolVar(&repair, "repair", false, i18n.FlagRepair.In(a.lang))
	return cmd
}

// showDiagnosis prints the causes of a problem, or of all that need no object, and how to repair the first.
func (a *app) showDiagnosis(in invocation, p *ipc.Problem) error {
	var d ipc.Diagnosis
	if err := a.look(in, ipc.Query{What: "diagnose", Problem: p}, &d); err != nil {
		return err
	}
	if in.json {
		return printJSON(a.out, d.Report)
	}
	fmt.Fprintln(a.out, ipc.Visible(d.Text))
	if d.Repairable {
		command := append([]string{"blunux-aictl", "diagnose", d.Topic}, in.args[min(1, len(in.args)):]...)
		fmt.Fprintln(a.out, i18n.DiagnoseRepairable(strings.Join(command, " ")+" --repair").In(a.lang))
	}
	return nil
}
