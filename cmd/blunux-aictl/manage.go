package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// newListCommand returns a command that prints the rows of a query's answer, one per line, or as JSON.
func newListCommand[T any](a *app, use string, short, none i18n.Text, what string, row func(T) string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short.In(a.lang), Args: manual.NoArgs,
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
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJson.In(a.lang))
	return cmd
}

func (a *app) cancel() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "cancel TASK", Short: i18n.CmdCancel.In(a.lang), Args: manual.OneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := a.request(cmd.Context(), ipc.Message{Type: ipc.TypeCancel}.WithData(map[string]string{"task": args[0]}))
			if err == nil && asJSON {
				err = printJSON(a.out, map[string]any{"task": args[0], "cancelled": true})
			}
			return err
		},
	}
	a.jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) reset() *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "reset", Short: i18n.CmdReset.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			reply, err := a.request(cmd.Context(), ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionReset, Session: session})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.out, map[string]any{"session": cmp.Or(session, "default"), "reset": true})
			}
			fmt.Fprintln(a.out, clean(reply.Body))
			return nil
		},
	}
	a.jsonFlag(cmd, &asJSON)
	cmd.Flags().StringVarP(&session, "session", "s", "", i18n.FlagSession.In(a.lang))
	return cmd
}

// readLine reads a line. It returns "" if the line is too long for a frame.
func readLine(r io.Reader) (string, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, ipc.MaxLine+1)
	sc.Scan()
	if err := sc.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) {
		return "", err
	}
	return sc.Text(), nil
}

// call returns the command that sends raw frames from the argument or standard input and prints every reply
// until all requests have ended.
func (a *app) call() *cobra.Command {
	return &cobra.Command{
		Use: "call [LINE]", Short: i18n.CmdCall.In(a.lang), Args: manual.AtMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			line := strings.Join(args, "")
			if len(args) == 0 {
				var err error
				if line, err = readLine(ipc.Interruptible(cmd.Context(), os.Stdin)); err != nil {
					return err
				}
			}
			m, err := ipc.Unmarshal([]byte(strings.TrimSpace(line)))
			if err != nil {
				return a.newUsageError(i18n.MistakeNotLine(err))
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
