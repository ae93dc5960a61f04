package safety

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// function is a function declared in the text.
type function struct {
	decl *syntax.FuncDecl
	top  bool // a statement at the outermost level
}

func (s *scope) function(name string) *function { return s.funcs[name] }

// collectFunctions finds the functions of the text.
func (s *scope) collectFunctions(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			if s.funcs[f.Name.Value] != nil {
				s.j.refuse("function", f.Name.Value)
			}
			s.funcs[f.Name.Value] = &function{decl: f}
		}
		return true
	})
	for _, st := range file.Stmts {
		if f, ok := st.Cmd.(*syntax.FuncDecl); ok && f.Name != nil && !st.Background && !st.Negated && len(st.Redirs) == 0 {
			s.funcs[f.Name.Value].top = true
		}
	}
}

// collectBindings finds all assignments of variables.
func (s *scope) collectBindings(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			s.bindAssign(n)
		case *syntax.ForClause:
			s.bindLoop(n)
		case *syntax.CallExpr:
			s.bindCall(n)
		case *syntax.BinaryArithm:
			if w, ok := n.X.(*syntax.Word); ok && assigning(n.Op) && w.Lit() != "" {
				s.bind(w.Lit()).numeric = true
			}
		case *syntax.UnaryArithm:
			if w, ok := n.X.(*syntax.Word); ok && (n.Op == syntax.Inc || n.Op == syntax.Dec) && w.Lit() != "" {
				s.bind(w.Lit()).numeric = true
			}
		case *syntax.ParamExp:
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil {
				s.bind(n.Param.Value).unknown = true
			}
		}
		return true
	})
	for _, st := range file.Stmts {
		call, ok := st.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) > 0 || st.Background {
			continue
		}
		for _, a := range call.Assigns {
			if b := s.bind(a.Name.Value); b.from == 0 {
				b.from = max(st.End().Offset(), 1)
			}
		}
	}
}

func assigning(op syntax.BinAritOperator) bool {
	return op >= syntax.Assgn && op <= syntax.PowAssgn
}

func (s *scope) bindAssign(a *syntax.Assign) {
	if a.Name == nil || a.Naked {
		return
	}
	b := s.bind(a.Name.Value)
	switch {
	case a.Array != nil && plainArray(a):
		b.arrays++
		for _, e := range a.Array.Elems {
			b.items = append(b.items, e.Value)
		}
	case a.Append || a.Index != nil || a.Array != nil:
		b.unknown = true
	case a.Value != nil:
		b.words = append(b.words, a.Value)
	default:
		b.words = append(b.words, &syntax.Word{})
	}
}

// plainArray reports whether an assignment is NAME=(WORD…).
func plainArray(a *syntax.Assign) bool {
	return a.Index == nil && !a.Append && !slices.ContainsFunc(a.Array.Elems, func(e *syntax.ArrayElem) bool { return e.Index != nil || e.Value == nil })
}

func (s *scope) bindLoop(f *syntax.ForClause) {
	it, ok := f.Loop.(*syntax.WordIter)
	if !ok {
		return
	}
	b := s.bind(it.Name.Value)
	b.items = append(b.items, it.Items...)
	b.spans = append(b.spans, span{f.DoPos.Offset(), f.DonePos.Offset()})
}

// bindCall records calls of functions, read, and changes of IFS.
func (s *scope) bindCall(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			s.ifs = s.ifs || a.Name.Value == "IFS"
		}
		return
	}
	s.sites = append(s.sites, c)
	switch c.Args[0].Lit() {
	case "read", "mapfile", "readarray", "getopts", "printf", "set", "unset", "wait", "let":
		for _, w := range c.Args[1:] {
			if n := w.Lit(); syntax.ValidName(n) {
				s.bind(n).unknown = true
			}
		}
	}
}

// collectDirs follows cd through the text. A later command can run in any directory reached before.
func (s *scope) collectDirs(file *syntax.File) {
	var loops []span
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ForClause, *syntax.WhileClause, *syntax.FuncDecl:
			loops = append(loops, span{n.Pos().Offset(), n.End().Offset()})
		case *syntax.CallExpr:
			if len(n.Args) > 0 && n.Args[0].Lit() == "cd" {
				at := n.Pos().Offset()
				repeated := slices.ContainsFunc(loops, func(sp span) bool { return at >= sp.from && at < sp.to })
				s.enter(n, repeated)
			}
		}
		return true
	})
}

func (s *scope) enter(c *syntax.CallExpr, repeated bool) {
	for _, l := range s.arguments(c.Args) {
		args := l.fields[1:]
		for len(args) > 0 && (args[0].val.String() == "--" || args[0].val.String() == "-P" || args[0].val.String() == "-L") {
			args = args[1:]
		}
		if len(args) == 0 {
			s.addDir(s.j.c.home)
			continue
		}
		target, ok := args[0].val.lit()
		switch {
		case !ok || len(args) > 1 || strings.HasPrefix(target, "-") || args[0].many || len(s.dirs) > maxAlternatives:
			if !l.phantom || !ok {
				s.j.refuse("directory", printNode(c))
			}
		case strings.HasPrefix(target, "/"):
			s.addDir(path.Clean(target))
		case repeated:
			s.j.refuse("directory", printNode(c))
		default:
			for _, d := range slices.Clone(s.dirs) {
				s.addDir(path.Join(d, target))
			}
		}
	}
}

func (s *scope) addDir(dir string) {
	if !slices.Contains(s.dirs, dir) {
		s.dirs = append(s.dirs[:len(s.dirs):len(s.dirs)], dir)
	}
}
