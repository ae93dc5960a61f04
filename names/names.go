// Package names knows programs and services under the names people use for
// them: 크롬, 谷歌浏览器 and chrome are google-chrome (names.tsv). What the offline
// engine installs by such a name, recall finds by it.
package names

import (
	_ "embed"
	"strings"
)

//go:embed names.tsv
var table string

// Name is a program or service under its Arch names.
type Name struct {
	Package string
	Service string   // "" when it has none
	User    bool     // the service is a user service
	Kind    string   // daemon, app or cli
	Others  []string // the names people use for it, in lower case
}

// All returns the names that are built in, in the table's order. Each call
// makes them anew.
func All() []Name {
	var all []Name
	for fields := range Rows(table) {
		all = append(all, FromRow(fields))
	}
	return all
}

// FromRow reads the fields of a row: package, service ("-" for none,
// "user:NAME" for a user service), kind, and other names separated by ", ".
// A row of fewer than three fields gives a name with fewer of them.
func FromRow(fields []string) Name {
	var f [4]string
	copy(f[:], fields)
	n := Name{Package: f[0], Kind: f[2]}
	if f[1] != "-" {
		n.Service, n.User = strings.CutPrefix(f[1], "user:")
	}
	if f[3] != "" {
		n.Others = strings.Split(f[3], ", ")
	}
	return n
}

// Texts returns everything a name is called: its package, its service where
// that is called otherwise, and the other names.
func (n Name) Texts() []string {
	texts := []string{n.Package}
	if n.Service != "" && !strings.EqualFold(n.Service, n.Package) {
		texts = append(texts, strings.ToLower(n.Service))
	}
	return append(texts, n.Others...)
}
