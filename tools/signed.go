package tools

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// inexactReasons are reasons for which a command's words do not determine what it does, or which a person must see
// each time.
var inexactReasons = strings.Fields(ReasonUserRule + ` secret-file environment assignment substitution interpreter function directory background
	unknown-command unproven-operand too-many-wrappers too-long control-character unparsed unprintable unstable-print unsupported-syntax
	write-redirect bad-redirect`)

// MatchesSigned reports whether every command of a plan that needs a confirmation is literally one of commands, which
// a person signed in advance as they would type it. A rung ("sudo -n pacman …") matches if the plan's ByHand is
// the signed command ("sudo pacman …").
//
// The working directory and the content of executed scripts are not compared: signed commands should use
// absolute paths, and scripts that only the person can write to.
//
// It returns false for plans whose words do not determine what runs: with a variable, a wildcard, a
// redirection, or a program that runs text. It also returns false if others can have written the call, or if
// there is a warning that a person must see.
func (j JudgedPlan) MatchesSigned(commands [][]string) bool {
	return j.Class == safety.Confirm && j.obstacle(commands) == nil
}

// Obstacle is the reason why a signed command still needs a confirmation: a verdict's reason or a warning that
// a person must see.
type Obstacle struct {
	Reason  safety.Reason
	Warning string
	Blocked bool // it never runs, not even when confirmed
}

// OwnRule reports whether the obstacle is one of the person's own rules or dangerous patterns.
func (o Obstacle) OwnRule() bool {
	code, _, _ := strings.Cut(o.Warning, ": ")
	return o.Reason.Code == ReasonUserRule || code == warnUserRule || code == warnDangerous
}

// CommandCall returns the call that runs a signed command.
func CommandCall(id string, argv []string) Call {
	line := shell.CommandLine(argv)
	return Call{ID: id, Name: runCommand, Input: inputOf(line), Words: line, literal: true}
}

// obstacle returns the first obstacle that keeps a plan from being exactly one of commands, or nil.
func (j JudgedPlan) obstacle(commands [][]string) *Obstacle {
	seen := slices.IndexFunc(j.Warnings, func(w string) bool { return !strings.HasPrefix(w, ReasonUnnamedHost+": ") })
	switch {
	case j.Class == safety.Blocked:
		return &Obstacle{Reason: j.firstReason(func(string) bool { return true }), Blocked: true}
	case j.isUnparsed || len(j.Plan.Commands) == 0:
		return &Obstacle{Reason: safety.Reason{Code: RefusedUnparsed}}
	case slices.Contains(j.Reasons, ReasonUserRule):
		return &Obstacle{Reason: j.firstReason(func(code string) bool { return code == ReasonUserRule })}
	case j.Call.Untrusted || j.Call.Mixed:
		return &Obstacle{Warning: "untrusted-read"}
	case seen >= 0:
		return &Obstacle{Warning: j.Warnings[seen]}
	case len(j.Parts) >= maxParts:
		return &Obstacle{Reason: safety.Reason{Code: "too-long"}}
	case len(j.Plan.Lacks) > 0:
		return &Obstacle{Reason: safety.Reason{Code: "sudo"}}
	case len(j.Plan.Commands) == 1 && j.Plan.Commands[0].Shell == "" && containsCommand(commands, j.Plan.ByHand):
		return nil // it needs root's rights, and was signed as a person would type it
	}
	if reason, told := j.isExplicit(); !told {
		return &Obstacle{Reason: reason}
	}
	for _, c := range j.Plan.Commands {
		if argv, literal := c.Literal(); !literal || !containsCommand(commands, argv) {
			return &Obstacle{Reason: safety.Reason{Code: "unprintable", Part: c.String()}}
		}
	}
	return nil
}

// firstReason returns the first reason whose code matches, with the part that caused it if that is known.
func (j JudgedPlan) firstReason(is func(code string) bool) safety.Reason {
	if i := slices.IndexFunc(j.Parts, func(r safety.Reason) bool { return is(r.Code) }); i >= 0 {
		return j.Parts[i]
	}
	if i := slices.IndexFunc(j.Reasons, is); i >= 0 {
		return safety.Reason{Code: j.Reasons[i]}
	}
	return safety.Reason{Code: "changes-system"}
}

// isExplicit reports whether the words of a plan determine what it does. If not, why is the part that is run as a
// program or only known at run time.
func (j JudgedPlan) isExplicit() (why safety.Reason, ok bool) {
	if slices.ContainsFunc(j.Reasons, func(code string) bool { return slices.Contains(inexactReasons, code) }) {
		return j.firstReason(func(code string) bool { return slices.Contains(inexactReasons, code) }), false
	}
	if i := slices.IndexFunc(j.Programs, func(p string) bool { return shell.RunsCommands(p) }); i >= 0 {
		return safety.Reason{Code: "interpreter", Part: j.Programs[i]}, false
	}
	return safety.Reason{}, true
}

func containsCommand(commands [][]string, argv []string) bool {
	return len(argv) > 0 && slices.ContainsFunc(commands, func(one []string) bool { return slices.Equal(one, argv) })
}
