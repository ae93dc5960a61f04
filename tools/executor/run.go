package executor

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Run starts a command and waits for it. At the timeout it ends the command with all its processes and sets
// TimedOut in the result. It returns an error if the command could not be started ([unit.ErrExists] if the unit
// exists), if ctx was cancelled, which also ends the command, or if the result is unknown ([unit.ErrUnknown]).
// A command in a unit keeps running if the cause of ctx's end is [ErrStopping]; the error is then [ErrStillRunning].
func (x *Executor) Run(ctx context.Context, j Job) (Result, error) {
	if len(j.Args()) == 0 {
		return Result{Exit: -1}, errors.New("no command to run")
	}
	if len(j.Cells) > 0 {
		return x.runInCells(ctx, j)
	}
	p, err := x.programOf(j.Command, j.Dir)
	if err != nil {
		return Result{Exit: -1}, err
	}
	if x.units != nil && j.Unit != "" && j.Confine == nil {
		res, err := x.runInUnit(ctx, j, p)
		if !errors.Is(err, errNoUnit) {
			return res, err
		}
	}
	return x.runChildren(ctx, j, func(timed context.Context, s *streams) (int, error) {
		return x.runChild(timed, j.Dir, j.Confine, p, s)
	})
}

// Probe runs a program that only reads in the environment of a confirmed command: as a transient unit if this
// process cannot gain rights. It has no terminal and no input. It returns the program's output, which should be
// a few KiB, and exit status, or an error if it could not run.
func (x *Executor) Probe(ctx context.Context, argv ...string) (printed string, exit int, err error) {
	if noNewPrivileges() {
		argv = append([]string{
			"systemd-run", "--user", "--pipe", "--wait", "--quiet", "--collect", "--property=RuntimeMaxSec=5", "--setenv=LC_ALL=C.UTF-8", "--",
		}, argv...)
	}
	file, err := x.FindProgram(argv[0])
	if err != nil {
		return "", -1, err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, file, argv[1:]...)
	cmd.Args[0] = argv[0]
	cmd.Env, cmd.Stdout, cmd.Stderr = x.env, &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = nil
	}
	return out.String(), exitStatus(cmd, nil), err
}

// CanGainRights reports whether a confirmed command could gain rights with sudo or pkexec. A child of a process
// with no_new_privs cannot.
func (x *Executor) CanGainRights(ctx context.Context) bool {
	return !noNewPrivileges() || x.units != nil && x.units.Available(ctx) == nil
}

// noNewPrivileges reports whether this process and its children cannot gain rights (proc_pid_status(5),
// PR_SET_NO_NEW_PRIVS).
func noNewPrivileges() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err == nil && strings.Contains(string(status), "\nNoNewPrivs:\t1\n")
}
