package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// layer is a source of settings that was just laid over the others.
type layer struct {
	file   string // or the variable, with its $
	text   []byte // of the file; nil for a variable
	hits   func(pattern *regexp.Regexp, command string) bool
	rules  int              // how many rules come from earlier layers
	places map[string]place // where its values stand
	top    map[string]any   // the text decoded, where that is asked for
	// foreign is the distribution's file, of which only some tables are ours.
	foreign bool
}

// place is where a value stands in a settings file, from 1, columns in bytes.
type place struct{ line, col int }

// refuse makes the error of a problem, at the line and column of the value or,
// where there is none, of what it is missing from.
func (l layer) refuse(p problem) error {
	var where place
	for key := p.key; key != ""; key = parent(key) {
		if at, ok := l.place(key); ok {
			where = at
			break
		}
	}
	return newError(l.file, where, p.said)
}

// parent returns the key of what a value belongs to, "" for a table's own.
func parent(key string) string {
	if i := strings.LastIndexAny(key, ".["); i > 0 {
		return key[:i]
	}
	return ""
}

// unnumbered returns a key without the numbers of list elements, as people
// know it.
func unnumbered(key string) string {
	before, rest, found := strings.Cut(key, "[")
	if !found {
		return key
	}
	_, after, _ := strings.Cut(rest, "]")
	return before + unnumbered(after)
}

// place returns where a value stands. A key is written with dots, an element of
// a list or a table of a list with its number from 0:
// "security.rules[1].match[0]". [agent] is looked at in place of [ai_agent].
func (l layer) place(key string) (place, bool) {
	if at, ok := l.places[key]; ok {
		return at, true
	}
	rest, ours := strings.CutPrefix(key, "ai_agent.")
	at, ok := l.places["agent."+rest]
	return at, ok && ours
}

// find notes where every value of a file stands that was decoded before.
func find(text []byte) map[string]place {
	f := finder{places: map[string]place{}, tables: map[string]int{}}
	f.p.Reset(text)
	for f.p.NextExpression() {
		f.expression(f.p.Expression())
	}
	return f.places
}

// onlyPlace returns where the one value stands whose key is this without the
// numbers, and no place when there are several.
func onlyPlace(places map[string]place, key string) place {
	var at place
	for k, p := range places {
		if unnumbered(k) != key || strings.HasSuffix(k, "]") {
			continue
		}
		if at != (place{}) {
			return place{}
		}
		at = p
	}
	return at
}

// finder notes where values stand.
type finder struct {
	p      unstable.Parser
	table  string         // the table whose lines are read
	tables map[string]int // how many tables a list of tables has so far
	places map[string]place
}

func (f *finder) expression(n *unstable.Node) {
	switch n.Kind {
	case unstable.Table, unstable.ArrayTable:
		f.header(n)
	case unstable.KeyValue:
		f.pair(f.table, n)
	}
}

// header begins a table, or the next one of a list of tables.
func (f *finder) header(n *unstable.Node) {
	at := f.at(n.Child())
	f.table = ""
	for it := n.Key(); it.Next(); {
		f.table = join(f.table, string(it.Node().Data))
		if n.Kind == unstable.ArrayTable && it.IsLast() {
			f.tables[f.table]++
		}
		if count := f.tables[f.table]; count > 0 {
			f.table = fmt.Sprintf("%s[%d]", f.table, count-1)
		}
	}
	f.places[f.table] = at
}

// pair notes a line "key = value" of a table.
func (f *finder) pair(table string, n *unstable.Node) {
	var at place
	for it := n.Key(); it.Next(); {
		table = join(table, string(it.Node().Data))
		at = f.at(it.Node())
	}
	f.value(table, at, n.Value())
}

// value notes a value and what is inside it. Lists have no place of their own
// and stand where their key does.
func (f *finder) value(key string, at place, n *unstable.Node) {
	f.places[key] = at
	switch n.Kind {
	case unstable.Array:
		i := 0
		for it := n.Children(); it.Next(); i++ {
			f.value(fmt.Sprintf("%s[%d]", key, i), at, it.Node())
		}
	case unstable.InlineTable:
		f.places[key] = f.at(n)
		for it := n.Children(); it.Next(); {
			f.pair(key, it.Node())
		}
	default:
		f.places[key] = f.at(n)
	}
}

func (f *finder) at(n *unstable.Node) place {
	start := f.p.Shape(n.Raw).Start
	return place{start.Line, start.Column}
}

func join(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}
