package safety

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// file judges a parsed text in the scope.
func (s *scope) file(file *syntax.File) {
	s.collectFunctions(file)
	s.collectBindings(file)
	s.collectDirs(file)
	s.forkBombs()
	syntax.Walk(file, func(n syntax.Node) bool {
		if n != nil {
			s.visit(n)
		}
		return true
	})
}

// visit judges one node. It is called for every node of the tree, and does not judge the node's children.
func (s *scope) visit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.File, *syntax.Comment, *syntax.Lit, *syntax.Block, *syntax.Subshell, *syntax.IfClause,
		*syntax.CaseClause, *syntax.CaseItem, *syntax.TimeClause, *syntax.TestClause,
		*syntax.ParenTest, *syntax.Assign, *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm:
		// Their parts are judged separately, or (Assign, arithmetic) with the containing node.
	case *syntax.Word:
		if _, ok := expandBraces(n); !ok {
			s.j.refuse("unsupported-syntax", printNode(n)) // {a,b}{a,b}… grows exponentially
		}
	case *syntax.Stmt:
		s.statement(n)
	case *syntax.BinaryCmd:
		s.pipe(n)
	case *syntax.Redirect:
		s.redirect(n)
	case *syntax.CallExpr:
		s.call(n)
	case *syntax.DeclClause:
		s.declaration(n)
	case *syntax.FuncDecl:
		s.functionDecl(n)
	case *syntax.WordIter:
		s.iteration(n)
	case *syntax.WhileClause:
		s.while(n)
	default:
		s.visitExpansion(n)
	}
}

// visitExpansion judges the nodes inside words and expressions.
func (s *scope) visitExpansion(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.SglQuoted:
		if _, ok := ansiC(n.Value); n.Dollar && !ok {
			s.j.refuse("substitution", printNode(&syntax.Word{Parts: []syntax.WordPart{n}}))
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			s.j.refuse("substitution", "$\"…\"")
		}
	case *syntax.ParamExp:
		s.checkParameter(n)
	case *syntax.CmdSubst:
		if n.TempFile || n.ReplyVar {
			s.j.refuse("substitution", "${ …; }")
		}
	case *syntax.ProcSubst:
		if n.Op != syntax.CmdIn {
			s.j.refuse("substitution", n.Op.String()+"…)")
		}
	case *syntax.ArithmExp:
		s.checkArith(n.X)
	case *syntax.ArithmCmd:
		s.checkArith(n.X)
	case *syntax.CStyleLoop:
		if n.Cond == nil {
			s.j.refuse("unbounded", "for ((;;))")
		}
		s.checkArith(n.Init, n.Cond, n.Post)
	case *syntax.ArrayExpr:
		// The containing assignment and the words are judged.
	case *syntax.ArrayElem:
		if n.Index != nil {
			s.j.refuse("unsupported-syntax", "array")
		}
	case *syntax.ForClause:
		if n.Select {
			s.j.refuse("unsupported-syntax", "select")
		}
	case *syntax.BinaryTest:
		s.checkBinaryTest(n)
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			s.j.refuse("unlisted-expression", n.Op.String())
		}
	default:
		s.j.refuse("unsupported-syntax", nodeName(n))
	}
}

func nodeName(n syntax.Node) string {
	switch n.(type) {
	case *syntax.CoprocClause:
		return "coproc"
	case *syntax.LetClause:
		return "let"
	case *syntax.ExtGlob:
		return "extended pattern"
	}
	return "syntax"
}

func (s *scope) statement(st *syntax.Stmt) {
	if st.Background || st.Coprocess || st.Disown {
		s.j.refuse("background", "&")
	}
	s.hereText(st)
}

// pipe records the input of a command, for xargs.
func (s *scope) pipe(b *syntax.BinaryCmd) {
	if call, ok := b.Y.Cmd.(*syntax.CallExpr); ok && (b.Op == syntax.Pipe) && len(b.Y.Redirs) == 0 {
		s.feeds[call] = b.X
	}
}

func (s *scope) iteration(it *syntax.WordIter) {
	if !it.InPos.IsValid() {
		s.j.refuse("unsupported-syntax", "for "+it.Name.Value)
	}
	if !isLocalName(it.Name.Value) {
		s.j.refuse("assignment", it.Name.Value)
	}
}

// while accepts loops that end with their input, because the condition reads a line.
func (s *scope) while(w *syntax.WhileClause) {
	for _, st := range w.Cond {
		if call, ok := st.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[0].Lit() == "read" && !w.Until {
			return
		}
	}
	s.j.refuse("unbounded", "while")
}

func (s *scope) functionDecl(f *syntax.FuncDecl) {
	if f.Name == nil || !syntax.ValidName(f.Name.Value) {
		s.j.refuse("function", printNode(f))
		return
	}
	if fn := s.funcs[f.Name.Value]; fn == nil || fn.decl != f || !fn.top {
		s.j.refuse("function", f.Name.Value)
	}
}

// call judges a simple command.
func (s *scope) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			s.plainAssign(a)
		}
		return
	}
	for _, a := range c.Assigns {
		if a.Name.Value == "IFS" && c.Args[0].Lit() == "read" && a.Index == nil && a.Array == nil && !a.Append {
			continue
		}
		s.exportAssign(a)
	}
	s.feed = s.feeds[c]
	if s.parent == nil {
		s.j.top = c
	}
	s.j.outer[c] = s.j.top
	defer s.j.beginUse(c)()
	for _, l := range s.arguments(c.Args) {
		s.j.phantom, s.j.vanished = l.phantom, l.vanished
		s.simple(l.fields, c)
		s.j.phantom, s.j.vanished = false, false
	}
}

// simple judges one argument list of a simple command.
func (s *scope) simple(fields []field, c *syntax.CallExpr) {
	if s.j.work++; s.j.work > maxWork {
		s.j.refuse("too-long", "")
		return
	}
	if len(fields) == 0 {
		s.j.refuse("unknown-command", printNode(c))
		return
	}
	name, known := fields[0].val.lit()
	if fn := s.function(name); known && fn != nil {
		s.callFunction(fn, c)
		return
	}
	source, site := s.source, s.site
	s.source, s.site = c.Args, c
	s.argv(fields)
	s.source, s.site = source, site
}

// callFunction accepts the call of a function that is certainly defined at that point. The function's body is
// judged at its declaration.
func (s *scope) callFunction(fn *function, c *syntax.CallExpr) {
	name := fn.decl.Name.Value
	inside := c.Pos().Offset() >= fn.decl.Pos().Offset() && c.Pos().Offset() < fn.decl.End().Offset()
	if !fn.top || inside || c.Pos().Offset() < fn.decl.End().Offset() || len(c.Assigns) > 0 {
		s.j.refuse("function", name)
	}
}

func (s *scope) plainAssign(a *syntax.Assign) {
	name := a.Name.Value
	if a.Index != nil {
		s.j.refuse("assignment", printNode(&syntax.CallExpr{Assigns: []*syntax.Assign{a}}))
		return
	}
	if isLocalName(name) {
		s.j.recordAccepted(name+"=", "a plain local variable")
		return
	}
	s.exportAssign(a)
}

// exportAssign judges an assignment that a program can see.
func (s *scope) exportAssign(a *syntax.Assign) {
	part := printNode(&syntax.CallExpr{Assigns: []*syntax.Assign{a}})
	if a.Index != nil || a.Array != nil || a.Append {
		s.j.refuse("assignment", part)
		return
	}
	vals := []fieldList{{fields: []field{{}}}}
	if a.Value != nil {
		vals = s.text(a.Value)
	}
	for _, l := range vals {
		text, ok := l.fields[0].val.lit()
		if !ok || !acceptsExport(a.Name.Value, text) {
			s.j.refuse("assignment", part)
			return
		}
	}
	s.j.recordAccepted(part, "only changes how text looks")
}

// declaration judges export, local, readonly and declare without options.
func (s *scope) declaration(d *syntax.DeclClause) {
	if len(d.Args) == 0 {
		s.j.refuse("environment", d.Variant.Value)
	}
	for _, a := range d.Args {
		switch {
		case a.Naked || a.Name == nil || a.Append:
			s.j.refuse("unlisted-option", printNode(d))
		case d.Variant.Value == "export" || d.Variant.Value == "nameref":
			s.exportAssign(a)
		default:
			s.plainAssign(a)
		}
	}
}

// redirect judges one redirection.
func (s *scope) redirect(r *syntax.Redirect) {
	part := strings.TrimSpace(printNode(&syntax.Stmt{Redirs: []*syntax.Redirect{r}}))
	if r.N != nil && !isDigits(r.N.Value) {
		s.j.refuse("bad-redirect", part)
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	}
	for _, l := range s.word(r.Word) {
		s.j.phantom = l.phantom
		if len(l.fields) != 1 {
			s.j.refuse("bad-redirect", part)
			continue
		}
		s.redirectTarget(r.Op, r.N != nil, l.fields[0], part)
		s.j.phantom = false
	}
}

func (s *scope) redirectTarget(op syntax.RedirOperator, numbered bool, f field, part string) {
	target, known := f.val.lit()
	switch op {
	case syntax.RdrIn:
		if !s.canRead(f) {
			s.j.refuse("secret-file", part)
		}
		return
	case syntax.DplIn, syntax.DplOut:
		if known && (isDigits(target) || target == "-" || op == syntax.DplOut && target == "/dev/null" && !numbered) {
			return // bash(1), "Redirecting Standard Output and Standard Error"
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		if known && !f.many && (target == "/dev/null" || target == "/dev/stderr" || target == "/dev/stdout") {
			return
		}
	default:
		s.j.refuse("bad-redirect", part)
	}
	if f.val.isBlockDevice(s.dirs) {
		s.j.block("disk-write", part)
		return
	}
	s.j.refuse("write-redirect", part)
}

// checkParameter judges a parameter expansion in any position.
func (s *scope) checkParameter(p *syntax.ParamExp) {
	if p.Param == nil || p.Excl || p.Names != 0 || p.Width || p.IsSet || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 {
		s.j.refuse("substitution", printPart(p))
		return
	}
	name := p.Param.Value
	if p.Index != nil && !isPlainIndex(p.Index) {
		s.j.refuse("substitution", printPart(p))
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.OtherParamOps, syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.MatchEmpty, syntax.ArrayExclude, syntax.ArrayIntersect:
			s.j.refuse("substitution", printPart(p))
		}
	}
	if p.Slice != nil {
		s.checkArith(p.Slice.Offset, p.Slice.Length)
	}
	if !s.canShow(name) {
		s.j.refuse("environment", "$"+name)
	}
}

// isPlainIndex accepts the subscripts @, * and a number, because others are evaluated.
func isPlainIndex(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*" || isDigits(w.Lit()))
}

// canShow reports whether a variable's value can appear in output.
func (s *scope) canShow(name string) bool {
	if _, b := s.lookup(name); b != nil && isLocalName(name) {
		return true
	}
	switch name {
	case "?", "#", "$", "!", "@", "*", "-", "_", "0":
		return true
	}
	return isDigits(name) || harmlessVariable(name)
}

func printPart(p syntax.WordPart) string {
	return printNode(&syntax.Word{Parts: []syntax.WordPart{p}})
}
