package intent

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// timeWords are the words of time.tsv.
type timeWords struct {
	value map[string]map[string]string // kind → word → value
	since []sinceWords                 // in the file's order
}

type sinceWords struct {
	value string
	words []string
}

var times = sync.OnceValue(func() timeWords {
	t := timeWords{value: map[string]map[string]string{}}
	rows("time.tsv", func(f []string) {
		words := fieldWords(f[2])
		if f[0] == "since" {
			t.since = append(t.since, sinceWords{f[1], words})
			return
		}
		if t.value[f[0]] == nil {
			t.value[f[0]] = map[string]string{}
		}
		for _, w := range words {
			t.value[f[0]][w] = f[1]
		}
	})
	return t
})

// valueOf returns the value of a word, "" when the kind does not have it.
func (t timeWords) valueOf(kind, word string) string { return t.value[kind][strings.TrimSpace(word)] }

// alternation returns a regular expression for the words of a kind in one script, longest first.
func (t timeWords) alternation(kind string, sc script) string {
	var words []string
	for w := range t.value[kind] {
		if s, ok := scriptOf([]rune(w)[0]); ok && s == sc {
			words = append(words, regexp.QuoteMeta(w))
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(-cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return "(?:" + strings.Join(words, "|") + ")"
}

// numberOf parses digits or number words. It returns 1 if s has none.
func numberOf(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, err := strconv.Atoi(times().valueOf("number", s)); err == nil {
		return n
	}
	return 1
}
