package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// listing makes a command that shows the answer to a query, one line a row,
// or as JSON.
func listing[T any](a *app, use string, short, none i18n.Text, what string, row func(T) string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short.In(a.lang), Args: a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows := []T{}
			if err := a.query(cmd.Context(), ipc.Query{What: what}, &rows); err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.out, rows)
			}
			if len(rows) == 0 {
				fmt.Fprintln(os.Stderr, none.In(a.lang))
			}
			for _, r := range rows {
				fmt.Fprintln(a.out, row(r))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJSON.In(a.lang))
	return cmd
}

func (a *app) approvals() *cobra.Command {
	return listing(a, "approvals", i18n.CmdApprovals, i18n.NothingWaits, "approvals", func(ask ipc.Ask) string {
		return fmt.Sprintf("%s  %s  %-8s %s", ask.Code, ask.Expires.Local().Format("01-02 15:04"), ask.Channel, firstLine(visible(ask.Command)))
	})
}

type taskRow struct {
	ID      string    `json:"id"`
	State   string    `json:"state"`
	Channel string    `json:"channel"`
	Session string    `json:"session"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

func (a *app) tasks() *cobra.Command {
	return listing(a, "tasks", i18n.CmdTasks, i18n.NoTasks, "tasks", func(t taskRow) string {
		return fmt.Sprintf("%s  %-8s %s  %-8s %s", t.ID, t.State, t.Created.Local().Format(time.TimeOnly), t.Channel, firstLine(clean(t.Text)))
	})
}

func (a *app) notifications() *cobra.Command {
	return listing(a, "notifications", i18n.CmdNotify, i18n.NoNotifications, "notifications", func(n ipc.Notification) string {
		return clean(n.To) + "  " + firstLine(clean(n.Body))
	})
}

// answering makes a command that answers an approval by its code.
func (a *app) answering(use string, short i18n.Text, action string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short.In(a.lang), Args: a.oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			answer := ipc.Answer{Code: args[0], Digest: a.showWaiting(cmd.Context(), args[0])}
			reply, err := a.request(cmd.Context(), ipc.Message{Type: ipc.TypeAction, Action: action}.WithData(answer))
			if err != nil {
				return err
			}
			fmt.Fprintln(a.out, clean(reply.Body))
			return failedStep(reply)
		},
	}
}

// showWaiting shows what a code is for, so that nobody answers for something
// else, and returns its digest; "" when nothing waits under it.
func (a *app) showWaiting(ctx context.Context, code string) string {
	var asks []ipc.Ask
	if a.query(ctx, ipc.Query{What: "approvals"}, &asks) != nil {
		return "" // the answer itself will tell
	}
	for _, ask := range asks {
		if strings.EqualFold(ask.Code, strings.TrimSpace(code)) {
			fmt.Fprintln(os.Stderr, visible(ask.Command))
			return ask.Digest
		}
	}
	return ""
}

// failedStep ends the program with a failure when what was approved ran and
// failed.
func failedStep(reply ipc.Message) error {
	var out ipc.Outcome
	if err := reply.Decode(&out); err != nil {
		return err
	}
	for _, s := range out.Steps {
		if s.Exit != 0 {
			return quietExit(exitFailure)
		}
	}
	return nil
}

func (a *app) approve() *cobra.Command {
	return a.answering("approve CODE", i18n.CmdApprove, ipc.ActionAllowOnce)
}

func (a *app) deny() *cobra.Command {
	return a.answering("deny CODE", i18n.CmdDeny, ipc.ActionReject)
}

func (a *app) cancel() *cobra.Command {
	return &cobra.Command{
		Use: "cancel TASK", Short: i18n.CmdCancel.In(a.lang), Args: a.oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := a.request(cmd.Context(), ipc.Message{Type: ipc.TypeCancel}.WithData(map[string]string{"task": args[0]}))
			return err
		},
	}
}

func (a *app) reset() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use: "reset", Short: i18n.CmdReset.In(a.lang), Args: a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			reply, err := a.request(cmd.Context(), ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionReset, Session: session})
			if err != nil {
				return err
			}
			fmt.Fprintln(a.out, clean(reply.Body))
			return nil
		},
	}
	cmd.Flags().StringVarP(&session, "session", "s", "", i18n.FlagSession.In(a.lang))
	return cmd
}

// call sends raw lines, from the argument or standard input, and prints every
// line that comes back until each request has ended.
func (a *app) call() *cobra.Command {
	return &cobra.Command{
		Use: "call [LINE]", Short: i18n.CmdCall.In(a.lang), Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			line := strings.Join(args, "")
			if len(args) == 0 {
				sc := bufio.NewScanner(os.Stdin)
				sc.Buffer(nil, ipc.MaxLine+1)
				sc.Scan()
				line = sc.Text()
			}
			m, err := ipc.Unmarshal([]byte(strings.TrimSpace(line)))
			if err != nil {
				return usageError{err}
			}
			c, err := a.connect(cmd.Context(), ipc.Hello{Caps: []string{ipc.CapDelta, ipc.CapTool}})
			if err != nil {
				return err
			}
			defer c.Close()
			last, err := c.Do(cmd.Context(), m, func(f ipc.Message) error { return printJSON(a.out, f) })
			if err != nil {
				return err
			}
			return json.NewEncoder(a.out).Encode(last)
		},
	}
}
