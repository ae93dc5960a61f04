package recall

import (
	"strings"
	"unicode/utf8"
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
