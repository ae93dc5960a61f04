package safety

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// programDirs are the directories whose programs can be given by path.
var programDirs = []string{"/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"}

// programName returns a program's name in the tables, and whether its spelling is accepted.
func programName(text string) (string, bool) {
	if !strings.Contains(text, "/") {
		return text, true
	}
	base := text[strings.LastIndexByte(text, '/')+1:]
	for _, dir := range programDirs[:3] {
		if text == dir+base {
			return base, true
		}
	}
	return base, false
}

// prefixPattern treats a pattern such as *.txt, or a variable with its matches, as ./*.txt, which cannot become an
// option, and makes the print say so.
func (in *invocation) prefixPattern(f *field) bool {
	p := in.s.j.c.programs[in.name]
	if p == nil || !p.onlyReads || in.s.verbatim || len(f.val) == 0 || f.val[0].kind != segGlob || f.word == 0 || f.word > len(in.s.source) {
		return false
	}
	f.val = litValue("./").join(f.val)
	in.s.j.prefixed[in.s.source[f.word-1]] = true
	return true
}

// separateOperand treats an operand that can begin with a dash as if it were after --, and makes the print put it
// there.
func (in *invocation) separateOperand(f *field) bool {
	if !in.separates() || in.s.verbatim || in.s.site == nil || !f.val.has(segUnits) {
		return false
	}
	last := in.s.j.moved[in.s.site]
	switch {
	case f.item:
	case f.from > 0 && f.from <= len(in.s.source):
		if word := in.s.source[f.from-1]; !slices.Contains(last, word) {
			last = append(last, word)
		}
	default:
		return false
	}
	in.s.j.moved[in.s.site] = last
	return true
}

// moveBehindDashes moves words of a command to its end, after --.
func moveBehindDashes(c *syntax.CallExpr, last []*syntax.Word) {
	var args []*syntax.Word
	for _, w := range c.Args {
		if !slices.Contains(last, w) {
			args = append(args, w)
		}
	}
	args = append(args, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "--"}}})
	c.Args = append(args, last...)
}

// quoteVariable treats an unquoted variable that is the whole value of an option as quoted, so that it cannot become
// several arguments, and makes the print say so.
func (in *invocation) quoteVariable(f *field) bool {
	if in.s.verbatim || f.word == 0 || f.word > len(in.s.source) {
		return false
	}
	word := in.s.source[f.word-1]
	if len(word.Parts) != 1 {
		return false
	}
	if _, variable := word.Parts[0].(*syntax.ParamExp); !variable {
		return false
	}
	f.many = false
	in.s.j.quotes[word] = true
	return true
}

// invocation is the program with its arguments that is currently judged.
type invocation struct {
	s     *scope
	name  string
	args  []field
	hosts []string // hosts in the accepted arguments
}

func (in *invocation) refuse(code, part string) { in.s.j.refuse(code, in.name+" "+part) }

// argv judges one program with its arguments and unwraps wrappers. The scope of the words' text can differ from
// the judged one.
func (s *scope) argv(fields []field) {
	if s.j.nesting++; s.j.nesting > maxWrappers {
		s.j.refuse("too-many-wrappers", "")
		s.j.nesting--
		return
	}
	defer func() { s.j.nesting-- }()
	text, known := fields[0].val.lit()
	if !known || fields[0].many || text == "" {
		s.j.refuse("unknown-command", fields[0].val.String())
		return
	}
	name, accepted := programName(text)
	if !accepted {
		s.j.refuse("path-program", text)
	}
	s.j.programs[name] = true
	if s.j.use == nil {
		defer s.j.beginUse(nil)()
	}
	s.j.use.programs = append(s.j.use.programs, name)
	in := &invocation{s: s, name: name, args: fields[1:]}
	s.blockRules(name, in.args)
	if s.wipeRules(name, in.args) {
		return // the loss is a better reason than that the program is not listed
	}
	if w := wrapperTable()[name]; w != nil {
		in.unwrap(w)
		return
	}
	if shellNames.has(name) {
		in.shell()
		return
	}
	in.program()
}

// program compares an invocation with its table rows.
func (in *invocation) program() {
	if in.name == "cd" && (len(in.s.source) == 0 || in.s.source[0].Lit() != "cd") {
		in.refuse("directory", in.argText()) // a cd that collectDirs did not see
	}
	p := in.s.j.c.programs[in.name]
	if p == nil {
		in.s.j.refuse("unknown-program", in.name)
		return
	}
	if p.response && slices.ContainsFunc(in.args, func(f field) bool { return f.val.prefix() == "" || f.val.prefix()[0] == '@' }) {
		in.refuse("operand", "@")
		return
	}
	var first *refusal
	in.s.j.use.script = in.s.j.use.script || p.script
	for i := range p.forms {
		in.hosts = nil
		r := p.forms[i].match(in)
		if r == nil {
			if p.forms[i].reaches != "" {
				in.recordReach(&p.forms[i])
			}
			in.s.j.recordAccepted(commandText(in.name, in.args), p.why)
			return
		}
		if first == nil || r.depth > first.depth {
			first = r
		}
	}
	if in.s.j.vanished && first.code == "missing-value" {
		return // a missing operand is only a usage error
	}
	if in.asksVersion() && !p.noVersion {
		in.s.j.recordAccepted(commandText(in.name, in.args), "prints its version or help")
		return
	}
	in.refuse(first.code, first.part)
}

func (in *invocation) asksVersion() bool {
	if len(in.args) != 1 {
		return false
	}
	text, ok := in.args[0].val.lit()
	return ok && (text == "--version" || text == "--help")
}

// shellNames are the interpreters of shell text.
var shellNames = words("sh bash dash zsh ksh mksh ash fish rbash yash")

// shell judges sh -c TEXT. Text on standard input is judged with the statement that supplies it (hereText).
func (in *invocation) shell() {
	text, params, plain := in.shellText()
	if text == nil {
		in.refuse("interpreter", in.argText())
		in.s.pipedText()
		return
	}
	if in.name != "sh" && in.name != "bash" || !plain {
		in.refuse("interpreter", in.argText())
	}
	in.s.script(in, text, params)
}

// shellText finds the text of -c in any position. plain reports that there are no other options except harmless ones.
func (in *invocation) shellText() (text *field, params []field, plain bool) {
	plain = true
	for i := 0; i < len(in.args); i++ {
		opt, ok := in.args[i].val.lit()
		switch {
		case !ok:
			return nil, nil, false
		case opt == "--norc" || opt == "--noprofile":
		case opt == "-o" || opt == "+o" || opt == "-O" || opt == "--rcfile" || opt == "--init-file":
			plain = false
			i++
		case strings.HasPrefix(opt, "--") || strings.HasPrefix(opt, "+"):
			plain = false
		case strings.HasPrefix(opt, "-") && strings.Contains(opt, "c"):
			plain = plain && opt == "-c"
			rest := in.args[i+1:]
			for len(rest) > 1 && strings.HasPrefix(rest[0].val.prefix(), "-") {
				plain, rest = false, rest[1:]
			}
			if len(rest) == 0 {
				return nil, nil, false
			}
			return &rest[0], append([]field{}, rest[1:]...), plain
		case strings.HasPrefix(opt, "-"):
			plain = false
		default:
			return nil, nil, false
		}
	}
	return nil, nil, false
}

func (in *invocation) argText() string {
	text := commandText(in.name, in.args)
	return strings.TrimPrefix(strings.TrimPrefix(text, in.name), " ")
}

// script judges a shell text in an argument. For a Safe verdict, the argument is replaced by the canonical
// print of the judged tree, and sh by bash, whose grammar was used.
func (s *scope) script(in *invocation, text *field, params []field) {
	source, known := text.val.lit()
	if !known || text.many {
		s.j.refuse("interpreter", text.val.String())
		s.partialScript(text)
		return
	}
	replaceable := s.source != nil && text.word > 0 && text.word <= len(s.source)
	child := newScope(s.j, s)
	child.verbatim = s.verbatim || !replaceable
	file := child.nestedText(source, params)
	if file == nil {
		return
	}
	if !replaceable {
		if printNode(file) != source {
			s.j.refuse("interpreter", source)
		}
		return
	}
	word := s.source[text.word-1]
	s.j.rewrites = append(s.j.rewrites, func() {
		word.Parts = []syntax.WordPart{&syntax.Lit{Value: quoteArg(printNode(file))}}
	})
	if in.name != "sh" {
		return
	}
	for _, w := range s.source {
		if w.Lit() == "sh" || strings.HasSuffix(w.Lit(), "/sh") {
			s.j.rewrites = append(s.j.rewrites, func() { w.Parts = []syntax.WordPart{&syntax.Lit{Value: "bash"}} })
		}
	}
}

// nested parses and judges a shell text inside this one, or returns nil if it cannot be parsed.
func (s *scope) nested(source string, params []field) *syntax.File {
	child := newScope(s.j, s)
	child.verbatim = true
	return child.nestedText(source, params)
}

// nestedText parses a text and judges it in the scope.
func (s *scope) nestedText(source string, params []field) *syntax.File {
	if code := sourceProblem(source); code != "" {
		s.j.refuse(code, source)
		s.j.literalScan(source)
		return nil
	}
	file, err := parse(source)
	if err != nil {
		s.j.refuse("unparsed", err.Error())
		s.j.literalScan(source)
		return nil
	}
	if len(file.Stmts) == 0 {
		s.j.refuse("interpreter", source)
		return nil
	}
	if s.j.exceedsCaps(file) {
		s.j.refuse("too-long", source)
		s.j.literalScan(source)
		return nil
	}
	s.params = append(make([]field, 0, len(params)), params...)
	if len(params) > 0 {
		s.params = params[1:]
	}
	s.file(file)
	return file
}

// partialScript looks for blocked commands in a partially known text: every unknown segment becomes an unset variable.
func (s *scope) partialScript(text *field) {
	if text.many || !text.val.has(segLit) {
		return
	}
	var b strings.Builder
	for _, sg := range text.val {
		if sg.kind == segLit {
			b.WriteString(sg.text)
		} else {
			b.WriteString(`"$UNKNOWN"`)
		}
	}
	s.nested(b.String(), nil)
}

// hereText judges the text that a here-document or here-string passes to a shell.
func (s *scope) hereText(st *syntax.Stmt) {
	call, ok := st.Cmd.(*syntax.CallExpr)
	here := slices.ContainsFunc(st.Redirs, func(r *syntax.Redirect) bool {
		return r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc
	})
	if !here || !ok || len(call.Args) == 0 || !s.startsShell(call) {
		return
	}
	for _, r := range st.Redirs {
		var word *syntax.Word
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			word = r.Hdoc
		case syntax.WordHdoc:
			word = r.Word
		}
		if word == nil {
			continue
		}
		s.j.refuse("interpreter", clip(printNode(word)))
		s.hereWord(r, word)
	}
}

// pipedText looks for blocked commands in literal text that is piped to a shell.
func (s *scope) pipedText() {
	if s.feed == nil {
		return
	}
	call, ok := s.feed.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	for _, r := range s.feed.Redirs {
		if (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && call.Args[0].Lit() == "cat" {
			s.hereWord(r, r.Hdoc)
		}
	}
	if name := call.Args[0].Lit(); name != "echo" && name != "printf" {
		return
	}
	for _, l := range s.arguments(call.Args[1:]) {
		text := joinFields(l.fields)
		if source, ok := text.val.lit(); ok && source != "" {
			s.nested(source, nil)
		}
	}
}

func (s *scope) hereWord(r *syntax.Redirect, word *syntax.Word) {
	var lists []fieldList
	if r.Op == syntax.WordHdoc {
		lists = s.text(word)
	} else {
		for _, e := range s.expand(word.Parts, true, false) {
			var v value
			for _, p := range e.pieces {
				v = v.join(p.val)
			}
			lists = append(lists, fieldList{fields: []field{{val: v}}, phantom: e.phantom})
		}
	}
	for _, l := range lists {
		if text, ok := l.fields[0].val.lit(); ok {
			s.nested(text, nil)
		} else {
			s.partialScript(&l.fields[0])
		}
	}
}

// startsShell reports whether a command is or wraps a shell.
func (s *scope) startsShell(call *syntax.CallExpr) bool {
	for _, l := range s.arguments(call.Args) {
		if slices.ContainsFunc(l.fields, func(f field) bool {
			text, _ := f.val.lit()
			name, _ := programName(text)
			return shellNames.has(name) || name == "su" || name == "sudo" || name == "at" || name == "doas" || name == "run0" ||
				name == "xargs" || name == "source" || name == "." || name == "parallel"
		}) {
			return true
		}
	}
	return false
}
