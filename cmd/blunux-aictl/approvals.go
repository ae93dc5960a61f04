package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/confirm"
)

func (a *app) approvals() *cobra.Command {
	list := func(use string) *cobra.Command {
		return newListCommand(a, use, i18n.CmdApprovals, i18n.NoApprovals, "approvals", func(ask ipc.Ask) string {
			return fmt.Sprintf("%s  %s  %-8s %s", ask.Code, ask.Expires.Local().Format("01-02 15:04"), ask.Channel, firstLine(visible(ask.Command)))
		})
	}
	cmd := list("approvals")
	cmd.AddCommand(list("list"))
	return cmd
}

// atTerminal is the value of --edit without a command.
const atTerminal = "\x00"

func (a *app) approve() *cobra.Command {
	var edit string
	var grant bool
	cmd := a.jsonCommand("approve CODE", i18n.CmdApprove, manual.OneArg, func(cmd *cobra.Command, args []string, asJSON bool) error {
		ask, err := a.pendingAsk(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		action, answer := ipc.ActionAllowOnce, ipc.Answer{Code: args[0], Digest: ask.Digest}
		switch {
		case cmd.Flags().Changed("edit") && grant:
			return a.newUsageError(i18n.MistakeBoth("--edit", "--session"))
		case cmd.Flags().Changed("edit"):
			action = ipc.ActionEdit
			if answer.Command, err = a.editedCommand(cmd.Context(), edit); err != nil {
				return err
			}
		case grant:
			action = ipc.ActionAllowSession
		}
		return a.sendAnswer(cmd.Context(), action, answer, asJSON)
	})
	cmd.Flags().StringVar(&edit, "edit", "", i18n.FlagEdit.In(a.lang))
	cmd.Flags().Lookup("edit").NoOptDefVal = atTerminal
	cmd.Flags().BoolVar(&grant, "session", false, i18n.FlagGrant.In(a.lang))
	return cmd
}

func (a *app) deny() *cobra.Command {
	return a.jsonCommand("deny CODE", i18n.CmdDeny, manual.OneArg, func(cmd *cobra.Command, args []string, asJSON bool) error {
		ask, err := a.pendingAsk(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		return a.sendAnswer(cmd.Context(), ipc.ActionReject, ipc.Answer{Code: args[0], Digest: ask.Digest}, asJSON)
	})
}

func (a *app) sendAnswer(ctx context.Context, action string, answer ipc.Answer, asJSON bool) error {
	reply, err := a.request(ctx, ipc.Message{Type: ipc.TypeAction, Action: action}.WithData(answer))
	if err != nil {
		return err
	}
	failed := failedStep(reply)
	if asJSON {
		return errors.Join(a.printAnswer(reply, failed), failed)
	}
	fmt.Fprintln(a.out, clean(reply.Body))
	return failed
}

// printAnswer prints the result of an answer in the format of ask --json.
func (a *app) printAnswer(reply ipc.Message, failed error) error {
	doc := document{Version: 1, Answer: reply.Body}
	if err := reply.Decode(&doc.Outcome); err != nil {
		return err
	}
	doc.Steps = append([]ipc.Step{}, doc.Outcome.Steps...)
	var exit quietExit
	if errors.As(failed, &exit) {
		doc.Exit = int(exit)
	}
	return printJSON(a.out, doc)
}

// pendingAsk prints the command that a code belongs to, so that a wrong code is noticed. For an unknown code it
// returns no error, because the daemon reports that.
func (a *app) pendingAsk(ctx context.Context, code string) (ipc.Ask, error) {
	var asks []ipc.Ask
	if err := a.query(ctx, ipc.Query{What: "approvals"}, &asks); err != nil {
		return ipc.Ask{}, err
	}
	for _, ask := range asks {
		if strings.EqualFold(ask.Code, strings.TrimSpace(code)) {
			fmt.Fprintln(os.Stderr, visible(ask.Command))
			return ask, nil
		}
	}
	return ipc.Ask{}, nil
}

// editedCommand returns the replacement for a command: the value of --edit, or a line typed at the terminal.
func (a *app) editedCommand(ctx context.Context, edit string) (string, error) {
	if edit != atTerminal {
		return edit, nil
	}
	p := confirm.OpenPrompt()
	if p == nil {
		return "", a.newUsageError(i18n.EditNowhere)
	}
	defer p.Close()
	text, err := p.AskLine(ctx, i18n.AskEdit.In(a.lang))
	if err != nil {
		return "", err
	}
	if text = strings.TrimSpace(text); text == "" {
		fmt.Fprintln(os.Stderr, i18n.EditUnchanged.In(a.lang))
		return "", quietExit(exitDenied)
	}
	return text, nil
}

// failedStep returns an exit status if the approved command failed.
func failedStep(reply ipc.Message) error {
	var out ipc.Outcome
	if err := reply.Decode(&out); err != nil {
		return err
	}
	if code := stepsExit(out.Steps); code != 0 {
		return quietExit(code)
	}
	return nil
}
