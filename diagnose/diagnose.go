// Package diagnose finds causes. A [Topic] is a question that people ask: it has the looks that it needs, and a table of causes
// with the evidence for each, its sentence, and what repairs it. To add a cause, add a row, its sentence, and a test.
//
// The package runs nothing. It names the commands that are still needed, which only read, and concludes from what they
// printed.
package diagnose

import (
	"slices"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Output is what a look printed.
type Output struct {
	Stdout, Stderr string
	Exit           int
	// Cut reports that a part is missing.
	Cut bool
	// Unseen reports that it did not run: the program is not installed, or the gate does not allow it.
	Unseen bool
}

// Facts are what is known about the object of a question. The zero value is not usable: see [NewFacts].
type Facts struct {
	Object string
	// Package is the package that a person means by the object, "" if it has the object's name.
	Package string
	// Text is what the person wrote, with the message that they quote.
	Text   string
	seen   map[string]Output
	needed []machine.Probe
}

// NewFacts returns facts without any output.
func NewFacts(object string) *Facts { return &Facts{Object: object, seen: map[string]Output{}} }

// Add adds what a look printed.
func (f *Facts) Add(look machine.Probe, out Output) { f.seen[look.String()] = out }

// Needed returns the looks that were asked for and are not known, and forgets them.
func (f *Facts) Needed() []machine.Probe {
	needed := f.needed
	f.needed = nil
	return needed
}

// output returns what a look printed. Without it, the look becomes needed, and ok is false.
func (f *Facts) output(look machine.Probe) (out Output, ok bool) {
	if out, ok = f.seen[look.String()]; !ok {
		if !slices.ContainsFunc(f.needed, func(p machine.Probe) bool { return slices.Equal(p, look) }) {
			f.needed = append(f.needed, look)
		}
		return Output{}, false
	}
	return out, !out.Unseen
}

// stdout returns what a look printed if it succeeded and is complete, "" otherwise.
func (f *Facts) stdout(look machine.Probe) string {
	if out, ok := f.output(look); ok && out.Exit == 0 && !out.Cut {
		return out.Stdout
	}
	return ""
}

// Evidence is a fact that speaks for a cause, with the look that shows it.
type Evidence struct {
	Look machine.Probe
	Text i18n.Text
}

// Finding is a cause that the evidence speaks for.
type Finding struct {
	Cause    string // its id
	Certain  bool   // proved; others are only likely
	Says     i18n.Text
	Evidence []Evidence
	// Repair is what can be done here, nil if there is nothing to run. Advice is what the person can do.
	Repair *Repair
	Advice i18n.Text
}

// Repair is a plan with what its steps are for.
type Repair struct {
	Goal  i18n.Text
	Steps []Step
	// Ask is the question below the steps; the zero value is the usual one.
	Ask i18n.Text
}

// Step is a step with its description. Lost reports that a step that can usually be taken back cannot be here.
type Step struct {
	plan.Step
	About i18n.Text
	Lost  bool
}

// cause is a row of a topic. find returns nil if nothing speaks for the cause. It may ask for looks, and is then called again.
type cause struct {
	id   string
	find func(*Facts) *Finding
}

// Topic is a question that people ask.
type Topic struct{ causes []cause }

// Conclude returns the causes that the facts speak for, the proved ones first. While [Facts.Needed] returns looks, the result
// is not complete.
func (t Topic) Conclude(f *Facts) []Finding {
	var all []Finding
	for _, c := range t.causes {
		if found := c.find(f); found != nil {
			found.Cause = c.id
			all = append(all, *found)
		}
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		switch {
		case a.Certain == b.Certain:
			return 0
		case a.Certain:
			return -1
		}
		return 1
	})
	return all
}

// Looked returns the commands that were run, in order.
func (f *Facts) Looked() (looked []string) {
	for look, out := range f.seen {
		if !out.Unseen {
			looked = append(looked, look)
		}
	}
	slices.Sort(looked)
	return looked
}

// Unseen returns the commands that could not be run, in order.
func (f *Facts) Unseen() (unseen []string) {
	for look, out := range f.seen {
		if out.Unseen {
			unseen = append(unseen, look)
		}
	}
	slices.Sort(unseen)
	return unseen
}
