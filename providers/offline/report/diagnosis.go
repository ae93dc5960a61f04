package report

import (
	"slices"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// inquiry is a diagnosis under way: what is known so far, and what is still to
// be looked at. A diagnosis looks layer by layer and stops at the first that is
// broken; all its looks only read.
type inquiry struct {
	Case
	first  intent.Step // the look that was asked for
	wanted []intent.Step
}

// diagnoses are the chains of looks, by the names of intent/data/diagnoses.tsv.
var diagnoses map[string]func(*inquiry) Reply

func init() { // the chains tell results, and results lead to chains
	diagnoses = map[string]func(*inquiry) Reply{
		"memory": (*inquiry).memory, "wifi": (*inquiry).wifi, "internet": (*inquiry).internet,
		"service": (*inquiry).service, "failures": (*inquiry).failures, "input": (*inquiry).input, "sound": (*inquiry).sound,
		"bluetooth": (*inquiry).bluetooth, "printer": (*inquiry).printer, "clock": (*inquiry).clock, "locale": (*inquiry).locale, "usb": (*inquiry).usb,
		"disk":        (*inquiry).disk,
		"health":      (*inquiry).health,
		"slow":        (*inquiry).slow,
		"updates":     (*inquiry).updates,
		"errors":      (*inquiry).errors,
		"crash":       (*inquiry).crash,
		"boot":        (*inquiry).boot,
		"busy":        (*inquiry).busyNow,
		"running":     (*inquiry).running,
		"temperature": (*inquiry).temperature,
		"battery":     (*inquiry).battery,
		"forget":      (*inquiry).forget,
		"automation":  (*inquiry).automation,
		"ready":       (*inquiry).ready,
		"history":     (*inquiry).history,
		"hostname":    (*inquiry).hostname,
		"level":       (*inquiry).level,
		"open":        (*inquiry).open,
		"eject":       (*inquiry).eject,
		"drive":       (*inquiry).namedSize,

		intent.TroubleLock:      (*inquiry).lock,
		intent.TroubleSignature: (*inquiry).signature,
		intent.TroubleDatabase:  (*inquiry).database,
		intent.TroubleSudo:      (*inquiry).sudo,
	}
}

// diagnose follows a chain: the looks that are still wanted, or the answer.
func (c Case) diagnose(name string, first intent.Step) Reply {
	q := &inquiry{Case: c, first: first}
	rep := diagnoses[name](q)
	if len(q.wanted) > 0 {
		return Reply{Next: q.wanted}
	}
	if rep.Text == "" { // nothing could be looked at
		if r := q.taken(first); r != nil {
			return r.compose()
		}
	}
	return rep
}

// look asks for looks that were not taken yet, all at once, and reports whether
// everything that can be known of them is known. What cannot be called counts
// as known: it tells nothing.
func (q *inquiry) look(steps ...intent.Step) bool {
	for _, s := range q.fresh(steps) {
		if !slices.ContainsFunc(q.wanted, func(w intent.Step) bool { return w.Tool == s.Tool && sameInput(w.Input, s.Input) }) {
			q.wanted = append(q.wanted, s)
		}
	}
	return len(q.wanted) == 0
}

// told is the result of a look as its tool's own reply tells it: empty when it
// was not taken or kept from running.
func (q *inquiry) told(s intent.Step) Reply {
	if r := q.taken(s); r != nil && r.out != nil && r.out.Refusal == "" {
		return r.compose()
	}
	return Reply{}
}

// taken is the result of a look, nil when it was not taken.
func (q *inquiry) taken(s intent.Step) *result {
	if res := q.find(s); res != nil {
		return q.result(*res)
	}
	return nil
}

// output is what the command of a look put out; nil when the look was not taken
// or refused, or the program is not installed. Of several commands it is the
// first whose text contains part.
func (q *inquiry) output(s intent.Step, part string) *providers.Step {
	r := q.taken(s)
	if r == nil || r.out == nil || r.out.Refusal != "" {
		return nil
	}
	if step := r.step(part); step != nil && step.Missing == "" {
		return step
	}
	return nil
}

// stdout is the standard output of a look of one command that ended well, ""
// otherwise.
func (q *inquiry) stdout(s intent.Step) string {
	if step := q.output(s, ""); step != nil && step.Exit == 0 {
		return step.Stdout
	}
	return ""
}

// asked reports whether the question speaks of one of the concepts.
func (q *inquiry) asked(ids ...string) bool { return q.Ask != nil && q.Ask.Has(ids...) }

func (q *inquiry) say(t i18n.Text, args ...any) string { return t.In(q.Lang, args...) }

// command is a look with a command of its own. It must be one that the checker
// calls SAFE; a test holds that.
func command(text string) intent.Step { return intent.Call("run_command", "command", text) }

// finding is an answer in an administrator's order.
type finding struct {
	found    string   // what is the case, one or two sentences
	evidence []string // figures with units, and the command they are from
	means    string   // what that leads to
	// fix is the one step proposed, and question asks for a yes to it; the
	// question names the command where the step changes something.
	fix      *intent.Step
	question string
}

func (f finding) reply() Reply {
	return Reply{Text: paragraphs(joinBlocks(f.found, bullets(f.evidence), f.means), f.question), Offer: f.fix}
}
