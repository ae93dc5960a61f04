package pacnew

import (
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
)

// Report is an outcome in one language. Programs and models read it as JSON.
type Report struct {
	// Says is how many files there are, or why none is known.
	Says  string `json:"says"`
	Files []Told `json:"files"`
	// Plan is what is to be done, as the tool plan takes it.
	Plan *diagnose.Plan `json:"plan,omitempty"`
}

// Told is a [File] in words.
type Told struct {
	File      string      `json:"file"`
	Left      string      `json:"left"`
	Package   string      `json:"package,omitempty"`
	Since     string      `json:"since,omitempty"` // a date: 2006-01-02
	State     State       `json:"state"`
	Says      string      `json:"says"`
	Hint      string      `json:"hint,omitempty"`
	Conflicts []ToldPlace `json:"conflicts,omitempty"`
}

// ToldPlace is a place that both sides changed, with both.
type ToldPlace struct {
	Number int      `json:"number"`
	Line   int      `json:"line"`
	Mine   []string `json:"mine"`
	New    []string `json:"new"`
}

// Tell returns an outcome in a language.
func (out Outcome) Tell(lang i18n.Lang) Report {
	r := Report{Files: []Told{}}
	var texts []string
	for _, text := range out.Says {
		texts = append(texts, text.In(lang))
	}
	r.Says = strings.Join(texts, "\n")
	for _, f := range out.Files {
		t := Told{File: f.Path, Left: f.Left, Package: f.Package, State: f.State, Says: f.Says.In(lang), Hint: f.hint.In(lang)}
		if !f.Since.IsZero() {
			t.Since = f.Since.Local().Format("2006-01-02")
		}
		for i, p := range f.Conflicts {
			t.Conflicts = append(t.Conflicts, ToldPlace{i + 1, p.Line, withoutEnds(p.Mine), withoutEnds(p.New)})
		}
		r.Files = append(r.Files, t)
	}
	if out.Plan != nil {
		r.Plan = out.Plan.In(lang)
	}
	return r
}

func withoutEnds(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimRight(line, "\r\n")
	}
	return out
}

// Text says what was found as a person reads it: a row for each file, and the conflicts of the first that has some.
func (r Report) Text(lang i18n.Lang) string {
	rows := []string{r.Says}
	var asks *Told
	for i, f := range r.Files {
		origin := ""
		for _, word := range []string{f.Package, f.Since} {
			if word != "" {
				origin += " · " + word
			}
		}
		rows = append(rows, "- "+i18n.PacnewRow(f.Left, origin, i18n.Verbatim(f.Says)).In(lang))
		if f.Hint != "" && (len(r.Files) == 1 || f.State != NoBase) {
			rows = append(rows, "  "+f.Hint)
		}
		if asks == nil && len(f.Conflicts) > 0 {
			asks = &r.Files[i]
		}
	}
	if asks != nil {
		rows = append(rows, "", asks.question(lang))
	}
	return strings.Join(rows, "\n")
}

// PlanText lists the steps of the plan.
func (r Report) PlanText(lang i18n.Lang) string {
	return i18n.HelperRepairSteps.In(lang) + "\n" + strings.Join(r.Plan.Rows(lang), "\n")
}

// question asks about each conflict of a file, with both sides.
func (f Told) question(lang i18n.Lang) string {
	rows := []string{f.File}
	var answer, words []string
	for _, p := range f.Conflicts {
		rows = append(rows, i18n.PacnewPlace(p.Number, p.Line, i18n.PacnewMine).In(lang))
		rows = append(rows, shownLines(p.Mine, lang)...)
		rows = append(rows, i18n.PacnewPlace(p.Number, p.Line, i18n.PacnewNew).In(lang))
		rows = append(rows, shownLines(p.New, lang)...)
		side, text := Mine, i18n.PacnewMine
		if p.Number%2 == 0 {
			side, text = New, i18n.PacnewNew
		}
		if len(answer) < 2 {
			number := strconv.Itoa(p.Number)
			words = append(words, number+" "+text.In(lang))
			answer = append(answer, number+"="+string(side))
		}
	}
	command := "blunux-aictl pacnew " + f.File + " " + strings.Join(answer, " ")
	return strings.Join(append(rows, i18n.PacnewAnswer(strings.Join(words, ", "), command).In(lang)), "\n")
}

// maxShown bounds the lines of a side that are shown.
const maxShown = 12

func shownLines(lines []string, lang i18n.Lang) (rows []string) {
	for _, line := range lines[:min(len(lines), maxShown)] {
		rows = append(rows, "    "+line)
	}
	if len(lines) > maxShown {
		rows = append(rows, "    …")
	}
	if len(lines) == 0 {
		rows = append(rows, "    "+i18n.PacnewEmpty.In(lang))
	}
	return rows
}
