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
func (r run) preValidate(ctx context.Context, j Judged) *Outcome {
	var out Outcome
	if j.Origin.Unkept {
		r.tell(j, Event{State: StateRefused, Reason: RefusedLog})
		return refused(RefusedLog, fmt.Sprintf("%v: %v", errLog, errUnkept))
	}
	if err := enterable(j.Plan.Dir); err != nil {
		out = r.refuse(j, commandlog.Failed, RefusedInput, "not run: cannot work in "+j.Plan.Dir+": "+why(err).Error())
		return &out
	}
	for _, program := range j.started() {
		_, err := r.executor.Look(program)
		switch {
		case err == nil:
			continue
		case errors.Is(err, exec.ErrNotFound):
			out = r.missing(j, program)
		default:
			out = r.refuse(j, commandlog.Failed, RefusedMissing, "not run: cannot start "+program+": "+why(err).Error())
		}
		return &out
	}
	if out := r.unready(ctx, j); out != nil {
		return out
	}
	if r.ready != nil {
		if err := r.ready(); err != nil {
			r.tell(j, Event{State: StateRefused, Reason: RefusedLog})
			return refused(RefusedLog, fmt.Sprintf("%v: %v", errLog, err))
		}
	}
	return nil
}

// why returns an error without its path.
func why(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// enterable returns nil if a command can be started in a directory.
func enterable(dir string) error {
	fi, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !fi.IsDir():
		return unix.ENOTDIR
	}
	return unix.Access(dir, unix.X_OK)
}

// started returns the programs that the plan starts in any case. A shell source with more than one command can
// test for a program first, or create it.
func (j Judged) started() []string {
	var programs []string
	for _, c := range j.Plan.Commands {
		if c.By != "" {
			continue
		}
		if c.Shell == "" {
			programs = append(programs, startedBy(c.Argv)...)
			continue
		}
		steps, literal := c.invocations()
		if literal && len(steps) == 1 && !builtins[steps[0].program] {
			programs = append(programs, fromDir(j.Plan.Dir, steps[0].program))
		}
	}
	return programs
}

// fromDir makes a program's relative path absolute, like a shell in dir would. Names stay unchanged.
func fromDir(dir, program string) string {
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
