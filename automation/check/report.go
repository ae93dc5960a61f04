package check

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

const (
	// maxReport is the maximum length of a report, in characters.
	maxReport = 1200
	// maxFigures is the maximum number of figures.
	maxFigures = 6
	// maxLine is the maximum length of a line, in characters.
	maxLine = 260
)

var marks = map[Severity]string{Notice: "ℹ️", Warning: "⚠️", Critical: "🔴"}

const markFine, markUnknown = "✅", "❔"

// Report writes the message about a look for a phone, in at most about 1,200 characters: a headline, a line for each
// reported finding with the command that helps, what could not be checked, and, for health, the figures with their
// changes.
//
// name is the name of a check or a rule. previous are the figures of the last report, made at since. Without them,
// since can be zero. If there is nothing new to report, and always for health, the report shows the current state.
func Report(lang i18n.Lang, name string, told Notification, r Result, previous []Figure, since time.Time) string {
	w := &report{lang: lang, told: told, r: r, whole: r.Check == "health"}
	tail := append(w.unseen(), w.figures(previous, since)...)
	lines := w.findings()
	head := w.headline(name, len(lines) == 0 && len(told.Recovered) > 0)
	lines = append(lines, w.recovered()...)
	return joinReport(head, lines, tail, lang)
}

type report struct {
	lang  i18n.Lang
	told  Notification
	r     Result
	whole bool // report the full state, including known findings
}

// showsState reports whether the report shows the current state instead of the changes.
func (w *report) showsState() bool { return w.whole || w.told.Silent }

// listedFindings returns the findings that the report has lines for.
func (w *report) listedFindings() []Finding {
	if w.showsState() {
		return w.r.Findings
	}
	return slices.Concat(w.told.New, w.told.Worse, w.told.Still)
}

// headline summarizes the state in a mark and a few words.
func (w *report) headline(name string, better bool) string {
	title, ok := i18n.CheckTitle(w.lang, name)
	if !ok {
		title = display(name, 60)
	}
	mark, words := markFine, i18n.CheckFine
	worst, any := Result{Findings: w.listedFindings()}.Worst()
	switch {
	case any:
		mark, words = marks[worst], map[Severity]i18n.Text{Notice: i18n.CheckHasFindings, Warning: i18n.CheckWarns, Critical: i18n.CheckCritical}[worst]
	case better && !w.whole:
		words = i18n.CheckBetter
	case w.told.Left > 0:
		mark, words = marks[Notice], i18n.CheckHasFindings
	case len(w.r.Unknown) > 0 && len(w.r.Figures) == 0:
		mark, words = markUnknown, i18n.CheckNothingSeen
	case len(w.r.Unknown) > 0:
		words = i18n.CheckFineSeen
	}
	return mark + " " + i18n.CheckHeadline(title, words.In(w.lang)).In(w.lang)
}

// entry is the lines of a finding: its sentence and its fix.
type entry []string

func (w *report) findings() []entry {
	var out []entry
	add := func(list []Finding, as func(finding string) i18n.Text) {
		for _, f := range list {
			out = append(out, w.entry(f, as))
		}
	}
	if w.showsState() {
		sorted := slices.Clone(w.r.Findings)
		sorting.By(sorted, compareUrgency)
		add(sorted, nil)
		return out
	}
	add(w.told.New, nil)
	add(w.told.Worse, i18n.CheckWorse)
	add(w.told.Still, i18n.CheckStill)
	return out
}

func (w *report) entry(f Finding, as func(finding string) i18n.Text) entry {
	text := f.Text(w.lang)
	if as != nil {
		text = as(text).In(w.lang)
	}
	e := entry{marks[f.Severity] + " " + display(text, maxLine)}
	if f.Fix != "" {
		e = append(e, "   "+i18n.CheckFix(f.Fix).In(w.lang))
	}
	return e
}

func (w *report) recovered() []entry {
	var out []entry
	for _, f := range w.told.Recovered {
		out = append(out, entry{markFine + " " + display(i18n.CheckOver(f.topic(w.lang)).In(w.lang), maxLine)})
	}
	return out
}

// topic returns the subject of a finding, for its recovery, when the figures of its sentence are no longer true.
func (f Finding) topic(lang i18n.Lang) string {
	kind, _, _ := strings.Cut(f.Key, ":")
	title, ok := i18n.CheckTitle(lang, kind)
	switch {
	case !ok:
		return f.Text(lang)
	case f.Args.Name != "":
		return title + " " + f.Args.Name
	}
	return title
}

// unseen returns a line about what could not be checked. health omits what was partly checked.
func (w *report) unseen() []string {
	var words []string
	for _, u := range w.r.Unknown {
		if u.Reason == ReasonPartial && w.whole {
			continue
		}
		if text := u.Text(w.lang); !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []string{display(i18n.CheckUnseen(strings.Join(words, ", ")).In(w.lang), maxLine)}
}

// figures returns the lines of figures, for health and for a look without findings. If all is well, it is a
// single line.
func (w *report) figures(previous []Figure, since time.Time) []string {
	fine := len(w.listedFindings()) == 0
	if !w.whole && !(w.told.Silent && fine) {
		return nil
	}
	before := map[string]Figure{}
	for _, f := range previous {
		before[f.Key] = f
	}
	var words []string
	for _, f := range selectFigures(w.r.Figures) {
		s := f.label(w.lang) + " " + f.amount(w.lang)
		if former, ok := before[f.Key]; ok && former.Unit == f.Unit {
			if by := f.change(w.lang, former); by != "" {
				s += " (" + by + ")"
			}
		}
		words = append(words, s)
	}
	if len(words) == 0 {
		return nil
	}
	head := i18n.CheckNow.In(w.lang)
	if len(before) > 0 && !since.IsZero() {
		head = i18n.CheckSince(i18n.CheckMoment(w.lang, since.In(w.r.At.Location()), w.r.At)).In(w.lang)
	}
	if fine {
		return []string{head + " " + strings.Join(words, " · ")}
	}
	lines := []string{head}
	for _, s := range words {
		lines = append(lines, "· "+s)
	}
	return lines
}

// order is the order of the kinds of figures in a report.
var order = []string{"disk", "memory", "temperature", "updates", "security_updates", "journal_errors", "failed_units", "swap", "battery", "logins", "pacnew", "orphans", "inodes", "smart_wear"}

// selectFigures selects a few figures: one of each kind first, and no zeros.
func selectFigures(all []Figure) []Figure {
	var first, rest []Figure
	for _, f := range all {
		switch {
		case f.Unit == Number && f.Value == 0 && !f.AtLeast:
		case slices.ContainsFunc(first, func(o Figure) bool { return o.kind() == f.kind() }):
			rest = append(rest, f)
		default:
			first = append(first, f)
		}
	}
	place := func(f Figure) int { return slices.Index(order, f.kind()) }
	sorting.Stably(first, func(a, b Figure) int { return place(a) - place(b) })
	first = append(first, rest...)
	return first[:min(maxFigures, len(first))]
}

// joinReport joins the parts of a report and drops the last findings if there is not enough room.
func joinReport(head string, entries []entry, tail []string, lang i18n.Lang) string {
	end := strings.Join(tail, "\n")
	room := maxReport - utf8.RuneCountInString(head) - utf8.RuneCountInString(end) - 60
	lines := []string{head}
	for i, e := range entries {
		text := strings.Join(e, "\n")
		if room -= utf8.RuneCountInString(text) + 1; room < 0 {
			lines = append(lines, i18n.CheckMore(i18n.Count(int64(len(entries)-i))).In(lang))
			break
		}
		lines = append(lines, text)
	}
	if end != "" {
		lines = append(lines, end)
	}
	return strings.Join(lines, "\n")
}
