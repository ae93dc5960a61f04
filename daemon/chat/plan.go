package chat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Place is where a question is shown.
type Place struct {
	// Fenced reports that it shows text unchanged only between fences.
	Fenced bool
	// Pages reports that a question can take several messages.
	Pages bool
}

const (
	// MaxPages bounds the messages of a question about a plan, maxPlan its length in UTF-16 code units: bridges fill a
	// message with 4000 or less.
	MaxPages = 5
	maxPlan  = 3000 * MaxPages
	// maxRow bounds a row of such a question, so that it fits a message. Longer ones are broken.
	maxRow = 1000
)

// The signs of the rows of a plan: a step's command has its number.
const (
	sameStep  = "|" // another line of the step's command
	rowGoesOn = "»"
	fileLine  = ":" // a line of a file
)

// planRows returns the steps of a plan as a chat shows them. What this program says about them has no sign.
func planRows(steps []ipc.PlanStep, lang i18n.Lang) (rows []string) {
	for _, s := range steps {
		sign := strconv.Itoa(s.Number)
		for line := range strings.SplitSeq(s.Command, "\n") {
			rows = append(rows, signedRows(sign, line)...)
			sign = sameStep
		}
		rows = append(rows, noteRows(s, lang)...)
		if s.Detail == "" {
			continue
		}
		for line := range strings.SplitSeq(s.Detail, "\n") {
			rows = append(rows, signedRows(fileLine, line)...)
		}
	}
	return rows
}

// signedRows returns a line of a command or a file, broken into rows of which each has a sign.
func signedRows(sign, line string) (rows []string) {
	row, units := "", 0
	for g := range ipc.Glyphs(line) {
		n := len(utf16.Encode([]rune(g.Text)))
		if units+n > maxRow {
			rows, sign, row, units = append(rows, signed(sign, row)), rowGoesOn, "", 0
		}
		row, units = row+g.Text, units+n
	}
	return append(rows, signed(sign, row))
}

func signed(sign, row string) string { return ipc.ApprovalSign + sign + ipc.ApprovalSign + " " + row }

// noteRows returns what is known about a step besides its command.
func noteRows(s ipc.PlanStep, lang i18n.Lang) []string {
	if s.Looks {
		return []string{note(i18n.PlanLooks.In(lang))}
	}
	facts := []string{i18n.PlanChanges.In(lang)}
	back := map[string]i18n.Text{
		ipc.BackYes: i18n.PlanBack, ipc.BackCache: i18n.PlanBackCache, ipc.BackNothing: i18n.PlanNothingBack,
	}
	if text, ok := back[s.Back]; ok {
		facts = append(facts, text.In(lang))
	}
	if s.DiffersFromOrder() {
		needs := make([]string, len(s.Needs))
		for i, n := range slices.Sorted(slices.Values(s.Needs)) {
			needs[i] = strconv.Itoa(n)
		}
		facts = append(facts, i18n.PlanAfter(strings.Join(needs, ", ")).In(lang))
	}
	check := i18n.PlanNoCheck.In(lang)
	if s.Check != "" {
		check = i18n.PlanCheck(ipc.VisibleLine(s.Check)).In(lang)
	}
	rows := []string{note(strings.Join(append(facts, check), " · "))}
	if s.Back == ipc.BackNo {
		rows = append(rows, "⚠ "+i18n.PlanNoBack.In(lang))
	}
	return rows
}

func note(text string) string { return "– " + text }

// planEnd is the row below the steps.
func planEnd(ask ipc.Ask, lang i18n.Lang) string {
	return fmt.Sprintf("%s, %s", i18n.PlanSteps(len(ask.Plan)).In(lang), chatSize(ask.Command, lang))
}
