package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// upgrade returns the command that updates all packages, or shows what that would do.
func (a *app) upgrade() *cobra.Command {
	var preview bool
	var o askOptions
	cmd := a.jsonCommand("upgrade", i18n.CmdUpgrade, manual.NoArgs, func(in invocation) error {
		if preview {
			return a.showPreview(in)
		}
		o.json, o.upgrade = in.json, true
		return a.runAsk(in.Context(), question{text: i18n.UpgradeRequest.In(a.lang)}, o)
	})
	cmd.Flags().BoolVar(&preview, "preview", false, i18n.FlagPreview.In(a.lang))
	cmd.Flags().StringVarP(&o.session, "session", "s", "", i18n.FlagSession.In(a.lang))
	return cmd
}

// showPreview prints what an upgrade of all packages would do.
func (a *app) showPreview(in invocation) error {
	var p ipc.UpgradePreview
	if err := a.look(in, ipc.Query{What: "upgrade"}, &p); err != nil {
		return err
	}
	if in.json {
		if err := printJSON(a.out, p.Report); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.out, clean(p.Text))
	}
	if p.Failed {
		return quietExit(exitFailure)
	}
	return nil
}
