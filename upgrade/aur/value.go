package aur

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// unknown replaces in texts what is only known when the recipe runs.
const unknown = "…"

// Bounds of the evaluation: a recipe cannot make it take much time or memory.
const (
	maxValue  = 4 << 10 // bytes of a variable's value
	maxFields = 512     // words that one word expands to
	maxWork   = 8 << 20 // bytes that all words of a recipe expand to
)

// The directories of makepkg, and the home, as texts that are found again in words.
const (
	startDir = "/startdir"
	srcDir   = startDir + "/src"
	pkgDir   = startDir + "/pkg"
	homeDir  = "/home/you"
)

// plain writes the directories as recipes name them.
var plain = strings.NewReplacer(srcDir, "$srcdir", pkgDir, "$pkgdir", startDir, "$startdir", homeDir, "~")

// element is a value of an array, and where it is written.
type element struct {
	text string
	line int
}

// variable is what is known of a shell variable.
type variable struct {
	list   []element
	array  bool
	effect effect // what the commands do whose output it has
}

// scope holds the variables at a place of the recipe. It implements [expand.Environ].
type scope struct {
	vars map[string]variable
	work *int // bytes that may still be expanded
}

func newScope() *scope {
	work := maxWork
	s := &scope{vars: map[string]variable{}, work: &work}
	for name, value := range map[string]string{
		"srcdir": srcDir, "pkgdir": pkgDir, "startdir": startDir, "HOME": homeDir, "CARCH": "x86_64",
		"PWD": startDir, "IFS": " \t\n",
	} {
		s.vars[name] = variable{list: []element{{text: value}}}
	}
	return s
}

// inner returns a copy for a function.
func (s *scope) inner() *scope { return &scope{vars: maps.Clone(s.vars), work: s.work} }

// Get returns a variable; one that is not known has the text [unknown].
func (s *scope) Get(name string) expand.Variable {
	v, ok := s.vars[name]
	switch {
	case strings.HasPrefix(name, "HOME "): // of another account
		return expand.Variable{Set: true, Kind: expand.String, Str: "/home/" + unknown}
	case !ok:
		return expand.Variable{Set: true, Kind: expand.String, Str: unknown}
	case v.array:
		list := make([]string, len(v.list))
		for i, e := range v.list {
			list[i] = e.text
		}
		return expand.Variable{Set: true, Kind: expand.Indexed, List: list}
	}
	text := ""
	if len(v.list) > 0 {
		text = v.list[0].text
	}
	return expand.Variable{Set: true, Kind: expand.String, Str: text}
}

// Each is part of [expand.Environ]. No names are listed: ${!prefix*} is empty.
func (s *scope) Each(func(string, expand.Variable) bool) {}

// errTooMuchWork reports a recipe whose words expand without end.
var errTooMuchWork = errors.New("the words expand to too much text")

// config returns how words are expanded: without commands, files and the environment of this process.
func (s *scope) config() *expand.Config {
	return &expand.Config{
		Env: s,
		CmdSubst: func(w io.Writer, _ *syntax.CmdSubst) error {
			_, err := io.WriteString(w, unknown)
			return err
		},
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return unknown, nil },
	}
}

// spend takes from the budget. It reports whether something is left.
func (s *scope) spend(n int) bool {
	*s.work -= n + 1
	return *s.work > 0
}

// isCostly reports whether a word is not worth expanding: many parts multiply.
func isCostly(w *syntax.Word) bool {
	replacements, parts := 0, 0
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			parts++
			if n.Repl != nil || n.Exp != nil {
				replacements++
			}
		case *syntax.ArithmExp:
			parts += 8
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
		return true
	})
	return replacements > 16 || parts > 256
}

// text returns the value of a word as in an assignment; parts that are not known are [unknown].
func (s *scope) text(w *syntax.Word) (text string) {
	if w == nil {
		return ""
	}
	if isCostly(w) || !s.spend(0) {
		return unknown
	}
	text, err := expand.Literal(s.config(), w)
	if err != nil {
		return unknown
	}
	s.spend(len(text))
	return text
}

// fields returns the words that a word expands to.
func (s *scope) fields(w *syntax.Word) (list []string) {
	if isCostly(w) || !s.spend(0) {
		return []string{unknown}
	}
	for text, err := range expand.FieldsSeq(s.config(), w) {
		if err != nil {
			return append(list, unknown)
		}
		if list = append(list, text); len(list) >= maxFields || !s.spend(len(text)) {
			return list
		}
	}
	return list
}

// assign carries out an assignment and returns the value.
func (s *scope) assign(a *syntax.Assign, line func(syntax.Node) int, of effect) {
	if a.Name == nil || a.Naked {
		return
	}
	name := a.Name.Value
	v := variable{effect: of}
	switch {
	case a.Array != nil:
		v.array = true
		for _, e := range a.Array.Elems {
			if e.Value == nil {
				continue
			}
			for _, text := range s.fields(e.Value) {
				v.list = append(v.list, element{bound(text), line(e.Value)})
			}
		}
	case a.Index != nil: // one element: name[0]=
		v = s.vars[name]
		v.array, v.effect = true, v.effect|of
		v.list = append(slices.Clone(v.list), element{bound(s.text(a.Value)), line(a)})
		s.vars[name] = v
		return
	default:
		v.list = []element{{bound(s.text(a.Value)), line(a)}}
	}
	if old, ok := s.vars[name]; ok && a.Append {
		v = appended(old, v)
	}
	if len(v.list) > 8*maxFields {
		v.list = v.list[:8*maxFields]
	}
	s.vars[name] = v
}

// appended returns the value of a variable after +=.
func appended(old, more variable) variable {
	more.effect |= old.effect
	if old.array || more.array {
		more.array, more.list = true, append(slices.Clone(old.list), more.list...)
		return more
	}
	text := old.list[0].text + more.list[0].text
	more.list = []element{{bound(text), more.list[0].line}}
	return more
}

// bound returns a value that a variable may have.
func bound(text string) string {
	if len(text) > maxValue {
		return unknown
	}
	return text
}
