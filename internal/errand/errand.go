// Package errand runs commands at the person's own terminal after the person has seen and confirmed them, such as
// an installation during setup or a repair by doctor. It must not be used for a model's commands, which go through
// the gate.
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

// Replace replaces this process with a program, with the same environment. argv[0] is the program's name. It only
// returns on failure.
func Replace(file string, argv []string) error {
	signal.Reset()
	if err := syscall.Exec(file, argv, os.Environ()); err != nil {
		return fmt.Errorf("cannot run %s: %w", file, err)
	}
	return nil
}

// Run runs a command with the terminal and environment of this process and returns when it has ended. It fails if
// the program is not found or its exit status is not 0.
func Run(ctx context.Context, argv []string) error {
	if len(argv) == 0 {
		return errors.New("cannot run an empty command")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("cannot run %s: %w", argv[0], err)
	}
	return nil
}
