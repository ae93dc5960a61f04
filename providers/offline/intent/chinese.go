package intent

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// simplified writes Chinese text in the simplified characters and mainland
// words of the data files (traditional.tsv).
func simplified(s string) string { return simplifier().Replace(s) }

var simplifier = sync.OnceValue(func() *strings.Replacer {
	type pair struct{ from, to string }
	var pairs []pair
	rows("traditional.tsv", func(f []string) {
		from, to := []rune(f[0]), []rune(f[1])
		if len(from) != len(to) || len(from) < 8 {
			pairs = append(pairs, pair{f[0], f[1]})
			return
		}
		for i := range from {
			pairs = append(pairs, pair{string(from[i]), string(to[i])})
		}
	})
	// The replacer takes the first that fits: words before their characters.
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return -cmp.Compare(utf8.RuneCountInString(a.from), utf8.RuneCountInString(b.from))
	})
	var list []string
	for _, p := range pairs {
		list = append(list, p.from, p.to)
	}
	return strings.NewReplacer(list...)
})
