package intent

import (
	"slices"
	"strings"
)

// englishForm determines the form of an English verb from the words before and after it in its clause. It also
// reports whether the utterance consists of the verb alone.
func englishForm(u *utterance, a act) (form, bool) {
	at := u.wordAt[a.start]
	before := clauseBefore(u, at)
	if a.form == formState && a.verb == "install" && wishesInstalled(before) {
		return formDo, false
	}
	if a.form != formDo {
		return a.form, false
	}
	after := clauseAfter(u, u.wordAt[a.end-1])
	switch {
	case len(u.words) == u.wordAt[a.end-1]-at+1:
		return formDo, true
	case negated(before):
		return formNeg, false
	case at > 0 && isPossessive(u.words[at-1].raw) && a.verb == "update":
		return formNoun, false // before monday's upgrade
	case isWish(u, a, before), asksForIt(before):
		return formDo, false
	case asksAboutIt(before):
		return formMay, false
	case a.verb == "update" && isOrderedUpdate(before):
		return formDo, false
	case isNoun(before, after):
		return formNoun, false
	}
	return formDo, false
}

// clauseBefore returns the folded words from the start of the clause of word at up to that word. "but", "then"
// and "instead" also start a clause.
func clauseBefore(u *utterance, at int) []string {
	var out []string
	for i := at - 1; i >= 0 && u.words[i].clause == u.words[at].clause; i-- {
		t := foldWord(u.words[i].text)
		if t == "but" || t == "then" || t == "instead" && i+1 < at && foldWord(u.words[i+1].text) != "of" {
			break
		}
		out = append(out, t)
	}
	slices.Reverse(out)
	return out
}

func clauseAfter(u *utterance, at int) []string {
	var out []string
	for i := at + 1; i < len(u.words) && u.words[i].clause == u.words[at].clause; i++ {
		out = append(out, foldWord(u.words[i].text))
	}
	return out
}

// negated reports whether a negation at the end of words governs the following verb.
func negated(words []string) bool {
	from := max(0, len(words)-5)
	for i := len(words) - 1; i >= from; i-- {
		switch w := words[i]; {
		case w == "problem", w == "why":
			return false
		case w == "just" || w == "please":
			return endsInNegation(words[:i])
		case wordsOf("negations")[w]:
			return !(i > 0 && words[i-1] == "why") && !(w == "cant" && i+1 < len(words) && words[i+1] == "you")
		case (w == "instead" || w == "rather") && i+1 < len(words) && (words[i+1] == "of" || words[i+1] == "than"):
			return true
		}
	}
	return false
}

// endsInNegation reports whether words end in a negation: "don't just update", but not "don't ask, just update".
func endsInNegation(words []string) bool {
	return len(words) > 0 && wordsOf("negations")[words[len(words)-1]] || len(words) > 1 && words[len(words)-2] == "do" && words[len(words)-1] == "not"
}

// asksForIt reports whether the words before a verb make it a request: "can you", "please", "I want to", "go
// ahead and".
func asksForIt(words []string) bool {
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w {
		case "can", "could", "would", "will":
			if next == "you" || next == "u" || next == "we" && w != "can" || next == "ya" {
				return !containsWord(words[i:], "if", "tell", "check", "how", "whether", "when")
			}
		case "please", "pls", "plz", "lets", "kindly", "ahead":
			return !hasQuestionWord(words[i+1:])
		case "want", "need", "like", "wanna", "gotta", "wish", "id":
			if (i == 0 || words[i-1] == "i" || words[i-1] == "id" || words[i-1] == "we" || words[i-1] == "would") && (next == "to" || next == "you" || w == "gotta" || w == "wanna") {
				return !(i > 1 && (words[i-2] == "do" || words[i-2] == "if")) && !containsWord(words[i:], "know", "see", "check")
			}
		case "dont":
			if i > 0 && words[i-1] == "why" {
				return true
			}
		}
	}
	return false
}

func hasQuestionWord(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return wordsOf("question-words")[w] })
}

// asksAboutIt reports whether the words before a verb make the clause a question or a plan: "how do I", "should
// I", "before I", "trying to".
func asksAboutIt(words []string) bool {
	if len(words) == 0 {
		return false
	}
	for i, w := range words {
		switch {
		case wordsOf("question-words")[w], w == "before", w == "after", w == "while", w == "once", w == "until",
			w == "unless", w == "because":
			return true
		case w == "can" && i+1 < len(words) && (words[i+1] == "i" || words[i+1] == "it" || words[i+1] == "this"):
			return true
		case w == "will" && i == 0 && len(words) > 1 && words[1] != "you" && words[1] != "u" && words[1] != "ya":
			return true
		case w == "could" && i+1 < len(words) && (words[i+1] == "i" || words[i+1] == "it"):
			return true
		}
	}
	switch words[len(words)-1] {
	case "i", "you", "he", "she", "it", "they", "someone", "will", "would", "might", "may", "did", "must":
		return true
	case "to":
		return len(words) < 2 || words[len(words)-2] != "you" && words[len(words)-2] != "and"
	}
	return false
}

// isWish reports whether the verb expresses the user's own wish: "I need gimp".
func isWish(u *utterance, a act, before []string) bool {
	t := actText(u, a)
	return (t == "need" || t == "want") && len(before) == 1 && (before[0] == "i" || before[0] == "we")
}

// wishesInstalled reports whether the words before "installed" express a wish: "I'd like to have neovim installed".
func wishesInstalled(words []string) bool {
	wish, have := false, false
	for _, w := range words {
		switch w {
		case "want", "like", "need", "id", "please":
			wish = true
		case "have", "get":
			have = true
		case "know", "see", "check", "if", "whether", "is", "are", "what", "which":
			return false
		}
	}
	return wish && (have || words[0] == "i") && !wordsOf("question-words")[words[0]]
}

// isOrderedUpdate reports whether the words before the noun "update" make it an order: "run a full system update".
func isOrderedUpdate(words []string) bool {
	if hasQuestionWord(words[:min(1, len(words))]) && words[0] != "do" {
		return false
	}
	for i, w := range words {
		switch w {
		case "run", "do", "perform", "apply", "make", "start", "execute", "install":
			return len(words)-i <= 6 && !(i+1 < len(words) && (words[i+1] == "i" || words[i+1] == "you" || words[i+1] == "we")) && !containsWord(words[i:], "check", "for", "any")
		}
	}
	return false
}

func containsWord(words []string, list ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
}

// isNoun reports whether a verb's neighbours make it a noun: "the update", "update history".
func isNoun(before, after []string) bool {
	if len(before) == 1 && before[0] == "system" && len(after) > 0 && (after[0] == "please" || after[0] == "now") {
		return false
	}
	if len(before) > 0 && wordsOf("determiners")[before[len(before)-1]] && !wordsOf("order-openers")[before[len(before)-1]] {
		return true
	}
	return len(after) > 0 && wordsOf("noun-followers")[after[0]]
}

func isPossessive(w string) bool {
	w = strings.ToLower(w)
	return (strings.HasSuffix(w, "'s") || strings.HasSuffix(w, "’s")) && !strings.HasPrefix(w, "let")
}

// separable are English verbs whose particle can follow the object ("turn docker off", "take steam off my machine"),
// each with its particles and the verbs that they mean.
var separable = []struct {
	head      string
	particles []string
}{
	{"bring", []string{"date update", "up start", "back start", "down stop"}},
	{"get", []string{"date update", "running start", "off remove", "out remove"}},
	{"keep", []string{"date update"}},
	{"make", []string{"date update"}},
	{"turn", []string{"on start", "off stop"}},
	{"switch", []string{"on start", "off stop"}},
	{"shut", []string{"down stop", "off stop"}},
	{"take", []string{"down stop", "off remove", "offline stop"}},
	{"fire", []string{"up start"}},
	{"spin", []string{"up start"}},
	{"power", []string{"on start", "off stop"}},
	{"put", []string{"on install"}},
	{"throw", []string{"out remove"}},
	{"want", []string{"gone remove", "running start"}},
	{"need", []string{"running start"}},
	{"give", []string{"restart restart"}},
	{"kick", []string{"off remove"}},
}

// allActs returns the verbs of u. If a verb's particle follows its object, the first word alone does not count:
// "get steam off" gets nothing.
func (l *Lexicon) allActs(u *utterance, boundary func(int) bool) []act {
	split := separableActs(u)
	whole := slices.DeleteFunc(l.acts(u, boundary), func(a act) bool {
		return slices.ContainsFunc(split, func(s act) bool { return s.start == a.start })
	})
	return append(whole, split...)
}

// separableReach is the maximum distance in words from verb to particle.
const separableReach = 7

// separableActs finds separated verbs. The act spans the verb's first word, so that the object is found where an
// English object is expected.
func separableActs(u *utterance) []act {
	var out []act
	for i, w := range u.words {
		if verb := separatedVerb(u, i); verb != "" {
			a := act{verb: verb, form: formDo, start: w.start, end: w.end, tail: w.end}
			a.form, _ = englishForm(u, a)
			out = append(out, a)
		}
	}
	if a, ok := switchAct(u); ok {
		out = append(out, a)
	}
	return out
}

// separatedVerb returns the verb that word i and a particle after it mean, "" for none.
func separatedVerb(u *utterance, i int) string {
	head := foldWord(u.words[i].text)
	for _, s := range separable {
		if u.words[i].script != latin || s.head != head {
			continue
		}
		for _, p := range s.particles {
			particle, verb, _ := strings.Cut(p, " ")
			switch {
			case !hasParticle(u, i, head, particle):
			case hasParticle(u, i, head, "on") && hasParticle(u, i, head, "off"):
				return "restart"
			default:
				return verb
			}
		}
	}
	return ""
}

// switchAct parses the shortest orders: "docker off", "bluetooth on", 블루투스 온.
func switchAct(u *utterance) (act, bool) {
	n := len(u.words)
	if n < 2 || n > 4 || u.question {
		return act{}, false
	}
	last := u.words[n-1]
	if n > 2 && slices.Contains(tails, foldWord(last.text)) {
		last = u.words[n-2]
	}
	verb := map[string]string{"on": "start", "off": "stop", "온": "start", "오프": "stop"}[foldWord(last.text)]
	if verb == "" || wordsOf("question-words")[firstWord(u)] || wordsOf("negations")[firstWord(u)] {
		return act{}, false
	}
	return act{verb: verb, form: formDo, start: last.start, end: last.end, tail: last.end, korean: true}, true
}

// hasParticle looks for the particle after word i, but not directly after it, because the verb list contains
// adjacent pairs. "date" means "up to date".
func hasParticle(u *utterance, i int, head, particle string) bool {
	for k := i + 2; k < len(u.words) && k <= i+separableReach && u.words[k].clause == u.words[i].clause; k++ {
		t := foldWord(u.words[k].text)
		switch {
		case t == head:
			return false
		case t != particle:
		case particle == "date":
			return foldWord(u.words[k-1].text) == "to" || foldWord(u.words[k-1].text) == "up-to"
		case particle == "restart" || particle == "running":
			return k == len(u.words)-1 || u.words[k+1].clause != u.words[k].clause ||
				slices.Contains(tails, foldWord(u.words[k+1].text))
		case particle == "on":
			ends := k == len(u.words)-1 || u.words[k+1].clause != u.words[k].clause ||
				slices.Contains(tails, foldWord(u.words[k+1].text))
			return head != "put" && ends || head == "put" && k+1 < len(u.words)
		default:
			return true
		}
	}
	return false
}

// tails are words that can follow a closing particle.
var tails = []string{"please", "pls", "plz", "again", "now", "for", "and", "at", "then", "ok", "thanks", "asap", "my"}
