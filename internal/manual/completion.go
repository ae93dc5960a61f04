package manual

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nidoit/blunux-ai/i18n"
)

// completionCommand prints the completion script for a shell. The scripts query the program (__complete), so they stay
// correct when it changes.
func (g Guide) completionCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish", Short: i18n.CmdCompletion.In(g.Lang), Long: i18n.LongCompletion.In(g.Lang),
		Example: i18n.ExampleCompletion(root.Name()).In(g.Lang), DisableFlagsInUseLine: true,
		Args:      OneArg,
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return cmd.Root().GenBashCompletionV2(out, true)
			case "zsh":
				return cmd.Root().GenZshCompletion(out)
			case "fish":
				return cmd.Root().GenFishCompletion(out, true)
			}
			return NewUsageError(i18n.MistakeArgument(cmd.CommandPath(), args[0], strings.Join(cmd.ValidArgs, ", ")).In(g.Lang))
		},
	}
}

// fileFlags lists the flags whose value is a file name.
var fileFlags = []string{"file", "output", "path", "blunux-config"}

// disableFileCompletion turns off the completion of file names for commands without arguments and for flags whose
// value is not a file.
func disableFileCompletion(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !strings.Contains(cmd.Use, " ") {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if _, there := cmd.GetFlagCompletionFunc(f.Name); !there && f.NoOptDefVal == "" && !slices.Contains(fileFlags, f.Name) {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.NoFileCompletions) // fails for flags of another command
		}
	})
}
