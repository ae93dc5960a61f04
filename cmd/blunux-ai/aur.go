package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
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
		return checkRecipes(c, map[string]any{
			"targets": in.args, "json": in.json, "building": building, "ask": ask && term.IsTerminal(os.Stdin) && term.IsTerminal(os.Stdout),
		})
	})
	cmd.Flags().BoolVar(&building, "building", false, "")
	cmd.Flags().BoolVar(&ask, "ask", false, "")
	return cmd
}

// checkRecipes adds what the settings say to the options of a check, and carries it out.
func checkRecipes(c configCommand, options map[string]any) error {
	cfg, _ := config.Load(c.src) // the daemon reports mistakes in it
	options["lang"], options["memory"] = c.lang, c.paths.Packages()
	options["cooling"], options["version"] = cfg.Limits.AURCooling, buildVersion()
	return becomeExtra("aur", options)
}

// runMakepkg checks the recipe of the working directory and becomes makepkg with its arguments. It returns the exit status if that
// fails.
func runMakepkg(args []string) int {
	lang := i18n.CommandLineLang(nil, os.Getenv)
	c, err := openConfig(newRoot(lang))
	if err == nil {
		err = checkRecipes(c, map[string]any{"building": true, "makepkg": args})
	}
	fmt.Fprintf(os.Stderr, "blunux-ai: %s\n", ipc.Clean(i18n.ErrorText(err, lang)))
	return 1
}
