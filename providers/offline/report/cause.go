package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// conclude lets a topic find the causes for an object. ok is false while looks are missing.
func (q *inquiry) conclude(t diagnose.Topic, f *diagnose.Facts) (found []diagnose.Finding, ok bool) {
	for {
		found = t.Conclude(f)
		needed := f.Needed()
		if len(needed) == 0 {
			return found, true
		}
		for _, look := range needed {
			q.addFact(f, look)
		}
		if len(q.needed) > 0 {
			return nil, false
		}
	}
}

// addFact adds what a look printed, or asks for it.
func (q *inquiry) addFact(f *diagnose.Facts, look machine.Probe) {
	step := command(look.String())
	if q.find(step) == nil && !q.collect(step) {
		return
	}
	out := q.output(step, "")
	if out == nil {
		f.Add(look, diagnose.Output{Unseen: true})
		return
	}
	f.Add(look, diagnose.Output{Stdout: out.Stdout, Stderr: out.Stderr, Exit: out.Exit, Cut: out.Cut})
}

// causeReply answers with the first cause, and names the others. Without one, the reply is empty.
func (q *inquiry) causeReply(found []diagnose.Finding, f *diagnose.Facts) Reply {
	if len(found) == 0 {
		return Reply{}
	}
	first := found[0]
	shown := q.found(first.Says)
	for _, e := range first.Evidence {
		shown.note(q.say(e.Text) + " (`" + e.Look.String() + "`)")
	}
	for _, other := range found[1:] {
		shown.note(q.say(other.Says))
	}
	if unseen := f.Unseen(); !first.Certain && len(unseen) > 0 {
		shown.note(q.say(i18n.DiagnoseUnseen(quoteAll(unseen))))
	}
	shown.meaning = q.say(first.Advice)
	if first.Repair != nil {
		q.proposeRepair(shown, *first.Repair)
	}
	return shown.reply()
}

// nothingReply says what was looked at.
func (q *inquiry) nothingReply(text i18n.Text, f *diagnose.Facts) Reply {
	shown := q.found(text, q.say(i18n.DiagnoseLooked(quoteAll(f.Looked()))))
	if unseen := f.Unseen(); len(unseen) > 0 {
		shown.note(q.say(i18n.DiagnoseUnseen(quoteAll(unseen))))
	}
	return shown.reply()
}

func quoteAll(commands []string) string { return "`" + strings.Join(commands, "`, `") + "`" }

// startFailure answers why a program does not start.
func (q *inquiry) startFailure(program string) Reply {
	f := diagnose.NewFacts(program)
	if n := q.Request.Name(); n != nil && quoteWord(n.Package) == n.Package {
		f.Package = n.Package
	}
	found, ok := q.conclude(diagnose.Start(), f)
	switch {
	case !ok:
		return Reply{}
	case len(found) == 0:
		return q.nothingReply(i18n.StartNothing(program), f)
	}
	return q.causeReply(found, f)
}
