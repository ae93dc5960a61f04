package intent

import (
	"slices"
	"strings"
)

// conjunctions are separators between two requests. A cut counts only if every part is a request in its own right, so
// the list can be generous. A comma alone does not separate: the text before it is usually background.
var conjunctions = pattern(`(?i)\s*[,.]?\s+(?:and\s+then|and\s+after\s+that|after\s+that|and\s+also|then|and|also|plus|as\s+well\s+as)\s+|` +
	`\s*[,.]?\s*(?:그리고|그다음에?|그 다음에?)\s*|한\s?다음에?\s+|(?:보고|확인하고|살펴보고|체크하고)\s?나서\s+|(?:이랑|하고|랑|과|와)\s+|\s*[,，]?(?:然后再?|接着|并且|顺便|以及|还有|和|再)\s*|\s*[;；、?？]\s*`)

// splitRequests splits a text into requests. Commas split only if a conjunction occurs as well: "disk, memory and
// battery".
func splitRequests(text string) []string {
	out := conjunctions().Split(text, -1)
	if len(out) < 2 {
		return out
	}
	var all []string
	for _, part := range out {
		for _, p := range strings.FieldsFunc(part, func(r rune) bool { return r == ',' || r == '，' }) {
			if p = strings.TrimSpace(p); p != "" {
				all = append(all, p)
			}
		}
	}
	return all
}

const (
	maxClauses  = 4
	clauseScore = 4.5 // minimum score of a part that is planned separately
)

// decideSeveral plans several requests in one utterance in the given order: "check the disk, and restart
// bluetooth". Read-only steps run first without a question. A change that follows a read-only step is offered
// after its result is reported, so the user sees the result before anything changes.
func (r *Reading) decideSeveral() (Plan, bool) {
	if r.whole || r.u.data != "" || r.hasAny("remember", "recall", "write", "howto") || len(r.u.words) > 60 {
		return Plan{}, false
	}
	list := splitRequests(r.u.raw)
	if len(list) < 2 || len(list) > maxClauses || strings.ContainsAny(r.u.raw, "\"“”「」『』") {
		return Plan{}, false
	}
	var whole Plan
	for _, part := range list {
		p, ok := r.clausePlan(part, whole.Steps)
		if !ok {
			return Plan{}, false
		}
		whole = whole.append(p)
	}
	if len(whole.Steps)+len(whole.FollowUps) < 2 {
		return Plan{}, false
	}
	return whole.because("%d requests in one", len(whole.Steps)+len(whole.FollowUps)), true
}

// clausePlan plans one part of a request. "restart it" refers to the name in the preceding part.
func (r *Reading) clausePlan(part string, before []Step) (Plan, bool) {
	in := r.lex.read(newUtterance(part))
	in.whole = true
	p := in.decide()
	if p.Kind == KindAsk && p.pending != "" && len(before) > 0 && in.has["it"] {
		last := before[len(before)-1]
		if q, ok := applyToSubject(p.pending, last.Tool, subjectOf(last.Input)); ok {
			p = q
		}
	}
	asks := asksWay().MatchString(r.u.raw) || statePattern().MatchString(r.u.raw)
	if p.Kind == KindCall && p.Steps[0].Tool == "desktop" && asks {
		return Plan{}, false // "is wifi and bluetooth on": a part of a question is no wish
	}
	if p.Kind != KindCall || p.Score < clauseScore || in.isOnlyName() || p.Steps[0].Tool == "run_command" {
		return Plan{}, false
	}
	return p, true
}

// isOnlyName reports whether a part is only a name: the end of a list.
func (r *Reading) isOnlyName() bool {
	return r.has["@name"] && len(r.acts) == 0 && len(r.topics) == 0 && r.hasOnlyNamesAnd("filler", "it")
}

// hasOnlyNamesAnd reports whether all other concepts than those of names are among the given ones.
func (r *Reading) hasOnlyNamesAnd(ids ...string) bool {
	return !slices.ContainsFunc(r.concepts,
		func(h hit) bool { return !isWithin(h, r.names) && !slices.Contains(ids, h.id) })
}

// append appends the steps of the next part.
func (p Plan) append(q Plan) Plan {
	if len(p.Steps) == 0 {
		return q.withGrant(grantWords)
	}
	p.Score, p.grant = min(p.Score, q.Score), grantWords
	p.Reasons = append(p.Reasons, q.Reasons...)
	for _, s := range q.Steps {
		switch {
		case containsStep(p.Steps, s), s.Tool == p.Steps[len(p.Steps)-1].Tool && len(s.Input) != len(p.Steps[len(p.Steps)-1].Input):
		case changes(s.Tool) && !changes(p.Steps[0].Tool):
			p.FollowUps = append(p.FollowUps, s)
		default:
			p.Steps = append(p.Steps, s)
		}
	}
	return p
}

func containsStep(list []Step, s Step) bool {
	return slices.ContainsFunc(list, func(x Step) bool { return sameStep(x, s) })
}
