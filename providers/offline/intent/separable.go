package intent

import "slices"

// separable are English verbs whose particle can follow the object: "turn docker off", "take steam off my
// machine".
var separable = []struct {
	head, particle, verb string
}{
	{"bring", "date", "update"},
	{"get", "date", "update"},
	{"keep", "date", "update"},
	{"make", "date", "update"},
	{"turn", "on", "start"},
	{"turn", "off", "stop"},
	{"switch", "on", "start"},
	{"switch", "off", "stop"},
	{"shut", "down", "stop"},
	{"shut", "off", "stop"},
	{"bring", "up", "start"},
	{"bring", "back", "start"},
	{"bring", "down", "stop"},
	{"take", "down", "stop"},
	{"take", "off", "remove"},
	{"fire", "up", "start"},
	{"spin", "up", "start"},
	{"power", "on", "start"},
	{"power", "off", "stop"},
	{"put", "on", "install"},
	{"bring", "date", "update"},
	{"get", "date", "update"},
	{"throw", "out", "remove"},
	{"get", "running", "start"},
	{"want", "gone", "remove"},
	{"want", "running", "start"},
	{"need", "running", "start"},
	{"take", "offline", "stop"},
	{"give", "restart", "restart"},
	{"kick", "off", "remove"},
	{"get", "off", "remove"},
	{"get", "out", "remove"},
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

// separableActs finds separated verbs. The act spans the verb's first word, so that the object is found where
// an English object is expected.
func separableActs(u *utterance) []act {
	var out []act
	for i, w := range u.words {
		for _, s := range separable {
			if w.script != latin || foldWord(w.text) != s.head || !hasParticle(u, i, s.head, s.particle) {
				continue
			}
			a := act{verb: s.verb, form: formDo, start: w.start, end: w.end, tail: w.end}
			if hasParticle(u, i, s.head, "on") && hasParticle(u, i, s.head, "off") {
				a.verb = "restart"
			}
			a.form, _ = englishForm(u, a)
			out = append(out, a)
			break
		}
	}
	if a, ok := switchAct(u); ok {
		out = append(out, a)
	}
	return out
}

// switchAct parses the shortest orders: "docker off", "bluetooth on", 블루투스 온.
func switchAct(u *utterance) (act, bool) {
	n := len(u.words)
	if n < 2 || n > 4 || u.question {
		return act{}, false
	}
	last := u.words[n-1]
	if n > 2 && isTail(foldWord(last.text)) {
		last = u.words[n-2]
	}
	verb := map[string]string{"on": "start", "off": "stop", "온": "start", "오프": "stop"}[foldWord(last.text)]
	if verb == "" || questionWordsFirst(u) {
		return act{}, false
	}
	return act{verb: verb, form: formDo, start: last.start, end: last.end, tail: last.end, korean: true}, true
}

func questionWordsFirst(u *utterance) bool {
	first := firstWord(u)
	return wordsOf("question-words")[first] || wordsOf("negations")[first]
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
			return k == len(u.words)-1 || u.words[k+1].clause != u.words[k].clause || isTail(foldWord(u.words[k+1].text))
		case particle == "on":
			return head != "put" && (k == len(u.words)-1 || u.words[k+1].clause != u.words[k].clause || isTail(foldWord(u.words[k+1].text))) || head == "put" && k+1 < len(u.words)
		default:
			return true
		}
	}
	return false
}

// isTail reports whether a word can follow a closing particle.
func isTail(w string) bool {
	switch w {
	case "please", "pls", "plz", "again", "now", "for", "and", "at", "then", "ok", "thanks", "asap", "my":
		return true
	}
	return false
}
