// Package manual is what a program says of itself, in the person's language:
// help, usage errors, the command that prints completions, and man pages, all out
// of its commands.
//
// What a command is called, takes and does stands with the command; what is
// longer than a line stands in [i18n.PageOf], by the command's path, and goes
// before what the command has.
package manual

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nidoit/blunux-ai/i18n"
)

// Guide dresses a program's commands for a person.
type Guide struct {
	Lang i18n.Lang
	// Columns tells how wide the terminal is that help goes to, in cells; 0
	// where there is none, which reads as 80.
	Columns func() int
	// Args are the command line: what only a shell's completions need is left out
	// where it does not ask for them.
	Args []string
	// Tree makes the program's dressed commands in a language, for man pages; nil
	// where there are none.
	Tree func(i18n.Lang) *cobra.Command
}

// The widths of help in cells: what is taken where nobody tells, the narrowest
// that is wrapped to, and the widest, beyond which lines are hard to read.
const (
	usualColumns   = 80
	fewestColumns  = 20
	widestColumns  = 100
	stackedColumns = 60 // below it, texts stand below what they are about
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

// Dress gives a whole tree of commands its texts, help, --help and --version,
// and the commands help, version, completion and man; root has all other commands by then.
// Commands that only hold others refuse words they do not know.
func (g Guide) Dress(root *cobra.Command) {
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().BoolP("help", "h", false, i18n.FlagHelp.In(g.Lang))
	root.SetHelpCommand(g.helpCommand())
	root.AddCommand(g.completion(root), g.version(root))
	g.versionFlag(root)
	if g.Tree != nil {
		root.AddCommand(g.pages())
	}
	root.InitDefaultHelpCmd()
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), g.Help(cmd)) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprint(cmd.OutOrStderr(), g.Help(cmd))
		return err
	})
	if g.Completing() {
		for _, cmd := range all(root) {
			quietShell(cmd)
		}
	}
}

// Completing reports whether a shell asks what a command line may go on with.
func (g Guide) Completing() bool {
	return len(g.Args) > 0 && strings.HasPrefix(g.Args[0], "__complete")
}

// Tell puts the texts of [i18n.PageOf] where they belong. Help and man pages do so
// by themselves; programs whose commands have no other texts do it for completions.
func (g Guide) Tell(cmd *cobra.Command) {
	page := i18n.PageOf(cmd.CommandPath())
	if !page.Short.IsZero() {
		cmd.Short = page.Short.In(g.Lang)
	}
	if !page.Long.IsZero() {
		cmd.Long = page.Long.In(g.Lang)
	}
	if !page.Example.IsZero() {
		cmd.Example = page.Example.In(g.Lang)
	}
	for name, text := range page.Flags {
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			if f := set.Lookup(name); f != nil {
				f.Usage = text.In(g.Lang)
			}
		}
	}
	for _, c := range cmd.Commands() {
		g.Tell(c)
	}
}

// helpCommand is help COMMAND, for those who expect it.
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
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("unknown command %q for %q", rest[0], of.CommandPath())
			}
			if err != nil {
				return err
			}
			return of.Help()
		},
	}
}

// Gaps names what a program's help lacks: texts that are empty, or the same in
// two languages. tree makes the dressed commands in a language. Names of
// arguments in the usage line are the same everywhere and are not looked at.
func Gaps(tree func(i18n.Lang) *cobra.Command) []string {
	said := map[string][]string{}
	var order []string
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		root := tree(lang)
		Guide{Lang: lang}.Tell(root)
		for _, cmd := range all(root) {
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

// textsOf are the texts of one command by what they are; long texts and examples
// only where there are any.
func textsOf(cmd *cobra.Command) map[string]string {
	path := cmd.CommandPath()
	texts := map[string]string{path: cmd.Short}
	if cmd.Long != "" {
		texts[path+" (long)"] = cmd.Long
	}
	if cmd.Example != "" {
		texts[path+" (example)"] = cmd.Example
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { texts[path+" --"+f.Name] = f.Usage })
	return texts
}

// all are a command and what is below it, but what is hidden.
func all(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			list = append(list, all(c)...)
		}
	}
	return list
}
