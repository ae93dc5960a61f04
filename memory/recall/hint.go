package recall

import "regexp"

// hint is what a question's form reveals about its answer.
type hint struct {
	script class // people ask in the language of their notes
	kinds  []*answerKind
}

// sameScript is the factor for a note in the question's language.
const sameScript = 1.2

// mostHinted is the largest boost of an answer kind.
const mostHinted = 1.15

func hintOf(words string) hint {
	words = fold(clip(words, maxQuery))
	h := hint{script: scriptOf(words)}
	for i, k := range answerKinds() {
		if k.question.MatchString(words) {
			h.kinds = append(h.kinds, &answerKinds()[i])
		}
	}
	return h
}

// weight returns how well a note matches the hint, from 0 to 1.
func (h hint) weight(text string) float64 {
	f := 1.0
	text = clip(text, 1<<10)
	if scriptOf(text) == h.script {
		f *= sameScript
	}
	return f * h.boost(text) / (sameScript * mostHinted)
}

// asks reports whether a part names the kind of answer (number, 주소).
func (h hint) asks(p part) bool {
	for _, k := range h.kinds {
		if k.question.MatchString(p.alts[0].text) {
			return true
		}
	}
	return false
}

// boost returns the largest boost of the expected kinds of answer that a text contains.
func (h hint) boost(text string) float64 {
	best := 1.0
	for _, k := range h.kinds {
		if k.boost > best && matchesAnswer(k.answer, text) {
			best = k.boost
		}
	}
	return best
}

func matchesAnswer(answer *regexp.Regexp, text string) bool { return answer.MatchString(fold(text)) }

// scriptOf returns the script of a text's language. One Hangul or Chinese letter among Latin names decides.
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
