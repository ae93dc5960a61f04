package manual

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nidoit/blunux-ai/i18n"
)

// manDirs maps languages to directories of man pages below share/man (man(1), "search order": the language comes
// before the section).
var manDirs = map[i18n.Lang]string{i18n.English: "man1", i18n.Korean: "ko/man1", i18n.Chinese: "zh_CN/man1"}

// manCommand returns the command that writes the man pages' Markdown sources. The build converts them.
func (g Guide) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: i18n.CmdMan.In(g.Lang), Hidden: true, Args: OneArg,
		RunE: func(cmd *cobra.Command, args []string) error { return WritePages(args[0], g.Tree) },
	}
}

// WritePages writes man pages of section 1 into dir as Markdown for packaging/pages: for the program and each of its
// commands, in all languages: man1/NAME.1.md, ko/man1/NAME.1.md, zh_CN/man1/NAME.1.md.
func WritePages(dir string, tree func(i18n.Lang) *cobra.Command) error {
	for lang, place := range manDirs {
		root := tree(lang)
		to := filepath.Join(dir, place)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return fmt.Errorf("cannot write man pages: %w", err)
		}
		g := Guide{Lang: lang}
		g.SetTexts(root)
		err := writePage(to, g.page(root))
		for _, cmd := range root.Commands() {
			if cmd.IsAvailableCommand() {
				err = errors.Join(err, writePage(to, g.page(cmd)))
			}
		}
		if err != nil {
			return fmt.Errorf("cannot write man pages: %w", err)
		}
	}
	return nil
}

func writePage(dir string, p *page) error {
	return os.WriteFile(filepath.Join(dir, p.name+".1.md"), []byte(p.String()), 0o644)
}

// The widths of a page on 80 columns, in cells: man(1) leaves two for the margin of headers and text, and indents
// code blocks by seven.
const (
	headerCells = 78
	codeCells   = 73
)

type page struct {
	strings.Builder
	g    Guide
	name string
}

// page returns the man page of a program, or of a command with its subcommands.
func (g Guide) page(cmd *cobra.Command) *page {
	p := &page{g: g, name: strings.ReplaceAll(cmd.CommandPath(), " ", "-")}
	fmt.Fprintf(p, "%% %s 1 \"\" \"blunux-ai\" \"%s\"\n\n", strings.ToUpper(p.name), p.title())
	p.heading(i18n.ManName)
	fmt.Fprintf(p, "%s - %s\n\n", p.name, escape(strings.TrimRight(cmd.Short, ".。")))
	p.heading(i18n.ManSynopsis)
	p.synopsis(cmd)
	p.heading(i18n.ManDescription)
	p.prose(description(cmd))
	p.commands(cmd)
	p.flags(i18n.ManFlags, cmd.LocalFlags())
	p.flags(i18n.ManGlobalFlags, cmd.InheritedFlags())
	p.example(cmd)
	if !cmd.HasParent() {
		p.heading(i18n.ManEnvironment)
		p.terms(i18n.ManVariables)
		p.heading(i18n.ManFiles)
		p.terms(i18n.ManPlaces)
	}
	p.heading(i18n.ManExit)
	p.terms(i18n.ExitCodes)
	p.heading(i18n.ManSeeAlso)
	p.seeAlso(cmd)
	return p
}

// title returns the middle of the page's header, or "" if it does not fit between the two page names.
func (p *page) title() string {
	title := i18n.ManTitle.In(p.g.Lang)
	if 2*len(p.name+"(1)")+displaywidth.String(title)+4 > headerCells {
		return ""
	}
	return title
}

func (p *page) heading(t i18n.Text) { fmt.Fprintf(p, "# %s\n\n", t.In(p.g.Lang)) }

// synopsis writes the usage of a command and of its subcommands.
func (p *page) synopsis(cmd *cobra.Command) {
	if cmd.Runnable() {
		fmt.Fprintf(p, "**%s**%s\n\n", escape(cmd.CommandPath()), p.arguments(cmd))
	}
	if !cmd.HasParent() {
		fmt.Fprintf(p, "**%s** %s …\n\n", escape(cmd.CommandPath()), escape(i18n.HelpCommandHere.In(p.g.Lang)))
		return
	}
	for _, c := range descendants(cmd) {
		fmt.Fprintf(p, "**%s**%s\n\n", escape(c.CommandPath()), p.arguments(c))
	}
}

func (p *page) arguments(cmd *cobra.Command) string {
	s := ""
	if _, args, ok := strings.Cut(cmd.Use, " "); ok {
		s = " " + escape(args)
	}
	if cmd.HasAvailableLocalFlags() || cmd.HasAvailableInheritedFlags() {
		s += " " + escape(i18n.HelpFlagsHere.In(p.g.Lang))
	}
	return s
}

func descendants(cmd *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range visibleCommands(cmd)[1:] {
		if c.Runnable() {
			list = append(list, c)
		}
	}
	return list
}

// commands describes the subcommands. For a program it writes one line for each, because they have their own pages.
func (p *page) commands(cmd *cobra.Command) {
	list := descendants(cmd)
	if !cmd.HasParent() {
		list = nil
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				list = append(list, c)
			}
		}
	}
	if len(list) == 0 {
		return
	}
	p.heading(i18n.ManCommands)
	for _, c := range list {
		if !cmd.HasParent() {
			fmt.Fprintf(p, "**%s**(1)\n: %s\n\n", escape(strings.ReplaceAll(c.CommandPath(), " ", "-")), escape(c.Short))
			continue
		}
		fmt.Fprintf(p, "## %s\n\n", escape(c.CommandPath()+afterName(c)))
		p.prose(description(c))
		p.rows(c.LocalFlags())
		p.lines(c.Example)
	}
}

func afterName(cmd *cobra.Command) string {
	if _, args, ok := strings.Cut(cmd.Use, " "); ok {
		return " " + args
	}
	return ""
}

func (p *page) flags(title i18n.Text, flags *pflag.FlagSet) {
	if flags.HasAvailableFlags() {
		p.heading(title)
		p.rows(flags)
	}
}

func (p *page) rows(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			name, what := p.g.flagRow(f)
			fmt.Fprintf(p, "**%s**\n: %s\n\n", escape(name), escape(what))
		}
	})
}

func (p *page) example(cmd *cobra.Command) {
	if cmd.Example != "" {
		p.heading(i18n.ManExamples)
		p.lines(cmd.Example)
	}
}

// lines writes a code block.
func (p *page) lines(s string) {
	if s == "" {
		return
	}
	for line := range strings.Lines(s) {
		p.code(strings.TrimRight(line, "\n"))
	}
	p.WriteString("\n")
}

// code writes a line of a code block. It breaks a line that is too wide.
func (p *page) code(line string) {
	for _, part := range breakCommand(line, codeCells) {
		p.WriteString("    " + part + "\n")
	}
}

// prose writes paragraphs. Indented lines are not joined.
func (p *page) prose(s string) {
	for _, paragraph := range paragraphs(s) {
		for _, line := range paragraph {
			if strings.HasPrefix(line, " ") {
				p.code(line)
				continue
			}
			p.WriteString(escape(line) + "\n")
		}
		p.WriteString("\n")
	}
}

// terms writes a list of names and their meanings.
func (p *page) terms(list []i18n.Term) {
	for _, t := range list {
		fmt.Fprintf(p, "**%s**\n: %s\n\n", escape(t.Name), escape(t.Meaning.In(p.g.Lang)))
	}
}

// seeAlso lists related pages.
func (p *page) seeAlso(cmd *cobra.Command) {
	others := []string{"blunux-ai(1)", "blunux-aictl(1)", "blunux-ai-config(5)", "blunux-ai(7)"}
	var list []string
	for _, other := range others {
		if other != p.name+"(1)" {
			name, section, _ := strings.Cut(other, "(")
			list = append(list, "**"+escape(name)+"**("+section)
		}
	}
	p.WriteString(strings.Join(list, ", ") + "\n")
}

// escape escapes plain text for Markdown.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`, "|", `\|`, "#", `\#`).Replace(s)
}
