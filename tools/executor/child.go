package executor

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/tools/sandbox"
)

// runInCells runs the parts of a command one after the other, each in its own cell.
func (x *Executor) runInCells(ctx context.Context, j Job) (Result, error) {
	return x.runChildren(ctx, j, func(timed context.Context, s *streams) (exit int, err error) {
		for _, c := range j.Cells {
			if c.After == "&&" && exit != 0 || c.After == "||" && exit == 0 {
				continue
			}
			p, err := x.programOf(c.Command, j.Dir)
			if err != nil {
				return -1, err
			}
			if exit, err = x.runChild(timed, j.Dir, &c.Needs, p, s); err != nil || timed.Err() != nil {
				return exit, err
			}
		}
		return exit, nil
	})
}

// streams are the writers for the output of a job's processes.
type streams struct {
	out, err io.WriteCloser
}

// runChildren runs the processes of a job with its timeout and collects their output.
func (x *Executor) runChildren(ctx context.Context, j Job, run func(context.Context, *streams) (int, error)) (Result, error) {
	timed, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	stdout, stderr := newCutter(x.maxBytes, x.maxLines), newCutter(x.maxBytes, x.maxLines)
	// Redact first, then cut: a key cut in half would no longer be recognised.
	seen := newOutputSender(j.OnOutput)
	defer seen.close()
	s := &streams{out: x.redactor.Writer(seen.tee(stdout)), err: x.redactor.Writer(seen.tee(stderr))}
	start := time.Now()
	exit, err := run(timed, s)
	if err != nil {
		return Result{Exit: -1}, err
	}
	_, _ = s.out.Close(), s.err.Close() // the cutters accept everything
	r := newResult(stdout, stderr)
	r.Exit, r.Took = exit, time.Since(start)
	r.TimedOut = errors.Is(timed.Err(), context.DeadlineExceeded) && ctx.Err() == nil
	return r, ctx.Err()
}

// Func is a function that runs like a command. It writes its output. An error means that its result is unknown.
type Func func(ctx context.Context, to io.Writer) (failed bool, err error)

// RunFunc runs a function like a command: with a timeout, and with its output redacted and cut.
func (x *Executor) RunFunc(ctx context.Context, timeout time.Duration, do Func) (Result, error) {
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	text := newCutter(x.maxBytes, x.maxLines)
	out := x.redactor.Writer(text) // redact before cutting
	start := time.Now()
	failed, err := do(timed, out)
	_ = out.Close() // the cutter accepts everything
	res := newResult(text, newCutter(0, 0))
	res.Took = time.Since(start)
	if timed.Err() != nil && ctx.Err() == nil && err != nil {
		res.TimedOut, err = true, nil
	}
	if failed || res.TimedOut || err != nil {
		res.Exit = 1
	}
	if err != nil {
		res.Exit = -1
	}
	return res, err
}

// runChild runs one process and waits for it, in a process group that is ended as a whole. Processes that leave the
// group are not ended. It only fails if the process could not be started.
func (x *Executor) runChild(timed context.Context, dir string, n *sandbox.Needs, p program, s *streams) (int, error) {
	if n != nil {
		if c := x.cells.take(*n); c != nil && c.accept(dir, p, s) {
			return c.wait(timed)
		}
	}
	cmd := exec.CommandContext(timed, p.file)
	cmd.Args = p.argv
	cmd.Dir, cmd.Env = dir, p.env
	cmd.Stdout, cmd.Stderr = s.out, s.err
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	entered, leave, err := x.confine(cmd, n)
	if err != nil {
		return -1, err
	}
	defer leave()
	g := newGroup(cmd)
	defer g.close()
	if err := cmd.Start(); err != nil {
		return -1, err
	}
	return g.wait(timed, entered, n != nil)
}

// confine changes cmd to start in the sandbox. entered waits until the process has become the command; leave
// releases the resources.
func (x *Executor) confine(cmd *exec.Cmd, n *sandbox.Needs) (entered func() error, leave func(), err error) {
	if n == nil {
		return func() error { return nil }, func() {}, nil
	}
	if x.sandbox == nil {
		return nil, nil, sandbox.ErrNone
	}
	start, err := x.sandbox.Enter(*n, cmd.Path, cmd.Args, cmd.Env)
	if err != nil {
		return nil, nil, err
	}
	cmd.Path, cmd.Args, cmd.Env, cmd.SysProcAttr = start.Path, start.Args, start.Env, start.Attr
	cmd.ExtraFiles = []*os.File{start.Child}
	return start.WaitEntered, start.Close, nil
}

// exitStatus returns the exit status, 128+n for a signal like shells do, or -1.
func exitStatus(cmd *exec.Cmd, err error) int {
	if cmd.ProcessState == nil {
		return -1
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	if err != nil && cmd.ProcessState.ExitCode() == 0 && !errors.Is(err, exec.ErrWaitDelay) {
		return -1
	}
	return cmd.ProcessState.ExitCode()
}
