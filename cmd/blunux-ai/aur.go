package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
)

// newAUR returns the commands on packages of the AUR, which [wire.ExtraProgram] carries out.
func newAUR() *cobra.Command {
	cmd := &cobra.Command{
		Use: "aur", Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAURCheck())
	return cmd
}

func newAURCheck() *cobra.Command {
	var building, ask bool
	cmd := jsonCommand("check [DIR | PKGBUILD | NAME]...", nil, func(in invocation) error {
		c, err := openConfig(in.Command)
		if err != nil {
			return err
		}
		if len(in.args) == 0 {
			return newUsageError(i18n.MistakeNoPackage)
		}
		cfg, _ := config.Load(c.src) // the daemon reports mistakes in it
		return becomeExtra("aur", map[string]any{
			"lang": c.lang, "targets": in.args, "json": in.json, "building": building,
			"ask":    ask && term.IsTerminal(os.Stdin) && term.IsTerminal(os.Stdout),
			"memory": c.paths.Packages(), "cooling": cfg.Limits.AURCooling, "version": buildVersion(),
		})
	})
	cmd.Flags().BoolVar(&building, "building", false, "")
	cmd.Flags().BoolVar(&ask, "ask", false, "")
	return cmd
}
