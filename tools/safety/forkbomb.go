package safety

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// forkBombs recognises called functions that start themselves twice, through a pipe or in the background.
func (s *scope) forkBombs() {
	graph := map[string][]string{}
	forks := map[string]bool{}
	for name, fn := range s.funcs {
		graph[name], forks[name] = s.findCalls(fn.decl.Body)
	}
	for name, fn := range s.funcs {
		if reaches(graph, forks, name) && s.calledOutside(name, fn) {
			s.j.block("fork-bomb", printNode(fn.decl))
		}
	}
}

// findCalls returns the functions that a body calls, and whether one of the calls is part of a pipeline or in
// the background.
func (s *scope) findCalls(body *syntax.Stmt) ([]string, bool) {
	var names []string
	forks := false
	var walk func(n syntax.Node, forked bool)
	walk = func(n syntax.Node, forked bool) {
		syntax.Walk(n, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Stmt:
				if n.Background && !forked {
					walk(&syntax.Stmt{Cmd: n.Cmd, Redirs: n.Redirs, Position: n.Position}, true)
					return false
				}
			case *syntax.BinaryCmd:
				if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && !forked {
					walk(n, true)
					return false
				}
			case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.CoprocClause:
				if !forked {
					walk(n, true)
					return false
				}
			case *syntax.CallExpr:
				if name, ok := s.calledFunction(n); ok {
					names = append(names, name)
					forks = forks || forked
				}
			}
			return true
		})
	}
	walk(body, false)
	return names, forks
}

func (s *scope) calledFunction(c *syntax.CallExpr) (string, bool) {
	if len(c.Args) == 0 {
		return "", false
	}
	for _, l := range s.word(c.Args[0]) {
		if len(l.fields) == 0 {
			continue
		}
		if name, _ := l.fields[0].val.lit(); s.funcs[name] != nil {
			return name, true
		}
	}
	return "", false
}

// reaches reports whether name calls itself, directly or through others, with a fork on the way.
func reaches(graph map[string][]string, forks map[string]bool, name string) bool {
	seen := map[string]bool{}
	var visit func(n string, forked bool) bool
	visit = func(n string, forked bool) bool {
		if seen[n] {
			return false
		}
		seen[n] = true
		forked = forked || forks[n]
		for _, next := range graph[n] {
			if next == name && forked || visit(next, forked) {
				return true
			}
		}
		return false
	}
	return visit(name, false)
}

func (s *scope) calledOutside(name string, fn *function) bool {
	from, to := fn.decl.Pos().Offset(), fn.decl.End().Offset()
	return slices.ContainsFunc(s.functionCalls(), func(c functionCall) bool {
		return c.name == name && (c.at < from || c.at >= to)
	})
}
