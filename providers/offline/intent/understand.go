// Package intent maps a request in Korean, English or Chinese to a [Plan]: tool calls with their inputs, a
// question back, a refusal, or an honest "nothing I can do".
//
// A request is looked up in the word lists (concepts, verbs, names) of the data directory. Rules choose a
// read-only tool. Only an explicit order that is neither denied nor a question, with an object that can be
// named, becomes a change. A classifier trained on the phrases directory corrects the rules' choice: it can
// choose another read-only tool, and must agree to every change. Extending the data and phrases needs no Go.
// The same request always gives the same plan, with its reasons.
package intent

import "sync"

// shared is loaded on first use: the daemon starts often, and most runs never use the built-in helper.
var shared = sync.OnceValue(func() *Lexicon { l, _ := loadLexicon(nil); return l })

// BuiltIn returns the built-in words and rules.
func BuiltIn() *Lexicon { return shared() }

// Understand plans a request with the built-in lexicon.
func Understand(text string, before Context) Plan { return shared().Understand(text, before) }

// Understand plans a request: the tool calls to make first, or why there are none, with score and evidence. It
// knows every tool of the inventory.
func (l *Lexicon) Understand(text string, before Context) Plan {
	u := newUtterance(text)
	lang := u.lang
	if note := before.lastRemembered(u.raw); note != "" {
		u = newUtterance("forget " + note)
	}
	p := l.guard(before, l.follow(before, u), u)
	p.Lang = lang
	if p.Kind == KindCall && p.Diagnoses == nil {
		p.Diagnoses = l.read(u).diagnosesOf(p.Steps)
	}
	return p
}

func (l *Lexicon) understand(u *utterance) Plan {
	if s, ok := l.userPhrases[phraseKey(u)]; ok {
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
