// Package names lists programs and services with the names people use for them: 크롬, 谷歌浏览器 and chrome are
// google-chrome (names.tsv). The built-in helper uses them to install programs and recall to find notes.
package names

import (
	"cmp"
	_ "embed"
	"iter"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

//go:embed names.tsv
var table string

// Name is a program or service with its Arch names.
type Name struct {
	Package string
	Service string   // "" if there is none
	User    bool     // the service is a user service
	Kind    string   // daemon, app or cli
	Aliases []string // other names in lower case
}

// All returns a new copy of the built-in names in the table's order.
func All() []Name {
	var all []Name
	for fields := range Rows(table) {
		all = append(all, FromRow(fields))
	}
	return all
}

// FromRow parses the fields of a row: package, service ("-" for none, "user:NAME" for a user service), kind,
// and other names separated by ", ". Missing fields stay empty.
func FromRow(fields []string) Name {
	var f [4]string
	copy(f[:], fields)
	n := Name{Package: f[0], Kind: f[2]}
	if f[1] != "-" {
		n.Service, n.User = strings.CutPrefix(f[1], "user:")
	}
	if f[3] != "" {
		n.Aliases = strings.Split(f[3], ", ")
	}
	return n
}

// FromTable parses a person's own table. It skips rows that are too short.
func FromTable(table string) []Name {
	var own []Name
	for fields := range Rows(table) {
		if len(fields) >= 3 {
			own = append(own, FromRow(fields))
		}
	}
	return own
}

// AllNames returns all names: the package, the service if it is different, and the other names.
func (n Name) AllNames() []string {
	texts := []string{n.Package}
	if n.Service != "" && !strings.EqualFold(n.Service, n.Package) {
		texts = append(texts, strings.ToLower(n.Service))
	}
	return append(texts, n.Aliases...)
}

//go:embed traditional.tsv
var traditional string

// Simplified converts Chinese text to the simplified characters and mainland words of the tables (traditional.tsv).
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
	sorting.Stably(pairs, func(a, b pair) int {
		return -cmp.Compare(utf8.RuneCountInString(a.from), utf8.RuneCountInString(b.from))
	})
	var list []string
	for _, p := range pairs {
		list = append(list, p.from, p.to)
	}
	return strings.NewReplacer(list...)
})

// Rows returns the tab-separated fields of every row of a table, without blank rows and rows that begin with #.
func Rows(table string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(table) {
			line = strings.TrimRight(line, "\r\n")
			if strings.TrimSpace(line) == "" || line[0] == '#' {
				continue
			}
			if !yield(strings.Split(line, "\t")) {
				return
			}
		}
	}
}
