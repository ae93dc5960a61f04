// Package intent reads a request in Korean, English or Chinese and tells what it
// asks for: tool calls with their inputs, a question back, a refusal, or an
// honest "nothing I can do".
//
// Words, names, rules, times and examples are files of the data and phrases
// directories, which need no Go to extend. A request is looked up in the word
// lists (concepts, verbs, names); rules choose a read-only tool, and only an
// explicit order that is neither denied nor asked about, with an object that can
// be named, becomes a change. What was learned from the phrases weighs the
// rules' choice: it may choose another look, and must agree to every change.
//
// The same request always gives the same plan, and the plan says why.
package intent

import "sync"

// shared is loaded on first use: the daemon starts often, and most starts never
// ask the offline engine anything.
var shared = sync.OnceValue(func() *Lexicon { l, _ := loadLexicon(nil); return l })

// BuiltIn returns the words and rules that come with the program.
func BuiltIn() *Lexicon { return shared() }

// Understand tells what a request means to what is built in.
func Understand(text string, before Context) Plan { return shared().Understand(text, before) }

// Understand tells what a request means: the tool calls to make first, or why
// none, with score and evidence. It knows every tool of the inventory.
func (l *Lexicon) Understand(text string, before Context) Plan {
	u := newUtterance(text)
	lang := u.lang
	if kept := before.toldToKeep(u.raw); kept != "" {
		u = newUtterance("forget " + kept)
	}
	p := l.guard(before, l.follow(before, u), u)
	p.Lang = lang
	if p.Kind == KindCall && p.Diagnoses == nil {
		p.Diagnoses = l.read(u).diagnosesOf(p.Steps)
	}
	return p
}

func (l *Lexicon) understand(u *utterance) Plan {
	if s, ok := l.own[ownKey(u)]; ok {
		return callPlan(sureScore, s).granted(grantOwn).because("a phrase of the person's own")
	}
	r := l.read(u)
	p := r.decide()
	if p.Kind == KindCall {
		p.Diagnoses = r.diagnosesOf(p.Steps)
	}
	return p
}

// Read returns a request as the lexicon sees it, for answers that depend on
// how it was asked.
func (l *Lexicon) Read(text string) *Reading { return l.read(newUtterance(text)) }
