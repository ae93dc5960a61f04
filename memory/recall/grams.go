package recall

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of the indexed part of one note.
const (
	maxText  = 16 << 10 // bytes of its text
	maxWords = 4096
)

// Marks separate kinds of terms. They are private-use characters, which FTS5's unicode61 tokenizer treats as
// letters, so each term stays one token.
const (
	markStem          = "\ue011" // stem and noun of a Korean word
	markWhole         = "\ue012" // an identifier; also replaces the separators of its parts
	markSound         = "\ue013" // sound of a Hangul word
	markSkeleton      = "\ue014" // consonant skeleton of a Hangul word
	markLatinSound    = "\ue016" // sound of a word in Latin letters
	markLatinSkeleton = "\ue017" // consonant skeleton of such a word
	markSign          = "\ue015" // an emoji
	markKin           = "\ue018" // stem shared by related English words
)

// row is the content of the full-text table for a text.
type row struct {
	grams string // words in order, as bigrams in scripts without spaces
	terms string // terms derived from the words
}

func rowOf(text string) row {
	var grams, terms strings.Builder
	for _, w := range wordsOf(clip(text, maxText), maxWords) {
		writeGrams(&grams, w)
		for _, t := range derivedTerms(w) {
			terms.WriteString(t)
			terms.WriteByte(' ')
		}
	}
	return row{grams.String(), terms.String()}
}

// clip returns at most n bytes of s, in whole characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// writeGrams writes a word. Latin words are written unchanged. Hangul and Chinese words are written as all
// overlapping pairs and the last character, so that any pair in them and any first letter can be found.
func writeGrams(b *strings.Builder, w word) {
	if w.whole || w.class == symbol {
		return
	}
	for _, g := range gramsOf(w) {
		b.WriteString(g)
		b.WriteByte(' ')
	}
}

func gramsOf(w word) []string {
	if w.class != hangul && w.class != han {
		return []string{w.text}
	}
	rs := []rune(w.text)
	out := make([]string, 0, len(rs))
	for i := range rs {
		out = append(out, string(rs[i:min(i+2, len(rs))]))
	}
	return out
}

func derivedTerms(w word) []string {
	switch {
	case w.whole:
		return []string{wholeTerm(w.text)}
	case w.class == symbol:
		return []string{markSign + w.text}
	case w.class == hangul:
		return hangulTerms(w.text)
	case w.class == latin:
		var terms []string
		if k := kin(w.text); k != "" {
			terms = append(terms, markKin+k)
		}
		if s := latinSound(w.text); s != "" {
			terms = appendSkeleton(append(terms, markLatinSound+s), markLatinSkeleton, s)
		}
		return terms
	}
	return nil
}

func wholeTerm(w string) string {
	return markWhole + strings.Map(func(r rune) rune {
		if strings.ContainsRune(separators, r) {
			return []rune(markWhole)[0]
		}
		return r
	}, w)
}

func hangulTerms(w string) []string {
	if len(w) > 60 {
		return nil // longer than any word
	}
	n := noun(w, 2)
	terms := []string{markStem + n}
	if s := stem(w); s != "" && s != n {
		terms = append(terms, markStem+s)
	}
	if s := sound(n); s != "" {
		terms = appendSkeleton(append(terms, markSound+s), markSkeleton, s)
	}
	if name, ok := givenName(n); ok {
		if s := sound(name); s != "" {
			terms = append(terms, markSound+s)
		}
	}
	return terms
}

func appendSkeleton(terms []string, mark, sound string) []string {
	if s := skeleton(sound); s != "" {
		terms = append(terms, mark+s)
	}
	return terms
}

// frequencies caches the approximate number of notes for frequent expressions. A few more or fewer notes change little.
type frequencies struct {
	mu   sync.Mutex
	seen map[freqKey]int
}

type freqKey struct {
	span  span
	match string
}

// span is the range of ids from ≤ id < to.
type span struct{ from, to int64 }

const (
	maxFew  = 96   // notes; rarer expressions are not cached
	maxSeen = 4096 // cached expressions
)

func (f *frequencies) known(s span, match string) (df int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	df, ok = f.seen[freqKey{s, match}]
	return df, ok
}

func (f *frequencies) remember(s span, match string, df int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil || len(f.seen) >= maxSeen {
		f.seen = map[freqKey]int{}
	}
	f.seen[freqKey{s, match}] = df
}

// forget empties the cache, because the index may have changed.
func (f *frequencies) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = nil
}

// idf returns the inverse document frequency of a term found in df of n notes. It is never 0: even a word in
// every note is part of the question.
func idf(df, n int) float64 {
	return max(math.Log((float64(n)+1)/(float64(df)+0.5)), 0.1)
}
