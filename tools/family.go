package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/tools/family"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Family is what a person allows for a conversation with one answer: a program and its subcommand in a directory, with
// options from a list. Two commands belong together if theirs are equal.
type Family struct {
	Words   string // as it is shown, with the kinds of operands in capitals: "cp -n FILE… PATH"
	Options string // the options that may be added, separated by blanks
	Dir     string // absolute path without links
	Program string // file of the program
	Stamp   string // hash of the program's version and the environment
}

// familyOf returns the family of a plan: nil unless it is one simple command that needs a confirmation for nothing that
// a person must see each time, and that the table of package family has.
func (d *judge) familyOf(j *JudgedPlan) *Family {
	if !d.families || j.Class != safety.Confirm || j.Plan.Tool != runCommand || len(j.Plan.Commands) != 1 {
		return nil
	}
	argv, literal := j.Plan.Commands[0].Literal()
	if !literal || !slices.Equal(j.Programs, argv[:1]) || !j.IsGrantable() || j.needsPerson() {
		return nil
	}
	dir, ok := family.Open(j.Plan.Dir, d.home, d.protected, d.isSecret)
	if !ok {
		return nil
	}
	f, ok := family.Of(argv, dir)
	if !ok {
		return nil
	}
	file, err := d.executor.FindProgram(argv[0])
	if err != nil {
		return nil
	}
	version, ok := family.Program(file)
	if !ok {
		return nil
	}
	stamp := sha256.Sum256([]byte(version + "\x00" + strings.Join(d.executor.ApprovalEnv(), "\x00")))
	return &Family{Words: f.Words, Options: f.Options, Dir: dir.Path, Program: file, Stamp: hex.EncodeToString(stamp[:])}
}

// isStill reports whether a plan that is judged again is what was approved.
func (j JudgedPlan) isStill(again JudgedPlan) bool {
	if j.isByFamily && (j.Family == nil || again.Family == nil || *j.Family != *again.Family) {
		return false
	}
	return again.Digest == j.Digest
}
