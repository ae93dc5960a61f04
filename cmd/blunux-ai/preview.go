package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
)

// newPreview returns the command that shows what an upgrade would do, which [wire.ExtraProgram] carries out.
func newPreview() *cobra.Command {
	var offline, brief bool
	var without, released []string
	cmd := jsonCommand("preview", manual.NoArgs, func(in invocation) error {
		lang := i18n.Choose(langOf(in.Command), os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
		options := map[string]any{"lang": lang, "json": in.json, "offline": offline, "brief": brief, "without": without, "released": released}
		if paths, err := config.FindPaths(os.Getenv); err == nil {
			options["earlier"] = paths.Preview()
		}
		return becomeExtra("preview", options)
	})
	cmd.Flags().BoolVar(&offline, "offline", false, "")
	cmd.Flags().BoolVar(&brief, "brief", false, "")
	cmd.Flags().StringSliceVar(&without, "without", nil, "")
	cmd.Flags().StringSliceVar(&released, "released", nil, "")
	return cmd
}
