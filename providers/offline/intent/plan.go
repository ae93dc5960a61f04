package intent

import (
	"fmt"
	"strings"
)

// Kind tells what a [Plan] answers with.
type Kind string

// The kinds of plans.
const (
	KindCall    Kind = "call"    // run the steps
	KindAsk     Kind = "ask"     // something is missing: ask for it
	KindRefuse  Kind = "refuse"  // destructive: explain, offer something safe
	KindNone    Kind = "none"    // not something this engine can do
	KindSocial  Kind = "social"  // a greeting, thanks, "what can you do?"
	KindFollow  Kind = "follow"  // only the conversation tells what is meant
	KindLogText Kind = "logtext" // answer from the text that was piped in
)

// Step is one tool call of a plan.
type Step struct {
	Tool  string
	Input map[string]any
}

// Plan is what the engine understood of a request and would do.
type Plan struct {
	Kind  Kind
	Steps []Step // only with KindCall; in order
	// Topic narrows the kind down: which refusal, which question back, which
	// thing that cannot be done. A code, not text.
	Topic string
	// Subject is the name the topic is about, as the person wrote it.
	Subject string
	// Score tells how sure the engine is: 4 is the least that it acts on,
	// explicit orders and literal commands have 10 and more.
	Score float64
	// Reasons is the evidence in the order it was found.
	Reasons []string
	Lang    string // language of the request
	// Then are changes asked for behind the looks of Steps: to be offered once
	// those are told.
	Then []Step
	// Diagnoses names, for each step, the chain of looks (package report) that
	// it begins; "" when the step is all.
	Diagnoses []string

	// Weak reports that only the examples chose the looks, and not surely: what
	// they find is told, and no change is offered.
	Weak bool
	// Heard are the words of the request that were understood, and Unheard those
	// that were not, where it was understood only in part.
	Heard, Unheard []string
	// Near are the looks that come nearest to a request that was understood only
	// in part; nothing of them is called.
	Near []Step

	// Offer is a look that the answer to a plan without steps offers; nil for none.
	Offer *Step
	// Accepts reports that the plan is a yes to a step that was offered.
	Accepts bool

	pending string // the verb of a question back, to be completed by the answer
	grant   grant  // why the plan may change something
}

// Why puts score and evidence in one line.
func (p Plan) Why() string {
	head := string(p.Kind)
	if p.Topic != "" {
		head += "/" + p.Topic
	}
	for _, s := range p.Steps {
		head += " " + s.Tool
	}
	for _, s := range p.Then {
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

// Call makes a step from keys and values.
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
