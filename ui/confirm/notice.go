// Package confirm asks a person at a terminal for confirmation. It shows the literal command on separate rows, complete
// and with every character visible. It accepts a yes only after everything was shown, and takes no answer as no.
package confirm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// leastWidth is the narrowest supported terminal.
	leastWidth = 20
	// labelWidth is the width of the labels next to the details, and detailAt the column where the details begin.
	labelWidth, detailAt = 10, 13
	// leastDetail is the minimum width of a detail next to its label.
	leastDetail = 16
	// screenful is how many rows of a command are shown at once if the terminal's height is unknown,
	// leastScreenful the minimum on low terminals.
	screenful, leastScreenful = 20, 5
)

// continued marks a row that continues the line above it. It is left of the text, where a command cannot write.
const continued = "»"

// Terminal describes the terminal that a confirmation is laid out for.
type Terminal struct {
	Columns int // at least 20 are used
	Rows    int // 0 if unknown
	Lang    i18n.Lang
	Root    bool // every command runs with root rights
	Color   bool
	Host    string // the other machine on which the command would run, "" for this one
}

// Notice is a confirmation laid out for a terminal: everything that matters for the decision, with the literal
// command on separate rows. It is complete, every character is visible, and no row is wider than the terminal.
type Notice struct {
	head    []string
	command []Row
	tail    []string
	page    int // rows of the command per screen
	steps   bool
	width   int
	lang    i18n.Lang
	color   bool
	host    string
	ask     ipc.Ask
}

// Notice lays out an ask and its question.
func (t Terminal) Notice(question string, ask ipc.Ask) Notice {
	n := Notice{lang: t.Lang, width: max(t.Columns, leastWidth), page: screenful, color: t.Color, host: t.Host, ask: ask}
	foreseen, question := ask.CutForeseen(question)
	n.head = []string{""}
	for _, line := range foreseen {
		text := strings.TrimLeft(line, " ")
		n.head = append(n.head, n.prose(text, min(len(line)-len(text), leastWidth/2))...)
	}
	n.head = slices.Concat(n.head, n.prose(question, 0), []string{""})
	if steps := ask.Steps(); len(steps) > 0 {
		n.command, n.steps = PlanRows(steps, n.width, t.Lang), true
	} else {
		n.command = commandRows(ask.Command, n.width)
	}
	n.tail = slices.Concat([]string{""}, n.details(ask, ask.Privileged || t.Root), n.warnings(ask))
	if t.Rows > 0 {
		n.page = max(t.Rows-len(n.head)-len(n.tail)-1, leastScreenful)
	}
	return n
}

// commandRows lays out the command. Lines are numbered if there are several, and continued rows are marked.
func commandRows(command string, width int) []Row {
	var rows []Row
	lines := term.Lines(command)
	gutter := max(len(strconv.Itoa(len(lines))), 3)
	for i, line := range lines {
		mark := ""
		if len(lines) > 1 {
			mark = strconv.Itoa(i + 1)
		}
		for _, r := range term.Wrap(line, width-gutter-1, "␣") {
			r.Text = strings.TrimRight(fmt.Sprintf("%*s %s", gutter, mark, r.Text), " ")
			rows = append(rows, Row{Row: r})
			mark = continued
		}
	}
	return rows
}

// details returns the labelled rows below the command.
func (n Notice) details(ask ipc.Ask, root bool) []string {
	user := i18n.AskYou.In(n.lang)
	if root {
		user = i18n.AskRoot.In(n.lang)
	}
	why := make([]string, len(ask.Reasons))
	for i, code := range ask.Reasons {
		why[i] = i18n.Reason(code, n.lang)
	}
	var rows []string
	if n.host != "" {
		rows = n.literal(i18n.AskComputer, n.host)
	}
	rows = slices.Concat(rows,
		n.literal(i18n.AskDirectory, ask.Cwd),
		n.detail(i18n.AskUser, n.prose(user, n.indent())),
		n.detail(i18n.AskWhy, n.prose(ask.Class+" · "+strings.Join(why, "; "), n.indent())),
		n.detail(i18n.AskExpires, n.prose(ask.Expires.Local().Format(time.TimeOnly), n.indent())),
	)
	if len(n.command) > 1 && !n.steps {
		rows = append(rows, n.detail(i18n.AskCommand, n.prose(n.size(ask.Command), n.indent()))...)
	}
	if ask.Covers != "" && ask.Covers != ask.Command {
		rows = append(rows, n.literal(i18n.AskCovers, ask.Covers)...)
	}
	if n.offersFamily() {
		rows = append(rows, n.literal(i18n.AskFamilyKey, FamilyLine(*ask.Family, n.lang))...)
	}
	for _, f := range ask.Files {
		rows = append(rows, n.literal(i18n.AskFile, fmt.Sprintf("sha256:%.12s… %s", strings.TrimPrefix(f.SHA256, "sha256:"), f.Path))...)
	}
	return rows
}

// FamilyLine returns what a person allows with a family, in one line.
func FamilyLine(f ipc.Family, lang i18n.Lang) string {
	if f.Options == "" {
		return i18n.AskFamilyPlain(f.Words, f.Dir).In(lang)
	}
	return i18n.AskFamily(f.Words, f.Dir, f.Options).In(lang)
}

// size describes the length of a command.
func (n Notice) size(command string) string {
	if lines := strings.Count(command, "\n") + 1; lines > 1 {
		return i18n.AskLines(lines, len(command)).In(n.lang)
	}
	return i18n.AskLine(len(command)).In(n.lang)
}

// warnings returns the ask's warnings and those about the command's text, each on separate rows.
func (n Notice) warnings(ask ipc.Ask) []string {
	var rows []string
	for _, w := range allWarnings(ask) {
		part := n.prose(i18n.Warning(w, n.lang), 4)
		part[0] = "  ! " + strings.TrimLeft(part[0], " ")
		rows = append(rows, part...)
	}
	if len(rows) == 0 {
		return nil
	}
	return slices.Concat([]string{""}, rows, []string{""})
}

func allWarnings(ask ipc.Ask) []string {
	all := slices.Clone(ask.Warnings)
	for _, w := range ipc.Suspicions(ask.Command) {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// indent returns the column where details begin: next to their labels or, if there is no room, below them.
func (n Notice) indent() int {
	if n.width-detailAt < leastDetail {
		return 4
	}
	return detailAt
}

// detail puts a label before rows that are already indented.
func (n Notice) detail(label i18n.Text, rows []string) []string {
	name := "  " + term.Pad(label.In(n.lang), labelWidth)
	if n.indent() < detailAt {
		return append([]string{strings.TrimRight(name, " ")}, rows...)
	}
	rows[0] = name + " " + rows[0][detailAt:]
	return rows
}

// prose breaks one of our sentences into indented rows.
func (n Notice) prose(text string, indent int) []string {
	return n.rows(text, indent, "", "")
}

// literal returns a detail with untrusted text, such as a path.
func (n Notice) literal(label i18n.Text, text string) []string {
	return n.detail(label, n.rows(text, n.indent(), continued, "␣"))
}

// rows breaks one line of text into indented rows. All but the first begin with mark.
func (n Notice) rows(text string, indent int, mark, atBreak string) []string {
	var rows []string
	for i, r := range term.Wrap(lineOf(text), n.width-indent, atBreak) {
		before := strings.Repeat(" ", indent)
		if i > 0 && mark != "" {
			before = before[:indent-2] + mark + " "
		}
		rows = append(rows, before+r.Text)
	}
	return rows
}

// lineOf returns text as a single line.
func lineOf(text string) []ipc.Glyph {
	line := slices.Collect(ipc.Glyphs(text))
	for i := range line {
		if line[i].Text == "\n" {
			line[i].Text = ipc.VisibleLine("\n")
		}
	}
	return line
}

// Screens returns how many screens the command takes.
func (n Notice) Screens() int {
	return (len(n.command) + n.page - 1) / n.page
}

// Screen returns one screen: a part of the command, with the head before the first part and the rest after the last.
func (n Notice) Screen(i int) string {
	first, last := i == 0, i == n.Screens()-1
	var b strings.Builder
	if first {
		n.writeRows(&b, n.head)
	}
	for _, r := range n.command[i*n.page : min((i+1)*n.page, len(n.command))] {
		b.WriteString(Paint(n.highlight(r.Text), r.Role, n.color) + "\n")
	}
	if last {
		n.writeRows(&b, n.tail)
	}
	return b.String()
}

func (n Notice) writeRows(b *strings.Builder, rows []string) {
	for _, r := range rows {
		b.WriteString(n.highlight(r) + "\n")
	}
}

// Paint colours a row of a plan on colour terminals: notes are dim, warnings and changed lines coloured. The text is
// unambiguous without it.
func Paint(text string, role Role, color bool) string {
	code, ok := map[Role]string{Note: "2", Warned: "33", Removed: "31", Added: "32"}[role]
	if !color || !ok {
		return text
	}
	return "\x1b[" + code + "m" + strings.ReplaceAll(text, "\x1b[0m", "\x1b[0m\x1b["+code+"m") + "\x1b[0m"
}

// More says how much of the command follows after a screen, and which key continues.
func (n Notice) More(i int) string {
	if n.steps {
		return n.sentence(i18n.AskMoreRows(len(n.command)-(i+1)*n.page)) + n.wrapKeys(i18n.AskMorePrompt.In(n.lang))
	}
	left := 0
	for _, r := range n.command[(i+1)*n.page:] {
		left += r.Bytes
	}
	return n.sentence(i18n.AskMore(left)) + n.wrapKeys(i18n.AskMorePrompt.In(n.lang))
}

// Choices returns the prompt with the possible answers.
func (n Notice) Choices() string {
	text := i18n.AskPrompt
	switch {
	case n.offersFamily():
		text = i18n.AskPromptFamily
	case !n.ask.Editable() && n.ask.Covers == "":
		text = i18n.AskPromptOnce
	case !n.ask.Editable():
		text = i18n.AskPromptNoEdit
	case n.ask.Covers == "":
		text = i18n.AskPromptNoAll
	}
	return n.wrapKeys(text.In(n.lang))
}

// answerRoom is the room for the answer on the last row of a prompt, in cells.
const answerRoom = 4

// wrapKeys breaks the keys of a prompt after slashes and leaves room for the answer.
func (n Notice) wrapKeys(text string) string {
	var rows []string
	current := ""
	for _, key := range strings.SplitAfter(text, "/") {
		for _, r := range term.Wrap(lineOf(key), n.width-answerRoom, "") {
			if current != "" && term.Width(current+r.Text) > n.width-answerRoom {
				rows, current = append(rows, current), " "
			}
			current += r.Text
		}
	}
	return strings.Join(append(rows, current), "\n") + " "
}

// offersFamily reports whether a family can be allowed, which is offered besides the other choices only.
func (n Notice) offersFamily() bool {
	return n.ask.Family != nil && n.ask.Editable() && n.ask.Covers != ""
}

// Help explains the choices.
func (n Notice) Help() string {
	text := i18n.AskHelp
	switch {
	case n.offersFamily():
		text = i18n.AskHelpFamily
	case !n.ask.Editable() && n.ask.Covers == "":
		text = i18n.AskHelpOnce
	case !n.ask.Editable():
		text = i18n.AskHelpNoEdit
	case n.ask.Covers == "":
		text = i18n.AskHelpNoAll
	}
	return n.sentence(text)
}

// sentence returns one of our sentences in rows.
func (n Notice) sentence(text i18n.Text) string {
	return strings.Join(n.prose(text.In(n.lang), 0), "\n") + "\n"
}
