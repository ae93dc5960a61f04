package recall

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// hyphenVariants returns the other spellings of a hyphenated word: for stand-up, standup and stand up.
func hyphenVariants(w string) []alt {
	if !isHyphened(w) {
		return nil
	}
	one := strings.ReplaceAll(w, "-", "")
	return []alt{
		{kind: kindWord, text: one, weight: 0.97, exprs: []expr{{quoted(one), "", 1}}, joined: true},
		{kind: kindRun, text: one, weight: 0.95, exprs: []expr{{quoted(strings.ReplaceAll(w, "-", " ")), "", 1}}},
	}
}

// wordForms returns the ways to find a word of a Latin script.
func wordForms(w word, weight float64) []alt {
	q := quoted(w.text)
	alts := []alt{{kind: kindWord, text: w.text, weight: weight, exprs: []expr{{q, "", 1}}}}
	if utf8.RuneCountInString(w.text) >= 3 && w.class == latin {
		alts[0].exprs = append(alts[0].exprs, expr{q + "*", "", 0.6})
	}
	return alts
}

// alt returns the way to find a member in a note: as a word, as consecutive letters, or by its stem for a Korean
// verb (고치다).
func (m member) alt(weight float64) alt {
	if m.verb != "" {
		return term(markStem+m.verb, weight)
	}
	ws := wordsOf(m.text, 16)
	if len(ws) == 1 && (ws[0].class == latin || ws[0].class == digit) {
		return alt{kind: kindWord, text: m.text, weight: weight, exprs: []expr{{quoted(m.text), "", 1}}, other: true}
	}
	var grams []string
	for _, w := range ws {
		if !w.whole && !w.joint && w.class != symbol {
			grams = append(grams, pairs(w)...)
		}
	}
	a := alt{kind: kindRun, text: compact(m.text), weight: weight, exprs: []expr{{quoted(strings.Join(grams, " ")), "", 1}}, other: true}
	if len([]rune(a.text)) == 1 {
		a.kind, a.exprs[0].match = kindFirst, a.exprs[0].match+"*"
	}
	return a
}

// mergeSynonyms searches for all synonyms in one expression. That is cheaper, and it keeps a rare synonym from
// weighing more than the word itself.
func mergeSynonyms(alts []alt) []alt {
	all, ofKind := anyOf(alts, false), anyOf(alts, true)
	for i := range alts {
		a := &alts[i]
		a.base, a.spaced = base(a.text), " "+a.text+" "
		switch {
		case a.other && a.ofKind:
			a.exprs = []expr{{ofKind, "", 1}}
		case a.other:
			a.exprs = []expr{{all, "", 1}}
		}
	}
	return alts
}

// anyOf returns the expression for any synonym, or for any thing of a kind.
func anyOf(alts []alt, ofKind bool) string {
	var matches []string
	for _, a := range alts {
		if a.other && a.ofKind == ofKind && !slices.Contains(matches, a.exprs[0].match) {
			matches = append(matches, a.exprs[0].match)
		}
	}
	return strings.Join(matches, " OR ")
}
