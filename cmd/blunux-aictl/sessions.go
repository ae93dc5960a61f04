package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/confirm"
)

// pageFlags holds the paging flags of a long list.
type pageFlags struct {
	page, limit int
	json        bool
}

func (p *pageFlags) register(a *app, cmd *cobra.Command, limit int) {
	cmd.Flags().IntVar(&p.limit, "limit", limit, i18n.FlagLimit.In(a.lang))
	cmd.Flags().IntVar(&p.page, "page", 1, i18n.FlagPage.In(a.lang))
	cmd.Flags().BoolVar(&p.json, "json", false, i18n.FlagJson.In(a.lang))
}

func (p *pageFlags) check(a *app) error {
	if p.limit < 1 {
		return a.newUsageError(i18n.MistakeLeast("--limit", 1))
	}
	if p.page < 1 {
		return a.newUsageError(i18n.MistakeLeast("--page", 1))
	}
	return nil
}

// sessions returns the commands for conversations. Without a subcommand it lists them.
func (a *app) sessions() *cobra.Command {
	cmd := a.sessionsList("sessions", i18n.CmdSessions)
	cmd.AddCommand(
		a.sessionsList("list", i18n.CmdSessionsList), a.sessionsShow(), a.sessionsSearch(), a.sessionsExport(), a.sessionsDelete(),
	)
	return cmd
}

func (a *app) sessionsList(use string, short i18n.Text) *cobra.Command {
	var p pageFlags
	cmd := &cobra.Command{
		Use: use, Short: short.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.check(a); err != nil {
				return err
			}
			rows := []ipc.SessionRow{}
			if err := a.query(cmd.Context(), ipc.Query{What: "sessions", Limit: p.limit, Page: p.page}, &rows); err != nil {
				return err
			}
			if p.json {
				return printJSON(a.out, rows)
			}
			if len(rows) == 0 {
				fmt.Fprintln(os.Stderr, i18n.NoSessions.In(a.lang))
			}
			for _, r := range rows {
				fmt.Fprintln(a.out, sessionLine(r, a.lang))
			}
			if len(rows) >= p.limit {
				fmt.Fprintln(os.Stderr, i18n.MorePages(p.page+1).In(a.lang))
			}
			return nil
		},
	}
	p.register(a, cmd, 50)
	return cmd
}

// sessionLine formats a conversation on one line: time, number of messages, name, title.
func sessionLine(r ipc.SessionRow, lang i18n.Lang) string {
	count := "-"
	if r.Messages != nil {
		count = strconv.Itoa(*r.Messages)
	}
	title := cmp.Or(firstLine(clean(r.Title)), i18n.SessionNoTitle.In(lang))
	line := fmt.Sprintf("%s  %5s  %s  %s", r.Modified.Local().Format("2006-01-02 15:04"), count, ipc.VisibleProse(ipc.SessionName(r.Key)), title)
	if r.Damaged > 0 {
		line += "  ! " + damageText(r.SessionHealth, lang)
	}
	return line
}

// damageText lists the lines that cannot be read.
func damageText(h ipc.SessionHealth, lang i18n.Lang) string {
	lines := make([]string, len(h.DamagedLines))
	for i, n := range h.DamagedLines {
		lines[i] = strconv.Itoa(n)
	}
	list := strings.Join(lines, ", ")
	if len(lines) < h.Damaged {
		list += ", …"
	}
	return i18n.SessionDamaged(h.Damaged, list).In(lang)
}

type searchHit struct {
	Key       string `json:"key"`
	Type      string `json:"type"`
	Timestamp int64  `json:"timestamp"`
	Text      string `json:"text"`
}

type searchResult struct {
	Hits []searchHit `json:"hits"`
	More bool        `json:"more"`
}

func (a *app) sessionsSearch() *cobra.Command {
	var limit int
	cmd := a.jsonCommand("search WORDS...", i18n.CmdSessionsSearch, manual.AtLeastOneArg, func(in invocation) error {
		if limit < 1 {
			return a.newUsageError(i18n.MistakeLeast("--limit", 1))
		}
		var r searchResult
		err := a.query(in.Context(), ipc.Query{What: "search", Text: strings.Join(in.args, " "), Limit: limit}, &r)
		switch {
		case err != nil:
			return err
		case in.json:
			return printJSON(a.out, r)
		case len(r.Hits) == 0:
			fmt.Fprintln(os.Stderr, i18n.NoHits.In(a.lang))
		}
		for _, h := range r.Hits {
			fmt.Fprintf(a.out, "%s  %s  %s: %s\n", formatClock(h.Timestamp), ipc.VisibleProse(ipc.SessionName(h.Key)), speaker(h.Type, a.lang), firstLine(clean(h.Text)))
		}
		if r.More {
			fmt.Fprintln(os.Stderr, i18n.MoreHits.In(a.lang))
		}
		return nil
	})
	cmd.Flags().IntVar(&limit, "limit", 20, i18n.FlagLimit.In(a.lang))
	return cmd
}

func formatClock(milliseconds int64) string {
	return time.UnixMilli(milliseconds).Local().Format("2006-01-02 15:04")
}

func speaker(kind string, lang i18n.Lang) string {
	names := map[string]i18n.Text{
		"user": i18n.SpeakerUser, "thought": i18n.SpeakerThought, "tool": i18n.SpeakerTool, "result": i18n.SpeakerResult,
		"error": i18n.SpeakerError, "reset": i18n.SpeakerReset, "summary": i18n.SpeakerSummary,
	}
	if name, ok := names[kind]; ok {
		return name.In(lang)
	}
	return visible(kind)
}

func (a *app) sessionsDelete() *cobra.Command {
	var yes bool
	cmd := a.jsonCommand("delete KEY", i18n.CmdSessionsDelete, manual.OneArg, func(in invocation) error {
		key := in.args[0]
		if !yes {
			var err error
			if key, err = a.confirmDelete(in.Context(), key); err != nil {
				return err
			}
		}
		reply, err := a.request(in.Context(), ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionDeleteSession, Session: key})
		if err != nil {
			return err
		}
		if in.json {
			return printJSON(a.out, map[string]any{"key": key, "deleted": true})
		}
		fmt.Fprintln(a.out, clean(reply.Body))
		return nil
	})
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, i18n.FlagYes.In(a.lang))
	return cmd
}

// confirmDelete asks at the terminal. Without a terminal it refuses. It shows which conversation a shortened
// name means and returns its key.
func (a *app) confirmDelete(ctx context.Context, name string) (key string, err error) {
	var v ipc.SessionView
	if err := a.query(ctx, ipc.Query{What: "session", Session: name, Limit: 1}, &v); err != nil {
		return "", err
	}
	p := confirm.OpenPrompt()
	if p == nil {
		return "", a.newUsageError(i18n.DeleteNeedsYes)
	}
	defer p.Close()
	line, err := p.AskLine(ctx, i18n.DeleteAsk(ipc.VisibleProse(ipc.SessionName(v.Key))).In(a.lang))
	if err != nil {
		return "", err
	}
	if i18n.ParseAnswer(line) != i18n.Yes {
		fmt.Fprintln(os.Stderr, i18n.NotDeleted.In(a.lang))
		return "", quietExit(exitDenied)
	}
	return v.Key, nil
}

func (a *app) sessionsShow() *cobra.Command {
	var p pageFlags
	cmd := &cobra.Command{
		Use: "show KEY", Short: i18n.CmdSessionsShow.In(a.lang), Args: manual.OneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.check(a); err != nil {
				return err
			}
			v := ipc.SessionView{Entries: []ipc.SessionEntry{}}
			err := a.query(cmd.Context(), ipc.Query{What: "session", Session: args[0], Limit: p.limit, Page: p.page}, &v)
			switch {
			case err != nil:
				return err
			case p.json:
				return printJSON(a.out, v)
			}
			a.printSession(v)
			return nil
		},
	}
	p.register(a, cmd, 50)
	return cmd
}

// printSession prints a page of a conversation. Damage and a note about further pages go to standard error.
func (a *app) printSession(v ipc.SessionView) {
	fmt.Fprintf(a.out, "%s · %s\n", ipc.VisibleProse(ipc.SessionName(v.Key)), i18n.SessionPage(v.Page, v.Pages).In(a.lang))
	for _, e := range v.Entries {
		fmt.Fprintf(a.out, "\n%s  %s%s\n", formatClock(e.Timestamp), speaker(e.Type, a.lang), callNote(e.Metadata, a.lang))
		if e.Content != "" {
			fmt.Fprintln(a.out, "  "+strings.ReplaceAll(strings.TrimRight(clean(e.Content), "\n"), "\n", "\n  "))
		}
		if e.Cut {
			fmt.Fprintln(a.out, "  "+i18n.SessionCut.In(a.lang))
		}
	}
	if v.Damaged > 0 {
		fmt.Fprintln(os.Stderr, "! "+damageText(v.SessionHealth, a.lang))
	}
	if v.Torn > 0 {
		fmt.Fprintln(os.Stderr, i18n.SessionTorn(v.Torn).In(a.lang))
	}
	if v.Page < v.Pages {
		fmt.Fprintln(os.Stderr, i18n.MorePages(v.Page+1).In(a.lang))
	}
}

// callNote describes a call: tool, class and result.
func callNote(m *ipc.EntryInfo, lang i18n.Lang) string {
	if m == nil {
		return ""
	}
	var parts []string
	for _, part := range []string{m.Tool, m.Class} {
		if part != "" {
			parts = append(parts, visible(part))
		}
	}
	switch {
	case m.Refusal != "":
		parts = append(parts, clean(i18n.Refusal(m.Refusal, lang)))
	case m.Exit != nil:
		parts = append(parts, i18n.CommandEnd(lang, i18n.CommandResult{Code: m.Ended, Exit: *m.Exit, Program: clean(m.Program), Limit: m.Limit}))
	}
	if len(parts) == 0 {
		return ""
	}
	return " · " + strings.Join(parts, " · ")
}
