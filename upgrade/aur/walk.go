package aur

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/tools/shell"
)

// kind is when the commands of a text run, and as whom.
type kind int

const (
	topLevel  kind = iota // whenever makepkg or a helper only reads the PKGBUILD
	building              // prepare, build, check, package
	naming                // pkgver
	scriptlet             // as root, when pacman installs the package
	program               // a file of the recipe that is installed or run by others
)

// effect is what commands do that matters for those that get their output.
type effect int

const (
	fetches effect = 1 << iota // reads from the network
	decodes                    // makes text of encoded text
)

// maxNested bounds texts in texts: eval of sh -c of eval.
const maxNested = 8

// walker reads the commands of one text.
type walker struct {
	*checker
	file     string
	base     int // the line before the text, in the file
	kind     kind
	function string
	vars     *scope
	nested   int
	dir      string            // where cd went, "" if unknown
	fetched  map[string]effect // files that were written from the network or by a decoder, by base name
	local    map[string]bool   // functions of the text
	input    effect            // of the commands whose output the command reads
	isPiped  bool              // whether the command reads a pipe
	pipe     syntax.Node       // the pipeline that it is in
	deferred *[]*syntax.FuncDecl
}

// line returns the line of a node in the file.
func (w *walker) line(n syntax.Node) int {
	if !n.Pos().IsValid() {
		return w.base + 1
	}
	return w.base + int(n.Pos().Line())
}

// report adds a fact about a node.
func (w *walker) report(code Code, s Severity, n syntax.Node, detail string) {
	w.facts.add(Fact{
		Code: code, Severity: s, File: w.file, Line: w.line(n), Function: w.function,
		Detail: plain.Replace(detail),
	})
}

// maxOpeners bounds the brackets of a text, and with them how deep its grammar nests.
const maxOpeners = 20_000

// parse reads a text by the grammar of bash. A text that cannot be read holds the build.
func (c *checker) parse(file, text string) *syntax.File {
	openers := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[', '`', '!', '~', '-', '+', '|', '&', '?', '<', '=':
			openers++
		}
	}
	// Words such as if and while also nest; a deep nest of them takes several bytes each.
	if openers > 4*maxOpeners || strings.Count(text, "(")+strings.Count(text, "{")+strings.Count(text, "`") > maxOpeners {
		c.facts.add(Fact{Code: Unreadable, Severity: Red, File: file})
		return nil
	}
	tree, err := shell.Parse(text)
	if err != nil { // the parser takes the # of git+${url}#tag=v1 for a comment; bash does not
		tree, err = shell.Parse(strings.ReplaceAll(text, "}#", `}\#`))
	}
	if err != nil {
		c.facts.add(Fact{Code: Unreadable, Severity: Red, File: file, Detail: err.Error()})
		return nil
	}
	return tree
}

// declareFunctions notes the functions of a text, whose names hide programs.
func (w *walker) declareFunctions(tree *syntax.File) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			w.local[f.Name.Value] = true
			if isProgram(f.Name.Value) && w.kind == topLevel {
				w.report(HidesProgram, Warn, f, f.Name.Value)
			}
		}
		return true
	})
}

// statements reads statements in order and returns what their output has.
func (w *walker) statements(list []*syntax.Stmt) (of effect) {
	for _, st := range list {
		of |= w.statement(st)
	}
	return of
}

func (w *walker) statement(st *syntax.Stmt) effect {
	if st == nil {
		return 0
	}
	of := w.command(st)
	for _, r := range st.Redirs {
		of |= w.redirect(r, of)
	}
	w.hookText(st)
	if (st.Background || st.Coprocess || st.Disown) && st.Cmd != nil {
		switch {
		case w.kind == scriptlet || w.kind == topLevel || of&fetches != 0:
			w.report(Background, Red, st, w.source(st))
		case w.kind == building:
			w.report(Background, Note, st, w.source(st))
		}
	}
	return of
}

// source returns how a node is written.
func (w *walker) source(n syntax.Node) string {
	var b strings.Builder
	if syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n) != nil {
		return ""
	}
	return b.String()
}

func (w *walker) command(st *syntax.Stmt) effect {
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		return w.call(cmd, st)
	case *syntax.DeclClause:
		return w.declare(cmd)
	case *syntax.FuncDecl:
		w.functionBody(cmd)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			return w.pipeline(cmd)
		}
		return w.statement(cmd.X) | w.statement(cmd.Y)
	case *syntax.Block:
		return w.statements(cmd.Stmts)
	case *syntax.Subshell:
		in := *w
		in.vars = w.vars.inner()
		return in.statements(cmd.Stmts)
	case *syntax.IfClause:
		return w.ifClause(cmd)
	case *syntax.WhileClause:
		return w.statements(cmd.Cond) | w.statements(cmd.Do)
	case *syntax.ForClause:
		return w.loop(cmd)
	case *syntax.CaseClause:
		of := w.wordEffect(cmd.Word)
		for _, item := range cmd.Items {
			of |= w.statements(item.Stmts)
		}
		return of
	case *syntax.TimeClause:
		return w.statement(cmd.Stmt)
	case *syntax.CoprocClause:
		return w.statement(cmd.Stmt)
	case nil:
	default: // [[ ]], (( )), let: only what they substitute
		return w.substitutions(cmd)
	}
	return 0
}

func (w *walker) ifClause(cmd *syntax.IfClause) (of effect) {
	for c := cmd; c != nil; c = c.Else {
		of |= w.statements(c.Cond) | w.statements(c.Then)
	}
	return of
}

func (w *walker) loop(cmd *syntax.ForClause) effect {
	of := effect(0)
	if words, ok := cmd.Loop.(*syntax.WordIter); ok && words.Name != nil {
		for _, item := range words.Items {
			of |= w.wordEffect(item)
		}
		delete(w.vars.vars, words.Name.Value)
		if len(words.Items) == 1 {
			if list := w.vars.fields(words.Items[0]); len(list) == 1 {
				w.vars.vars[words.Name.Value] = variable{list: []element{{text: bound(list[0])}}, effect: of}
			}
		}
	} else if cmd.Loop != nil {
		of |= w.substitutions(cmd.Loop)
	}
	return of | w.statements(cmd.Do)
}

// declare carries out export, local, declare, readonly and their kind.
func (w *walker) declare(cmd *syntax.DeclClause) (of effect) {
	for _, a := range cmd.Args {
		if a.Name == nil && a.Value != nil {
			of |= w.wordEffect(a.Value)
			continue
		}
		of |= w.assign(a)
	}
	return of
}

func (w *walker) assign(a *syntax.Assign) effect {
	of := effect(0)
	if a.Value != nil {
		of |= w.wordEffect(a.Value)
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				of |= w.wordEffect(e.Value)
			}
		}
	}
	w.vars.assign(a, w.line, of)
	if a.Name != nil {
		w.environment(a)
	}
	return of
}

// functionBody reads the body of a function as what it is for makepkg or pacman.
func (w *walker) functionBody(f *syntax.FuncDecl) {
	if f.Name == nil || f.Body == nil {
		return
	}
	if w.deferred != nil && w.nested == 0 && w.function == "" {
		*w.deferred = append(*w.deferred, f) // until all variables of the text are known
		return
	}
	w.enter(f)
}

func (w *walker) enter(f *syntax.FuncDecl) {
	in := *w
	in.vars, in.function = w.vars.inner(), f.Name.Value
	in.input, in.isPiped = 0, false
	if w.kind == topLevel {
		in.kind = building
		if in.function == "pkgver" {
			in.kind = naming
		}
	}
	in.statement(f.Body)
}

// pipeline reads the commands of a pipeline; each gets what the ones before it do.
func (w *walker) pipeline(cmd *syntax.BinaryCmd) effect {
	of := w.input
	for i, st := range stages(cmd) {
		in := *w
		in.vars, in.input, in.isPiped, in.pipe = w.vars.inner(), of, w.isPiped || i > 0, cmd
		of |= in.statement(st)
	}
	return of
}

// stages returns the commands of a pipeline in order.
func stages(cmd *syntax.BinaryCmd) (list []*syntax.Stmt) {
	for st := cmd; ; {
		list = append(list, st.Y)
		next, ok := st.X.Cmd.(*syntax.BinaryCmd)
		if !ok || next.Op != syntax.Pipe && next.Op != syntax.PipeAll || len(st.X.Redirs) > 0 {
			list = append(list, st.X)
			break
		}
		st = next
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// wordEffect reads what a word substitutes, and returns what its value has: also of variables.
func (w *walker) wordEffect(word *syntax.Word) (of effect) {
	if word == nil {
		return 0
	}
	return w.substitutions(word)
}

// substitutions reads the commands in a node and returns what they do.
func (w *walker) substitutions(n syntax.Node) (of effect) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			of |= w.inside(n.Stmts)
			return false
		case *syntax.ProcSubst:
			of |= w.inside(n.Stmts)
			return false
		case *syntax.ParamExp:
			if n.Param != nil {
				of |= w.vars.vars[n.Param.Value].effect
			}
		}
		return true
	})
	return of
}

func (w *walker) inside(list []*syntax.Stmt) effect {
	in := *w
	in.vars, in.input, in.isPiped = w.vars.inner(), 0, false
	return in.statements(list)
}

// redirect reads a redirection: what is written where, and texts for a command's input.
func (w *walker) redirect(r *syntax.Redirect, of effect) (more effect) {
	more = w.wordEffect(r.Word)
	if r.Hdoc != nil {
		more |= w.substitutions(r.Hdoc)
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		target := w.vars.text(r.Word)
		w.noteFetched(target, of)
		w.writes(target, r)
		if isHook(target) && w.kind != program {
			w.report(Hook, Note, r, target)
		}
	case syntax.RdrIn:
		w.reads(w.vars.text(r.Word), r)
	case syntax.DplOut, syntax.DplIn: // >&FILE is both outputs into a file
		if target := w.vars.text(r.Word); strings.Trim(target, "0123456789-") != "" && target != unknown {
			w.writes(target, r)
		}
	}
	return more
}

// noteFetched remembers a file that a command with an effect writes.
func (w *walker) noteFetched(target string, of effect) {
	name := path.Base(target)
	if of != 0 && target != "" && !strings.HasPrefix(target, "/dev/") && name != unknown && name != "." && name != "/" {
		w.fetched[name] |= of
	}
}

// again reads a text that a command would run as shell.
func (w *walker) again(text string, n syntax.Node) effect {
	if w.nested >= maxNested || strings.TrimSpace(text) == "" || strings.TrimSpace(text) == unknown {
		return 0
	}
	tree, err := shell.Parse(text)
	if err != nil {
		return 0
	}
	in := *w
	in.base, in.nested, in.input, in.isPiped = w.line(n)-1, w.nested+1, 0, false
	if !w.vars.spend(len(text)) {
		return 0
	}
	return in.statements(tree.Stmts)
}
