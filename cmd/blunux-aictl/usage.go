package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// usage returns the command that shows what models cost.
func (a *app) usage() *cobra.Command {
	var asJSON bool
	q := ipc.Query{What: "usage"}
	cmd := &cobra.Command{
		Use: "usage", Short: i18n.CmdUsage.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var raw json.RawMessage
			if err := a.query(cmd.Context(), q, &raw); err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.out, raw)
			}
			var report ipc.UsageReport
			if err := json.Unmarshal(raw, &report); err != nil {
				return err
			}
			if len(report.Rows) == 0 {
				fmt.Fprintln(os.Stderr, i18n.UsageNothing.In(a.lang))
				return nil
			}
			printUsage(a.out, report, a.lang)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJson.In(a.lang))
	cmd.Flags().StringVar(&q.Since, "since", "30d", i18n.FlagSince.In(a.lang))
	cmd.Flags().StringVar(&q.By, "by", "day", i18n.FlagBy.In(a.lang))
	return cmd
}

// printUsage prints a report as a table with its total and notes.
func printUsage(out io.Writer, report ipc.UsageReport, lang i18n.Lang) {
	t := newTable(out, []bool{true, false, false, false, false, false}, visible(i18n.Columns.In(report.By, lang)),
		i18n.ColumnRequests.In(lang), i18n.ColumnIn.In(lang), i18n.ColumnCached.In(lang), i18n.ColumnOut.In(lang), i18n.ColumnCost.In(lang))
	for _, r := range report.Rows {
		if r.Name == "" {
			r.Name = i18n.RowUnknown.In(lang)
		}
		t.row(usageCells(ipc.SessionName(r.Name), r.UsageSum)...)
	}
	if len(report.Rows) > 1 {
		t.row(usageCells(i18n.RowTotal.In(lang), report.Total)...)
	}
	t.write("")
	if report.Total.Unpriced > 0 {
		fmt.Fprintln(out, i18n.UsageUnpriced(i18n.Count(report.Total.Unpriced)).In(lang))
	}
	if report.Budget != nil {
		fmt.Fprintln(out, budgetLine(*report.Budget, lang))
	}
}

func usageCells(name string, s ipc.UsageSum) []string {
	return []string{name, i18n.Count(s.Requests), i18n.Count(s.In), i18n.Count(s.Cached), i18n.Count(s.Out), i18n.Cost(s.CostUSD, s.Requests, s.Unpriced)}
}

// budgetLine formats today's budget on one line.
func budgetLine(b ipc.DayBudget, lang i18n.Lang) string {
	limit, used, tokens := b.Nearest()
	return i18n.Budget(lang, limit, used, tokens, b.Share)
}

// budgetAmounts returns the limit that is closest to being reached, and how much of it is used.
func budgetAmounts(b ipc.DayBudget, lang i18n.Lang) (limit, used string) {
	most, spent, tokens := b.Nearest()
	return i18n.BudgetAmounts(lang, most, spent, tokens)
}
