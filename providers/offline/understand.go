package offline

import "sync"

// shared is loaded on first use: the daemon starts often, and most starts never
// ask the offline engine anything.
var shared = sync.OnceValue(loadLexicon)

// Understand tells what a request means to the engine: the tool calls it would
// make first, or why it makes none, with score and evidence. It looks at the
// request alone, not at a conversation, and knows every tool of the inventory.
func Understand(text string) Plan {
	return understand(newUtterance(text))
}

func understand(u *utterance) Plan {
	r := shared().read(u)
	p := r.decide()
	p.Lang = u.lang
	return p
}
