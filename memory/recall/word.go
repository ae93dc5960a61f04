package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/nidoit/blunux-ai/internal/names"
)

// word is a piece of a text in one script, folded.
type word struct {
	text  string
	class class
	// whole marks an identifier as typed (192.168.0.20, blue-2tb, ~/.config/foo) or a number with its counter
	// (3월). Its parts follow as separate words.
	whole bool
	part  bool // part of the preceding identifier
	joint bool // hyphenated words joined: standup
	start bool // follows white space or punctuation
}

// separators are the separators within identifiers.
const separators = "._-/@:+#~"

// wordsOf splits a text into at most n words.
func wordsOf(text string, n int) []word {
	c := tokenizer{text: compose(text), most: n}
	for c.at < len(c.text) && len(c.words) < n {
		c.next()
	}
	return c.words
}

type tokenizer struct {
	text   string
	at     int
	most   int
	words  []word
	inWord bool // the previous character belongs to a word
}

func (c *tokenizer) next() {
	r, size := utf8.DecodeRuneInString(c.text[c.at:])
	switch k := classOf(r); {
	case k == hangul || k == han:
		run := c.run(func(r rune) bool { return classOf(r) == k })
		c.addCounted(run)
		c.add(word{text: run, class: k, start: !c.inWord})
		c.inWord = true
	case k == latin || k == digit || strings.ContainsRune("~/", r):
		c.identifier()
		c.inWord = true
	case k == symbol:
		c.at += size
		c.add(word{text: string(r), class: symbol, start: true})
		c.inWord = false
	default:
		c.at += size
		c.inWord = false
	}
}

func (c *tokenizer) add(w word) {
	if w.text != "" && len(c.words) < c.most {
		w.text = american(strings.ToLower(w.text))
		c.words = append(c.words, w)
	}
}

// run consumes the wanted letters.
func (c *tokenizer) run(wanted func(rune) bool) string {
	end := strings.IndexFunc(c.text[c.at:], func(r rune) bool { return !wanted(r) })
	if end < 0 {
		end = len(c.text) - c.at
	}
	run := c.text[c.at : c.at+end]
	c.at += end
	return run
}

// addCounted adds a number with its counter: 3월, 5日.
func (c *tokenizer) addCounted(run string) {
	if !c.inWord || len(c.words) == 0 || c.words[len(c.words)-1].class != digit {
		return
	}
	_, size := utf8.DecodeRuneInString(run)
	c.add(word{text: c.words[len(c.words)-1].text + run[:size], class: digit, whole: true})
}

// identifier consumes Latin letters, digits and separators. It adds the parts, and before them the whole if there
// are several.
func (c *tokenizer) identifier() {
	run := c.run(func(r rune) bool {
		k := classOf(r)
		return k == latin || k == digit || k == other && strings.ContainsRune(separators+"'’", r)
	})
	run = stripPossessive(strings.TrimRight(run, separators+"'’"))
	start := !c.inWord
	parts := strings.FieldsFunc(run, func(r rune) bool { return strings.ContainsRune(separators, r) })
	var pieces []string
	for _, p := range parts {
		pieces = append(pieces, splitCamelCase(p)...)
	}
	name := strings.TrimLeft(run, separators)
	if len(pieces) > 1 {
		c.add(word{text: name, class: latin, whole: true, start: start})
	}
	for i, p := range pieces {
		k := latin
		if strings.IndexFunc(p, func(r rune) bool { return classOf(r) != digit }) < 0 {
			k = digit
		}
		c.add(word{text: p, class: k, start: start && i == 0, part: len(pieces) > 1})
	}
	if isHyphened(name) {
		c.add(word{text: strings.ReplaceAll(name, "-", ""), class: latin, part: true, joint: true})
	}
}

// isHyphened reports whether a word is also written without hyphens: stand-up.
func isHyphened(name string) bool {
	n := strings.Count(name, "-")
	return n > 0 && n < 3 && len(name) < 24 && !strings.ContainsFunc(name, func(r rune) bool { return r != '-' && classOf(r) != latin })
}

// stripPossessive removes 's from words, and the apostrophe from don't.
func stripPossessive(s string) string {
	if !strings.ContainsAny(s, "'’") {
		return s
	}
	return apostrophes.Replace(s)
}

var apostrophes = strings.NewReplacer("'s", "", "’s", "", "'", "", "’", "")

// splitCamelCase splits NetworkManager into Network and Manager. The first element is the whole, which people
// also search for. 2TB is not split.
func splitCamelCase(s string) []string {
	var parts []string
	from := 0
	for i := 1; i < len(s); i++ {
		if isUpper(s[i]) && isLower(s[i-1]) {
			parts = append(parts, s[from:i])
			from = i
		}
	}
	if from == 0 || len(parts) > 4 {
		return []string{s}
	}
	return append([]string{s}, append(parts, s[from:])...)
}

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

func isLower(b byte) bool { return b >= 'a' && b <= 'z' }

// fold normalizes a text for comparison: composed (NFC), full-width letters as normal ones, lower case, Chinese
// in simplified characters.
func fold(s string) string { return strings.ToLower(compose(s)) }

// compose is fold without lower case, because upper case shows the parts of names like NetworkManager.
func compose(s string) string {
	if isPlain(s) {
		return s
	}
	s = width.Fold.String(norm.NFC.String(strings.ToValidUTF8(s, " ")))
	if strings.ContainsFunc(s, isHan) {
		s = names.Simplified(s)
	}
	return s
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// class is a kind of letter.
type class uint8

const (
	other class = iota // white space and punctuation
	latin              // letters of any script that separates words by spaces
	digit
	hangul
	han // and kana: written without spaces
	symbol
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case r >= '0' && r <= '9':
			return digit
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			return latin
		}
		return other
	case isHangul(r):
		return hangul
	case isHan(r) || unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return han
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return latin
	case unicode.Is(unicode.So, r):
		return symbol
	}
	return other
}

func isHan(r rune) bool { return r >= 0x2e80 && unicode.Is(unicode.Han, r) }

// isHangul reports whether r is a syllable or a single letter (ㅋ).
func isHangul(r rune) bool { return r >= 0xac00 && r <= 0xd7a3 || r >= 0x3131 && r <= 0x3163 }

func isSyllable(r rune) bool { return r >= 0xac00 && r <= 0xd7a3 }

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
