package names

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed traditional.tsv
var traditional string

// Simplified converts Chinese text to the simplified characters and mainland words of the tables
// (traditional.tsv).
func Simplified(s string) string { return simplifier().Replace(s) }

var simplifier = sync.OnceValue(func() *strings.Replacer {
	type pair struct{ from, to string }
	var pairs []pair
	for f := range Rows(traditional) {
		from, to := []rune(f[0]), []rune(f[1])
		if len(from) != len(to) || len(from) < 8 {
			pairs = append(pairs, pair{f[0], f[1]})
			continue
		}
		for i := range from {
			pairs = append(pairs, pair{string(from[i]), string(to[i])})
		}
	}
	// The replacer uses the first match, so words must precede their characters.
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return -cmp.Compare(utf8.RuneCountInString(a.from), utf8.RuneCountInString(b.from))
	})
	var list []string
	for _, p := range pairs {
		list = append(list, p.from, p.to)
	}
	return strings.NewReplacer(list...)
})
