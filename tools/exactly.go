package tools

import (
	"encoding/json"
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
	return j.Class == safety.Confirm && j.obstacle(commands) == nil
}

// Obstacle is why a command is asked about although a person signed it: a reason,
// or the warning that a person must see.
type Obstacle struct {
	Reason  safety.Reason
	Warning string
	Blocked bool // it never runs, not even after a yes
}

// OwnRule reports whether one of the person's own rules or dangerous patterns is why.
func (o Obstacle) OwnRule() bool {
	code, _, _ := strings.Cut(o.Warning, ": ")
	return o.Reason.Code == ReasonUserRule || code == warnUserRule || code == warnDangerous
}

// Obstacle returns what keeps a command of a person's own list from running unasked,
// by the check that decides when it is due, on the machine as it is now; nil for nothing.
func (g *Gate) Obstacle(argv []string) *Obstacle {
	j, refused := g.Prepare(CommandCall("", argv), "", "")
	switch {
	case refused != nil:
		return &Obstacle{Reason: safety.Reason{Code: refused.Output.Refusal}}
	case j.Class == safety.Safe:
		return nil
	}
	return j.obstacle([][]string{argv})
}

// CommandCall is the call that runs a command of a person's own list.
func CommandCall(id string, argv []string) Call {
	line := CommandLine(argv)
	input, err := json.Marshal(map[string]string{"command": line})
	if err != nil { // strings always marshal
		panic(err)
	}
	return Call{ID: id, Name: "run_command", Input: input, Words: line}
}

// obstacle returns the first thing that keeps a plan from being exactly commands,
// nil for nothing.
func (j Judged) obstacle(commands [][]string) *Obstacle {
	seen := slices.IndexFunc(j.Warnings, func(w string) bool { return !strings.HasPrefix(w, ReasonUnnamedHost+": ") })
	switch {
	case j.Class == safety.Blocked:
		return &Obstacle{Reason: j.because(func(string) bool { return true }), Blocked: true}
	case j.unparsed || j.Plan.inside() || len(j.Plan.Commands) == 0:
		return &Obstacle{Reason: safety.Reason{Code: RefusedUnparsed}}
	case slices.Contains(j.Reasons, ReasonUserRule):
		return &Obstacle{Reason: j.because(func(code string) bool { return code == ReasonUserRule })}
	case j.Call.Untrusted || j.Call.Mixed:
		return &Obstacle{Warning: "untrusted-read"}
	case seen >= 0:
		return &Obstacle{Warning: j.Warnings[seen]}
	case len(j.Parts) >= maxParts:
		return &Obstacle{Reason: safety.Reason{Code: "too-long"}}
	case len(j.Plan.Lacks) > 0:
		return &Obstacle{Reason: safety.Reason{Code: "sudo"}}
	case j.byHand(commands):
		return nil
	}
	if reason, told := j.told(); !told {
		return &Obstacle{Reason: reason}
	}
	for _, c := range j.Plan.Commands {
		if argv, literal := c.typed(); !literal || !among(commands, argv) {
			return &Obstacle{Reason: safety.Reason{Code: "unprintable", Part: c.String()}}
		}
	}
	return nil
}

// because returns the first reason with such a code, with the part that caused it
// where that is known.
func (j Judged) because(is func(code string) bool) safety.Reason {
	if i := slices.IndexFunc(j.Parts, func(r safety.Reason) bool { return is(r.Code) }); i >= 0 {
		return j.Parts[i]
	}
	if i := slices.IndexFunc(j.Reasons, is); i >= 0 {
		return safety.Reason{Code: j.Reasons[i]}
	}
	return safety.Reason{Code: "changes-system"}
}

// told reports whether the words of a plan tell what it does, or why not: a part of
// it is read as a program, or decided when it runs.
func (j Judged) told() (why safety.Reason, ok bool) {
	if slices.ContainsFunc(j.Reasons, func(code string) bool { return inexact[code] }) {
		return j.because(func(code string) bool { return inexact[code] }), false
	}
	if i := slices.IndexFunc(j.Programs, func(p string) bool { return textual[p] || textual[versioned(p)] }); i >= 0 {
		return safety.Reason{Code: "interpreter", Part: j.Programs[i]}, false
	}
	return safety.Reason{}, true
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
