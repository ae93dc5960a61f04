// Package editor starts the person's text editor: a command that a person typed
// to edit a file of theirs ends, and the editor is there in its place, or waits
// for it. Nothing else may start programs past the gate that way, so it stands
// alone.
package editor

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// ErrNone reports that there is no editor: none is set and none is known in PATH.
var ErrNone = errors.New("no editor")

// usual are the editors that are looked for where none is set.
var usual = []string{"nano", "vim", "nvim", "vi", "micro", "helix"}

// Become runs the editor on a file in the place of this process, with its
// environment. It returns only where that fails: [ErrNone], or what the system
// says.
func Become(file string, getenv func(string) string) error {
	path, argv, err := command(file, getenv)
	if err != nil {
		return err
	}
	signal.Reset()
	if err := syscall.Exec(path, argv, os.Environ()); err != nil {
		return fmt.Errorf("cannot run %s: %w", argv[0], err)
	}
	return nil
}

// Run runs the editor on a file, at the terminal of this process, and returns
// when it has ended: [ErrNone], what the system says, or that it failed.
func Run(file string, getenv func(string) string) error {
	path, argv, err := command(file, getenv)
	if err != nil {
		return err
	}
	p, err := os.StartProcess(path, argv, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return fmt.Errorf("cannot run %s: %w", argv[0], err)
	}
	state, err := p.Wait()
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	if err != nil {
		return fmt.Errorf("cannot edit %s: %w", file, err)
	}
	return nil
}

// command is what to run: $VISUAL or $EDITOR, which may have more than one word
// and go through a shell as git has it (git-var(1)), else one that is usual.
func command(file string, getenv func(string) string) (path string, argv []string, err error) {
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if editor := getenv(variable); editor != "" {
			return "/bin/sh", []string{"sh", "-c", editor + ` "$@"`, editor, file}, nil
		}
	}
	for _, editor := range usual {
		for _, dir := range filepath.SplitList(getenv("PATH")) {
			path := filepath.Join(dir, editor)
			if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0 {
				return path, []string{editor, file}, nil
			}
		}
	}
	return "", nil, ErrNone
}
