// Package names lists programs and services with the names people use for them: 크롬, 谷歌浏览器 and chrome are
// google-chrome (names.tsv). The built-in helper uses them to install programs and recall to find notes.
package names

import (
	_ "embed"
	"strings"
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

// AllNames returns all names: the package, the service if it is different, and the other names.
func (n Name) AllNames() []string {
	texts := []string{n.Package}
	if n.Service != "" && !strings.EqualFold(n.Service, n.Package) {
		texts = append(texts, strings.ToLower(n.Service))
	}
	return append(texts, n.Aliases...)
}
