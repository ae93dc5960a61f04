package intent

import (
	"regexp"
	"slices"
	"sync"
)

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

// pattern compiles a regular expression when it is first used.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// patterns compiles a list of regular expressions when it is first used.
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
