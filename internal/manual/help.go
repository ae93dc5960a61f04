package manual

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nidoit/blunux-ai/i18n"
)

// Help returns the help of a command, wrapped to the terminal.
func (g Guide) Help(cmd *cobra.Command) string {
	g.SetTexts(cmd)
	p := &helpWriter{columns: g.columns()}
	p.prose(description(cmd), 0)
	p.heading(i18n.HelpUsage.In(g.Lang))
	for _, line := range g.usageLines(cmd) {
		p.writeWrapped(line, 2, 6)
	}
	if len(cmd.Aliases) > 0 {
		p.heading(i18n.HelpAliases.In(g.Lang))
		p.writeWrapped(cmd.NameAndAliases(), 2, 2)
	}
	if cmd.Example != "" {
		p.heading(i18n.HelpExamples.In(g.Lang))
		for line := range strings.Lines(cmd.Example) {
			p.writeWrapped(strings.TrimRight(line, "\n"), 2, 6)
		}
	}
	if rows := commandRows(cmd); len(rows) > 0 {
		p.heading(i18n.HelpCommands.In(g.Lang))
		p.table(rows)
	}
	if rows := g.flagRows(cmd.LocalFlags()); len(rows) > 0 {
		p.heading(i18n.HelpFlags.In(g.Lang))
		p.table(rows)
	}
	if rows := g.flagRows(cmd.InheritedFlags()); len(rows) > 0 {
		p.heading(i18n.HelpGlobalFlags.In(g.Lang))
		p.table(rows)
	}
	if cmd.HasAvailableSubCommands() {
		p.line("")
		p.prose(i18n.HelpMore(cmd.CommandPath()).In(g.Lang), 0)
	}
	return p.String()
}

func description(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return strings.TrimSpace(cmd.Long)
	}
	return cmd.Short
}

// usageLines returns the usage of a command: on its own, with a subcommand, or both.
func (g Guide) usageLines(cmd *cobra.Command) []string {
	line := cmd.CommandPath()
	if _, args, ok := strings.Cut(cmd.Use, " "); ok {
		line += " " + args
	}
	if cmd.HasAvailableLocalFlags() || cmd.HasAvailableInheritedFlags() {
		line += " " + i18n.HelpFlagsHere.In(g.Lang)
	}
	lines := []string{line}
	if cmd.HasAvailableSubCommands() {
		lines = append(lines, cmd.CommandPath()+" "+i18n.HelpCommandHere.In(g.Lang))
	}
	return lines
}

type entry struct{ name, text string }

func commandRows(cmd *cobra.Command) []entry {
	var rows []entry
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			rows = append(rows, entry{c.Name(), c.Short})
		}
	}
	return rows
}

func (g Guide) flagRows(flags *pflag.FlagSet) []entry {
	var rows []entry
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			name, text := g.flagRow(f)
			if f.Shorthand == "" {
				name = "    " + name
			}
			rows = append(rows, entry{name, text})
		}
	})
	return rows
}

// flagRow returns how a flag is written, and its description with the default value.
func (g Guide) flagRow(f *pflag.Flag) (name, text string) {
	value, usage := pflag.UnquoteUsage(f)
	name = "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	value = i18n.ValueNames.In(value, g.Lang)
	switch {
	case value != "" && f.NoOptDefVal != "":
		name += "[=" + value + "]"
	case value != "":
		name += " " + value
	}
	if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
		usage += i18n.HelpDefault(f.DefValue).In(g.Lang)
	}
	return name, usage
}

type helpWriter struct {
	strings.Builder
	columns int
}

func (p *helpWriter) line(s string) { p.WriteString(strings.TrimRight(s, " ") + "\n") }

func (p *helpWriter) heading(s string) {
	p.line("")
	p.writeWrapped(s, 0, 0)
}

// prose writes paragraphs. Indented lines are not joined.
func (p *helpWriter) prose(text string, indent int) {
	for i, paragraph := range paragraphs(text) {
		if i > 0 {
			p.line("")
		}
		for _, line := range paragraph {
			p.writeWrapped(strings.TrimLeft(line, " "), indent+len(line)-len(strings.TrimLeft(line, " ")), indent)
		}
	}
}

// paragraphs splits a text at empty lines and joins the lines of each paragraph, except indented lines.
func paragraphs(text string) [][]string {
	var list [][]string
	for block := range strings.SplitSeq(text, "\n\n") {
		var lines []string
		for line := range strings.SplitSeq(block, "\n") {
			last := len(lines) - 1
			if last >= 0 && !strings.HasPrefix(line, " ") && !strings.HasPrefix(lines[last], " ") {
				lines[last] = joinLines(lines[last], line)
				continue
			}
			lines = append(lines, line)
		}
		list = append(list, lines)
	}
	return list
}

// writeWrapped writes a text indented by indent cells, and its continuation lines by below cells.
func (p *helpWriter) writeWrapped(text string, indent, below int) {
	for i, line := range wrap(text, p.columns-indent, p.columns-below) {
		if i > 0 {
			indent = below
		}
		p.line(strings.Repeat(" ", indent) + line)
	}
}

// table writes names and descriptions in two columns. If the terminal is narrow or a name is long, the
// description goes below its name.
func (p *helpWriter) table(rows []entry) {
	const most = 28
	wide := 0
	for _, r := range rows {
		if w := displaywidth.String(r.name); w <= most {
			wide = max(wide, w)
		}
	}
	at := wide + 4
	if p.columns < stackedColumns {
		at = 6
	}
	for _, r := range rows {
		w := displaywidth.String(r.name)
		if at < w+4 || p.columns < stackedColumns {
			p.writeWrapped(r.name, 2, 4)
			p.writeWrapped(r.text, at, at)
			continue
		}
		for i, line := range wrap(r.text, p.columns-at, p.columns-at) {
			if i == 0 {
				p.line("  " + r.name + strings.Repeat(" ", at-2-w) + line)
				continue
			}
			p.line(strings.Repeat(" ", at) + line)
		}
	}
}

// wrap breaks a text into lines, the first at most first cells wide, the others rest. It breaks at blanks and
// between Chinese characters, but not before closing or after opening punctuation (a part of the line breaking
// rules of JLREQ and CLREQ). It cuts words that are longer than a line. It returns at least one line.
func wrap(text string, first, rest int) []string {
	var lines []string
	line, used, room := "", 0, max(first, 2)
	for _, piece := range pieces(text) {
		for piece != "" {
			width := displaywidth.String(strings.TrimRight(piece, " "))
			if used+width <= room {
				line, used = line+piece, used+displaywidth.String(piece)
				break
			}
			if used == 0 { // longer than a line
				head := fittingPrefix(piece, room)
				line, piece = line+head, piece[len(head):]
			}
			lines = append(lines, strings.TrimRight(line, " "))
			line, used, room = "", 0, max(rest, 2)
			piece = strings.TrimLeft(piece, " ")
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// fittingPrefix returns the longest prefix of s that fits into width cells, but at least one character.
func fittingPrefix(s string, width int) string {
	used, end := 0, 0
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		if used += g.Width(); used > width && end > 0 {
			break
		}
		end += len(g.Value())
	}
	return s[:end]
}

// pieces splits a text where lines may end. Blanks belong to the piece before them.
func pieces(text string) []string {
	var list []string
	begin := 0
	var before rune
	for i, r := range text {
		if i > begin && isBreakable(before, r) {
			list = append(list, text[begin:i])
			begin = i
		}
		before = r
	}
	return append(list, text[begin:])
}

// isBreakable reports whether a line may end between a and b.
func isBreakable(a, b rune) bool {
	switch {
	case b == ' ':
		return false
	case a == ' ':
		return true
	case strings.ContainsRune("，。、；：！？）》」』”’…,.;:!?)]}", b), strings.ContainsRune("（《「『“‘([{", a):
		return false
	}
	return isHan(a) || isHan(b)
}

// isHan reports whether lines may break next to a character: Chinese characters and punctuation.
func isHan(r rune) bool {
	return unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60
}

// joinLines joins two lines of a paragraph: with a blank, but without one between Chinese characters.
func joinLines(a, b string) string {
	last, first := []rune(a), []rune(b)
	if len(last) > 0 && len(first) > 0 && isHan(last[len(last)-1]) && isHan(first[0]) {
		return a + b
	}
	return a + " " + b
}

// breakCommand breaks a command line into lines of at most width cells that a shell reads as the same command: at
// blanks outside of quotes, with a backslash at the end. A comment continues as a comment. A word that is wider stays
// whole.
func breakCommand(line string, width int) []string {
	if displaywidth.String(line) <= width {
		return []string{line}
	}
	if strings.HasPrefix(line, "# ") {
		lines := wrap(line[2:], width-2, width-2)
		for i := range lines {
			lines[i] = "# " + lines[i]
		}
		return lines
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var lines []string
	current := ""
	for _, word := range shellWords(line) {
		switch {
		case current == "":
			current = margin + word
		case displaywidth.String(current+" "+word+` \`) <= width:
			current += " " + word
		default:
			lines = append(lines, current+` \`)
			current = margin + "    " + word
		}
	}
	return append(lines, current)
}

// shellWords splits a command line at blanks outside of quotes. Quotes and backslashes are kept.
func shellWords(line string) []string {
	var words []string
	word, quote, escaped := "", rune(0), false
	for _, r := range line + " " {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == 0 && r == ' ':
			if word != "" {
				words = append(words, word)
			}
			word = ""
			continue
		}
		word += string(r)
	}
	if word != "" { // in quotes that do not end
		words = append(words, strings.TrimSuffix(word, " "))
	}
	return words
}
