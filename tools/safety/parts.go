package safety

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Part is a piece of a command that can be started separately, in its own cell: a pipeline of the outermost
// list, or the whole command if the pieces share variables, a working directory or similar.
type Part struct {
	After  string // the operator before it: ";", "&&" or "||"; "" for the first
	Source string // shell text; "" for an argument vector
	Uses   []Use  // its simple commands, in the order of the text
}

// Use is a simple command of a [Part].
type Use struct {
	Programs []string // including its wrappers
	// Neutral reports that it only processes its input and its words, so it fits into any cell.
	Neutral bool
	// Plain reports that it has no path operand and is no script.
	Plain bool
}

// commandUse is the judge's information about a simple command.
type commandUse struct {
	call     *syntax.CallExpr // nil for an argument vector
	programs []string
	hasPath  bool // it has a path operand
	script   bool
	reaches  bool // it reaches other hosts
	indirect bool // run by xargs or find
}

// beginUse makes a simple command the current one, and returns a function that ends that.
func (j *judge) beginUse(call *syntax.CallExpr) (end func()) {
	outer := j.use
	j.use = &commandUse{call: call}
	j.uses = append(j.uses, j.use)
	return func() { j.use = outer }
}

// recordPath records that the current simple command has a path operand.
func (j *judge) recordPath() {
	if j.use != nil {
		j.use.hasPath = true
	}
}

// neutralNames are programs that process their input and their words. Those that also read files only count
// without a file operand.
var neutralNames = words(`echo printf true false : test [ read mapfile readarray sleep seq expr basename dirname command type
	timeout nice stdbuf time env xargs grep egrep fgrep awk gawk mawk nawk sed gsed head tail cut tr wc sort uniq column cat tac nl paste
	fold rev jq gojq jaq numfmt tsort shuf bc cal date`)

func (u *commandUse) neutral() bool {
	return !u.hasPath && !u.reaches && !slices.ContainsFunc(u.programs, func(p string) bool { return !neutralNames.has(p) })
}

func (u *commandUse) shown() Use {
	return Use{Programs: u.programs, Neutral: u.neutral(), Plain: !u.hasPath && !u.script}
}

// member is a pipeline of the outermost list.
type member struct {
	after string
	stmt  *syntax.Stmt
	pipe  []*syntax.CallExpr // its commands; nil if one of them is not simple
	first bool               // it begins a new statement
}

// members splits the outermost list. ok is false if part of it runs in the background.
func members(file *syntax.File) (list []member, ok bool) {
	ok = true
	var add func(st *syntax.Stmt, after string, first bool)
	add = func(st *syntax.Stmt, after string, first bool) {
		if st.Background || st.Coprocess || st.Disown {
			ok = false
		}
		b, isBinary := st.Cmd.(*syntax.BinaryCmd)
		if isBinary && (b.Op == syntax.AndStmt || b.Op == syntax.OrStmt) && len(st.Redirs) == 0 && !st.Negated {
			add(b.X, after, first)
			add(b.Y, b.Op.String(), false)
			return
		}
		list = append(list, member{after: after, stmt: st, pipe: pipeline(st), first: first})
	}
	for i, st := range file.Stmts {
		after := ";"
		if i == 0 {
			after = ""
		}
		add(st, after, true)
	}
	return list, ok
}

// pipeline returns the simple commands of a pipeline, or nil.
func pipeline(st *syntax.Stmt) []*syntax.CallExpr {
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) > 0 {
			return []*syntax.CallExpr{cmd}
		}
	case *syntax.BinaryCmd:
		if cmd.Op != syntax.Pipe && cmd.Op != syntax.PipeAll || len(st.Redirs) > 0 {
			return nil
		}
		left, right := pipeline(cmd.X), pipeline(cmd.Y)
		if left == nil || right == nil || cmd.X.Negated || cmd.Y.Negated {
			return nil
		}
		return append(left, right...)
	}
	return nil
}

// isInside reports whether a node is inside another.
func isInside(inner, outer syntax.Node) bool {
	return inner.Pos().Offset() >= outer.Pos().Offset() && inner.End().Offset() <= outer.End().Offset()
}

// parts returns the pieces of a judged text.
func (j *judge) parts(file *syntax.File) []Part {
	list, ok := members(file)
	if !ok || len(list) < 2 || sharesState(list) {
		return []Part{j.wholePart()}
	}
	out := make([]Part, len(list))
	for i, m := range list {
		out[i] = Part{After: m.after, Source: printNode(m.stmt)}
		again, err := parse(out[i].Source)
		if err != nil || printNode(again) != out[i].Source {
			return []Part{j.wholePart()}
		}
	}
	for _, u := range j.uses {
		at := -1
		for i, m := range list {
			if u.call != nil && j.outer[u.call] != nil && isInside(j.outer[u.call], m.stmt) {
				at = i
			}
		}
		if at < 0 {
			return []Part{j.wholePart()}
		}
		out[at].Uses = append(out[at].Uses, u.shown())
	}
	return out
}

// wholePart returns the command as one piece.
func (j *judge) wholePart() Part {
	p := Part{Source: j.source}
	for _, u := range j.uses {
		p.Uses = append(p.Uses, u.shown())
	}
	return p
}

// stateWords are builtins that affect later commands of the same shell.
var stateWords = words(`cd pushd popd dirs set shopt export readonly declare typeset local unset alias unalias umask ulimit exec exit return
	break continue trap source . wait hash enable let getopts builtin eval`)

// specialParameters are set by an earlier command.
var specialParameters = words("? ! _ - PIPESTATUS BASH_REMATCH RANDOM SECONDS OLDPWD REPLY MAPFILE")

// sharesState reports whether members of a list can share more than their output: variables, functions, a
// working directory, an exit status.
func sharesState(list []member) bool {
	setIn := map[string]int{}
	usedIn := map[string]map[int]bool{}
	shared := false
	for i, m := range list {
		names := memberNames(m.stmt)
		shared = shared || names.state
		for _, name := range names.set {
			if at, again := setIn[name]; again && at != i {
				shared = true
			}
			setIn[name] = i
		}
		for _, name := range names.used {
			if usedIn[name] == nil {
				usedIn[name] = map[int]bool{}
			}
			usedIn[name][i] = true
		}
	}
	for name, at := range setIn {
		for i := range usedIn[name] {
			shared = shared || i != at
		}
	}
	return shared
}

// stateNames are the variables that a piece of text sets and uses.
type stateNames struct {
	set, used []string
	state     bool
}

func memberNames(st *syntax.Stmt) stateNames {
	var n stateNames
	syntax.Walk(st, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.DeclClause, *syntax.FuncDecl, *syntax.LetClause:
			n.state = true
		case *syntax.CallExpr:
			n.call(node)
		case *syntax.Assign:
			if node.Name != nil {
				n.set = append(n.set, node.Name.Value)
			}
		case *syntax.WordIter:
			n.set = append(n.set, node.Name.Value)
		case *syntax.ParamExp:
			n.parameter(node)
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop:
			n.arithmetic(node)
		}
		return true
	})
	return n
}

func (n *stateNames) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		return
	}
	name := c.Args[0].Lit()
	n.state = n.state || stateWords.has(name)
	if name == "read" || name == "mapfile" || name == "readarray" {
		for _, w := range c.Args[1:] {
			n.set = append(n.set, w.Lit())
		}
	}
}

func (n *stateNames) parameter(p *syntax.ParamExp) {
	if p.Param == nil {
		n.state = true
		return
	}
	n.state = n.state || specialParameters.has(p.Param.Value)
	n.used = append(n.used, p.Param.Value)
	if p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		n.set = append(n.set, p.Param.Value)
	}
}

// arithmetic adds every name in an expression as both used and set.
func (n *stateNames) arithmetic(node syntax.Node) {
	syntax.Walk(node, func(inner syntax.Node) bool {
		if w, ok := inner.(*syntax.Word); ok && syntax.ValidName(strings.TrimSpace(w.Lit())) {
			n.used, n.set = append(n.used, w.Lit()), append(n.set, w.Lit())
		}
		return true
	})
}
