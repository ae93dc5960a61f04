// Package errand runs a command at the person's own terminal: one they were shown
// and said yes to, such as an installation that the set-up needs or a repair that
// doctor found. It is not for what a model asks for; that goes through the gate.
package errand

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Become runs a program in the place of this process, with its environment; argv
// begins with its name. It returns only where that fails.
func Become(file string, argv []string) error {
	signal.Reset()
	if err := syscall.Exec(file, argv, os.Environ()); err != nil {
		return fmt.Errorf("cannot run %s: %w", file, err)
	}
	return nil
}

// Run runs a program with its arguments, with the terminal and the environment
// of this process, and returns when it has ended. It fails where the program
// cannot be found or does not end with status 0.
func Run(ctx context.Context, argv []string) error {
	if len(argv) == 0 {
		return errors.New("cannot run a command without words")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cannot run %s: %w", argv[0], err)
	}
	return nil
}
