// Package editor starts the person's text editor on a file, in place of a command that the person typed, or as a
// child process. It is a separate package because it is one of the few that may start programs without the gate.
package editor

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// ErrNone reports that no editor is set and none is in PATH.
var ErrNone = errors.New("no editor")

// usualEditors are the editors to look for if none is set.
var usualEditors = []string{"nano", "vim", "nvim", "vi", "micro", "helix"}

// Exec replaces this process by the editor. It returns only on failure: [ErrNone] or an error of the system.
func Exec(file string, getenv func(string) string) error {
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

// Run runs the editor at this process's terminal and waits for it. It returns [ErrNone], an error of the system,
// or the editor's failure.
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

// command returns the command to run: $VISUAL or $EDITOR, which can consist of several words and are run by a
// shell like git does (git-var(1)), else one of the usual editors.
func command(file string, getenv func(string) string) (path string, argv []string, err error) {
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if editor := getenv(variable); editor != "" {
			return "/bin/sh", []string{"sh", "-c", editor + ` "$@"`, editor, file}, nil
		}
	}
	for _, editor := range usualEditors {
		for _, dir := range filepath.SplitList(getenv("PATH")) {
			path := filepath.Join(dir, editor)
			if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0 {
				return path, []string{editor, file}, nil
			}
		}
	}
	return "", nil, ErrNone
}
