package recall

import (
	"regexp"
	"sync"
)

// hint is what the manner of a question says of its answer.
type hint struct {
	script class // people ask in the language they wrote a note in
	number bool  // when, how many: a number, a day, a time
}

// How much more a note is liked that is what the question hints at. Both are
// less than one rare word makes.
const (
	sameScript = 1.08
	hasNumber  = 1.05
)

var (
	asksNumber = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`언제|며칠|몇|얼마|요일|\bwhen\b|\bhow (many|much|often|long|big|old)\b|\bwhat (time|day|date|number|size)\b|\bnumber\b|什么时候|何时|几|多少|多久|多大|哪天|哪年|号码`)
	})
	isNumber = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[0-9]|[一二三四五六七八九十半]+个?[年月日号点岁天周次]|요일|매일|매주|매달|아침|저녁|새벽|周[一二三四五六日末]|每[天周月年]|\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(january|february|march|april|may|june|july|august|september|october|november|december)\b|\b(every|daily|weekly|monthly|nightly)\b`)
	})
)

func hintOf(words string) hint {
	words = fold(clipped(words, maxQuery))
	return hint{scriptOf(words), asksNumber().MatchString(words)}
}

// favour is what a note has of what was hinted at.
func (h hint) favour(text string) float64 {
	f := 1.0
	text = clipped(text, 1<<10)
	if scriptOf(text) == h.script {
		f *= sameScript
	}
	if h.number && isNumber().MatchString(fold(text)) {
		f *= hasNumber
	}
	return f
}

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
