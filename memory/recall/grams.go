package recall

import (
	"strings"
	"unicode/utf8"
)

// What is written of one note, at most.
const (
	maxText  = 16 << 10 // of its text, in bytes
	maxWords = 4096
)

// Marks keep kinds of terms apart. They are private-use characters, which FTS5's
// unicode61 takes for letters, so that each term stays one.
const (
	markStem  = "\ue011" // stem and noun of a Korean word
	markWhole = "\ue012" // an identifier; also stands for what joins its parts
	markSound = "\ue013" // of a Hangul word
	markBones = "\ue014" // skeleton of one
	markSpelt = "\ue016" // sound of a word in Latin letters
	markSpine = "\ue017" // skeleton of one
	markSign  = "\ue015" // an emoji
	markKin   = "\ue018" // what an English word has in common with its relatives
)

// row is what the full-text table holds of a text.
type row struct {
	grams string // words, and bigrams of those without blanks, in order
	terms string // what has been made of them
}

// rowOf writes a text's row.
func rowOf(text string) row {
	var grams, terms strings.Builder
	for _, w := range wordsOf(clipped(text, maxText), maxWords) {
		writeGrams(&grams, w)
		for _, t := range madeOf(w) {
			terms.WriteString(t)
			terms.WriteByte(' ')
		}
	}
	return row{grams.String(), terms.String()}
}

// clipped returns at most n bytes of s, whole characters.
func clipped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// writeGrams writes a word of a Latin script as it is; of Hangul and Chinese all
// overlapping pairs and the last character, so that a pair anywhere in it, and
// by its first letter each one, is found.
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

// madeOf returns the terms that are made of a word.
func madeOf(w word) []string {
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
			terms = bones(append(terms, markSpelt+s), markSpine, s)
		}
		return terms
	}
	return nil
}

func wholeTerm(w string) string {
	return markWhole + strings.Map(func(r rune) rune {
		if strings.ContainsRune(joins, r) {
			return []rune(markWhole)[0]
		}
		return r
	}, w)
}

func hangulTerms(w string) []string {
	if len(w) > 60 {
		return nil // no word is that long
	}
	n := noun(w, 2)
	terms := []string{markStem + n}
	if s := stem(w); s != "" && s != n {
		terms = append(terms, markStem+s)
	}
	if s := sound(n); s != "" {
		terms = bones(append(terms, markSound+s), markBones, s)
	}
	if name, ok := given(n); ok {
		if s := sound(name); s != "" {
			terms = append(terms, markSound+s)
		}
	}
	return terms
}

func bones(terms []string, mark, sound string) []string {
	if s := skeleton(sound); s != "" {
		terms = append(terms, mark+s)
	}
	return terms
}
