package intent

import "sync"

// shared is loaded on first use: the daemon starts often, and most starts never
// ask the offline engine anything.
var shared = sync.OnceValue(loadLexicon)

// Understand tells what a request means: the tool calls to make first, or why
// none, with score and evidence. It knows every tool of the inventory.
func Understand(text string, before Context) Plan {
	u := newUtterance(text)
	p := before.follow(u)
	p.Lang = u.lang
	if p.Kind == KindCall && p.Diagnoses == nil {
		r := shared().read(u)
		for _, s := range p.Steps {
			p.Diagnoses = append(p.Diagnoses, r.diagnosis(s))
		}
	}
	return p
}

func understand(u *utterance) Plan {
	return shared().read(u).decide()
}

// Read returns a request as the lexicon sees it, for answers that depend on
// how it was asked.
func Read(text string) *Reading { return shared().read(newUtterance(text)) }
