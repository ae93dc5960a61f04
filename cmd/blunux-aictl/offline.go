package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// offline returns the commands about the built-in helper.
func (a *app) offline() *cobra.Command {
	group := &cobra.Command{Use: "offline", Short: i18n.CmdOffline.In(a.lang)}
	group.AddCommand(a.jsonCommand("misses", i18n.CmdMisses, manual.NoArgs, a.listMisses))
	return group
}

// listMisses prints what the helper did not understand, and how it is taught.
func (a *app) listMisses(in invocation) error {
	var all []ipc.Miss
	if err := a.query(in.Context(), ipc.Query{What: "misses"}, &all); err != nil {
		return err
	}
	if in.json {
		return printJSON(a.out, all)
	}
	for _, m := range all {
		fmt.Fprintln(a.out, m.At.Local().Format("2006-01-02 15:04")+" · "+visible(m.Text))
	}
	if len(all) == 0 {
		fmt.Fprintln(os.Stderr, i18n.NoMisses.In(a.lang))
		return nil
	}
	fmt.Fprintln(os.Stderr, i18n.MissesTeach.In(a.lang))
	return nil
}
