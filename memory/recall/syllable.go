package recall

import (
	"strings"
	"unicode/utf8"
)

// Weights of a word that contains the requested syllable (약), relative to the word itself.
const (
	beginsWith = 0.6  // 약상자, 약국
	endsWith   = 0.45 // 혈압약
	mayEndWith = 0.3  // two syllables: 안약, or another word
	isAnother  = 0.15 // a different word: 예약; a counter: 네 개
)

// numerals precede a counter.
var numerals = setOf("한 두 세 네 석 넉 다섯 여섯 일곱 여덟 아홉 열 몇 여러 스무 수십 수백")

func setOf(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// syllable returns how well a text matches a single syllable. A Chinese one is a word anywhere.
func (v *view) syllable(s string) float64 {
	if first, _ := utf8.DecodeRuneInString(s); !isHangul(first) {
		return 1
	}
	best := 0.0
	for _, w := range v.korean {
		if strings.Contains(w.text, s) {
			best = max(best, w.has(s))
		}
	}
	return best
}

func (w korean) has(s string) float64 {
	bare := noun(w.text, 1)
	switch known := len(builtin().byWord[bare]) > 0; {
	case w.counted && strings.HasPrefix(w.text, s):
		return isAnother
	case bare == s:
		return 1
	case known && utf8.RuneCountInString(bare) == 2:
		return isAnother
	case strings.HasPrefix(bare, s):
		return beginsWith
	case !strings.HasSuffix(bare, s):
		return 0
	case utf8.RuneCountInString(bare) > 2:
		return endsWith
	}
	return mayEndWith
}
