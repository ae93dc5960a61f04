package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
)

// newMCP returns the command mcp, which [wire.ExtraProgram] carries out.
func newMCP() *cobra.Command {
	var turn string
	cmd := &cobra.Command{
		Use:  "mcp",
		Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lang := i18n.Choose(langOf(cmd), os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
			return becomeExtra("mcp", map[string]any{"lang": lang, "turn": turn, "version": buildVersion()})
		},
	}
	cmd.Flags().StringVar(&turn, "turn", "", "")
	return cmd
}
