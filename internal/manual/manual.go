// Package manual generates the help, usage errors, shell completions and man pages of a program from its
// commands, in the user's language.
//
// A command defines its name, arguments and flags. Texts longer than a line are in [i18n.Help], by the
// command's path, and take precedence over the command's own texts.
package manual

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nidoit/blunux-ai/i18n"
)

// Guide adds help to a program's commands.
type Guide struct {
	Lang i18n.Lang
	// Columns returns the terminal's width in cells, or 0 without a terminal, which means 80.
	Columns func() int
	// Args is the command line. Setup that only completions need is skipped unless it asks for completions.
	Args []string
	// Tree returns the program's dressed commands in a language, for man pages. nil turns off man pages.
	Tree func(i18n.Lang) *cobra.Command
}

// The widths of help in cells: the default, the minimum, and the maximum, beyond which lines are hard to read.
const (
	usualColumns   = 80
	fewestColumns  = 20
	widestColumns  = 100
	stackedColumns = 60 // below this width, descriptions go below their names
)

func (g Guide) columns() int {
	n := 0
	if g.Columns != nil {
		n = g.Columns()
	}
	n = cmp.Or(n, usualColumns)
	return min(max(n, fewestColumns), widestColumns)
}

// AddHelp adds texts, help, --help and --version to a tree of commands, and the commands help, version,
// completion and man. Errors of flags become a [UsageError]. root must have all its other commands by then. Commands that only group others reject
// unknown words.
func (g Guide) AddHelp(root *cobra.Command) {
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return UsageError{err} })
	root.PersistentFlags().BoolP("help", "h", false, i18n.FlagHelp.In(g.Lang))
	root.SetHelpCommand(g.helpCommand())
	root.AddCommand(g.completionCommand(root), g.versionCommand(root))
	g.versionFlag(root)
	if g.Tree != nil {
		root.AddCommand(g.manCommand())
	}
	root.InitDefaultHelpCmd()
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), g.Help(cmd)) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprint(cmd.OutOrStderr(), g.Help(cmd))
		return err
	})
	if g.IsCompleting() {
		for _, cmd := range visibleCommands(root) {
			disableFileCompletion(cmd)
		}
	}
}

// IsCompleting reports whether a shell requests completions.
func (g Guide) IsCompleting() bool {
	return len(g.Args) > 0 && strings.HasPrefix(g.Args[0], "__complete")
}

// sharedFlags are the texts of flags that commands share.
var sharedFlags = map[string]i18n.Text{
	"json": i18n.FlagJsonThis, "lang": i18n.FlagLang, "yes": i18n.FlagYes,
	"limit": i18n.FlagLimit, "continue": i18n.FlagContinue,
}

// SetTexts sets the texts of [i18n.Help], by the command's path and the flag's name. Help and man pages call it
// themselves. Programs whose commands have no other texts call it for completions.
func (g Guide) SetTexts(cmd *cobra.Command) {
	texts, path := i18n.Help(), cmd.CommandPath()
	for name, field := range map[string]*string{".short": &cmd.Short, ".long": &cmd.Long, ".example": &cmd.Example} {
		if text, ok := texts[path+name]; ok {
			*field = text.In(g.Lang)
		}
	}
	for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			if text, ok := texts[path+".--"+f.Name]; ok {
				f.Usage = text.In(g.Lang)
			} else if text, ok := sharedFlags[f.Name]; ok && f.Usage == "" {
				f.Usage = text.In(g.Lang)
			}
		})
	}
	for _, c := range cmd.Commands() {
		g.SetTexts(c)
	}
}

func (g Guide) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND...]", Short: i18n.CmdHelp.In(g.Lang),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
			of, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range of.Commands() {
				if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), begin) {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if err := NoArgs(of, rest); err != nil {
				return err
			}
			return of.Help()
		},
	}
}

func visibleCommands(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			list = append(list, visibleCommands(c)...)
		}
	}
	return list
}

// UsageError is a mistake in the command line. The program explains it with [Guide.ExplainMistake] and ends with exit
// status 2.
type UsageError struct{ error }

// NewUsageError returns a usage error with a text in the user's language.
func NewUsageError(text string) error { return UsageError{errors.New(text)} }

// Unwrap returns the cause.
func (e UsageError) Unwrap() error { return e.error }

// IsUsageError reports whether err is a mistake in the command line.
func IsUsageError(err error) bool {
	var usage UsageError
	return errors.As(err, &usage)
}

// argsError is a wrong number of arguments.
type argsError struct {
	cmd         *cobra.Command
	args        []string
	least, most int // accepted number of arguments
}

func (e *argsError) Error() string {
	return fmt.Sprintf("%s: %d arguments", e.cmd.CommandPath(), len(e.args))
}

// isUnknownCommand reports whether the command only groups others, so that its first argument is a wrong command.
func (e *argsError) isUnknownCommand() bool { return e.most == 0 && e.cmd.HasAvailableSubCommands() }

// unlimited is more arguments than a command line can have.
const unlimited = 1 << 30

// NoArgs rejects arguments with a [UsageError].
func NoArgs(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, 0, 0) }

// OneArg requires exactly one argument.
func OneArg(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, 1, 1) }

// AtMostOneArg accepts one argument or none.
func AtMostOneArg(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, 0, 1) }

// AtMostTwoArgs accepts two arguments or fewer.
func AtMostTwoArgs(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, 0, 2) }

// AtLeastOneArg requires at least one argument.
func AtLeastOneArg(cmd *cobra.Command, args []string) error {
	return checkCount(cmd, args, 1, unlimited)
}

// TwoArgs requires exactly two arguments.
func TwoArgs(cmd *cobra.Command, args []string) error { return checkCount(cmd, args, 2, 2) }

// AtLeastTwoArgs requires at least two arguments.
func AtLeastTwoArgs(cmd *cobra.Command, args []string) error {
	return checkCount(cmd, args, 2, unlimited)
}

func checkCount(cmd *cobra.Command, args []string, least, most int) error {
	if least <= len(args) && len(args) <= most {
		return nil
	}
	return UsageError{&argsError{cmd, args, least, most}}
}

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

// Complete registers completions of arguments, by command, and of the values of flags, by command and flag ("chat
// --session"). What does not exist is skipped.
func Complete(root *cobra.Command, args, flags map[string]cobra.CompletionFunc) {
	find := func(path string) *cobra.Command {
		if cmd, rest, err := root.Find(strings.Fields(path)); err == nil && len(rest) == 0 {
			return cmd
		}
		return &cobra.Command{}
	}
	for path, complete := range args {
		find(path).ValidArgsFunction = complete
	}
	for path, complete := range flags {
		path, flag, _ := strings.Cut(path, "--")
		_ = find(path).RegisterFlagCompletionFunc(flag, complete)
	}
}

// Fixed completes words from a list.
func Fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
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
