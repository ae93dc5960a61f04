package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// preValidate refuses a call that could not run even if the person confirmed it.
func (r run) preValidate(ctx context.Context, j JudgedPlan) *Outcome {
	var out Outcome
	if j.Origin.Unsaved {
		r.report(j, Event{State: StateRefused, Reason: RefusedLog})
		return newRefusal(RefusedLog, fmt.Sprintf("%v: %v", errLog, errUnsavedTask))
	}
	if err := checkDir(j.Plan.Dir); err != nil {
		out = r.refuse(j, commandlog.Failed, RefusedInput, "not run: cannot work in "+j.Plan.Dir+": "+withoutPath(err).Error())
		return &out
	}
	for _, program := range j.startedPrograms() {
		_, err := r.executor.FindProgram(program)
		switch {
		case err == nil:
			continue
		case errors.Is(err, exec.ErrNotFound):
			out = r.refuseMissing(j, program)
		default:
			out = r.refuse(j, commandlog.Failed, RefusedMissing, "not run: cannot start "+program+": "+withoutPath(err).Error())
		}
		return &out
	}
	if out := r.refuseUnready(ctx, j); out != nil {
		return out
	}
	if err := r.checkRecorder(); err != nil {
		r.report(j, Event{State: StateRefused, Reason: RefusedLog})
		return newRefusal(RefusedLog, fmt.Sprintf("%v: %v", errLog, err))
	}
	return nil
}

// withoutPath returns an error without its path.
func withoutPath(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// checkDir returns nil if a command can be started in a directory.
func checkDir(dir string) error {
	fi, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !fi.IsDir():
		return unix.ENOTDIR
	}
	return unix.Access(dir, unix.X_OK)
}

// startedPrograms returns the programs that the plan starts in any case. A shell source with more than one command can
// test for a program first, or create it.
func (j JudgedPlan) startedPrograms() []string {
	var programs []string
	for _, c := range j.Plan.Commands {
		if c.Shell == "" {
			programs = append(programs, startedPrograms(c.Argv)...)
			continue
		}
		steps, literal := c.invocations()
		if literal && len(steps) == 1 && !builtins[steps[0].program] {
			programs = append(programs, absoluteProgram(j.Plan.Dir, steps[0].program))
		}
	}
	return programs
}

// absoluteProgram makes a program's relative path absolute, like a shell in dir would. Names stay unchanged.
func absoluteProgram(dir, program string) string {
	if filepath.IsAbs(program) || !strings.Contains(program, "/") {
		return program
	}
	return filepath.Join(dir, program)
}

// builtins are bash's builtin commands, bash(1), "Shell Builtin Commands".
var builtins = set(`
	. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable
	eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd
	read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias
	unset wait`)

// set returns the words of a list.
func set(list string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		words[word] = true
	}
	return words
}
