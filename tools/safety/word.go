package safety

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxAlternatives bounds how many different argument lists one command is
// followed through; beyond it nothing is assumed to be known.
const maxAlternatives = 64

// piece is a stretch of a word after expansion and before field splitting.
type piece struct {
	val    value
	split  bool // an unquoted expansion: split into fields and matched against file names
	quoted bool // makes a field even when empty
}

// expansion is one possible result of expanding a word.
type expansion struct {
	pieces  []piece
	phantom bool
}

// arguments evaluates the words of a command to the argument lists it can get.
func (s *scope) arguments(words []*syntax.Word) []fieldList {
	lists := []fieldList{{}}
	for i, w := range words {
		var next []fieldList
		options := s.word(w)
		if len(lists)*len(options) > maxAlternatives {
			return collapse()
		}
		for _, l := range lists {
			for _, o := range options {
				fields := append(l.fields[:len(l.fields):len(l.fields)], o.fields...)
				if len(o.fields) == 1 && !o.fields[0].many && len(options) == 1 {
					fields[len(fields)-1].word = i + 1
				}
				next = append(next, fieldList{fields, l.phantom || o.phantom})
			}
		}
		lists = next
	}
	return lists
}

// word evaluates one word with every expansion the shell makes.
func (s *scope) word(w *syntax.Word) []fieldList {
	braced, ok := expandBraces(w)
	if !ok {
		return collapse()
	}
	lists := []fieldList{{}}
	for _, b := range braced {
		var next []fieldList
		options := s.plainWord(b)
		if len(lists)*len(options) > maxAlternatives {
			return collapse()
		}
		for _, l := range lists {
			for _, o := range options {
				next = append(next, fieldList{
					append(l.fields[:len(l.fields):len(l.fields)], o.fields...), l.phantom || o.phantom,
				})
			}
		}
		lists = next
	}
	return lists
}

func (s *scope) plainWord(w *syntax.Word) []fieldList {
	if lists, ok := s.positional(w); ok {
		return lists
	}
	var out []fieldList
	for _, e := range s.expand(w.Parts, false, false) {
		out = append(out, fieldList{s.split(e.pieces), e.phantom})
	}
	return out
}

// text evaluates a word that is neither split nor matched against file names:
// the value of an assignment, a redirection or a here-string.
func (s *scope) text(w *syntax.Word) []fieldList {
	var out []fieldList
	for _, e := range s.expand(w.Parts, false, true) {
		var v value
		for _, p := range e.pieces {
			v = v.join(p.val)
		}
		if v.size() > maxSource {
			s.j.refuse("too-long", clip(v.String()))
			v = kindValue(segAny)
		}
		out = append(out, fieldList{[]field{{val: v}}, e.phantom})
	}
	return out
}

func (s *scope) expand(parts []syntax.WordPart, quoted, verbatim bool) []expansion {
	all := []expansion{{}}
	for i, part := range parts {
		options := s.part(part, partContext{first: i == 0, last: i == len(parts)-1, quoted: quoted, verbatim: verbatim})
		if len(all)*len(options) > maxAlternatives {
			return []expansion{{pieces: []piece{{val: kindValue(segAny), split: !quoted && !verbatim}}}}
		}
		var next []expansion
		for _, a := range all {
			for _, o := range options {
				next = append(next, expansion{
					append(a.pieces[:len(a.pieces):len(a.pieces)], o.pieces...), a.phantom || o.phantom,
				})
			}
		}
		all = next
	}
	return all
}

// partContext tells where in a word a part stands.
type partContext struct {
	first, last bool
	quoted      bool // between double quotes
	verbatim    bool // no splitting and no file name matching
}

func (s *scope) part(part syntax.WordPart, ctx partContext) []expansion {
	one := func(v value, split, quoted bool) []expansion {
		return []expansion{{pieces: []piece{{val: v, split: split && !ctx.verbatim, quoted: quoted}}}}
	}
	switch p := part.(type) {
	case *syntax.Lit:
		if ctx.quoted {
			return one(litValue(unescapeDouble(p.Value)), false, true)
		}
		return one(s.literal(p.Value, ctx), false, false)
	case *syntax.SglQuoted:
		if !p.Dollar {
			return one(litValue(p.Value), false, true)
		}
		if text, ok := ansiC(p.Value); ok {
			return one(litValue(text), false, true)
		}
	case *syntax.DblQuoted:
		return s.doubleQuoted(p)
	case *syntax.ParamExp:
		return s.parameter(p, ctx)
	case *syntax.CmdSubst:
		v := s.substitution(p)
		if (ctx.quoted || ctx.verbatim) && v.has(segWords) {
			v = kindValue(segAny)
		}
		return one(v, !ctx.quoted, false)
	case *syntax.ArithmExp:
		return one(kindValue(segInt), false, false)
	case *syntax.ProcSubst:
		return one(litValue(procSubstPath), false, false)
	}
	return one(kindValue(segAny), !ctx.quoted, false)
}

// procSubstPath stands for the pipe of a process substitution.
const procSubstPath = "/dev/fd/63"

func (s *scope) doubleQuoted(q *syntax.DblQuoted) []expansion {
	var out []expansion
	for _, e := range s.expand(q.Parts, true, false) {
		var v value
		for _, p := range e.pieces {
			v = v.join(p.val)
		}
		out = append(out, expansion{[]piece{{val: v, quoted: true}}, e.phantom})
	}
	return out
}

// literal evaluates unquoted text: escapes, tilde and file name patterns.
func (s *scope) literal(text string, ctx partContext) value {
	var v value
	if strings.Contains(text, ":~") || strings.Contains(text, "=~") {
		return kindValue(segAny) // expands only in what looks like an assignment
	}
	if ctx.first {
		v, text = s.tilde(text, ctx)
	}
	if ctx.verbatim {
		return v.join(litValue(unescape(text)))
	}
	return v.join(globValue(text, true))
}

// tilde expands a leading ~ and returns the remaining text.
func (s *scope) tilde(text string, ctx partContext) (value, string) {
	if !strings.HasPrefix(text, "~") {
		return nil, text
	}
	name, rest, slash := strings.Cut(text[1:], "/")
	if slash {
		rest = "/" + rest
	} else if !ctx.last {
		return kindValue(segAny), ""
	}
	switch {
	case name == "" || name == s.j.c.user:
		return litValue(s.j.c.home), rest
	case name == "root":
		return litValue("/root"), rest
	case plainWord(name) && !strings.Contains(rest, ".."):
		return litValue("/home/" + name), rest // or the text itself when there is no such user
	}
	return kindValue(segAny), rest
}

// globValue separates file name patterns from literal text. Escapes are
// removed when escaped is set; a bracket expression counts as "?".
func globValue(text string, escaped bool) value {
	var v value
	var b strings.Builder
	glob := func(c string) {
		v = v.add(seg{segLit, b.String()}).add(seg{segGlob, c})
		b.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && escaped:
			if i++; i < len(text) && text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case c == '*' || c == '?':
			glob(string(c))
		case c == '[':
			if end := bracketEnd(text, i); end > 0 {
				glob("?")
				i = end
				continue
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return v.add(seg{segLit, b.String()})
}

// bracketEnd returns the index of the ] that closes the bracket at start, or 0.
func bracketEnd(text string, start int) int {
	for i := start + 2; i < len(text); i++ {
		switch text[i] {
		case ']':
			return i
		case '/':
			return 0
		}
	}
	return 0
}

// split makes fields of pieces the way the shell does: unquoted expansions are
// cut at white space and matched against file names.
func (s *scope) split(pieces []piece) []field {
	var b fieldBuilder
	for _, p := range pieces {
		switch {
		case !p.split:
			b.append(p.val, p.quoted)
		case s.customIFS() || p.val.has(segAny) || p.val.has(segGlob) && !rootNamed(p.val.prefix()):
			return []field{{val: kindValue(segAny), many: true}}
		default:
			b.appendSplit(p.val)
		}
	}
	b.flush()
	return b.fields
}

// rootNamed reports whether only root can give names to files below a prefix:
// such names hold no white space, at which an unquoted $f would be cut.
func rootNamed(prefix string) bool {
	for _, dir := range []string{"/sys/", "/proc/", "/dev/", "/etc/", "/usr/", "/boot/"} {
		if strings.HasPrefix(prefix, dir) && !strings.Contains(prefix, "..") {
			return true
		}
	}
	return false
}

type fieldBuilder struct {
	fields []field
	cur    value
	open   bool
}

func (b *fieldBuilder) flush() {
	if b.open {
		b.fields = append(b.fields, field{val: b.cur, many: b.cur.has(segGlob)})
	}
	b.cur, b.open = nil, false
}

func (b *fieldBuilder) append(v value, quoted bool) {
	b.cur = b.cur.join(v)
	b.open = b.open || quoted || len(v) > 0
}

func (b *fieldBuilder) appendSplit(v value) {
	for _, sg := range v {
		switch sg.kind {
		case segLit:
			for i, word := range strings.FieldsFunc(" "+sg.text+" ", isBlank) {
				if i > 0 || isBlank(rune(sg.text[0])) {
					b.flush()
				}
				b.append(globValue(word, false), false)
			}
			if isBlank(rune(sg.text[len(sg.text)-1])) {
				b.flush()
			}
		case segWords:
			b.append(kindValue(segTame), false)
			b.flush()
			b.fields = append(b.fields, field{val: kindValue(segTame), many: true})
			b.append(kindValue(segTame), false)
		default:
			b.append(value{sg}, false)
		}
	}
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }
