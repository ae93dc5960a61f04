package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/nidoit/blunux-ai/i18n"
)

// Error reports an invalid setting and its position.
type Error struct {
	File      string
	Line, Col int    // from 1; 0 for the whole file
	Problem   string // in English, for logs

	text i18n.Text
}

func newError(file string, at place, said i18n.Text) *Error {
	return &Error{File: file, Line: at.line, Col: at.col, Problem: said.In(i18n.English), text: said}
}

// Error returns file:line:col: problem, in English.
func (e *Error) Error() string { return e.at(e.Problem) }

// In returns the text of [Error.Error] in a language.
func (e *Error) In(lang i18n.Lang) string { return e.at(e.ProblemIn(lang)) }

// ProblemIn returns the Problem in a language. Errors of the system are not translated.
func (e *Error) ProblemIn(lang i18n.Lang) string {
	if e.text.IsZero() {
		return e.Problem
	}
	return e.text.In(lang)
}

func (e *Error) at(problem string) string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, problem)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, problem)
}

// sentence returns the text of an error in all languages. Errors of the system are not translated.
func sentence(err error) i18n.Text {
	var f *i18n.Failure
	if errors.As(err, &f) {
		return f.Text
	}
	return i18n.CauseOf(err)
}

type layer struct {
	file   string // file name, or the variable with its $
	text   []byte // of the file; nil for a variable
	hits   func(pattern *regexp.Regexp, command string) bool
	home   string           // the person's home directory
	rules  int              // number of rules in earlier layers
	places map[string]place // positions of its values
	top    map[string]any   // decoded text, if needed
	// foreign marks the distribution's file, of which only some tables are ours.
	foreign bool
}

// place is the position of a value in a settings file, from 1, columns in bytes.
type place struct{ line, col int }

// newError returns the error for a problem, with the position of the value or, if it is missing, of its table.
func (l layer) newError(p problem) error {
	var where place
	for key := p.key; key != ""; key = parent(key) {
		if at, ok := l.place(key); ok {
			where = at
			break
		}
	}
	return newError(l.file, where, p.text)
}

// parent returns the key of the enclosing value, or "" at the top.
func parent(key string) string {
	if i := strings.LastIndexAny(key, ".["); i > 0 {
		return key[:i]
	}
	return ""
}

// withoutNumbers removes the numbers of list elements from a key, for display.
func withoutNumbers(key string) string {
	before, rest, found := strings.Cut(key, "[")
	if !found {
		return key
	}
	_, after, _ := strings.Cut(rest, "]")
	return before + withoutNumbers(after)
}

// place returns the position of a value. Its key is dotted, and an element of a list or of a list of tables has
// its number from 0: "security.rules[1].match[0]". For a key in [ai_agent], it also looks in [agent].
func (l layer) place(key string) (place, bool) {
	if at, ok := l.places[key]; ok {
		return at, true
	}
	rest, ours := strings.CutPrefix(key, "ai_agent.")
	at, ok := l.places["agent."+rest]
	return at, ok && ours
}

// findPlaces returns the positions of all values in a valid file.
func findPlaces(text []byte) map[string]place {
	f := placeFinder{places: map[string]place{}, tables: map[string]int{}}
	f.p.Reset(text)
	for f.p.NextExpression() {
		f.expression(f.p.Expression())
	}
	return f.places
}

// onlyPlace returns the position of the only value whose key without numbers is key, or no position if there are
// several.
func onlyPlace(places map[string]place, key string) place {
	var at place
	for k, p := range places {
		if withoutNumbers(k) != key || strings.HasSuffix(k, "]") {
			continue
		}
		if at != (place{}) {
			return place{}
		}
		at = p
	}
	return at
}

// placeFinder records the positions of values.
type placeFinder struct {
	p      unstable.Parser
	table  string         // current table
	tables map[string]int // number of tables in each list of tables so far
	places map[string]place
}

func (f *placeFinder) expression(n *unstable.Node) {
	switch n.Kind {
	case unstable.Table, unstable.ArrayTable:
		f.header(n)
	case unstable.KeyValue:
		f.pair(f.table, n)
	}
}

func (f *placeFinder) header(n *unstable.Node) {
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

// pair records a line "key = value" of a table.
func (f *placeFinder) pair(table string, n *unstable.Node) {
	var at place
	for it := n.Key(); it.Next(); {
		table = join(table, string(it.Node().Data))
		at = f.at(it.Node())
	}
	f.value(table, at, n.Value())
}

// value records a value and its elements. A list has the position of its key.
func (f *placeFinder) value(key string, at place, n *unstable.Node) {
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

func (f *placeFinder) at(n *unstable.Node) place {
	start := f.p.Shape(n.Raw).Start
	return place{start.Line, start.Column}
}

func join(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}
