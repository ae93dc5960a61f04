package main

import (
	"cmp"
	"encoding/json"
	"fmt"
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
	var asJSON bool
	cmd := &cobra.Command{
		Use: "tasks [TASK]", Short: i18n.CmdTasks.In(a.lang), Args: manual.AtMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := strings.Join(args, "")
			raw := []json.RawMessage{}
			if err := a.query(cmd.Context(), ipc.Query{What: "tasks", Task: id}, &raw); err != nil {
				return err
			}
			switch {
			case id != "" && len(raw) == 0:
				return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.NoSuchTask(id).In(a.lang)}
			case asJSON && id != "":
				return printJSON(a.out, raw[0])
			case asJSON:
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
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJson.In(a.lang))
	return cmd
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
