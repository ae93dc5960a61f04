package recall

import (
	"strings"
	"unicode/utf8"
)

// Bounds of a query: what is beyond is not looked for.
const (
	maxQuery = 4 << 10 // bytes
	maxAsked = 64      // words
	maxParts = 24
	maxGrams = 16 // of one word
)

// part is one thing that is asked for, and all that answers it.
type part struct {
	weight float64
	alts   []alt
}

// kind says how an [alt] is found in a note.
type kind uint8

const (
	kindWord  kind = iota // a word of a Latin script, in any of its forms
	kindRun               // letters without blanks between, anywhere
	kindFirst             // one syllable at a word's beginning
	kindGrams             // as many of the pairs of letters as there are
	kindTerm              // a term that was made of a word (stem, whole, sound, …)
)

// alt is one way to answer a part.
type alt struct {
	kind   kind
	text   string
	weight float64
	exprs  []expr
	other  bool // another word for what was asked
	base   string
	spaced string // text as it stands in a row
}

// expr is an FTS5 expression, and for pairs of letters which one.
type expr struct {
	match string
	text  string
	share float64 // of its alt
}

// parse makes parts of a query's words. Words that only ask are dropped when
// something else is left.
func (l *lexicon) parse(words string) []part {
	asked := wordsOf(clipped(words, maxQuery), maxAsked)
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
	literal bool // nothing is dropped
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
		p.parts = append(p.parts, part{weight, asOne(alts)})
	}
}

// asOne looks for all other words for a thing at once, which is cheaper, and
// keeps a rare one of them from weighing more than the word itself.
func asOne(alts []alt) []alt {
	var matches []string
	seen := map[string]bool{}
	for _, a := range alts {
		if a.other && !seen[a.exprs[0].match] {
			seen[a.exprs[0].match] = true
			matches = append(matches, a.exprs[0].match)
		}
	}
	all := strings.Join(matches, " OR ")
	for i := range alts {
		alts[i].base, alts[i].spaced = base(alts[i].text), " "+alts[i].text+" "
		if alts[i].other {
			alts[i].exprs = []expr{{all, "", 1}}
		}
	}
	return alts
}

// latin adds a word of a Latin script or a number.
func (p *parser) latin(i int) {
	w := p.words[i]
	if w.whole {
		p.add(1.2, term(wholeTerm(w.text), 1))
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
		weight = 0.3
	case w.class == digit && len(w.text) < 3:
		weight = 0.6
	}
	alts := append(forms(w, 1), p.neighbours(i)...)
	alts = append(alts, p.members(w.text, w.text)...)
	if s := latinSound(w.text); s != "" {
		alts = append(alts, term(markSound+s, 0.75))
		if b := skeleton(s); b != "" {
			alts = append(alts, term(markBones+b, 0.4))
		}
	}
	p.add(weight, alts...)
}

// forms are the ways to find a word of a Latin script.
func forms(w word, weight float64) []alt {
	q := quoted(w.text)
	alts := []alt{{kindWord, w.text, weight, []expr{{q, "", 1}}, false, "", ""}}
	if utf8.RuneCountInString(w.text) >= 3 && w.class == latin {
		alts[0].exprs = append(alts[0].exprs, expr{q + "*", "", 0.6})
	}
	return alts
}

// neighbours are names of several words that begin or end at a word: "back up"
// is backup, "vs code" what a program is called.
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
			alts = append(alts, alt{kindWord, key, 0.9, []expr{{quoted(key), "", 1}}, false, "", ""})
		}
	}
	return alts
}

// members are the other words for what a key names.
func (p *parser) members(key, not string) []alt {
	var alts []alt
	for _, g := range p.about(key) {
		for _, m := range p.groups[g].members {
			if m.text != not && len(alts) < 16 {
				a := m.alt(p.groups[g].weight)
				a.other = true
				alts = append(alts, a)
			}
		}
	}
	return alts
}

// alt is how a member is found in a note: as a word, as letters in a row, or, a
// Korean verb (고치다), by its stem.
func (m member) alt(weight float64) alt {
	if m.verb != "" {
		return term(markStem+m.verb, weight)
	}
	if len(m.words) == 1 && (m.words[0].class == latin || m.words[0].class == digit) {
		return alt{kindWord, m.text, weight, []expr{{quoted(m.text), "", 1}}, true, "", ""}
	}
	var grams []string
	for _, w := range m.words {
		if !w.whole && w.class != symbol {
			grams = append(grams, pairs(w)...)
		}
	}
	a := alt{kindRun, compact(m.text), weight, []expr{{quoted(strings.Join(grams, " ")), "", 1}}, true, "", ""}
	if len([]rune(a.text)) == 1 {
		a.kind, a.exprs[0].match = kindFirst, a.exprs[0].match+"*"
	}
	return a
}

// pairs are a word's grams without the last character, which only the row has.
func pairs(w word) []string {
	g := gramsOf(w)
	if len(g) > 1 {
		g = g[:len(g)-1]
	}
	return g[:min(len(g), maxGrams)]
}

func term(text string, weight float64) alt {
	return alt{kindTerm, text, weight, []expr{{quoted(text), "", 1}}, false, "", ""}
}

// quoted makes an FTS5 string of a text, in which nothing is syntax.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
