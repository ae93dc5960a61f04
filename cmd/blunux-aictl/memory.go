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
	"github.com/nidoit/blunux-ai/ui/confirm"
)

// memory returns the commands for notes that use the daemon. blunux-ai memory has the same without a daemon,
// and edit.
func (a *app) memory() *cobra.Command {
	cmd := &cobra.Command{
		Use: "memory", Short: i18n.CmdMemory.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		a.memoryShow(), a.memoryCount(), a.memorySearch(), a.memoryRemember(), a.memoryForget(), a.memoryRefresh(), a.memoryClear(), a.memoryExport(), a.memoryImport(),
	)
	return cmd
}

// noteCount is the daemon's count of the notes.
type noteCount struct {
	Notes      int `json:"notes"`
	Categories []struct {
		Category string `json:"category"`
		Notes    int    `json:"notes"`
	} `json:"categories"`
	Problems []string `json:"problems,omitempty"` // files that cannot be counted, and what helps
}

func (a *app) memoryCount() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "count", Short: i18n.CmdMemoryCount.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var counted noteCount
			err := a.query(cmd.Context(), ipc.Query{What: "memory-count"}, &counted)
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(a.out, counted)
			}
			return a.printCount(counted)
		},
	}
	a.jsonFlag(cmd, &asJSON)
	return cmd
}

// printCount prints how many notes there are. For files that cannot be counted it prints the reason and returns
// an exit status.
func (a *app) printCount(counted noteCount) error {
	fmt.Fprintln(a.out, i18n.MemoryCount(counted.Notes).In(a.lang))
	for _, c := range counted.Categories {
		fmt.Fprintf(a.out, "%6d  %s\n", c.Notes, visible(c.Category))
	}
	for _, p := range counted.Problems {
		fmt.Fprintln(os.Stderr, clean(p))
	}
	if len(counted.Problems) > 0 {
		return quietExit(exitFailure)
	}
	return nil
}

// noteHit is a note found by the daemon.
type noteHit struct {
	Key      string    `json:"key"`
	Text     string    `json:"content"`
	Category string    `json:"category"`
	Heading  string    `json:"heading,omitempty"`
	Source   string    `json:"source"`
	Line     int       `json:"line,omitempty"`
	Created  time.Time `json:"created_at"`
	Updated  time.Time `json:"updated_at"`
	Score    float64   `json:"relevance_score"`
}

func (a *app) memorySearch() *cobra.Command {
	q := ipc.Query{What: "memory-search"}
	var asJSON bool
	cmd := &cobra.Command{
		Use: "search WORDS...", Short: i18n.CmdMemorySearch.In(a.lang), Args: manual.AtLeastOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if q.Limit < 1 || q.Limit > 200 {
				return a.newUsageError(i18n.MistakeBetween("--limit", 1, 200))
			}
			q.Text = strings.Join(args, " ")
			var found struct {
				Hits []noteHit `json:"hits"`
			}
			err := a.query(cmd.Context(), q, &found)
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(a.out, found)
			case len(found.Hits) == 0:
				fmt.Fprintln(os.Stderr, i18n.MemoryNoHits.In(a.lang))
			}
			for _, h := range found.Hits {
				fmt.Fprintln(a.out, h.line())
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&q.Limit, "limit", 10, i18n.FlagLimit.In(a.lang))
	cmd.Flags().StringSliceVar(&q.Categories, "category", nil, i18n.FlagCategories.In(a.lang))
	a.jsonFlag(cmd, &asJSON)
	return cmd
}

// line formats a search hit on one line: time, file, text.
func (h noteHit) line() string {
	place := h.Source
	if h.Line > 0 {
		place = fmt.Sprintf("%s:%d", h.Source, h.Line)
	}
	return fmt.Sprintf("%s  %s  %s", h.Updated.Local().Format("2006-01-02"), visible(place), clean(strings.Join(strings.Fields(h.Text), " ")))
}

func (a *app) memoryRemember() *cobra.Command {
	var note ipc.Note
	var asJSON bool
	cmd := &cobra.Command{
		Use: "remember TEXT...", Short: i18n.CmdMemoryRemember.In(a.lang), Args: manual.AtLeastOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			note.Text = strings.Join(args, " ")
			return a.noteAction(cmd, ipc.ActionRemember, note, asJSON)
		},
	}
	cmd.Flags().StringVar(&note.Key, "key", "", i18n.FlagNoteKey.In(a.lang))
	cmd.Flags().StringVar(&note.Category, "category", "", i18n.FlagNoteCategory.In(a.lang))
	a.jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) memoryForget() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "forget KEY...", Short: i18n.CmdMemoryForget.In(a.lang), Args: manual.AtLeastOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.noteAction(cmd, ipc.ActionForget, ipc.Note{Key: strings.Join(args, " ")}, asJSON)
		},
	}
	a.jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) memoryRefresh() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "refresh", Short: i18n.CmdMemoryRefresh.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.noteAction(cmd, ipc.ActionRefreshMemory, ipc.Note{}, asJSON)
		},
	}
	a.jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, i18n.FlagJson.In(a.lang))
}

// noteAction makes the daemon change the notes and prints the result.
func (a *app) noteAction(cmd *cobra.Command, action string, note ipc.Note, asJSON bool) error {
	reply, err := a.request(cmd.Context(), ipc.Message{Type: ipc.TypeAction, Action: action}.WithData(note))
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(a.out, reply.Data)
	}
	fmt.Fprintln(a.out, clean(reply.Body))
	return nil
}

func (a *app) memoryClear() *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use: "clear", Short: i18n.CmdMemoryClear.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !yes {
				if err := a.confirmClear(cmd); err != nil {
					return err
				}
			}
			return a.noteAction(cmd, ipc.ActionClearMemory, ipc.Note{}, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, i18n.FlagYes.In(a.lang))
	a.jsonFlag(cmd, &asJSON)
	return cmd
}

// confirmClear shows the number of notes and asks at the terminal. Without a terminal it refuses.
func (a *app) confirmClear(cmd *cobra.Command) error {
	var m memoryFiles
	if err := a.query(cmd.Context(), ipc.Query{What: "memory"}, &m); err != nil {
		return err
	}
	p := confirm.OpenPrompt()
	if p == nil {
		return a.newUsageError(i18n.MemoryNeedsYes)
	}
	defer p.Close()
	line, err := p.AskLine(cmd.Context(), i18n.MemoryClearAsk(m.Clearable.Days, m.Clearable.Notes).In(a.lang))
	if err != nil {
		return err
	}
	if i18n.ParseAnswer(line) != i18n.Yes {
		fmt.Fprintln(os.Stderr, i18n.MemoryNotClear.In(a.lang))
		return quietExit(exitDenied)
	}
	return nil
}
