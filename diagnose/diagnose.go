// Package diagnose finds causes. A [Topic] is a question that people ask: it has the looks that it needs, and a table
// of causes
// with the evidence for each, its sentence, and what repairs it. To add a cause, add a row, its sentence, and a test.
//
// The package runs nothing. It names the commands that are still needed, which only read, and concludes from what they
// printed.
package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
)

// Output is what a look printed.
type Output struct {
	Stdout, Stderr string
	Exit           int
	// Cut reports that a part is missing.
	Cut bool
	// Unseen reports that it did not run to its end: the program is not installed, the gate does not allow it, or it took
	// too long.
	Unseen bool
	// Missing is the program that is not installed, "" if that is not why it did not run.
	Missing string
	// TimedOut reports that it took too long.
	TimedOut bool
}

// Facts are what is known about the object of a question. The zero value is not usable: see [NewFacts].
type Facts struct {
	Object string
	// Package is the package that a person means by the object, "" if it has the object's name.
	Package string
	// Text is what the person wrote, with the message that they quote.
	Text string
	// Lang is the language of the person, "" if it is not known.
	Lang i18n.Lang
	// Pins are the packages whose files in the cache are needed to take changes back, as NAME-VERSION.
	Pins []string
	seen map[string]Output
	// unreadable are the looks whose output no reader understands, or that show no log, with the reason.
	unreadable map[string]Gap
	needed     []machine.Probe
	sound      *Finding // what is told if no cause was found
}

// NewFacts returns facts without any output.
func NewFacts(object string) *Facts {
	return &Facts{Object: object, seen: map[string]Output{}, unreadable: map[string]Gap{}}
}

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
	if slices.Contains(look, "") { // what it is about is not known yet
		return Output{}, false
	}
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
	// Program is the program that sets a value, "" for the usual one.
	Program string
}

// cause is a row of a topic. find returns nil if nothing speaks for the cause. It may ask for looks, and is then called
// again.
type cause struct {
	id   string
	find func(*Facts) *Finding
}

// Kind is what the object of a question is.
type Kind string

// The kinds of objects. A question without an object is about the whole machine.
const (
	NoObject  Kind = ""
	AProgram  Kind = "program"
	AUnit     Kind = "unit"
	APath     Kind = "path"
	ADevice   Kind = "device"
	APort     Kind = "port"
	AnAddress Kind = "address"
)

// Topic is a question that people ask.
type Topic struct {
	ID string
	// Object is what the question can be about. Requires reports that there is no question without it.
	Object   Kind
	Requires bool
	// About is the question in a few words.
	About  i18n.Text
	causes []cause
	// sound returns what is reported of a machine on which no cause was found, nil if the looks do not show it.
	sound func(*Facts) *Finding
}

// Topics returns the topics, by subject.
func Topics() []Topic {
	return []Topic{
		Start(), Update(),
		Unit(), Timer(), Port(), Rights(), Sudo(), Login(), Certificate(),
		Internet(), Sound(), Bluetooth(), Input(), Printer(), Clock(), Locale(),
		Screen(), Camera(), Scanner(), Flatpak(), Crash(), Shutdown(),
		Full(), Disk(), Mount(), Boot(), Reboot(), Modules(), Memory(), Slow(), Heat(), Suspend(), Battery(), Foreign(),
	}
}

// Lookup returns the topic with an id.
func Lookup(id string) (Topic, bool) {
	for _, t := range Topics() {
		if t.ID == id {
			return t, true
		}
	}
	return Topic{}, false
}

// Causes returns the ids of the causes that the topic knows.
func (t Topic) Causes() (ids []string) {
	for _, c := range t.causes {
		ids = append(ids, c.id)
	}
	return ids
}

// proved returns a cause that the evidence proves.
func proved(says i18n.Text, seen ...Evidence) *Finding {
	return &Finding{Certain: true, Says: says, Evidence: seen}
}

// likely returns a cause that the evidence speaks for, without proving it. Its sentence says so, and names the look
// that would
// decide.
func likely(says i18n.Text, seen ...Evidence) *Finding { return &Finding{Says: says, Evidence: seen} }

// see returns a fact and the look that shows it.
func see(look machine.Probe, text i18n.Text) Evidence { return Evidence{look, text} }

// seeLine returns a line that a look prints.
func seeLine(look machine.Probe, line string) Evidence {
	return Evidence{look, i18n.DiagnoseLine(machine.CleanLine(strings.TrimSpace(line)))}
}

// advise adds what the person can do.
func (f *Finding) advise(text i18n.Text) *Finding {
	f.Advice = text
	return f
}

// offer adds what can be done here.
func (f *Finding) offer(goal i18n.Text, steps ...Step) *Finding {
	f.Repair = &Repair{Goal: goal, Steps: steps}
	return f
}

// run returns a step that runs a command. check is a command that only reads, whose output contains expect once the
// step has
// worked; undo is the command that takes the step back, "" if there is none.
func run(about i18n.Text, command, check, expect, undo string) Step {
	return Step{
		Step:  plan.Step{Verb: "run", Args: map[string]string{"command": command}, Check: check, Expect: expect, Undo: undo},
		About: about,
	}
}

// control returns a step that starts, stops, restarts, enables or disables a unit.
func control(about i18n.Text, action, unit string, user bool) Step {
	args := map[string]string{"action": action, "name": unit}
	if user {
		args["user"] = "true"
	}
	return Step{Step: plan.Step{Verb: "unit", Args: args}, About: about}
}

// install returns a step that installs packages of a repository.
func install(about i18n.Text, names string) Step {
	return Step{Step: plan.Step{Verb: "install", Args: map[string]string{"name": names}}, About: about}
}

// lines returns the lines that a look printed if it succeeded and is complete.
func (f *Facts) lines(look machine.Probe) []string { return machine.Lines(f.stdout(look)) }

// lineWith returns the last line of an output that contains one of the words, in any case, "" if there is none.
func lineWith(lines []string, words ...string) string {
	for _, line := range slices.Backward(lines) {
		low := strings.ToLower(line)
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) }) {
			return line
		}
	}
	return ""
}

// Conclude returns the causes that the facts speak for, the proved ones first. While [Facts.Needed] returns looks, the
// result
// is not complete.
func (t Topic) Conclude(f *Facts) []Finding {
	var all []Finding
	for _, c := range t.causes {
		if found := c.find(f); found != nil {
			found.Cause = c.id
			all = append(all, *found)
		}
	}
	sorting.Stably(all, func(a, b Finding) int {
		switch {
		case a.Certain == b.Certain:
			return 0
		case a.Certain:
			return -1
		}
		return 1
	})
	if f.sound = nil; t.sound != nil && len(all) == 0 && len(f.needed) == 0 {
		f.sound = t.sound(f)
	}
	return all
}
