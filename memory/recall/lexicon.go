package recall

import (
	_ "embed"
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
