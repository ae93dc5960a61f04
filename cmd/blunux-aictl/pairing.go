package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// pairing returns the commands that show and change which senders are paired.
func (a *app) pairing() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "pairing", Short: i18n.CmdPairing.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list ipc.PairingList
			if err := a.query(cmd.Context(), ipc.Query{What: "pairing"}, &list); err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.out, list)
			}
			a.printPairings(list)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJson.In(a.lang))
	change := func(use string, short i18n.Text, args cobra.PositionalArgs, action string, done func(channel, sender string) i18n.Text) {
		c := &cobra.Command{
			Use: use, Short: short.In(a.lang), Args: args,
			RunE: func(cmd *cobra.Command, args []string) error {
				p, err := a.changePairing(cmd, action, args)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(a.out, p)
				}
				fmt.Fprintln(a.out, done(visible(p.Channel), visible(p.Sender)).In(a.lang))
				return nil
			},
		}
		c.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJson.In(a.lang))
		cmd.AddCommand(c)
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
