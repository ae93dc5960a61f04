package report

import "cmp"

// crash reports what crashed and where. If the whole machine went down, it reports how the last log ended.
func (q *inquiry) crash() Reply {
	if q.isAboutMachine() {
		return answerFrom("shutdown")(q)
	}
	found, ok := q.diagnosis(q.diagnoseStep("crash", quoteWord(q.programName())))
	if !ok {
		return q.toolReply(q.first)
	}
	rep := q.causeReply(found)
	if len(found.Causes) == 0 {
		first := q.toolReply(q.first)
		return Reply{Text: paragraphs(rep.Text, first.Text), Offer: first.Offer}
	}
	return rep
}

// isAboutMachine reports whether the question is about the computer going down, not about a program.
func (q *inquiry) isAboutMachine() bool {
	return q.programName() == "" && !q.asksAbout("app", "process", "failed", "who") &&
		q.asksAbout("shutdown", "@restart", "@stop", "whole", "boot", "why")
}

// programName returns the program asked about, "" for any.
func (q *inquiry) programName() string { return cmp.Or(q.input("grep"), q.input("name")) }
