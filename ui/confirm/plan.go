package confirm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// Role is what a row shows.
type Role int

// The roles.
const (
	Command Role = iota
	Note         // what else is known about a step
	Warned       // what cannot be undone
	Removed      // a line that a file loses
	Added        // a line that a file gets
)

// Row is a row of a question.
type Row struct {
	term.Row
	Role Role
}

// The marks in the gutter of a plan. A command always has its number or one of the first two, so that no command can look
// like what this program says about it.
const (
	sameStep = "|" // another line of the step's command
	fileLine = ":" // a line of a file
	warnSign = "!"
)

// PlanRows lays out the steps of a plan: for each its number and literal command, and below it whether it changes
// something, whether it can be taken back, how it is checked, which steps it needs, and how it changes a file. It is
// complete, every character is visible, and no row is wider than width.
func PlanRows(steps []ipc.PlanStep, width int, lang i18n.Lang) []Row {
	p := planLayout{width: max(width, leastWidth), lang: lang, gutter: max(len(strconv.Itoa(len(steps))), 3)}
	for _, s := range steps {
		p.step(s)
	}
	return p.rows
}

// planLayout lays out a plan below each other.
type planLayout struct {
	width, gutter int
	lang          i18n.Lang
	rows          []Row
}

func (p *planLayout) step(s ipc.PlanStep) {
	mark := strconv.Itoa(s.Number)
	for _, line := range term.Lines(s.Command) {
		p.literal(Command, mark, 0, line)
		mark = sameStep
	}
	p.prose(Note, "", StepFacts(s, p.lang))
	if s.Check != "" && !s.Looks {
		p.literal(Note, "", 2, lineOf(i18n.PlanCheck(s.Check).In(p.lang)))
	}
	if s.Back == ipc.BackNo && !s.Looks {
		p.prose(Warned, warnSign, i18n.PlanNoBack.In(p.lang))
	}
	if s.Detail == "" {
		return
	}
	for line := range strings.SplitSeq(s.Detail, "\n") {
		p.literal(roleOf(line), fileLine, 2, lineOf(line))
	}
}

// StepFacts describes a step besides its command and check.
func StepFacts(s ipc.PlanStep, lang i18n.Lang) string {
	if s.Looks {
		return i18n.PlanLooks.In(lang)
	}
	facts := []string{i18n.PlanChanges.In(lang)}
	if text, ok := waysBack[s.Back]; ok {
		facts = append(facts, text.In(lang))
	}
	if s.Check == "" {
		facts = append(facts, i18n.PlanNoCheck.In(lang))
	}
	if s.DiffersFromOrder() {
		facts = append(facts, i18n.PlanAfter(numbers(s.Needs)).In(lang))
	}
	return strings.Join(facts, " · ")
}

// waysBack describe how a step is taken back. No way back is a warning.
var waysBack = map[string]i18n.Text{
	ipc.BackYes: i18n.PlanBack, ipc.BackCache: i18n.PlanBackCache, ipc.BackNothing: i18n.PlanNothingBack,
}

func numbers(of []int) string {
	words := make([]string, len(of))
	for i, n := range slices.Sorted(slices.Values(of)) {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

func roleOf(line string) Role {
	switch {
	case strings.HasPrefix(line, "-"):
		return Removed
	case strings.HasPrefix(line, "+"):
		return Added
	}
	return Note
}

// prose appends one of our sentences below a command.
func (p *planLayout) prose(role Role, mark, text string) {
	p.lines(role, mark, "", 2, "", lineOf(text))
}

// literal appends a line of untrusted text. The gutter says which rows continue it, and a blank at a break is visible.
func (p *planLayout) literal(role Role, mark string, indent int, line []ipc.Glyph) {
	p.lines(role, mark, continued, indent, "␣", line)
}

// lines appends a line in rows: mark is before the first, more before the others, in the gutter or, if the line is
// indented, right of it.
func (p *planLayout) lines(role Role, mark, more string, indent int, atBreak string, line []ipc.Glyph) {
	for i, r := range term.Wrap(line, p.width-p.gutter-1-indent, atBreak) {
		if i > 0 {
			mark = more
		}
		before, inside := mark, ""
		if indent > 0 {
			before, inside = "", fmt.Sprintf("%-*s", indent, mark)
		}
		r.Text = strings.TrimRight(fmt.Sprintf("%*s %s%s", p.gutter, before, inside, r.Text), " ")
		p.rows = append(p.rows, Row{r, role})
	}
}
