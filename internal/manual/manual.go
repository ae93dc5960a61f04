// Package manual generates the help, usage errors, shell completions and man pages of a program from its
// commands, in the user's language.
//
// A command defines its name, arguments and flags. Texts longer than a line are in [i18n.Help], by the
// command's path, and take precedence over the command's own texts.
package manual

import (
	"fmt"
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
	if n == 0 {
		n = usualColumns
	}
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
	"json": i18n.FlagJsonThis, "lang": i18n.FlagLang, "yes": i18n.FlagYes, "limit": i18n.FlagLimit, "continue": i18n.FlagContinue,
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

// helpCommand returns the command help COMMAND.
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

// AllHelp returns the help of a program's commands, each below its name. tree returns the dressed commands.
func (g Guide) AllHelp(tree *cobra.Command) string {
	var b strings.Builder
	for _, cmd := range visibleCommands(tree) {
		fmt.Fprintf(&b, "==== %s\n%s\n", cmd.CommandPath(), g.Help(cmd))
	}
	return b.String()
}

// MissingTexts lists missing texts in a program's help: texts that are empty or the same in two languages. tree returns
// the dressed commands in a language. Argument names in usage lines are the same in all languages and not
// checked.
func MissingTexts(tree func(i18n.Lang) *cobra.Command) []string {
	said := map[string][]string{}
	var order []string
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		root := tree(lang)
		Guide{Lang: lang}.SetTexts(root)
		for _, cmd := range visibleCommands(root) {
			for what, text := range textsOf(cmd) {
				if said[what] == nil {
					order = append(order, what)
				}
				said[what] = append(said[what], text)
			}
		}
	}
	var gaps []string
	for _, what := range order {
		texts := said[what]
		if len(texts) != 3 || texts[0] == "" || texts[1] == "" || texts[2] == "" || texts[0] == texts[1] || texts[1] == texts[2] || texts[0] == texts[2] {
			gaps = append(gaps, what)
		}
	}
	return gaps
}

// textsOf returns the texts of a command and of its visible flags by kind. Long texts and examples are included only if they exist.
func textsOf(cmd *cobra.Command) map[string]string {
	path := cmd.CommandPath()
	texts := map[string]string{path: cmd.Short}
	if cmd.Long != "" {
		texts[path+" (long)"] = cmd.Long
	}
	if cmd.Example != "" {
		texts[path+" (example)"] = cmd.Example
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			texts[path+" --"+f.Name] = f.Usage
		}
	})
	return texts
}

// visibleCommands returns a command and its visible descendants.
func visibleCommands(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			list = append(list, visibleCommands(c)...)
		}
	}
	return list
}
