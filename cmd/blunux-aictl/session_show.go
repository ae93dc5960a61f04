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

// sessionView is the answer to the query session.
type sessionView struct {
	sessionRow
	Page    int            `json:"page"`
	Pages   int            `json:"pages"`
	Entries []sessionEntry `json:"entries"`
}

type sessionEntry struct {
	Type      string       `json:"type"`
	Content   string       `json:"content"`
	Timestamp int64        `json:"timestamp"`
	Metadata  *sessionMeta `json:"metadata,omitempty"`
	Cut       bool         `json:"cut,omitempty"`
}

type sessionMeta struct {
	Task      string `json:"task,omitempty"`
	Channel   string `json:"channel,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Call      string `json:"call,omitempty"`
	Class     string `json:"class,omitempty"`
	Exit      *int   `json:"exit,omitempty"`
	Ended     string `json:"ended,omitempty"`
	Program   string `json:"program,omitempty"`
	Limit     int    `json:"limit,omitempty"`
	Refusal   string `json:"refusal,omitempty"`
	Covers    int64  `json:"covers,omitempty"`
	Untrusted bool   `json:"untrusted,omitempty"`
	Key       string `json:"key,omitempty"`
}

func (a *app) sessionsShow() *cobra.Command {
	var p pageFlags
	cmd := &cobra.Command{
		Use: "show KEY", Short: i18n.CmdSessionsShow.In(a.lang), Args: manual.OneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.check(a); err != nil {
				return err
			}
			v := sessionView{Entries: []sessionEntry{}}
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
func (a *app) printSession(v sessionView) {
	fmt.Fprintf(a.out, "%s · %s\n", ipc.VisibleProse(ipc.SessionName(v.Key)), i18n.SessionPage(v.Page, v.Pages).In(a.lang))
	for _, e := range v.Entries {
		fmt.Fprintf(a.out, "\n%s  %s%s\n", formatClock(e.Timestamp), speaker(e.Type, a.lang), e.Metadata.note(a.lang))
		if e.Content != "" {
			fmt.Fprintln(a.out, indent(clean(e.Content)))
		}
		if e.Cut {
			fmt.Fprintln(a.out, "  "+i18n.SessionCut.In(a.lang))
		}
	}
	if v.Damaged > 0 {
		fmt.Fprintln(os.Stderr, "! "+v.damage(a.lang))
	}
	if v.Torn > 0 {
		fmt.Fprintln(os.Stderr, i18n.SessionTorn(v.Torn).In(a.lang))
	}
	if v.Page < v.Pages {
		fmt.Fprintln(os.Stderr, i18n.MorePages(v.Page+1).In(a.lang))
	}
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

// note describes a call: tool, class and result.
func (m *sessionMeta) note(lang i18n.Lang) string {
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
