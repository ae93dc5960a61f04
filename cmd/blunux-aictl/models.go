package main

import (
	"encoding/json"
	"fmt"
	"io"
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
	var asJSON bool
	cmd := &cobra.Command{
		Use: "models [PROVIDER]", Short: i18n.CmdModels.In(a.lang), Args: manual.AtMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			var raw json.RawMessage
			if err := a.query(cmd.Context(), ipc.Query{What: "models", Provider: strings.Join(args, "")}, &raw); err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.out, raw)
			}
			var all []ipc.ProviderModels
			if err := json.Unmarshal(raw, &all); err != nil {
				return err
			}
			for _, p := range all {
				printProvider(a.out, p, a.lang)
			}
			if len(args) == 0 {
				fmt.Fprintln(a.out, i18n.ModelsAny.In(a.lang))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJson.In(a.lang))
	return cmd
}

// printProvider prints a provider with its models below it.
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
		fmt.Fprintln(out, "  "+i18n.ModelsAnswers(visible(strings.TrimSpace(p.Provider+" "+p.Answers)), i18n.ProviderReason(visible(p.Why), lang)).In(lang))
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
