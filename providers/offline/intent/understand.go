// Package intent maps a request in Korean, English or Chinese to a [Plan]: tool calls with their inputs, a
// question back, a refusal, or an honest "nothing I can do".
//
// A request is looked up in the word lists (concepts, verbs, names) of the data directory. Recognisers plan what has a
// fixed form: refusals, literal commands, orders, notes, schedules, complaints. Everything else is a question: a
// classifier trained on the phrases directory chooses the tool that reads (data/classes.tsv). Only an explicit order
// that is neither denied nor a question, with an object that can be named, becomes a change, and the classifier must
// agree to it. Extending the data and phrases needs no Go. The same request always gives the same plan, with its
// reasons.
package intent

import (
	"fmt"
	"strings"
	"sync"
)

// shared is loaded on first use: the daemon starts often, and most runs never use the built-in helper.
var shared = sync.OnceValue(func() *Lexicon { l, _ := loadLexicon(nil); return l })

// BuiltIn returns the built-in words and classes.
func BuiltIn() *Lexicon { return shared() }

// Understand plans a request: the tool calls to make first, or why there are none, with score and evidence. It
// knows every tool of the inventory.
func (l *Lexicon) Understand(text string, before Context) Plan {
	u := newUtterance(text)
	lang := u.lang
	if note := before.lastRemembered(u.raw); note != "" {
		u = newUtterance("forget " + note)
	}
	if request := before.choice(u); request != "" {
		p := l.Understand(request, Context{Now: before.Now}).because("picks %q", request)
		p.Picked = request
		return p
	}
	p := l.later(before, l.guard(before, l.follow(before, u), u), u).asOne(u.raw).dated(before.Now)
	p.Lang = lang
	if p.Kind == KindCall && p.Diagnoses == nil {
		p.Diagnoses = l.read(u).diagnosesOf(p.Steps)
	}
	return p
}

func (l *Lexicon) understand(u *utterance) Plan {
	if s, ok := l.userPhrases[u.flatText()]; ok {
		return callPlan(sureScore, s).withGrant(grantUserPhrase).because("a phrase defined by the user")
	}
	r := l.read(u)
	p := r.decide()
	if p.Kind == KindCall {
		p.Diagnoses = r.diagnosesOf(p.Steps)
	}
	return p
}

// Read returns a request with its matches in the lexicon, for answers that depend on how it was phrased.
func (l *Lexicon) Read(text string) *Reading { return l.read(newUtterance(text)) }

// Kind is how a [Plan] answers.
type Kind string

// The kinds of plans.
const (
	KindCall    Kind = "call"    // run the steps
	KindAsk     Kind = "ask"     // something is missing: ask for it
	KindRefuse  Kind = "refuse"  // destructive: explain, offer something safe
	KindNone    Kind = "none"    // not something this helper can do
	KindSocial  Kind = "social"  // a greeting, thanks, "what can you do?"
	KindFollow  Kind = "follow"  // the meaning depends on the conversation
	KindLogText Kind = "logtext" // answer from the piped text
)

// Step is one tool call of a plan.
type Step struct {
	Tool  string
	Input map[string]any
}

// Plan is the helper's interpretation of a request and what it would do.
type Plan struct {
	Kind  Kind
	Steps []Step // only with KindCall; in order
	// Topic is a code that narrows the kind down: which refusal, which question back, which unsupported request.
	Topic string
	// Subject is the name that the topic is about, as the user wrote it.
	Subject string
	// Score is the helper's confidence. It acts on 4 and more. Explicit orders and literal commands score 10 and more.
	Score float64
	// Reasons is the evidence in the order it was found.
	Reasons []string
	Lang    string // language of the request
	// FollowUps are changes requested after the read-only Steps. They are offered once the results are reported.
	FollowUps []Step
	// Diagnoses names, for each step, the chain (package report) that it starts; "" if it starts none.
	Diagnoses []string

	// IsUncertain reports that only the classifier chose the steps, with low confidence. Their results are reported,
	// but no change is offered.
	IsUncertain bool
	// UnderstoodWords are the understood words of a partly understood request, Unheard the others.
	UnderstoodWords, UnknownWords []string
	// NearestSteps are the read-only steps, at most three, that a partly understood request may mean, most likely first.
	// None of them is called.
	NearestSteps []Step

	// Picked is the listed request that the person picked; "" for none.
	Picked string

	// Offer is a read-only step that the answer to a plan without steps offers; nil for none.
	Offer *Step
	// AcceptsOffer reports that the plan accepts an offered step.
	AcceptsOffer bool

	pending string // the verb of a question back, completed by the user's answer
	grant   grant  // why the plan may change something
}

// Why returns score and evidence in one line.
func (p Plan) Why() string {
	head := string(p.Kind)
	if p.Topic != "" {
		head += "/" + p.Topic
	}
	for _, s := range p.Steps {
		head += " " + s.Tool
	}
	for _, s := range p.FollowUps {
		head += ", then " + s.Tool
	}
	return fmt.Sprintf("%s (score %.1f): %s", head, p.Score, strings.Join(p.Reasons, "; "))
}

func (p Plan) because(format string, args ...any) Plan {
	p.Reasons = append(p.Reasons, fmt.Sprintf(format, args...))
	return p
}

func callPlan(score float64, steps ...Step) Plan {
	return Plan{Kind: KindCall, Score: score, Steps: steps}
}

// Call returns a step with the input given as keys and values.
func Call(tool string, kv ...any) Step {
	s := Step{Tool: tool, Input: map[string]any{}}
	for i := 0; i+1 < len(kv); i += 2 {
		s.Input[kv[i].(string)] = kv[i+1]
	}
	return s
}

func otherPlan(kind Kind, topic, subject string) Plan {
	return Plan{Kind: kind, Topic: topic, Subject: subject, Score: 10}
}

// declinePlan declines a request that is understood for certain.
func declinePlan(topic, subject string) Plan {
	return Plan{Kind: KindNone, Topic: topic, Subject: subject, Score: sureScore}
}

// askPlan asks for the object of a verb.
func askPlan(verb, topic, subject string) Plan {
	return Plan{Kind: KindAsk, Topic: topic, Subject: subject, Score: 10, pending: verb}
}

// serviceStep returns an action on a unit of the system's or the user's service manager.
func serviceStep(action, unit string, user bool) Step {
	s := Call("manage_service", "action", action, "name", unit)
	if user {
		s.Input["user"] = true
	}
	return s
}
