package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
)

// newPreview returns the command that shows what an upgrade would do, which [wire.ExtraProgram] carries out.
func newPreview() *cobra.Command {
	var offline, brief bool
	cmd := jsonCommand("preview", manual.NoArgs, func(in invocation) error {
		lang := i18n.Choose(langOf(in.Command), os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
		return becomeExtra("preview", map[string]any{"lang": lang, "json": in.json, "offline": offline, "brief": brief})
	})
	cmd.Flags().BoolVar(&offline, "offline", false, "")
	cmd.Flags().BoolVar(&brief, "brief", false, "")
	return cmd
}
