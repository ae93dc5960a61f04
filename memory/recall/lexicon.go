package recall

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/names"
)

var (
	//go:embed data/words.tsv
	wordsTable string
	//go:embed data/fillers.tsv
	fillersTable string
)

// lexicon knows synonyms and words of little meaning. It is immutable.
type lexicon struct {
	groups  []group
	byWord  map[string][]int // groups by the text of a member, without spaces
	longest int              // longest key of byWord, in characters
	fillers map[string]bool  // words that only introduce a question or fill a sentence
	vague   map[string]bool  // words of little meaning
	verbs   map[string]bool  // common verbs, which weigh less than nouns; Korean ones as stems
	tails   []string         // fillers at the end of a Hangul run, the longest first
	letters map[rune]bool    // single Chinese characters that are fillers
}

// group is a set of words for the same thing.
type group struct {
	members []member
	weight  float64 // of a note with another member than the query
	kind    bool    // members are things of a kind, not synonyms
}

type member struct {
	text string // folded
	verb string // stem of a Korean verb, which the table lists as 고치다
}

// Weights of synonyms, relative to the word itself.
const (
	weightName    = 0.9 // another name of a program
	weightSynonym = 0.7
)

// builtin is the lexicon without a person's names.
var builtin = sync.OnceValue(func() *lexicon { return newLexicon(nil) })

// newLexicon builds a lexicon from the tables and a person's names.
func newLexicon(own []names.Name) *lexicon {
	l := &lexicon{byWord: map[string][]int{}, fillers: map[string]bool{}, vague: map[string]bool{}, verbs: map[string]bool{}, letters: map[rune]bool{}}
	for f := range names.Rows(wordsTable) {
		l.add(strings.Split(f[0], ", "), weightSynonym)
	}
	for _, n := range append(names.All(), own...) {
		l.add(n.AllNames(), weightName)
	}
	for f := range names.Rows(kindsTable) {
		l.addKind(strings.Split(f[0], ", "), strings.Split(f[1], ", "))
	}
	for f := range names.Rows(fillersTable) {
		l.addFillers(f[0], strings.Fields(f[1]))
	}
	longestFirst(l.tails)
	return l
}

func (l *lexicon) add(texts []string, weight float64) {
	g := group{weight: weight}
	for _, t := range texts {
		t = american(fold(strings.TrimSpace(t)))
		key := compact(t)
		if key == "" || slices.ContainsFunc(g.members, func(m member) bool { return m.text == t }) {
			continue
		}
		m := member{t, verbOf(key)}
		if m.verb != "" {
			key = markStem + m.verb
		}
		g.members = append(g.members, m)
		l.addKey(key, len(l.groups))
	}
	l.groups = append(l.groups, g)
}

func (l *lexicon) addKey(key string, g int) {
	of := l.byWord[key]
	if len(of) > 0 && of[len(of)-1] == g {
		return // such as wi-fi and wifi
	}
	l.byWord[key] = append(of, g)
	l.longest = max(l.longest, utf8.RuneCountInString(key))
}

// verbOf returns the stem of a Korean verb in dictionary form.
func verbOf(w string) string {
	rest, ok := strings.CutSuffix(w, "다")
	if !ok || strings.ContainsFunc(w, func(r rune) bool { return !isSyllable(r) }) {
		return ""
	}
	return stem(rest + "고")
}

func (l *lexicon) addFillers(kind string, words []string) {
	for _, w := range words {
		w = stripPossessive(fold(w))
		switch kind {
		case "vague":
			l.vague[w] = true
			continue
		case "verb":
			if stem := verbOf(w); stem != "" {
				w = markStem + stem
			}
			l.verbs[w] = true
			continue
		case "letter":
			for _, r := range w {
				l.letters[r] = true
			}
			continue
		case "tail":
			l.tails = append(l.tails, w)
		}
		l.fillers[w] = true
	}
}

// compact removes the separators from a folded text: "wi-fi" and "wi fi" become "wifi".
func compact(s string) string {
	return strings.Map(func(r rune) rune {
		if classOf(r) == other {
			return -1
		}
		return r
	}, s)
}

// groupsOf returns the groups of a word. An English word is also looked up by its base form.
func (l *lexicon) groupsOf(key string) []int {
	if g := l.byWord[key]; g != nil {
		return g
	}
	if !isPlain(key) || len(key) < 4 {
		return nil
	}
	for _, end := range []struct{ from, to string }{{"ies", "y"}, {"es", ""}, {"s", ""}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"d", ""}} {
		if rest, ok := strings.CutSuffix(key, end.from); ok && len(rest) >= 3 {
			if g := l.byWord[rest+end.to]; g != nil {
				return g
			}
		}
	}
	return nil
}

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
	markInitials      = "\ue019" // first letters of a Hangul word
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
	if s := sound(w); s != "" && n != w { // 고 of 냉장고 is no particle
		terms = append(terms, markSound+s)
	}
	for _, noun := range slices.Compact([]string{n, w}) {
		if f := initialsOf(noun); f != "" {
			terms = append(terms, markInitials+f)
		}
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
