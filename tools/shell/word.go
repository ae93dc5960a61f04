package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Literal returns the words of a command that has nothing else.
func (c Command) Literal() (argv []string, literal bool) {
	if c.Shell == "" {
		return c.Argv, len(c.Argv) > 0
	}
	return ParseLiteral(c.Shell)
}

// ParseLiteral returns the words of a shell source that is one simple command with literal words.
func ParseLiteral(source string) (argv []string, literal bool) {
	tree, err := Parse(source)
	if err != nil || len(tree.Stmts) != 1 {
		return nil, false
	}
	st := tree.Stmts[0]
	call, simple := st.Cmd.(*syntax.CallExpr)
	if !simple || st.Negated || st.Background || st.Coprocess || st.Disown || len(st.Redirs) > 0 || len(call.Assigns) > 0 {
		return nil, false
	}
	for _, arg := range call.Args {
		w, ok := readWord(arg)
		if !ok || w.Glob >= 0 || expandsTilde(arg) {
			return nil, false
		}
		argv = append(argv, w.Text)
	}
	return argv, len(argv) > 0 && argv[0] != ""
}

// expandsTilde reports whether bash can expand a ~ in a word: bash(1), "Tilde Expansion".
func expandsTilde(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, bare := part.(*syntax.Lit)
		return bare && strings.Contains(lit.Value, "~")
	})
}

// Operand is a word of a command that can be a file name.
type Operand struct {
	Text string
	CD   bool // argument of CD: later words are relative to it
}

// Operands returns the literal words of a command without its program names. known is false if it has other words.
func (c Command) Operands(home string) (list []Operand, known bool) {
	if c.Shell == "" {
		for _, arg := range c.Argv[min(len(c.Argv), 1):] {
			list = append(list, Operand{Text: arg})
		}
		return list, true
	}
	tree, err := Parse(c.Shell)
	if err != nil {
		return nil, false
	}
	known = true
	programs, places := map[*syntax.Word]bool{}, map[*syntax.Word]bool{}
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for i, w := range n.Args {
				programs[w] = i == 0
				places[w] = i > 0 && n.Args[0].Lit() == "cd"
			}
		case *syntax.Word:
			text, ok := literalValue(n, home)
			if !ok || strings.ContainsAny(text, "*?[{") {
				known = false
			} else if !programs[n] {
				list = append(list, Operand{Text: text, CD: places[n]})
			}
		}
		return true
	})
	return list, known
}

// literalValue returns the value of a word, if it is known without running anything.
func literalValue(w *syntax.Word, home string) (string, bool) {
	if w == nil {
		return "", false
	}
	plain := true
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case nil, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			plain = false
		}
		return plain
	})
	if !plain {
		return "", false
	}
	text, err := expand.Literal(&expand.Config{Env: expand.ListEnviron("HOME=" + home)}, w)
	return text, err == nil && text != ""
}
