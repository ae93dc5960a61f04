package recall

import "strings"

// view is a text as parts are looked for in it.
type view struct {
	run    string          // all letters, without what stands between words
	words  map[string]bool // of Latin scripts, and numbers
	bases  map[string]bool
	terms  map[string]bool
	starts map[string]bool // first syllables and whole words of Hangul and Chinese runs
	length int             // in characters
}

func viewOf(text string) view {
	v := view{words: map[string]bool{}, bases: map[string]bool{}, terms: map[string]bool{}, starts: map[string]bool{}}
	var run strings.Builder
	for _, w := range wordsOf(clipped(text, maxText), maxWords) {
		for _, t := range madeOf(w) {
			v.terms[t] = true
		}
		if w.whole {
			continue
		}
		if !w.part || !strings.HasSuffix(run.String(), w.text) {
			run.WriteString(w.text)
		}
		switch w.class {
		case latin, digit:
			v.words[w.text] = true
			v.bases[base(w.text)] = true
		case hangul, han:
			v.see(w)
		}
	}
	v.run = run.String()
	v.length = len([]rune(v.run))
	return v
}

// see notes where words may begin: Korean ones at a blank, Chinese ones
// anywhere.
func (v *view) see(w word) {
	rs := []rune(w.text)
	if w.class == han {
		for _, r := range rs {
			v.starts[string(r)] = true
		}
		return
	}
	for n := 1; n <= min(len(rs), 6); n++ {
		v.starts[string(rs[:n])] = true
	}
}

// grade says how much of an alt a text has, from 0 to 1, and of which weight its
// terms are: idf is asked for each expression's.
func (v *view) grade(a alt, idf func(expr) float64) float64 {
	switch a.kind {
	case kindWord:
		return v.word(a.text) * idf(a.exprs[0])
	case kindTerm:
		if v.terms[a.text] {
			return idf(a.exprs[0])
		}
	case kindFirst:
		if v.starts[a.text] {
			return idf(a.exprs[0])
		}
	case kindGrams:
		return v.grams(a, idf)
	case kindRun:
		if !strings.Contains(v.run, a.text) {
			return 0
		}
		return v.atStart(a.text) * idf(a.exprs[0])
	}
	return 0
}

// atStart is a little less than 1 for a run that begins within a Korean word: 사과
// in 회사과장.
func (v *view) atStart(run string) float64 {
	if first := []rune(run); !isHangul(first[0]) || v.starts[string(first[:min(len(first), 6)])] {
		return 1
	}
	return 0.85
}

func (v *view) word(w string) float64 {
	if v.words[w] {
		return 1
	}
	if v.bases[base(w)] {
		return 0.95
	}
	if len(w) < 3 {
		return 0
	}
	for other := range v.words {
		if len(other) >= 3 && (strings.HasPrefix(other, w) || len(w) >= 5 && len(other) >= 4 && strings.HasPrefix(w, other)) {
			return 0.6
		}
	}
	return 0
}

func (v *view) grams(a alt, idf func(expr) float64) float64 {
	sum := 0.0
	for _, e := range a.exprs {
		if strings.Contains(v.run, e.text) {
			sum += e.share * idf(e)
		}
	}
	return sum
}
