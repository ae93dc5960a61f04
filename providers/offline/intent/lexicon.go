package intent

import (
	"embed"
	"io/fs"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/internal/names"
)

//go:embed data/*.tsv data/*.txt
var dataFiles embed.FS

// layer separates kinds of entries. The same text can be a concept, a verb and a name, and each kind is matched
// separately.
type layer uint8

const (
	layerConcept layer = iota
	layerVerb
	layerName
	layerTopic
	layerCount
)

// sense is one meaning of an entry within its layer.
type sense struct {
	id   string // concept, verb, or search words of a topic
	form form   // verbs
	name *Name  // names
}

// Name is a program or service under its Arch names.
type Name = names.Name

// entry is one text of the lexicon with all its senses.
type entry struct {
	words  []string // Latin phrase, folded by plain; nil for flat entries
	flat   []rune   // text without blanks
	jamo   []rune   // letters of flat, for Hangul entries that may be misspelt
	senses []sense
}

// hit is one match of an entry in an utterance.
type hit struct {
	sense
	start, end int // flat range
}

// Lexicon is everything the helper knows: the data directory and the user's additions. It does not change once loaded.
type Lexicon struct {
	index        [layerCount]map[string]*entry   // by text
	userPhrases  map[string]Step                 // the user's phrases
	latin        [layerCount]map[string][]*entry // by first word, longest first
	flat         [layerCount]map[rune][]*entry   // by first rune, longest first
	vocab        map[string]bool                 // Latin words of all entries
	commonWords  map[string]bool
	packageNames map[string]bool  // package names that are not misspellings of another word
	typoTargets  map[int][]string // Latin words that typos can be corrected to, by length
	hangul       map[rune][]*entry
	endings      []ending
	afterEndings []ending // endings that turn an order into something else, in file order
	chains       []chain
	classes      []class
	weights      weights
}

type ending struct {
	form form
	text []rune
}

// rows calls f with the fields of every line of a tab-separated data file.
func rows(file string, f func(fields []string)) {
	text, err := dataFiles.ReadFile("data/" + file)
	if err != nil {
		panic("offline: embedded data file is missing: " + err.Error())
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			f(strings.Split(line, "\t"))
		}
	}
}

// fieldAt returns a field of a row, "" if the row is shorter.
func fieldAt(f []string, i int) string {
	if i < len(f) {
		return f[i]
	}
	return ""
}

func fieldWords(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ", ")
}

// loadLexicon reads the data files. The package's tests check their format, so a mistake in them cannot reach a
// release. The user's own files (nil for none) are read after them. Invalid lines in them are skipped and
// returned as errors.
func loadLexicon(own fs.FS) (*Lexicon, []error) {
	l := emptyLexicon()
	rows("common.txt", func(f []string) { addWords(l.commonWords, f[0]) })
	rows("packages.txt", func(f []string) { addWords(l.packageNames, f[0]) })
	rows("concepts.tsv", l.addConcept)
	rows("verbs.tsv", func(f []string) {
		for _, w := range fieldWords(f[2]) {
			l.add(layerVerb, w, sense{id: f[0], form: formNames[f[1]]})
		}
	})
	rows("topics.tsv", func(f []string) {
		for _, w := range append(fieldWords(f[1]), f[0], f[0]+"s") {
			l.add(layerTopic, w, sense{id: f[0]})
		}
	})
	for _, n := range names.All() {
		l.addName(n)
	}
	rows("endings.tsv", l.addEndings)
	l.chains, l.classes = loadChains(), loadClasses()
	errs := l.addUserFiles(own)
	l.sort()
	l.weights = openWeights(weightsFile)
	return l, errs
}

func emptyLexicon() *Lexicon {
	l := &Lexicon{vocab: map[string]bool{}, commonWords: map[string]bool{}, packageNames: map[string]bool{}, typoTargets: map[int][]string{}, hangul: map[rune][]*entry{}, userPhrases: map[string]Step{}}
	for i := range l.index {
		l.index[i] = make(map[string]*entry, 1024)
		l.latin[i], l.flat[i] = map[string][]*entry{}, map[rune][]*entry{}
	}
	return l
}

func addWords(to map[string]bool, line string) {
	for _, w := range strings.Fields(line) {
		to[w] = true
	}
}

func (l *Lexicon) addConcept(f []string) {
	for _, w := range fieldWords(f[1]) {
		l.add(layerConcept, w, sense{id: f[0]})
	}
}

func (l *Lexicon) addEndings(f []string) {
	for _, w := range fieldWords(f[1]) {
		if after, ok := strings.CutPrefix(f[0], "after-"); ok {
			l.afterEndings = append(l.afterEndings, ending{formNames[after], []rune(w)})
			continue
		}
		l.endings = append(l.endings, ending{formNames[f[0]], []rune(w)})
	}
}

func (l *Lexicon) addName(n Name) {
	for _, t := range n.AllNames() {
		l.add(layerName, t, sense{name: &n})
	}
}

// add files a text under its layer. An existing text gets another sense.
func (l *Lexicon) add(ly layer, text string, s sense) {
	index := l.index[ly]
	if detectLang(text) == "zh" {
		text = simplified(text)
	}
	if e := index[text]; e != nil {
		if !slices.Contains(e.senses, s) {
			e.senses = append(e.senses, s)
		}
		return
	}
	e := &entry{senses: []sense{s}}
	index[text] = e
	if detectLang(text) == "en" {
		for _, w := range strings.Fields(text) {
			e.words = append(e.words, foldWord(w))
			l.vocab[foldWord(w)] = true
		}
		l.latin[ly][e.words[0]] = append(l.latin[ly][e.words[0]], e)
		return
	}
	e.flat = []rune(strings.ReplaceAll(text, " ", ""))
	l.flat[ly][e.flat[0]] = append(l.flat[ly][e.flat[0]], e)
	if j := jamoOf(e.flat); isHangul(e.flat[0]) && isHangul(e.flat[len(e.flat)-1]) && len(e.flat) >= 2 && len(j) >= 6 && (ly == layerConcept && (len(e.flat) > 2 || !wordsOf("grammatical-concepts")[s.id]) || ly == layerName) {
		e.jamo = j
		l.hangul[j[0]] = append(l.hangul[j[0]], e)
	}
}

// sort puts longer texts first, so that the first match is the longest, and fills the table of words for
// correcting typos.
func (l *Lexicon) sort() {
	for ly := range layerCount {
		for _, es := range l.latin[ly] {
			sort.SliceStable(es, func(i, j int) bool { return len(es[i].words) > len(es[j].words) })
		}
		for _, es := range l.flat[ly] {
			sort.SliceStable(es, func(i, j int) bool { return len(es[i].flat) > len(es[j].flat) })
		}
	}
	sort.SliceStable(l.endings, func(i, j int) bool { return len(l.endings[i].text) > len(l.endings[j].text) })
	for w := range l.vocab {
		if len(w) >= 4 {
			l.typoTargets[len(w)] = append(l.typoTargets[len(w)], w)
		}
	}
	for _, ws := range l.typoTargets {
		sort.Strings(ws)
	}
}

// match finds the entries of one layer in u, longest first, left to right, without overlaps. boundary reports where
// short Korean words can begin. The end of each match is added to ends, if not nil, so that unspaced Korean can be
// split there.
func (l *Lexicon) match(u *utterance, ly layer, boundary func(flat int) bool, ends map[int]bool) []hit {
	var hits []hit
	for i := 0; i < len(u.flat); {
		e, end := l.at(u, ly, i, boundary)
		if e == nil {
			i++
			continue
		}
		for _, s := range e.senses {
			hits = append(hits, hit{sense: s, start: i, end: end})
		}
		if ends != nil {
			markEnds(u, hits[len(hits)-1:], ends)
		}
		i = end
	}
	return hits
}

// at returns the longest entry of a layer that begins at flat position i.
func (l *Lexicon) at(u *utterance, ly layer, i int, boundary func(int) bool) (*entry, int) {
	var best *entry
	end := i
	for _, e := range l.flat[ly][u.flat[i]] {
		if hasPrefixAt(u.flat, i, e.flat) && !(ly == layerConcept && l.splitsWord(u, i, e.flat)) && (boundary == nil || len(e.flat) > 2 || !isHangul(e.flat[0]) || boundary(i)) {
			best, end = e, i+len(e.flat)
			break
		}
	}
	if w := u.wordAt[i]; u.words[w].script == latin && u.startsWord(i) {
		for _, e := range l.latin[ly][foldWord(u.words[w].text)] {
			if last := phraseEnd(u, w, e.words); last >= 0 && u.words[last].end >= end {
				return e, u.words[last].end
			}
		}
	}
	return best, end
}

// splitsWord reports whether a short Korean text at i would extend across a blank into the first syllable of a
// word that has its own meaning: "이야 기억해" is not 이야기.
func (l *Lexicon) splitsWord(u *utterance, i int, text []rune) bool {
	end := i + len(text)
	if len(text) > 3 || !isHangul(text[0]) || end >= len(u.flat) {
		return false
	}
	last := u.words[u.wordAt[end-1]]
	if u.wordAt[end-1] == u.wordAt[i] || last.attached || end >= last.end || end-last.start != 1 {
		return false
	}
	return slices.ContainsFunc(l.flat[layerConcept][u.flat[last.start]], func(e *entry) bool {
		return len(e.flat) > 1 && hasPrefixAt(u.flat, last.start, e.flat)
	})
}

func hasPrefixAt(s []rune, i int, prefix []rune) bool {
	if len(s)-i < len(prefix) {
		return false
	}
	for k, r := range prefix {
		if s[i+k] != r {
			return false
		}
	}
	return true
}

// phraseEnd returns the index of the phrase's last word if the phrase begins at word w, else -1. A phrase does
// not cross punctuation.
func phraseEnd(u *utterance, w int, phrase []string) int {
	if w+len(phrase) > len(u.words) {
		return -1
	}
	for k, p := range phrase {
		if x := &u.words[w+k]; x.script != latin || x.clause != u.words[w].clause || foldWord(x.text) != p {
			return -1
		}
	}
	return w + len(phrase) - 1
}

// Size counts a lexicon's entries, for display.
type Size struct {
	Names       int // texts of programs and services
	Words       int // texts of concepts, verbs and kinds of programs
	Features    int // features with learned weights
	UserPhrases int // phrases that the user defined
}

// Size counts the lexicon's entries.
func (l *Lexicon) Size() Size {
	return Size{
		Names:    len(l.index[layerName]),
		Words:    len(l.index[layerConcept]) + len(l.index[layerVerb]) + len(l.index[layerTopic]),
		Features: l.weights.features, UserPhrases: len(l.userPhrases),
	}
}

var lists = sync.OnceValue(func() map[string]wordSet {
	out := map[string]wordSet{}
	rows("words.tsv", func(f []string) {
		list := fieldWords(f[2])
		out[f[0]] = wordSet{list, set(list...)}
	})
	return out
})

type wordSet struct {
	list []string
	has  map[string]bool
}

// wordsOf returns a list of words.tsv as a set.
func wordsOf(list string) map[string]bool { return lists()[list].has }

// wordList returns a list of words.tsv in its order.
func wordList(list string) []string { return lists()[list].list }

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// pattern compiles a regular expression when it is first used. If it were inlined, each variable would have its own code.
//
//go:noinline
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// patterns compiles a list of regular expressions when it is first used.
//
//go:noinline
func patterns(exprs ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() []*regexp.Regexp { return each(exprs, regexp.MustCompile) })
}

// each returns f of every item.
func each[T, U any](list []T, f func(T) U) []U {
	var out []U
	for _, item := range list {
		out = append(out, f(item))
	}
	return out
}

// filter returns the items that are kept.
func filter[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !keep(item) })
}
