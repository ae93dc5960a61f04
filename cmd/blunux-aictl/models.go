package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// models returns the command that lists the models. For a named provider it includes the models of its server.
func (a *app) models() *cobra.Command {
	return a.jsonCommand("models [PROVIDER]", i18n.CmdModels, manual.AtMostOneArg, func(in invocation) error {
		var raw json.RawMessage
		if err := a.query(in.Context(), ipc.Query{What: "models", Provider: strings.Join(in.args, "")}, &raw); err != nil {
			return err
		}
		if in.json {
			return printJSON(a.out, raw)
		}
		var all []ipc.ProviderModels
		if err := json.Unmarshal(raw, &all); err != nil {
			return err
		}
		for _, p := range all {
			printProvider(a.out, p, a.lang)
		}
		if len(in.args) == 0 {
			fmt.Fprintln(a.out, i18n.ModelsAny.In(a.lang))
		}
		return nil
	})
}

func printProvider(out io.Writer, p ipc.ProviderModels, lang i18n.Lang) {
	mark := "○"
	if p.Why != "" {
		mark = "●"
	}
	about := []string{visible(i18n.ProviderLabel(p.Provider, p.Label, lang)), keyState(p, lang)}
	if p.BaseURL != "" {
		about = append(about, visible(p.BaseURL))
	}
	fmt.Fprintf(out, "%s %s  %s\n", mark, visible(p.Provider), strings.Join(about, " · "))
	if p.Why != "" {
		fmt.Fprintln(out, "  "+i18n.ModelsAnswers(visible(strings.TrimSpace(p.Provider+" "+p.Answers)), i18n.ProviderReasons.In(visible(p.Why), lang)).In(lang))
	}
	if p.Problem != "" {
		fmt.Fprintln(out, "  ! "+visible(i18n.PlainCause(p.Problem, lang)))
	}
	if len(p.Known) == 0 {
		return
	}
	t := newTable(out, []bool{true, false, false, false, true}, i18n.Columns.In("model", lang), i18n.ColumnContext.In(lang),
		i18n.ColumnPriceIn.In(lang), i18n.ColumnPriceOut.In(lang), i18n.ColumnNoted.In(lang))
	for _, m := range p.Known {
		t.row(modelCells(p, m, lang)...)
	}
	t.write("  ")
}

func modelCells(p ipc.ProviderModels, m ipc.ModelInfo, lang i18n.Lang) []string {
	cells := []string{m.ID, "-", "?", "?", ""}
	if m.ID == p.Default {
		cells[0] += " (" + i18n.ModelsDefault.In(lang) + ")"
	}
	if m.Context > 0 {
		cells[1] = i18n.Count(int64(m.Context))
	}
	switch {
	case m.Price == nil:
	case m.Price.Own:
		cells[2], cells[3], cells[4] = dollars(m.Price.Input), dollars(m.Price.Output), i18n.ModelsOwn.In(lang)
	case p.Plan:
		cells[2], cells[3] = i18n.ModelsPlan.In(lang), i18n.ModelsPlan.In(lang)
	case p.Free:
		cells[2], cells[3] = i18n.ModelsFree.In(lang), i18n.ModelsFree.In(lang)
	default:
		cells[2], cells[3], cells[4] = dollars(m.Price.Input), dollars(m.Price.Output), m.Price.Noted
	}
	return cells
}

// dollars formats a list price with at least two decimals.
func dollars(usd float64) string {
	text := strconv.FormatFloat(usd, 'f', -1, 64)
	_, fraction, _ := strings.Cut(text, ".")
	if len(fraction) < 2 {
		return strconv.FormatFloat(usd, 'f', 2, 64)
	}
	return text
}

// keyState says whether the provider's key exists, or where it is looked for.
func keyState(p ipc.ProviderModels, lang i18n.Lang) string {
	switch p.Key {
	case ipc.KeyPresent:
		return i18n.ModelsKeyThere.In(lang)
	case ipc.KeyBad:
		return i18n.ModelsKeyBad.In(lang)
	case ipc.KeyNone, ipc.KeyOptional:
		return i18n.ModelsKeyNone.In(lang)
	}
	names := slices.Clone(p.KeyNames)
	for i := range names {
		names[i] = visible(names[i])
	}
	return i18n.ModelsKeyGone(strings.Join(names, ", ")).In(lang)
}

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
		r.Name = cmp.Or(r.Name, i18n.RowUnknown.In(lang))
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

// pairing returns the commands that show and change which senders are paired.
func (a *app) pairing() *cobra.Command {
	cmd := a.jsonCommand("pairing", i18n.CmdPairing, manual.NoArgs, func(in invocation) error {
		var list ipc.PairingList
		if err := a.query(in.Context(), ipc.Query{What: "pairing"}, &list); err != nil {
			return err
		}
		if in.json {
			return printJSON(a.out, list)
		}
		a.printPairings(list)
		return nil
	})
	change := func(use string, short i18n.Text, args cobra.PositionalArgs, action string, done func(channel, sender string) i18n.Text) {
		cmd.AddCommand(a.jsonCommand(use, short, args, func(in invocation) error {
			p, err := a.changePairing(in.Command, action, in.args)
			if err != nil {
				return err
			}
			if in.json {
				return printJSON(a.out, p)
			}
			fmt.Fprintln(a.out, done(visible(p.Channel), visible(p.Sender)).In(a.lang))
			return nil
		}))
	}
	change("approve CODE", i18n.CmdPairingApprove, manual.OneArg, ipc.ActionPairingApprove, i18n.PairingDone)
	change("deny CODE", i18n.CmdPairingDeny, manual.OneArg, ipc.ActionPairingDeny, i18n.PairingDenied)
	change("remove CHANNEL SENDER", i18n.CmdPairingRemove, manual.TwoArgs, ipc.ActionPairingRemove, i18n.PairingRemoved)
	return cmd
}

func (a *app) changePairing(cmd *cobra.Command, action string, args []string) (ipc.Pairing, error) {
	var p ipc.Pairing
	change := ipc.PairingChange{Code: args[0]}
	if action == ipc.ActionPairingRemove {
		change = ipc.PairingChange{Channel: args[0], Sender: args[1]}
	}
	reply, err := a.request(cmd.Context(), ipc.Message{Type: ipc.TypeAction, Action: action}.WithData(change))
	if err != nil {
		return p, err
	}
	return p, reply.Decode(&p)
}

// printPairings prints pending requests, each with the command that approves it, and the paired senders.
func (a *app) printPairings(list ipc.PairingList) {
	if len(list.Waiting)+len(list.Paired) == 0 {
		fmt.Fprintln(a.out, i18n.PairingNone.In(a.lang))
		return
	}
	row := func(words ...string) {
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
		fmt.Fprintln(a.out, "  "+strings.Join(words, "  "))
	}
	if len(list.Waiting) > 0 {
		fmt.Fprintln(a.out, i18n.PairingWaiting.In(a.lang))
	}
	for _, p := range list.Waiting {
		row(p.Code, p.Channel, visible(p.Sender), visible(p.Name), i18n.PairingUntil(p.Expires.Local().Format("2006-01-02 15:04")).In(a.lang))
		row(i18n.PairingHow(p.Code).In(a.lang))
	}
	if len(list.Paired) > 0 {
		fmt.Fprintln(a.out, i18n.PairingApproved.In(a.lang))
	}
	for _, p := range list.Paired {
		since := i18n.PairingByFile.In(a.lang)
		if !p.Configured {
			since = p.Since.Local().Format("2006-01-02")
		}
		row(p.Channel, visible(p.Sender), visible(p.Name), since)
	}
}
