package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// notifications returns the command that shows unread notices: late answers, and the results of questions whose
// daemon crashed.
func (a *app) notifications() *cobra.Command {
	var asJSON, remove bool
	cmd := &cobra.Command{
		Use: "notifications", Short: i18n.CmdNotify.In(a.lang), Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			notices := []ipc.Notice{}
			if err := a.query(cmd.Context(), ipc.Query{What: "notifications"}, &notices); err != nil {
				return err
			}
			switch {
			case asJSON:
				if err := printJSON(a.out, notices); err != nil {
					return err
				}
			case len(notices) == 0:
				fmt.Fprintln(os.Stderr, i18n.NoNotifications.In(a.lang))
			}
			ids := ipc.Acknowledgement{IDs: []string{}}
			for _, n := range notices {
				ids.IDs = append(ids.IDs, n.ID)
				if !asJSON {
					fmt.Fprintf(a.out, "● %s  %s/%s\n%s\n\n", n.Created.Local().Format("2006-01-02 15:04"), clean(n.Channel), clean(n.To), clean(n.Body))
				}
			}
			if !remove || len(ids.IDs) == 0 || a.out.err != nil {
				return nil
			}
			_, err := a.request(cmd.Context(), ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionAck}.WithData(ids))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJson.In(a.lang))
	cmd.Flags().BoolVar(&remove, "clear", false, i18n.FlagClear.In(a.lang))
	return cmd
}
