package recall

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// view is a text prepared for matching.
type view struct {
	run    string   // all letters, without separators
	words  []string // words of Latin scripts, and numbers
	bases  []string // base forms of words
	korean []korean
	terms  string // terms of the [row], with a space at either end
	length int    // in characters
}

// korean is a Hangul word.
type korean struct {
	text    string
	counted bool // follows a number
}

// viewOf returns the view of a text with known terms.
func viewOf(text, terms string) *view {
	v := &view{terms: " " + terms}
	var run strings.Builder
	last, number := "", false
	for _, w := range wordsOf(clip(text, maxText), maxWords) {
		if w.whole {
			continue
		}
		if !w.part || !strings.HasSuffix(last, w.text) { // skip Manager of NetworkManager
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

// grade returns how much of an alt the text contains, from 0 to 1, times its weight by idf.
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
		return 0.85 * idf(a.exprs[0]) // 사과 in 회사과장 is not a word
	}
	return 0
}

// begins reports whether a run begins at the start of a word. Chinese words can begin anywhere, Korean ones after
// a space. A run of several words also begins at a space.
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

// grams returns the weight of the pairs in the text. For Hangul it is multiplied by their share again, because
// one common pair of two means little.
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
