package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/explain"
	"github.com/nidoit/blunux-ai/tools/safety"
)

func newExplain() *cobra.Command {
	return jsonCommand("explain [COMMAND | -]", nil, func(in invocation) error {
		checker, err := newChecker(in.Command)
		if err != nil {
			return err
		}
		command, err := commandOf(in.args, ipc.Interruptible(in.Context(), in.InOrStdin()))
		if err != nil {
			return err
		}
		e := explain.Explainer{Home: config.HomeDir(os.Getenv), Judge: func(command string) safety.Verdict {
			v, _ := checker.Judge.Judge(command)
			return v
		}}
		x := e.Explain(command, checker.lang)
		if in.json {
			return writeJSON(in.OutOrStdout(), x)
		}
		_, err = fmt.Fprintln(in.OutOrStdout(), ipc.Visible(x.Text(checker.lang)))
		return err
	})
}
