package safety

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// maxAlternatives is the maximum number of different argument lists of one command. With more, nothing is
// assumed to be known.
const maxAlternatives = 64

// piece is a segment of a word after expansion and before field splitting.
type piece struct {
	val    value
	split  bool // an unquoted expansion: split into fields and matched against file names
	quoted bool // makes a field even if empty
}

// expansion is one possible result of expanding a word.
type expansion struct {
	pieces  []piece
	phantom bool
}

// arguments returns the possible argument lists of a command.
func (s *scope) arguments(words []*syntax.Word) []fieldList {
	lists := []fieldList{{}}
	for i, w := range words {
		var next []fieldList
		options := s.word(w)
		if len(lists)*len(options) > maxAlternatives {
			return unknownFields()
		}
		for _, l := range lists {
			for _, o := range options {
				fields := append(l.fields[:len(l.fields):len(l.fields)], o.fields...)
				for k := len(l.fields); k < len(fields); k++ {
					fields[k].from = i + 1
				}
				if len(o.fields) == 1 && (len(options) == 1 || len(options) == 2 && options[1].unmatched) {
					fields[len(fields)-1].word = i + 1
				}
				next = append(next, fieldList{fields, l.phantom || o.phantom, l.vanished || o.vanished, l.unmatched || o.unmatched})
			}
		}
		lists = next
	}
	return lists
}

// word evaluates one word with all expansions of the shell.
func (s *scope) word(w *syntax.Word) []fieldList {
	braced, ok := expandBraces(w)
	if !ok {
		return unknownFields()
	}
	lists := []fieldList{{}}
	for _, b := range braced {
		var next []fieldList
		options := s.plainWord(b)
		if len(lists)*len(options) > maxAlternatives {
			return unknownFields()
		}
		for _, l := range lists {
			for _, o := range options {
				next = append(next, fieldList{
					append(l.fields[:len(l.fields):len(l.fields)], o.fields...), l.phantom || o.phantom, l.vanished || o.vanished, l.unmatched || o.unmatched,
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
		out = append(out, fieldList{fields: s.split(e.pieces), phantom: e.phantom})
		vanishes := !slices.ContainsFunc(e.pieces, func(p piece) bool { return !p.split || len(p.val) == 0 || !p.val.mayBeEmpty() })
		switch {
		case vanishes:
			out = append(out, fieldList{phantom: true, vanished: true})
		case s.j.nullglob && slices.ContainsFunc(out[len(out)-1].fields, func(f field) bool { return f.many }):
			out = append(out, fieldList{phantom: true, vanished: true, unmatched: true})
		}
	}
	return out
}

// setsNullglob reports whether a text has shopt -s nullglob anywhere. After it, patterns without a match are
// removed (bash(1), Pathname Expansion).
func setsNullglob(file *syntax.File) bool {
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		found = found || ok && len(call.Args) == 3 && call.Args[0].Lit() == "shopt" && call.Args[1].Lit() == "-s" && call.Args[2].Lit() == "nullglob"
		return !found
	})
	return found
}

// outermostNullglob accepts shopt -s nullglob if [setsNullglob] has found it before words were judged, but not
// in a nested text.
func outermostNullglob(in *invocation, _ *parsed) *refusal {
	if !in.s.j.nullglob {
		return deny("unlisted-option", "shopt -s", 1)
	}
	return nil
}

// text evaluates a word that is neither split nor matched against file names: the value of an assignment, a
// redirection or a here-string.
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
		out = append(out, fieldList{fields: []field{{val: v}}, phantom: e.phantom})
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

// partContext is the position of a part in a word.
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
		var out []expansion
		for _, v := range s.literal(p.Value, ctx) {
			out = append(out, one(v, false, false)...)
		}
		return out
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
		return one(s.substitution(p), !ctx.quoted, false)
	case *syntax.ArithmExp:
		return one(kindValue(segInt), false, false)
	case *syntax.ProcSubst:
		return one(litValue(procSubstPath), false, false)
	}
	return one(kindValue(segAny), !ctx.quoted, false)
}

// procSubstPath represents the pipe of a process substitution.
const procSubstPath = "/dev/fd/63"

func (s *scope) doubleQuoted(q *syntax.DblQuoted) []expansion {
	if manyParameters(q) {
		return []expansion{{pieces: []piece{{val: kindValue(segAny), split: true, quoted: true}}}}
	}
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

// manyParameters reports whether a quoted text has $@ or an array, which make several fields of one word.
func manyParameters(q *syntax.DblQuoted) bool {
	found := false
	syntax.Walk(q, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		found = found || ok && p.Param != nil && (p.Param.Value == "@" || p.Index != nil && !p.Length)
		return !found
	})
	return found
}

// literal evaluates unquoted text: escapes, tilde and file name patterns.
func (s *scope) literal(text string, ctx partContext) []value {
	if strings.Contains(text, ":~") || strings.Contains(text, "=~") {
		return []value{kindValue(segAny)} // only expanded in text that looks like an assignment
	}
	starts := []value{nil}
	if ctx.first {
		starts, text = s.tilde(text, ctx)
	}
	rest := litValue(unescape(text))
	if !ctx.verbatim {
		rest = globValue(text, true)
	}
	for i, v := range starts {
		starts[i] = v.join(rest)
	}
	return starts
}

var loginName = lazyregexp.New(`^[a-z_][a-z0-9_-]*$`)

// tilde returns the possible expansions of a leading ~ and the remaining text.
func (s *scope) tilde(text string, ctx partContext) ([]value, string) {
	if !strings.HasPrefix(text, "~") {
		return []value{nil}, text
	}
	name, rest, slash := strings.Cut(text[1:], "/")
	if slash {
		rest = "/" + rest
	} else if !ctx.last {
		return []value{kindValue(segAny)}, ""
	}
	switch {
	case name == "" || name == s.j.c.user:
		return []value{litValue(s.j.c.home)}, rest
	case name == "root":
		return []value{litValue("/root")}, rest
	case loginName.MatchString(name):
		return []value{litValue("/home/" + name), kindValue(segAny)}, rest // the password file can have another home
	}
	return []value{kindValue(segAny)}, rest // ~+, ~-, ~1 and others
}

// globValue separates file name patterns from literal text. It removes escapes if escaped is set. A bracket
// expression becomes a listGlob, letterGlob or sameGlob. A bracket that another part of the word can close
// becomes an openGlob, which settle resolves.
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
			if list := bracket.FindString(text[i:]); list != "" {
				glob(bracketKind(list))
				i += len(list) - 1
			} else {
				glob(openGlob)
			}
		default:
			b.WriteByte(c)
		}
	}
	return v.add(seg{segLit, b.String()})
}

// bracket matches a bracket expression that every shell reads the same way.
var bracket = lazyregexp.New(`^\[[!^]?(\[:[a-z]+:\]|[A-Za-z0-9._,+%@-]|[^\x00-\x7f])+\]`)

var letterList = lazyregexp.New(`^\[[A-Za-z0-9]+\]$`)

func bracketKind(list string) string {
	switch {
	case !letterList.MatchString(list):
		return listGlob
	case len(list) == len("[s]"):
		return sameGlob
	}
	return letterGlob
}

// resolveBrackets resolves brackets when the word is complete. An open one without a ] after it is an ordinary
// character; with a ] the word can match anything. A bracket expression matches one character, like ?.
func resolveBrackets(v value) (value, bool) {
	if !v.has(segGlob) {
		return v, true
	}
	var out value
	open := false
	for _, sg := range v {
		switch {
		case open && sg.mayClose():
			return kindValue(segAny), false
		case sg == seg{segGlob, openGlob}:
			open = true
			sg = seg{segLit, openGlob}
		case sg == seg{segGlob, listGlob}:
			sg = seg{segGlob, oneGlob}
		}
		out = out.add(sg)
	}
	return out, true
}

// mayClose reports whether a segment can contain the ] of a bracket before it.
func (s seg) mayClose() bool {
	switch s.kind {
	case segLit:
		return strings.Contains(s.text, "]")
	case segGlob:
		return s.text != anyGlob && s.text != oneGlob && s.text != openGlob
	}
	return s.kind == segAny || s.kind == segBelow
}

// matchesSeveral reports whether patterns can match more than one name.
func (v value) matchesSeveral() bool {
	return slices.ContainsFunc(v, func(s seg) bool { return s.kind == segGlob && s.text != sameGlob })
}

// split splits pieces into fields like the shell: unquoted expansions are split at white space and matched
// against file names.
func (s *scope) split(pieces []piece) []field {
	var b fieldBuilder
	for i, p := range pieces {
		switch {
		case !p.split:
			b.append(p.val, p.quoted)
		case p.val.has(segWords, segNumbers, segUnits) && (i < len(pieces)-1 || len(p.val) > 1):
			return []field{{val: kindValue(segAny), many: true}} // the last word is joined with the text after it
		case s.customIFS() || p.val.has(segAny) || p.val.has(segGlob) && !isRootNamed(p.val.prefix()):
			return []field{{val: kindValue(segAny), many: true}}
		default:
			b.appendSplit(p.val)
		}
	}
	b.flush()
	return b.fields
}

// isRootNamed reports whether only root can name files below a prefix: such names have no white space, at which
// an unquoted $f would be split.
func isRootNamed(prefix string) bool {
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
	glob   bool // an unquoted pattern is part of the field
}

func (b *fieldBuilder) flush() {
	if b.open {
		val, settled := resolveBrackets(b.cur)
		b.fields = append(b.fields, field{val: val, many: !settled || b.glob && val.matchesSeveral()})
	}
	b.cur, b.open, b.glob = nil, false, false
}

func (b *fieldBuilder) append(v value, quoted bool) {
	b.cur = b.cur.join(v)
	b.open = b.open || quoted || len(v) > 0
	b.glob = b.glob || !quoted && v.has(segGlob)
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
			b.appendWords(segTame)
		case segNumbers:
			b.appendWords(segUint)
		case segUnits:
			b.appendWords(segUnits)
		case segGlob:
			b.append(value{sg}, false)
		default:
			b.appendUnknown(sg.kind)
		}
	}
}

// appendWords appends one or more words of a kind. The first one is joined with the text before it, and nothing
// follows them.
func (b *fieldBuilder) appendWords(k segKind) {
	b.appendUnknown(k)
	b.flush()
	b.fields = append(b.fields, field{val: kindValue(k), many: true})
}

// appendUnknown appends a segment that is not empty if it is the whole field.
func (b *fieldBuilder) appendUnknown(k segKind) {
	sg := seg{kind: k}
	if b.open {
		sg.text = hollow
	}
	b.append(value{sg}, false)
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }
