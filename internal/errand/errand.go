// Package errand runs commands at the person's own terminal after the person has seen and confirmed them, such as
// an installation during setup or a repair by doctor. It must not be used for a model's commands, which go through
// the gate.
package errand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
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

// ReplaceByName replaces this process with a program in PATH. It only returns on failure.
func ReplaceByName(name string, args []string) error {
	file, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("cannot run %s: %w", name, err)
	}
	return Replace(file, append([]string{name}, args...))
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

// Shell runs a program that takes over the terminal of this process until it ends. Its exit status is no failure.
func Shell(argv ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signal.Ignore(syscall.SIGINT, syscall.SIGQUIT) // they are for the programs in it
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return fmt.Errorf("cannot run %s: %w", argv[0], err)
	}
	return nil
}

// LookPath returns the path of a program in PATH.
func LookPath(program string) (string, error) { return exec.LookPath(program) }

// Read runs a command that only reads, and returns its output.
func Read(ctx context.Context, argv ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		return nil, fmt.Errorf("cannot run %s: %w", argv[0], err)
	}
	return out, nil
}

// Feed runs a program of this installation with a text on its standard input and the output of this process, and returns its
// exit status. When ctx ends, it is asked to end.
func Feed(ctx context.Context, argv []string, input string) (exit int, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err = cmd.Run()
	if failed := (&exec.ExitError{}); err == nil || errors.As(err, &failed) {
		return cmd.ProcessState.ExitCode(), nil
	}
	return 0, fmt.Errorf("cannot run %s: %w", argv[0], err)
}

// Detach starts a program of this installation that outlives this process, with env added to this process's environment. ended
// gets how it ended, if it ends before.
func Detach(argv []string, env ...string) (ended <-chan error, err error) {
	return DetachIn("/", argv, env...)
}

// DetachIn is [Detach] for a program that works in a directory, such as a terminal program.
func DetachIn(dir string, argv []string, env ...string) (ended <-chan error, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot run %s: %w", argv[0], err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	return exited, nil
}

// ExitStatus returns the exit status of a command that [Run] ran and that failed, or 0 if it did not run or was
// ended by a signal.
func ExitStatus(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0
	}
	return max(exit.ExitCode(), 0)
}

// Attached is a program of this installation that shares the person's terminal and is connected over pipes.
type Attached struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	cmd    *exec.Cmd
}

// Attach starts a program of this installation at the person's terminal. The program must end when its standard input
// ends. The caller closes it.
func Attach(file string, args []string) (*Attached, error) {
	cmd := exec.Command(file, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot run %s: %w", file, err)
	}
	return &Attached{Stdin: in, Stdout: out, cmd: cmd}, nil
}

// exitTimeout is how long an attached program may take to restore the terminal and end.
const exitTimeout = 2 * time.Second

// Close ends the program and waits for its end.
func (a *Attached) Close() {
	a.Stdin.Close()
	late := time.AfterFunc(exitTimeout, func() { _ = a.cmd.Process.Kill() })
	defer late.Stop()
	_ = a.cmd.Wait() // how it ended does not matter
}
