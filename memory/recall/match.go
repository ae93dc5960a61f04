package recall

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// view is a text as parts are looked for in it.
type view struct {
	run    string   // all letters, without what stands between words
	words  []string // of Latin scripts, and numbers
	bases  []string // of words
	korean []korean
	terms  string // as in a [row], a blank at either end
	length int    // in characters
}

// korean is a word of Hangul.
type korean struct {
	text    string
	counted bool // a number stands before it
}

// viewOf looks at a text whose terms are known.
func viewOf(text, terms string) *view {
	v := &view{terms: " " + terms}
	var run strings.Builder
	last, number := "", false
	for _, w := range wordsOf(clipped(text, maxText), maxWords) {
		if w.whole {
			continue
		}
		if !w.part || !strings.HasSuffix(last, w.text) { // Manager of NetworkManager
			run.WriteString(w.text)
			last = w.text
		}
		switch w.class {
		case latin, digit:
			v.words = append(v.words, w.text)
			v.bases = append(v.bases, base(w.text))
		case hangul:
			v.korean = append(v.korean, korean{w.text, number})
		}
		number = w.class == digit || numerals[w.text]
	}
	v.run = run.String()
	v.length = utf8.RuneCountInString(v.run)
	return v
}

// grade says how much of an alt a text has, from 0 to 1, times what that says:
// idf is asked for each expression.
func (v *view) grade(a *alt, idf func(expr) float64) float64 {
	switch a.kind {
	case kindWord:
		if g := v.word(a); g > 0 {
			return g * idf(a.exprs[0])
		}
	case kindTerm:
		if strings.Contains(v.terms, a.spaced) {
			return idf(a.exprs[0])
		}
	case kindFirst:
		if strings.Contains(v.run, a.text) {
			return v.syllable(a.text) * idf(a.exprs[0])
		}
	case kindGrams:
		return v.grams(a, idf)
	case kindRun:
		if !strings.Contains(v.run, a.text) {
			return 0
		}
		if v.begins(a.text) {
			return idf(a.exprs[0])
		}
		return 0.85 * idf(a.exprs[0]) // 사과 in 회사과장
	}
	return 0
}

// begins reports whether a run that is there begins where a word may: Korean
// ones at a blank, Chinese ones anywhere. A run over blanks begins one.
func (v *view) begins(run string) bool {
	if first, _ := utf8.DecodeRuneInString(run); !isHangul(first) {
		return true
	}
	inside := false
	for _, w := range v.korean {
		if strings.HasPrefix(w.text, run) || strings.HasPrefix(run, w.text) {
			return true
		}
		inside = inside || strings.Contains(w.text, run)
	}
	return !inside
}

func (v *view) word(a *alt) float64 {
	if slices.Contains(v.words, a.text) {
		return 1
	}
	if slices.Contains(v.bases, a.base) {
		return 0.95
	}
	if len(a.text) < 3 || a.other || a.joined {
		return 0
	}
	for _, w := range v.words {
		if len(w) >= 3 && (strings.HasPrefix(w, a.text) || len(a.text) >= 5 && len(w) >= 4 && strings.HasPrefix(a.text, w)) {
			return 0.6
		}
	}
	return 0
}

// grams is the part of the pairs that are there, and of that the part again: one
// of two pairs in common is next to nothing.
func (v *view) grams(a *alt, idf func(expr) float64) float64 {
	sum, part := 0.0, 0.0
	for _, e := range a.exprs {
		if strings.Contains(v.run, e.text) {
			sum += e.share * idf(e)
			part += e.share
		}
	}
	if first, _ := utf8.DecodeRuneInString(a.text); isHangul(first) {
		return sum * part
	}
	return sum
}
