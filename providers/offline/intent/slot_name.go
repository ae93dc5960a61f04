package intent

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// objectSpan returns the flat range of an act's object: before a Korean verb, after an English one, up to the
// neighbouring acts.
func (r *Reading) objectSpan(a act) (start, end int) {
	start, end = 0, len(r.u.flat)
	for _, b := range r.acts {
		if b == a || b.form != formDo && b.form != formNeg {
			continue
		}
		if a.korean && b.tail <= a.start {
			start = max(start, b.tail)
		}
		if !a.korean && b.start >= a.end {
			end = min(end, b.start)
		}
	}
	if a.korean {
		return start, a.start
	}
	return a.end, end
}

// objectNames returns the programs and services an act is about, in order.
func (r *Reading) objectNames(a act) []*Name {
	start, end := r.objectSpan(a)
	names := r.namesIn(start, end)
	if len(names) == 0 && len(r.orders()) <= 1 {
		names = r.namesIn(0, len(r.u.flat))
	}
	return names
}

// namesIn returns the names between two flat positions. An ordinary word counts only where a name is expected,
// so that "turn up the screen" names no package.
func (r *Reading) namesIn(start, end int) []*Name {
	var out []*Name
	for _, h := range r.names {
		if h.start < start || h.end > end || r.isAmbiguous(h) && !r.isObject(h, start) {
			continue
		}
		if !slices.Contains(out, h.name) {
			out = append(out, h.name)
		}
	}
	return out
}

// isObject reports whether an ordinary word is directly at the start of a verb's object, or is marked as a name.
func (r *Reading) isObject(h hit, start int) bool {
	if r.isNameExpected(h) {
		return true
	}
	for w := r.u.wordAt[h.start] - 1; w >= 0 && r.u.words[w].start >= start; w-- {
		if t := foldWord(r.u.words[w].text); t != "package" && t != "and" && t != "the" && !r.isNameWord(w) {
			return false
		}
	}
	return start > 0 || r.u.words[r.u.wordAt[min(h.end, len(r.u.flat)-1)]].script == hangul
}

func (r *Reading) isNameWord(w int) bool {
	return slices.ContainsFunc(r.names, func(h hit) bool {
		return r.u.wordAt[h.start] <= w && r.u.wordAt[h.end-1] >= w
	})
}

var packageName = pattern(`^[a-z0-9][a-z0-9@._+-]*$`)

// objectWords returns the Latin words of an act's object that the lexicon does not know: unlisted package names.
func (r *Reading) objectWords(a act) []word {
	start, end := r.objectSpan(a)
	var out []word
	switch {
	case a.korean:
		out = r.wordsBefore(start, end)
	case r.u.words[r.u.wordAt[a.start]].script == latin:
		out = r.wordsAfter(start, end)
	default: // Chinese objects are on either side
		if out = r.wordsBefore(0, a.start); len(out) == 0 {
			out = r.wordsAfter(a.end, len(r.u.flat))
		}
	}
	if !r.isRestUnderstood(out) {
		return nil
	}
	return out
}

// isRestUnderstood reports whether all words around unlisted names are understood and nothing marks the names
// as ordinary nouns: "install happiness in my life" and "restart my career" name no programs.
func (r *Reading) isRestUnderstood(names []word) bool {
	isName := map[int]bool{}
	for _, n := range names {
		isName[n.start] = true
	}
	for i, w := range r.u.words {
		t := foldWord(w.text)
		switch {
		case isName[w.start]:
			marked := i+1 < len(r.u.words) && wordsOf("name-leaders")[foldWord(r.u.words[i+1].text)] || r.hasAny("package", "service", "app")
			if i > 0 && wordsOf("noun-markers")[foldWord(r.u.words[i-1].text)] && !marked {
				return false
			}
		case w.script == latin && !r.isFiller(w) && !r.isCovered(w.start, w.end) && !wordsOf("polite")[t] && r.lex.commonWords[t]:
			return false
		}
	}
	return true
}

// wordsAfter returns unknown words directly after an English verb: "install foo, bar and baz for me".
func (r *Reading) wordsAfter(start, end int) []word {
	var out []word
	for i := range r.u.words {
		w := r.u.words[i]
		if w.start < start || w.end > end {
			continue
		}
		t := foldWord(w.text)
		switch {
		case r.isUnknownName(w):
			out = append(out, w)
		case r.isNameWord(i) || t == "and" || t == "also":
		case len(out) > 0, !wordsOf("name-leaders")[t] && !(w.script != latin && w.attached):
			return out
		}
	}
	return out
}

// wordsBefore returns unknown Latin words before a Korean verb.
func (r *Reading) wordsBefore(start, end int) []word {
	return filter(r.u.words, func(w word) bool { return w.start >= start && w.end <= end && r.isUnknownName(w) })
}

// isUnknownName reports whether a word can only be a name: not in the lexicon, not an ordinary word, and spelt
// like a package.
func (r *Reading) isUnknownName(w word) bool {
	t := strings.ToLower(w.raw)
	if w.script != latin || r.isCovered(w.start, w.end) || wordsOf("function")[foldWord(t)] || r.lex.commonWords[foldWord(t)] {
		return false
	}
	return packageName().MatchString(t) && strings.ContainsAny(t, "abcdefghijklmnopqrstuvwxyz") && !isAmount(t)
}

// amountUnits are what can follow a number in a word that is no name.
var amountUnits = strings.Fields("g gb gib gig gigs m mb mib t tb tib k kb kib mhz ghz th st nd rd " +
	"am pm h min s ms x w")

// isAmount reports whether a word is a number with a unit: "150g", "10gb".
func isAmount(t string) bool {
	rest := strings.TrimLeft(t, "0123456789.")
	return len(rest) < len(t) && slices.Contains(amountUnits, rest)
}

func (r *Reading) packageNames(a act) []string {
	type placed struct {
		at   int
		name string
	}
	start, end := r.objectSpan(a)
	if len(r.namesIn(start, end)) == 0 && len(r.objectWords(a)) == 0 {
		start, end = 0, len(r.u.flat)
	}
	var found []placed
	for _, h := range r.names {
		if h.start >= start && h.end <= end && slices.Contains(r.namesIn(start, end), h.name) {
			found = append(found, placed{h.start, h.name.Package})
		}
	}
	for _, w := range r.objectWords(a) {
		found = append(found, placed{w.start, strings.ToLower(w.raw)})
	}
	sorting.Stably(found, func(x, y placed) int { return x.at - y.at })
	var out []string
	for _, p := range found {
		if !slices.Contains(out, p.name) {
			out = append(out, p.name)
		}
	}
	return out
}

// serviceName returns the unit an act or question is about and whether it is a
// user unit; "" when the request names none.
func (r *Reading) serviceName(names []*Name) (unit string, user bool) {
	if w := r.unitWord(); w != "" {
		return strings.TrimSuffix(w, ".service"), r.has["userscope"]
	}
	for _, n := range names {
		if n.Service != "" {
			return n.Service, n.User || r.has["userscope"]
		}
	}
	return "", false
}

// anyName returns the first name of the request, nil when there is none.
func (r *Reading) anyName() *Name {
	if names := r.namesIn(0, len(r.u.flat)); len(names) > 0 {
		return names[0]
	}
	return nil
}

// unknownName returns the only unknown Latin word of a request, or "" if there is not exactly one.
func (r *Reading) unknownName() string {
	found := filter(r.u.words, r.isUnknownName)
	if len(found) != 1 {
		return ""
	}
	return found[0].raw
}
