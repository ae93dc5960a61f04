package intent

import (
	"regexp"
	"strings"
	"sync"
)

// joints are words between one thing asked for and the next. A cut counts only
// when every part is a request of its own, so they may be generous. A comma
// alone joins nothing: what stands before it is mostly the story to a request.
var joints = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\s*[,.]?\s+(?:and\s+then|and\s+after\s+that|after\s+that|and\s+also|then|and|also|plus|as\s+well\s+as)\s+|` +
		`\s*[,.]?\s*(?:그리고|그다음에?|그 다음에?)\s*|한\s?다음에?\s+|(?:보고|확인하고|살펴보고|체크하고)\s?나서\s+|(?:이랑|하고|랑|과|와)\s+|\s*[,，]?(?:然后再?|接着|并且|顺便|以及|还有|和|再)\s*|\s*[;；、?？]\s*`)
})

// parts cuts a request into the things asked for; commas cut only beside a
// joint: "disk, memory and battery".
func parts(text string) []string {
	out := joints().Split(text, -1)
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
	clauseScore = 4.5 // what a part must reach to stand alone
)

// decideSeveral plans several things asked for in one request, in the order
// they were asked: "check the disk, and restart bluetooth". Looks come first
// without asking; a change behind a look is offered when the look is told, so
// that nothing is changed on what was not seen yet.
func (r *Reading) decideSeveral() (Plan, bool) {
	if r.whole || r.u.data != "" || r.hasAny("remember", "recall", "write", "howto") || len(r.u.words) > 60 {
		return Plan{}, false
	}
	list := parts(r.u.raw)
	if len(list) < 2 || len(list) > maxClauses || strings.ContainsAny(r.u.raw, "\"“”「」『』") {
		return Plan{}, false
	}
	var whole Plan
	for _, part := range list {
		p, ok := r.clausePlan(part, whole.Steps)
		if !ok {
			return Plan{}, false
		}
		whole = whole.join(p)
	}
	if len(whole.Steps)+len(whole.Then) < 2 {
		return Plan{}, false
	}
	return whole.because("%d requests in one", len(whole.Steps)+len(whole.Then)), true
}

// clausePlan plans one part of a request; "restart it" is about what the part
// before named.
func (r *Reading) clausePlan(part string, before []Step) (Plan, bool) {
	in := r.lex.read(newUtterance(part))
	in.whole = true
	p := in.byRules() // a few words are too little to weigh
	if p.Kind != KindCall || p.Score < clauseScore || len(in.u.words) > 3 {
		p = in.decide()
	}
	if p.Kind == KindAsk && p.pending != "" && len(before) > 0 && in.has["it"] {
		last := before[len(before)-1]
		if q, ok := onSubject(p.pending, last.Tool, subjectOf(last.Input)); ok {
			p = q
		}
	}
	if p.Kind != KindCall || p.Score < clauseScore || in.onlyNamed() || p.Steps[0].Tool == "run_command" {
		return Plan{}, false
	}
	return p, true
}

// onlyNamed reports whether a part is no more than a name: the end of a list.
func (r *Reading) onlyNamed() bool {
	return r.has["@name"] && len(r.acts) == 0 && len(r.topics) == 0 && r.onlyNames()
}

func (r *Reading) onlyNames() bool {
	for _, h := range r.concepts {
		if !within(h, r.names) && h.id != "filler" && h.id != "it" {
			return false
		}
	}
	return true
}

// join adds the steps of the next part.
func (p Plan) join(q Plan) Plan {
	if len(p.Steps) == 0 {
		return q.granted(grantWords)
	}
	p.Score, p.grant = min(p.Score, q.Score), grantWords
	p.Reasons = append(p.Reasons, q.Reasons...)
	for _, s := range q.Steps {
		switch {
		case containsStep(p.Steps, s), s.Tool == p.Steps[len(p.Steps)-1].Tool && len(s.Input) != len(p.Steps[len(p.Steps)-1].Input):
		case changes(s.Tool) && !changes(p.Steps[0].Tool):
			p.Then = append(p.Then, s)
		default:
			p.Steps = append(p.Steps, s)
		}
	}
	return p
}

func containsStep(list []Step, s Step) bool {
	for _, x := range list {
		if sameStep(x, s) {
			return true
		}
	}
	return false
}
