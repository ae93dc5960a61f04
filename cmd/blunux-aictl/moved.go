package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/ipc"
)

// moved returns a hidden command that now lives in blunux-ai. It prints where, and becomes that program with the
// same arguments.
func (a *app) moved(verb string) *cobra.Command {
	there := i18n.MistakeElsewhere("blunux-ai " + verb).In(a.lang)
	return &cobra.Command{
		Use: verb, Short: there, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(os.Stderr, there)
			return a.becomeMain(a.args)
		},
	}
}

// becomeMain replaces this process with blunux-ai. It returns only on failure.
func (a *app) becomeMain(args []string) error {
	file, err := ipc.NewDialer().Program()
	if err != nil {
		return err
	}
	return errand.Replace(file, append([]string{"blunux-ai"}, args...))
}
