package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// pacnew returns the command that merges the configuration files that pacman left.
func (a *app) pacnew() *cobra.Command {
	var merge bool
	cmd := a.jsonCommand("pacnew [FILE] [CHOICE]...", i18n.CmdPacnew, cobra.ArbitraryArgs, func(in invocation) error {
		left := ipc.LeftFile{}
		if len(in.args) > 0 {
			left = ipc.LeftFile{File: in.args[0], Choice: strings.Join(in.args[1:], " ")}
		}
		if merge {
			return a.runAsk(in.Context(), question{text: strings.Join(append([]string{"pacnew"}, in.args...), " ")}, askOptions{json: in.json, merge: &left})
		}
		return a.showPacnew(in, left)
	})
	cmd.Flags().BoolVar(&merge, "merge", false, i18n.FlagMerge.In(a.lang))
	return cmd
}

// showPacnew prints the files, and how to merge them.
func (a *app) showPacnew(in invocation, left ipc.LeftFile) error {
	var found ipc.LeftFiles
	if err := a.look(in, ipc.Query{What: "pacnew", Left: &left}, &found); err != nil {
		return err
	}
	if in.json {
		return printJSON(a.out, found.Report)
	}
	fmt.Fprintln(a.out, ipc.Visible(found.Text))
	if found.Mergeable {
		command := append([]string{"blunux-aictl", "pacnew"}, in.args...)
		fmt.Fprintln(a.out, i18n.PacnewRun(strings.Join(append(command, "--merge"), " ")).In(a.lang))
	}
	return nil
}
