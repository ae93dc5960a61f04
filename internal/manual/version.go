package manual

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
)

// versionFlag adds --version. cobra's own flag adds an English word; changing that would link text/template,
// which is a third of the thin client.
func (g Guide) versionFlag(root *cobra.Command) {
	version, run := root.Version, root.RunE
	root.Version = ""
	root.Flags().BoolP("version", "v", false, i18n.FlagVersion.In(g.Lang))
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if asked, _ := cmd.Flags().GetBool("version"); asked {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), cmd.Name(), version)
			return err
		}
		return run(cmd, args)
	}
}

// versionCommand returns the command that prints the version, also as JSON.
func (g Guide) versionCommand(root *cobra.Command) *cobra.Command {
	version := root.Version
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: i18n.CmdVersion.In(g.Lang), Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{
					"name": root.Name(), "version": version, "go": runtime.Version(), "system": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), root.Name(), version)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJsonThis.In(g.Lang))
	return cmd
}
