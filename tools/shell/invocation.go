package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Invocation is one program of a command with its words, all known before anything runs.
type Invocation struct {
	Program string
	Words   []Word // options and operands
	Targets []Word // files of its redirections
	Piped   bool   // runs at the same time as other programs
}

// Word is a word with quotes removed.
type Word struct {
	Text string
	// Glob is the position of the first wildcard, or -1. bash replaces such a word by file names.
	Glob int
}

// Invocations returns the programs of a command in order. It fails for a shell source with anything that is
// only decided at run time: a variable, substitution, brace, loop, condition, here-document, or background job.
func (c Command) Invocations() ([]Invocation, bool) {
	if c.Shell == "" {
		if len(c.Argv) == 0 {
			return nil, false
		}
		in := Invocation{Program: c.Argv[0]}
		for _, arg := range c.Argv[1:] {
			in.Words = append(in.Words, Word{arg, -1})
		}
		return []Invocation{in}, true
	}
	tree, err := Parse(c.Shell)
	if err != nil {
		return nil, false
	}
	var r reading
	for _, st := range tree.Stmts {
		if !r.statement(st, false) {
			return nil, false
		}
	}
	return r.list, len(r.list) > 0
}

// reading collects the invocations of a shell source. Its methods return false at the first construct that is
// not literal.
type reading struct{ list []Invocation }

func (r *reading) statement(st *syntax.Stmt, piped bool) bool {
	if st.Negated || st.Background || st.Coprocess || st.Disown {
		return false
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.CallExpr:
		return r.call(cmd, st.Redirs, piped)
	case *syntax.BinaryCmd:
		piped = piped || cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll
		return len(st.Redirs) == 0 && r.statement(cmd.X, piped) && r.statement(cmd.Y, piped)
	}
	return false
}

func (r *reading) call(call *syntax.CallExpr, redirs []*syntax.Redirect, piped bool) bool {
	if len(call.Assigns) > 0 || len(call.Args) == 0 {
		return false
	}
	in := Invocation{Piped: piped}
	for i, arg := range call.Args {
		w, ok := readWord(arg)
		if !ok || i == 0 && w.Glob >= 0 {
			return false
		}
		if i == 0 {
			in.Program = w.Text
		} else {
			in.Words = append(in.Words, w)
		}
	}
	for _, redir := range redirs {
		if !in.redirect(redir) {
			return false
		}
	}
	r.list = append(r.list, in)
	return in.Program != ""
}

// redirect adds the file of a redirection. Copies of descriptors have none.
func (in *Invocation) redirect(r *syntax.Redirect) bool {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		return false
	}
	w, ok := readWord(r.Word)
	if !ok || w.Glob >= 0 {
		return false
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrIn, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		in.Targets = append(in.Targets, w)
		return true
	case syntax.DplIn, syntax.DplOut:
		return w.Text == "-" || w.Text != "" && strings.Trim(w.Text, "0123456789") == ""
	}
	return false
}

// readWord removes the quotes from a word. It fails if the word is not literal.
func readWord(w *syntax.Word) (Word, bool) {
	out := Word{Glob: -1}
	if w == nil {
		return out, false
	}
	var b strings.Builder
	for _, part := range w.Parts {
		ok := true
		switch p := part.(type) {
		case *syntax.Lit:
			ok = out.bare(&b, p.Value)
		case *syntax.SglQuoted:
			ok = !p.Dollar
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			ok = !p.Dollar && doubleQuoted(&b, p.Parts)
		default:
			ok = false
		}
		if !ok {
			return out, false
		}
	}
	out.Text = b.String()
	return out, true
}

// bare reads an unquoted part: bash(1), "Quoting" and "Expansion".
func (w *Word) bare(b *strings.Builder, text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; i == len(text) || text[i] == '\n' {
				return false
			}
		case '{', '}', '$', '`':
			return false
		case '*', '?', '[':
			if w.Glob < 0 {
				w.Glob = b.Len()
			}
		}
		b.WriteByte(text[i])
	}
	return true
}

// doubleQuoted reads the inside of "…", where a backslash only escapes a few characters.
func doubleQuoted(b *strings.Builder, parts []syntax.WordPart) bool {
	for _, part := range parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return false
		}
		for i := 0; i < len(lit.Value); i++ {
			if lit.Value[i] == '\\' && i+1 < len(lit.Value) && strings.IndexByte("$`\"\\\n", lit.Value[i+1]) >= 0 {
				if i++; lit.Value[i] == '\n' {
					continue
				}
			}
			b.WriteByte(lit.Value[i])
		}
	}
	return true
}
