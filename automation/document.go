package automation

import (
	"bytes"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// document is a parsed file of rules, not yet validated.
type document struct {
	file     string
	tables   []table // [[automation]] and [[automations]], in order
	changes  []table // [[change]]
	problems []Problem
}

// table is one [[automation]] or [[change]] with the positions of its keys.
type table struct {
	spot
	values map[string]any
	keys   []keySpot
}

// spot is a position in a file, counted from 1, columns in bytes.
type spot struct{ line, column int }

type keySpot struct {
	key string // dotted, for keys of subtables
	spot
}

// at returns the position of a key, or of the table if it lacks the key.
func (t table) at(key string) spot {
	for _, k := range t.keys {
		if k.key == key {
			return k.spot
		}
	}
	return t.spot
}

// listNames are the lists of tables in a file of rules.
var listNames = []string{"automation", "automations", "change"}

// readDocument parses TOML v1.0 (https://toml.io/en/v1.0.0). It fails with a [Problem] if the text is invalid.
func readDocument(file string, text []byte) (document, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var top map[string]any
	if err := toml.Unmarshal(text, &top); err != nil {
		return document{}, tomlProblem(file, err)
	}
	f := newPositionFinder(text)
	f.find()
	d := document{file: file}
	d.tables = append(f.fill("automation", top), f.fill("automations", top)...)
	sort.SliceStable(d.tables, func(i, j int) bool { return d.tables[i].before(d.tables[j].spot) })
	d.changes = f.fill("change", top)
	d.problems = f.unknownTables(file)
	return d, nil
}

func (s spot) before(other spot) bool {
	return s.line < other.line || s.line == other.line && s.column < other.column
}

func tomlProblem(file string, err error) Problem {
	p := Problem{File: file, Code: "toml", Args: []any{strings.TrimPrefix(err.Error(), "toml: ")}}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		p.Line, p.Column = at.Position()
	}
	return p
}

// positionFinder records the positions of tables and keys in a decoded text. Decoding does not report them, and the
// decoder's own positions are counted from the start each time, which takes minutes for ten thousand rules.
type positionFinder struct {
	p     unstable.Parser
	lines []int // offset of each line
	// lists holds the tables of each list so far. plain holds top-level keys that are unknown or not a list.
	lists map[string][]table
	plain []keySpot
	in    string // current list; "" at the top level
	below string // current subtable
}

// noList is the current list in tables that are ignored. No list has this name.
const noList = "\x00"

func newPositionFinder(text []byte) *positionFinder {
	f := &positionFinder{lists: map[string][]table{}, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	f.p.Reset(text)
	return f
}

func (f *positionFinder) find() {
	for f.p.NextExpression() {
		switch n := f.p.Expression(); n.Kind {
		case unstable.Table, unstable.ArrayTable:
			f.header(n)
		case unstable.KeyValue:
			f.pair(n)
		}
	}
}

func (f *positionFinder) spot(n *unstable.Node) spot {
	offset := int(n.Raw.Offset)
	line := sort.SearchInts(f.lines, offset+1)
	return spot{line, offset - f.lines[line-1] + 1}
}

// path returns a dotted key and its position.
func (f *positionFinder) path(n *unstable.Node) ([]string, spot) {
	var path []string
	var at spot
	for it := n.Key(); it.Next(); {
		if path == nil {
			at = f.spot(it.Node())
		}
		path = append(path, string(it.Node().Data))
	}
	return path, at
}

// header handles the header of a table.
func (f *positionFinder) header(n *unstable.Node) {
	path, at := f.path(n)
	f.in, f.below = path[0], strings.Join(path[1:], ".")
	switch {
	case !slices.Contains(listNames, f.in), len(path) == 1 && n.Kind == unstable.Table:
		f.plain = append(f.plain, keySpot{path[0], at})
		f.in = noList
	case len(path) == 1:
		f.lists[f.in] = append(f.lists[f.in], table{spot: at})
	default:
		f.key(f.in, f.below, at)
	}
}

// key records a key of a list's last table.
func (f *positionFinder) key(list, key string, at spot) {
	if tables := f.lists[list]; len(tables) > 0 {
		last := &tables[len(tables)-1]
		last.keys = append(last.keys, keySpot{key, at})
	}
}

// pair handles a line "key = value".
func (f *positionFinder) pair(n *unstable.Node) {
	path, at := f.path(n)
	switch {
	case f.in == "" && len(path) == 1 && slices.Contains(listNames, path[0]) && n.Value().Kind == unstable.Array:
		f.inline(path[0], at, n.Value())
	case f.in == "":
		f.plain = append(f.plain, keySpot{path[0], at})
	default:
		f.noteKey(f.in, f.below, path, at, n.Value())
	}
}

// inline handles a list of tables that is written as a value.
func (f *positionFinder) inline(list string, at spot, array *unstable.Node) {
	for it := array.Children(); it.Next(); {
		f.lists[list] = append(f.lists[list], table{spot: at})
		if it.Node().Kind == unstable.InlineTable {
			f.pairs(list, "", it.Node())
		}
	}
}

func (f *positionFinder) pairs(list, below string, inline *unstable.Node) {
	for it := inline.Children(); it.Next(); {
		path, at := f.path(it.Node())
		f.noteKey(list, below, path, at, it.Node().Value())
	}
}

func (f *positionFinder) noteKey(list, below string, path []string, at spot, value *unstable.Node) {
	key := strings.Join(path, ".")
	if below != "" {
		key = below + "." + key
	}
	f.key(list, key, at)
	if value.Kind == unstable.InlineTable {
		f.pairs(list, key, value)
	}
}

// fill assigns the decoded values to the tables of a list.
func (f *positionFinder) fill(list string, top map[string]any) []table {
	tables := f.lists[list]
	values, _ := top[list].([]any)
	if len(values) != len(tables) {
		return nil
	}
	for i, v := range values {
		tables[i].values, _ = v.(map[string]any)
	}
	return tables
}

// unknownTables returns the problems of top-level keys other than lists of rules.
func (f *positionFinder) unknownTables(file string) []Problem {
	var problems []Problem
	seen := map[string]bool{}
	for _, k := range f.plain {
		if seen[k.key] {
			continue
		}
		seen[k.key] = true
		p := Problem{File: file, Line: k.line, Column: k.column, Code: "unknown_table", Args: []any{k.key}}
		if slices.Contains(listNames, k.key) {
			p.Code = "not_list"
		}
		problems = append(problems, p)
	}
	return problems
}
