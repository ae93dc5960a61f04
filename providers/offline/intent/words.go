package intent

import "sync"

// lists are the lists of words.tsv.
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
