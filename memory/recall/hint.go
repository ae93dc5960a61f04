package recall

import "regexp"

// hint is what the manner of a question says of its answer.
type hint struct {
	script class // people ask in the language they wrote a note in
	kinds  []*answerKind
}

// sameScript is how much more a note in the question's language is liked.
const sameScript = 1.2

// mostHinted is what no note is liked more than for what it has.
const mostHinted = 1.15

func hintOf(words string) hint {
	words = fold(clipped(words, maxQuery))
	h := hint{script: scriptOf(words)}
	for i, k := range answerKinds() {
		if k.asked.MatchString(words) {
			h.kinds = append(h.kinds, &answerKinds()[i])
		}
	}
	return h
}

// favour is what a note has of what was hinted at, from 0 to 1.
func (h hint) favour(text string) float64 {
	f := 1.0
	text = clipped(text, 1<<10)
	if scriptOf(text) == h.script {
		f *= sameScript
	}
	return f * h.has(text) / (sameScript * mostHinted)
}

// asks reports whether a part names the kind of answer (number, 주소).
func (h hint) asks(p part) bool {
	for _, k := range h.kinds {
		if k.asked.MatchString(p.alts[0].text) {
			return true
		}
	}
	return false
}

// has is the best that a note has of the kinds of answer that are asked for.
func (h hint) has(text string) float64 {
	best := 1.0
	for _, k := range h.kinds {
		if k.boost > best && has(k.answer, text) {
			best = k.boost
		}
	}
	return best
}

func has(answer *regexp.Regexp, text string) bool { return answer.MatchString(fold(text)) }

// scriptOf is the script of a text's language: one Hangul or Chinese letter
// among Latin names is enough.
func scriptOf(text string) class {
	var count [symbol + 1]int
	for _, r := range text {
		count[classOf(r)]++
	}
	switch {
	case count[hangul] > 0:
		return hangul
	case count[han] > 0:
		return han
	}
	return latin
}
