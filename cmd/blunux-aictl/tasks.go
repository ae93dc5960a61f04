package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

type taskRow struct {
	ID       string    `json:"id"`
	State    string    `json:"state"`
	Channel  string    `json:"channel"`
	Session  string    `json:"session"`
	Text     string    `json:"text"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	Attempts int       `json:"attempts"`
	Approval string    `json:"approval"`
	Rounds   int       `json:"rounds"`
	Tokens   int       `json:"tokens"`
	Commands int       `json:"commands"`
	Answer   string    `json:"answer"`
	Error    *struct {
		Code     string `json:"code"`
		User     string `json:"userMessage"`
		Internal string `json:"internalMessage"`
	} `json:"error"`
}

// tasks returns the command that lists recent tasks, or shows all details of one.
func (a *app) tasks() *cobra.Command {
	return a.jsonCommand("tasks [TASK]", i18n.CmdTasks, manual.AtMostOneArg, func(in invocation) error {
		id := strings.Join(in.args, "")
		raw := []json.RawMessage{}
		if err := a.query(in.Context(), ipc.Query{What: "tasks", Task: id}, &raw); err != nil {
			return err
		}
		switch {
		case id != "" && len(raw) == 0:
			return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.NoSuchTask(id).In(a.lang)}
		case in.json && id != "":
			return printJSON(a.out, raw[0])
		case in.json:
			return printJSON(a.out, raw)
		case len(raw) == 0:
			fmt.Fprintln(os.Stderr, i18n.NoTasks.In(a.lang))
		}
		for _, r := range raw {
			var t taskRow
			if err := json.Unmarshal(r, &t); err != nil {
				return err
			}
			a.printTask(t, id != "")
			if id != "" {
				if err := a.printTaskSteps(in, id); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// printTaskSteps draws the steps of the changes that a task made.
func (a *app) printTaskSteps(in invocation, id string) error {
	all := []ipc.Change{}
	if err := a.query(in.Context(), ipc.Query{What: "changes", Task: id}, &all); err != nil {
		return err
	}
	for _, c := range all {
		a.printChange(c)
	}
	return nil
}

func (a *app) printTask(t taskRow, whole bool) {
	state := t.State
	if t.Approval != "" {
		state += " " + t.Approval
	}
	if !whole {
		fmt.Fprintf(a.out, "%s  %-12s %s  %-8s %s\n", t.ID, state, t.Created.Local().Format(time.TimeOnly), clean(t.Channel), firstLine(clean(t.Text)))
		return
	}
	rows := []struct {
		name  i18n.Text
		value string
	}{
		{i18n.TaskState, state + ", " + t.Created.Local().Format(time.DateTime) + " → " + t.Updated.Local().Format(time.TimeOnly)},
		{i18n.TaskWhere, ipc.SessionName(cmp.Or(t.Session, t.Channel))},
		{i18n.TaskTook, i18n.TaskFigures(t.Attempts, t.Rounds, t.Tokens, t.Commands).In(a.lang)},
		{i18n.TaskAsked, t.Text},
		{i18n.TaskAnswer, t.Answer},
	}
	if t.Error != nil {
		rows = append(rows, []struct {
			name  i18n.Text
			value string
		}{
			{i18n.TaskError, t.Error.Code + ": " + t.Error.User},
			{i18n.TaskDetails, t.Error.Internal},
		}...)
	}
	fmt.Fprintf(a.out, "● %s\n", t.ID)
	for _, row := range rows {
		if row.value != "" {
			fmt.Fprintf(a.out, "  %s %s\n", term.Pad(row.name.In(a.lang), 8), strings.ReplaceAll(clean(row.value), "\n", "\n           "))
		}
	}
}

// notifications returns the command that shows unread notices: late answers, and the results of questions whose
// daemon crashed.
func (a *app) notifications() *cobra.Command {
	var remove bool
	cmd := a.jsonCommand("notifications", i18n.CmdNotify, manual.NoArgs, func(in invocation) error {
		notices := []ipc.Notice{}
		if err := a.query(in.Context(), ipc.Query{What: "notifications"}, &notices); err != nil {
			return err
		}
		switch {
		case in.json:
			if err := printJSON(a.out, notices); err != nil {
				return err
			}
		case len(notices) == 0:
			fmt.Fprintln(os.Stderr, i18n.NoNotifications.In(a.lang))
		}
		ids := ipc.Acknowledgement{IDs: []string{}}
		for _, n := range notices {
			ids.IDs = append(ids.IDs, n.ID)
			if !in.json {
				fmt.Fprintf(a.out, "● %s  %s/%s\n%s\n\n", n.Created.Local().Format("2006-01-02 15:04"), clean(n.Channel), clean(n.To), clean(n.Body))
			}
		}
		if !remove || len(ids.IDs) == 0 || a.out.err != nil {
			return nil
		}
		_, err := a.request(in.Context(), ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionAck}.WithData(ids))
		return err
	})
	cmd.Flags().BoolVar(&remove, "clear", false, i18n.FlagClear.In(a.lang))
	return cmd
}

// newListCommand returns a command that prints the rows of a query's answer, one per line, or as JSON.
func newListCommand[T any](a *app, use string, short, none i18n.Text, what string, row func(T) string) *cobra.Command {
	return a.jsonCommand(use, short, manual.NoArgs, func(in invocation) error {
		rows := []T{}
		if err := a.query(in.Context(), ipc.Query{What: what}, &rows); err != nil {
			return err
		}
		if in.json {
			return printJSON(a.out, rows)
		}
		if len(rows) == 0 {
			fmt.Fprintln(os.Stderr, none.In(a.lang))
		}
		for _, r := range rows {
			fmt.Fprintln(a.out, row(r))
		}
		return nil
	})
}

func (a *app) cancel() *cobra.Command {
	return a.jsonCommand("cancel TASK", i18n.CmdCancel, manual.OneArg, func(in invocation) error {
		_, err := a.request(in.Context(), ipc.Message{Type: ipc.TypeCancel}.WithData(map[string]string{"task": in.args[0]}))
		if err == nil && in.json {
			err = printJSON(a.out, map[string]any{"task": in.args[0], "cancelled": true})
		}
		return err
	})
}

func (a *app) reset() *cobra.Command {
	var session, agent string
	cmd := a.jsonCommand("reset", i18n.CmdReset, manual.NoArgs, func(in invocation) error {
		reply, err := a.request(in.Context(), ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionReset, Session: session}.WithData(ipc.Request{Agent: agent}))
		if err != nil {
			return err
		}
		if in.json {
			return printJSON(a.out, map[string]any{"session": cmp.Or(session, "default"), "reset": true})
		}
		fmt.Fprintln(a.out, clean(reply.Body))
		return nil
	})
	cmd.Flags().StringVarP(&session, "session", "s", "", i18n.FlagSession.In(a.lang))
	cmd.Flags().StringVar(&agent, "agent", "", i18n.FlagAgent.In(a.lang))
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

// call sends a line to the daemon, or a request to the gateway.
func (a *app) call() *cobra.Command {
	return &cobra.Command{
		Use: "call [LINE | METHOD [PARAMS]]", Short: i18n.CmdCall.In(a.lang), Args: manual.AtMostTwoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !strings.HasPrefix(strings.TrimSpace(args[0]), "{") {
				return a.callGateway(args)
			}
			if len(args) > 1 {
				return a.newUsageError(i18n.MistakeNotLine(errMoreThanLine))
			}
			return a.callDaemon(cmd.Context(), strings.Join(args, ""))
		},
	}
}

var errMoreThanLine = errors.New("there is more than one argument")

// relay returns the hidden command that a client on another machine runs with ssh (--host).
func (a *app) relay() *cobra.Command {
	var noStart bool
	cmd := &cobra.Command{
		Use: "relay", Short: i18n.CmdRelay.In(a.lang), Hidden: true, Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := ipc.NewDialer()
			d.NoStart = noStart
			daemon, err := d.Dial(cmd.Context())
			if err != nil {
				return err
			}
			defer daemon.Close()
			return ipc.Relay(daemon, os.Stdin, os.Stdout)
		},
	}
	cmd.Flags().BoolVar(&noStart, "no-start", false, i18n.FlagRelayNoStart.In(a.lang))
	return cmd
}

// callGateway becomes the gateway's program, which has the method called.
func (a *app) callGateway(args []string) error {
	if a.host != "" {
		return a.newUsageError(i18n.MistakeHostLocal("blunux-aictl call "+args[0], "ssh "+a.host+" blunux-aictl call "+args[0]))
	}
	options := map[string]any{"lang": a.lang, "method": args[0]}
	if len(args) > 1 {
		if !json.Valid([]byte(args[1])) {
			return a.newUsageError(i18n.MistakeNotParams)
		}
		options["params"] = json.RawMessage(args[1])
	}
	return becomeGateway("call", options)
}

// callDaemon sends a line, which is read from standard input if it is "".
func (a *app) callDaemon(ctx context.Context, line string) error {
	if line == "" {
		var err error
		if line, err = readLine(ipc.Interruptible(ctx, os.Stdin)); err != nil {
			return err
		}
	}
	m, err := ipc.Unmarshal([]byte(strings.TrimSpace(line)))
	if err != nil {
		return a.newUsageError(i18n.MistakeNotLine(err))
	}
	c, err := a.connect(ctx, ipc.Hello{Caps: []string{ipc.CapDelta, ipc.CapTool}})
	if err != nil {
		return err
	}
	defer c.Close()
	last, err := c.Do(ctx, m, func(f ipc.Message) error { return printJSON(a.out, f) })
	if err != nil {
		return err
	}
	return json.NewEncoder(a.out).Encode(last)
}
