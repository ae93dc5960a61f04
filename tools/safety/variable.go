package safety

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// scope has the information about one script text: variables, functions, positional parameters and working
// directories. The order of execution is ignored: a variable can have any value assigned anywhere in the text,
// which covers loops, branches and functions.
type scope struct {
	j      *judge
	parent *scope // the text that runs this one with sh -c, eval or similar
	vars   map[string]*binding
	funcs  map[string]*function
	calls  []functionCall  // calls of functions of this text
	called bool            // calls is complete
	params []field         // the arguments of sh -c TEXT NAME ARG…
	dirs   []string        // all possible working directories of a command
	ifs    bool            // IFS is changed somewhere
	busy   map[string]bool // variables being evaluated, to detect cycles
	position

	verbatim bool // the text runs as written, not as printed
}

// position is the current simple command of a text.
type position struct {
	sites  []*syntax.CallExpr                // the simple commands of this text
	source []*syntax.Word                    // words of the current simple command
	site   *syntax.CallExpr                  // the current simple command
	feeds  map[*syntax.CallExpr]*syntax.Stmt // the statement piped into each command
	feed   *syntax.Stmt                      // the statement piped into the current command
}

// binding has all assignments of one variable.
type binding struct {
	words   []*syntax.Word // values taken verbatim
	items   []*syntax.Word // values of a for loop or an array, which are expanded
	arrays  int            // number of assignments of an array
	numeric bool           // assigned by arithmetic
	unknown bool           // assigned by read or other means
	from    uint           // offset from which on it is certainly set; 0 if never certain
	spans   []span         // for loops in whose body it is certainly set
}

type span struct{ from, to uint }

func newScope(j *judge, parent *scope) *scope {
	s := &scope{
		j: j, parent: parent,
		vars: map[string]*binding{}, funcs: map[string]*function{}, busy: map[string]bool{},
		position: position{feeds: map[*syntax.CallExpr]*syntax.Stmt{}},
	}
	if parent != nil {
		s.dirs = parent.dirs
	} else {
		s.dirs = []string{j.dir}
	}
	return s
}

func (s *scope) customIFS() bool {
	return s.ifs || s.parent != nil && s.parent.customIFS()
}

func (s *scope) bind(name string) *binding {
	b := s.vars[name]
	if b == nil {
		b = &binding{}
		s.vars[name] = b
	}
	return b
}

// lookup finds a variable in this text or in the texts around it.
func (s *scope) lookup(name string) (*scope, *binding) {
	for sc := s; sc != nil; sc = sc.parent {
		if b := sc.vars[name]; b != nil {
			return sc, b
		}
	}
	return nil, nil
}

// isSpecialParameter reports whether name is one of $?, $#, $$ and similar, which are numbers.
func isSpecialParameter(name string) bool {
	switch name {
	case "?", "#", "$", "UID", "EUID", "PPID", "RANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "COLUMNS", "LINES", "SHLVL":
		return true
	}
	return false
}

// option is one possible value of a variable.
type option struct {
	val     value
	phantom bool
}

// parameter evaluates $name and ${name…}.
func (s *scope) parameter(p *syntax.ParamExp, ctx partContext) []expansion {
	var out []expansion
	for _, o := range s.parameterValues(p) {
		out = append(out, expansion{
			pieces:  []piece{{val: o.val, split: !ctx.quoted && !ctx.verbatim}},
			phantom: o.phantom,
		})
	}
	return out
}

func (s *scope) parameterValues(p *syntax.ParamExp) []option {
	unknown := []option{{val: kindValue(segAny)}}
	if p.Param == nil || p.Excl || p.Names != 0 || p.Width || p.IsSet {
		return unknown
	}
	if p.Length {
		return []option{{val: kindValue(segUint)}}
	}
	if p.Index != nil {
		return unknown
	}
	values := s.variable(p.Param.Value, p.Pos().Offset())
	switch {
	case p.Slice != nil:
		return sliceValues(values, p.Slice)
	case p.Repl != nil:
		return unknown
	case p.Exp != nil:
		return s.expansionValues(values, p.Exp)
	}
	return values
}

// variable returns all possible values of a variable at an offset.
func (s *scope) variable(name string, at uint) []option {
	unknown := []option{{val: kindValue(segAny)}}
	if sc, b := s.lookup(name); b != nil {
		if s.j.lookups++; s.j.lookups > maxWork {
			s.j.refuse("too-long", "$"+name) // a=$b$b b=$c$c … doubles with every line
			return unknown
		}
		if sc.busy[name] {
			return unknown
		}
		sc.busy[name] = true
		defer delete(sc.busy, name)
		return sc.boundValues(b, at, sc == s)
	}
	switch {
	case isSpecialParameter(name):
		return []option{{val: kindValue(segUint)}}
	case name == "HOME":
		return []option{{val: litValue(s.j.c.home)}}
	case name == "USER", name == "LOGNAME":
		return []option{{val: litValue(s.j.c.user)}}
	case name == "PWD":
		return s.workingDirs()
	case tameEnv.has(name):
		return []option{{val: kindValue(segTame)}}
	case name == "IFS":
		return []option{{val: litValue(" \t\n")}}
	case isDigits(name) && name != "0":
		return s.parameterNumber(name)
	}
	return unknown
}

func (s *scope) workingDirs() []option {
	var out []option
	for _, d := range s.dirs {
		out = append(out, option{val: litValue(d)})
	}
	return out
}

// boundValues evaluates all assignments of a variable.
func (s *scope) boundValues(b *binding, at uint, same bool) []option {
	var out []option
	add := func(lists []fieldList) {
		for _, l := range lists {
			v := value{}
			if len(l.fields) > 0 {
				v = l.fields[0].val
			}
			if !slices.ContainsFunc(out, func(o option) bool { return o.phantom == l.phantom && slices.Equal(o.val, v) }) {
				out = append(out, option{v, l.phantom})
			}
		}
	}
	for _, w := range b.words {
		add(s.text(w))
	}
	for _, w := range b.items {
		for _, l := range s.word(w) {
			for _, f := range l.fields {
				add([]fieldList{{fields: []field{f}, phantom: l.phantom}})
			}
		}
	}
	if b.numeric {
		out = append(out, option{val: kindValue(segInt)})
	}
	if b.unknown {
		out = append(out, option{val: kindValue(segAny)})
	}
	if len(out) > maxAlternatives {
		return []option{{val: kindValue(segAny)}}
	}
	if !same || !b.certain(at) {
		out = append(out, option{val: value{}, phantom: true})
	}
	return out
}

func (b *binding) certain(at uint) bool {
	if b.from > 0 && at >= b.from {
		return true
	}
	for _, sp := range b.spans {
		if at >= sp.from && at < sp.to {
			return true
		}
	}
	return false
}

// parameterNumber evaluates $1 … from all calls of functions in this text.
func (s *scope) parameterNumber(name string) []option {
	n, err := strconv.Atoi(name)
	if err != nil || s.busy["@"] {
		return []option{{val: kindValue(segAny)}}
	}
	s.busy["@"] = true
	defer delete(s.busy, "@")
	out := []option{{val: value{}, phantom: true}}
	for _, list := range s.parameterLists() {
		for i, f := range list.fields {
			if f.many {
				return []option{{val: kindValue(segAny)}}
			}
			if i == n-1 {
				out = append(out, option{f.val, list.phantom})
			}
		}
	}
	if len(s.functionCalls()) == 0 && s.params == nil {
		return []option{{val: kindValue(segAny)}}
	}
	return out
}

// functionCall is a possible call of a function of the text.
type functionCall struct {
	name string
	list fieldList // the arguments
	at   uint
}

// functionCalls finds the calls of functions in any spelling.
func (s *scope) functionCalls() []functionCall {
	if s.called || len(s.funcs) == 0 {
		return s.calls
	}
	was := s.busy["@"]
	s.busy["@"] = true
	for _, c := range s.sites {
		for _, l := range s.arguments(c.Args) {
			if len(l.fields) == 0 {
				continue
			}
			if name, ok := l.fields[0].val.lit(); ok && s.funcs[name] != nil {
				s.calls = append(s.calls, functionCall{name, fieldList{fields: l.fields[1:], phantom: l.phantom}, c.Pos().Offset()})
			}
		}
	}
	s.busy["@"] = was
	s.called = true
	return s.calls
}

func (s *scope) parameterLists() []fieldList {
	var out []fieldList
	for _, call := range s.functionCalls() {
		out = append(out, call.list)
	}
	if s.params != nil {
		out = append(out, fieldList{fields: s.params})
	}
	return out
}

// positional evaluates the words $@, $* and "$@".
func (s *scope) positional(w *syntax.Word) ([]fieldList, bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	part := w.Parts[0]
	q, quoted := part.(*syntax.DblQuoted)
	if quoted && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, ok := part.(*syntax.ParamExp)
	if ok && quoted && isWholeArray(p) {
		return s.elements(p.Param.Value, p.Pos().Offset()), true
	}
	if !ok || p.Param == nil || p.Param.Value != "@" && p.Param.Value != "*" || p.Length || p.Slice != nil || p.Exp != nil || p.Repl != nil {
		return nil, false
	}
	if s.busy["@"] || len(s.functionCalls()) == 0 && s.params == nil {
		return unknownFields(), true
	}
	s.busy["@"] = true
	defer delete(s.busy, "@")
	lists := s.parameterLists()
	if len(lists) > maxAlternatives || quoted && p.Param.Value == "*" {
		return unknownFields(), true
	}
	if !quoted {
		lists = s.splitAgain(lists)
	}
	return append(lists, fieldList{phantom: true}), true
}

// isWholeArray recognises ${NAME[@]}.
func isWholeArray(p *syntax.ParamExp) bool {
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "@" && p.Param != nil && !p.Length && !p.Excl && p.Slice == nil && p.Exp == nil && p.Repl == nil
}

// elements evaluates "${NAME[@]}" if there is only one assignment.
func (s *scope) elements(name string, at uint) []fieldList {
	sc, b := s.lookup(name)
	if b == nil || b.arrays != 1 || b.unknown || b.numeric || len(b.words) > 0 || len(b.spans) > 0 || sc.busy[name] {
		return unknownFields()
	}
	sc.busy[name] = true
	lists := sc.arguments(b.items)
	delete(sc.busy, name)
	for _, l := range lists {
		for i := range l.fields {
			l.fields[i].word = 0
		}
	}
	if sc != s || !b.certain(at) {
		lists = append(lists, fieldList{phantom: true})
	}
	return lists
}

// splitAgain splits the arguments of an unquoted $@ at white space.
func (s *scope) splitAgain(lists []fieldList) []fieldList {
	var out []fieldList
	for _, l := range lists {
		var fields []field
		for _, f := range l.fields {
			fields = append(fields, s.split([]piece{{val: f.val, split: true}})...)
			if f.many {
				fields = append(fields, field{val: kindValue(segAny), many: true})
			}
		}
		out = append(out, fieldList{fields: fields, phantom: l.phantom})
	}
	return out
}

// expansionValues evaluates ${x:-word} and the trimming operators.
func (s *scope) expansionValues(values []option, e *syntax.Expansion) []option {
	unknown := []option{{val: kindValue(segAny)}}
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull,
		syntax.AssignUnset, syntax.AssignUnsetOrNull:
		out := append([]option(nil), values...)
		if e.Word == nil {
			return append(out, option{val: value{}})
		}
		for _, l := range s.text(e.Word) {
			out = append(out, option{l.fields[0].val, l.phantom})
		}
		return out
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return values
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return s.trimValues(values, e)
	}
	return unknown
}

// trimValues evaluates ${x%text} and ${x#text} for known text.
func (s *scope) trimValues(values []option, e *syntax.Expansion) []option {
	unknown := []option{{val: kindValue(segAny)}}
	pattern := ""
	if e.Word != nil {
		pattern = e.Word.Lit()
		if pattern == "" || strings.ContainsAny(pattern, `*?[\`) {
			return unknown
		}
	}
	var out []option
	for _, o := range values {
		text, ok := o.val.lit()
		if !ok {
			return unknown
		}
		if e.Op == syntax.RemSmallSuffix || e.Op == syntax.RemLargeSuffix {
			text = strings.TrimSuffix(text, pattern)
		} else {
			text = strings.TrimPrefix(text, pattern)
		}
		out = append(out, option{litValue(text), o.phantom})
	}
	return out
}

// sliceValues evaluates ${x:offset:length} for plain numbers.
func sliceValues(values []option, sl *syntax.Slice) []option {
	unknown := []option{{val: kindValue(segAny)}}
	from, ok1 := arithLiteral(sl.Offset)
	length, ok2 := arithLiteral(sl.Length)
	var out []option
	for _, o := range values {
		text, ok := o.val.lit()
		if !ok || !ok1 || from > len(text) {
			return unknown
		}
		end := len(text)
		if ok2 {
			end = min(from+length, end)
		} else if sl.Length != nil {
			return unknown
		}
		out = append(out, option{litValue(text[from:end]), o.phantom})
	}
	return out
}

func arithLiteral(x syntax.ArithmExpr) (int, bool) {
	w, ok := x.(*syntax.Word)
	if !ok || w == nil {
		return 0, false
	}
	n, err := strconv.Atoi(w.Lit())
	return n, err == nil && n >= 0
}
