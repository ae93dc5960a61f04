package tools

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/tools/safety"
)

// inexact are reasons of which the words of a command do not tell what it does,
// or that a person wants to see each time.
var inexact = set(ReasonUserRule + ` secret-file environment assignment substitution interpreter function directory background
	unknown-command unproven-operand too-many-wrappers too-long control-character unparsed unprintable unstable-print unsupported-syntax
	write-redirect bad-redirect`)

// Exactly reports whether every command of a plan that needs a yes is one of
// commands, word for word: what a person signed beforehand, as they would type
// it. A rung ("sudo -n pacman …") counts as typed where the plan says what would
// be typed by hand ("sudo pacman …").
//
// The working directory and what stands in a script that is run are not part of
// it: who signs names files by whole paths, and keeps scripts where only they
// write.
//
// It is never so for a plan with anything in it that its words do not tell: a
// variable, a wildcard, a redirection, another's rights to say what runs. Nor
// where others may have written the call, or where there is a warning that a
// person must see.
func (j Judged) Exactly(commands [][]string) bool {
	if j.Class != safety.Confirm || j.unparsed || j.Plan.inside() || len(j.Plan.Commands) == 0 {
		return false
	}
	if j.Call.Untrusted || j.Call.Mixed || slices.ContainsFunc(j.Warnings, func(w string) bool { return !strings.HasPrefix(w, ReasonUnnamedHost+": ") }) || len(j.Parts) >= maxParts || len(j.Plan.Lacks) > 0 || slices.Contains(j.Reasons, ReasonUserRule) {
		return false
	}
	for _, c := range j.Plan.Commands {
		if argv, literal := c.typed(); !literal || !j.told() || !among(commands, argv) {
			return j.byHand(commands)
		}
	}
	return true
}

// told reports whether the words of a plan tell what it does: no part of it is
// read as a program, or decided when it runs.
func (j Judged) told() bool {
	return !slices.ContainsFunc(j.Reasons, func(code string) bool { return inexact[code] }) &&
		!slices.ContainsFunc(j.Programs, func(p string) bool { return textual[p] || textual[versioned(p)] })
}

// byHand reports whether a plan that takes root's rights is what a person would
// type in its place. Such plans are made by our own tools, of checked words.
func (j Judged) byHand(commands [][]string) bool {
	return len(j.Plan.Commands) == 1 && j.Plan.Commands[0].Shell == "" && among(commands, j.Plan.ByHand)
}

func among(commands [][]string, argv []string) bool {
	return len(argv) > 0 && slices.ContainsFunc(commands, func(one []string) bool { return slices.Equal(one, argv) })
}

// typed returns the words of a command that is nothing but them.
func (c Command) typed() (argv []string, literal bool) {
	if c.Shell == "" {
		return c.Argv, len(c.Argv) > 0 && c.By == ""
	}
	return typed(c.Shell)
}

// typed returns the words of a shell source that is one simple command, none of
// which the shell changes.
func typed(source string) (argv []string, literal bool) {
	tree, err := parse(source)
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
		if !ok || w.glob >= 0 || expandsTilde(arg) {
			return nil, false
		}
		argv = append(argv, w.text)
	}
	return argv, len(argv) > 0 && argv[0] != ""
}

// expandsTilde reports whether bash may put a home directory into a word:
// bash(1), "Tilde Expansion".
func expandsTilde(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		lit, bare := part.(*syntax.Lit)
		return bare && strings.Contains(lit.Value, "~")
	})
}
