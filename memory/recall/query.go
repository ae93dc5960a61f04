package recall

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a query. The rest is ignored.
const (
	maxQuery = 4 << 10 // bytes
	maxAsked = 64      // words
	maxParts = 24
	maxGrams = 16 // of one word
	maxOther = 20 // synonyms of a word
	maxKind  = 80 // things of a kind
)

// part is one searched thing with all its alternatives.
type part struct {
	weight float64
	alts   []alt
}

// kind is the way in which an [alt] is found in a note.
type kind uint8

const (
	kindWord  kind = iota // a word of a Latin script, in any form
	kindRun               // consecutive letters, ignoring separators
	kindFirst             // one syllable at the start of a word
	kindGrams             // as many of its pairs of letters as possible
	kindTerm              // a derived term (stem, identifier, sound, …)
)

// alt is one alternative for a part.
type alt struct {
	kind   kind
	text   string
	weight float64
	exprs  []expr
	other  bool // a synonym
	joined bool // made of several words, so prefixes do not match
	ofKind bool // a thing of the requested kind
	kin    bool // a related English word
	base   string
	spaced string // text with the separators of a row
}

// expr is an FTS5 expression. For a pair of letters, text is the pair.
type expr struct {
	match string
	text  string
	share float64 // share of its alt
}

// parse splits a query into parts. Words that only introduce a question are dropped unless nothing else is left.
func (l *lexicon) parse(words string) []part {
	asked := wordsOf(clip(words, maxQuery), maxAsked)
	p := parser{lexicon: l, words: asked}
	p.all()
	if len(p.parts) == 0 {
		p.literal = true
		p.all()
	}
	return p.parts
}

type parser struct {
	*lexicon
	words   []word
	parts   []part
	literal bool // keep all words
}

func (p *parser) all() {
	for i := 0; i < len(p.words) && len(p.parts) < maxParts; i++ {
		switch w := p.words[i]; w.class {
		case hangul:
			p.hangul(i)
		case han:
			p.han(w)
		case symbol:
			p.add(1, term(markSign+w.text, 1))
		default:
			p.latin(i)
		}
	}
}

func (p *parser) add(weight float64, alts ...alt) {
	if len(alts) > 0 && len(p.parts) < maxParts {
		p.parts = append(p.parts, part{weight, mergeSynonyms(alts)})
	}
}

// latin adds a word of a Latin script or a number.
func (p *parser) latin(i int) {
	w := p.words[i]
	if w.joint {
		return // covered by the whole identifier
	}
	if w.whole {
		p.add(1.2, append([]alt{term(wholeTerm(w.text), 1)}, hyphenVariants(w.text)...)...)
		if groups := p.members(compact(w.text), w.text); len(groups) > 0 {
			p.add(1, groups...)
		}
		return
	}
	if !p.literal && !w.part && p.fillers[w.text] {
		return
	}
	weight := 1.0
	switch {
	case w.part:
		weight = 0.5
	case p.vague[w.text]:
		weight = weightVague
	case p.isVerb(w.text):
		weight = weightVerb
	case w.class == digit && len(w.text) < 3:
		weight = 0.6
	}
	alts := append(wordForms(w, 1), p.neighbours(i)...)
	alts = append(alts, p.members(w.text, w.text)...)
	if k := kin(w.text); k != "" && !p.vague[w.text] {
		relative := term(markKin+k, weightKin)
		relative.kin = true
		alts = append(alts, relative)
	}
	if k := typedInKorean(w.text); k != "" {
		alts = append(alts, runAlts(k, weightKeyboard)[0])
	}
	if s := romanizedSound(w.text); s != "" {
		alts = append(alts, term(markSound+s, weightSound))
	}
	if s := latinSound(w.text); s != "" {
		alts = append(alts, term(markSound+s, weightSound))
		if b := skeleton(s); b != "" {
			alts = append(alts, term(markSkeleton+b, 0.4))
		}
	}
	p.add(weight, alts...)
}

// neighbours returns names of several words that include word i: "back up" for backup, "vs code" for a program.
func (p *parser) neighbours(i int) []alt {
	var alts []alt
	for _, at := range [][2]int{{i, i + 1}, {i - 1, i}, {i, i + 2}, {i - 1, i + 1}, {i - 2, i}} {
		if at[0] < 0 || at[1] >= len(p.words) {
			continue
		}
		var b strings.Builder
		for _, w := range p.words[at[0] : at[1]+1] {
			if w.whole || w.class == han {
				b.Reset()
				break
			}
			b.WriteString(w.text)
		}
		if b.Len() == 0 {
			continue
		}
		key := b.String()
		alts = append(alts, p.members(key, key)...)
		if at[1] == at[0]+1 && isPlain(key) {
			alts = append(alts, alt{kind: kindWord, text: key, weight: 0.9, exprs: []expr{{quoted(key), "", 1}}, joined: true})
		}
	}
	return alts
}

// members returns the synonyms of a key.
func (p *parser) members(key, not string) []alt {
	var alts []alt
	for _, g := range p.groupsOf(key) {
		for _, m := range p.groups[g].members {
			most := maxOther
			if p.groups[g].kind {
				most = maxKind
			}
			if m.text != not && len(alts) < most {
				a := m.alt(p.groups[g].weight)
				a.other, a.ofKind = true, p.groups[g].kind
				alts = append(alts, a)
			}
		}
	}
	return alts
}

// pairs returns the bigrams of a word, without the single last character that the index contains.
func pairs(w word) []string {
	g := gramsOf(w)
	if len(g) > 1 {
		g = g[:len(g)-1]
	}
	return g[:min(len(g), maxGrams)]
}

func term(text string, weight float64) alt {
	return alt{kind: kindTerm, text: text, weight: weight, exprs: []expr{{quoted(text), "", 1}}}
}

// isVerb reports whether a word is a form of a common English verb.
func (p *parser) isVerb(w string) bool {
	for _, end := range []struct{ from, to string }{{"", ""}, {"s", ""}, {"es", ""}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"d", ""}} {
		if rest, ok := strings.CutSuffix(w, end.from); ok && (p.verbs[rest+end.to] || p.verbs[undouble(rest)+end.to]) {
			return true
		}
	}
	return false
}

// Weights of words of little meaning.
const (
	weightVague = 0.3
	weightVerb  = 0.5
)

// weightSound is the weight of a word that sounds the same.
const weightSound = 0.75

// weightKin is the weight of a related English word (printer, printing).
const weightKin = 0.6

// quoted returns a text as an FTS5 string.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

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

// isLookUp reports whether a line of a day's note only records a search of the notes or the storing of one
// ("09:12 · request · commands · result"). The note itself is the better hit.
func isLookUp(line string) bool {
	for _, asks := range []string{"search", "remember"} {
		_, rest, ok := strings.Cut(line, " · blunux-ai memory "+asks+" -- ")
		if !ok {
			continue
		}
		ran, _, _ := strings.Cut(rest, " · ")
		return !strings.Contains(ran, "; ")
	}
	return false
}

//go:embed data/kinds.tsv
var kindsTable string

// weightKind is the weight of a thing for a question about its kind: a note that names Brave, asked for the browser.
const weightKind = 0.35

// addKind makes the words of a kind match its things, under all their names.
func (l *lexicon) addKind(kinds, things []string) {
	g := group{weight: weightKind, kind: true}
	for _, t := range things {
		key := compact(american(fold(t)))
		if of := l.byWord[key]; len(of) > 0 {
			g.members = append(g.members, l.groups[of[0]].members...)
		}
	}
	for _, k := range kinds {
		l.addKey(compact(american(fold(k))), len(l.groups))
	}
	l.groups = append(l.groups, g)
}
