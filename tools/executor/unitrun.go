package executor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/unit"
	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// ErrStopping is the cause ([context.WithCancelCause]) that signals [Executor.Run] that this program is stopping:
// commands in units keep running.
var ErrStopping = errors.New("stopping")

// ErrStillRunning reports a command that keeps running without this program. The next one finds it with
// [Executor.EarlierRuns].
var ErrStillRunning = errors.New("left running")

// errNoUnit reports a command that was not started in a unit and never will be, so it can run in another way.
var errNoUnit = errors.New("cannot be run in a unit")

// runInUnit runs a command in its own unit.
func (x *Executor) runInUnit(ctx context.Context, j Job, p program) (Result, error) {
	none := Result{Exit: -1}
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	run, err := x.units.Start(ctx, unit.Spec{
		ID: j.Unit, Description: x.unitTitle(j.Command), File: p.file, Argv: p.argv, Env: p.env, Dir: j.Dir,
		Timeout: j.Timeout, Note: j.Note,
	})
	switch {
	case errors.Is(err, unit.ErrExists):
		return none, err
	case err != nil && ctx.Err() != nil:
		return none, ctx.Err()
	case err != nil:
		return none, fmt.Errorf("%w: %w", errNoUnit, err)
	}
	crash.Here(crash.ExecStarted)
	defer x.watchOutput(run, newOutputSender(j.OnOutput))()
	return x.WaitForRun(ctx, run, j.Timeout)
}

// maxTitle is the maximum length of a unit's description, in bytes.
const maxTitle = 120

// unitTitle returns a unit's description: the command's first line, without secrets and control characters.
func (x *Executor) unitTitle(c shell.Command) string {
	first, _, _ := strings.Cut(strings.TrimSpace(c.String()), "\n")
	first = commandlog.Escape(x.redactor.Redact(first))
	if len(first) > maxTitle {
		first = trimEnd(first[:maxTitle]) + "…"
	}
	return first
}

// EarlierRuns returns the commands in units that an earlier process left ([unit.Runner.EarlierRuns]).
func (x *Executor) EarlierRuns(ctx context.Context) ([]*unit.Run, error) {
	if x.units == nil {
		return nil, nil
	}
	return x.units.EarlierRuns(ctx)
}

// WaitForRun waits for a command in a unit, at most for limit; 0 means no limit.
func (x *Executor) WaitForRun(ctx context.Context, run *unit.Run, limit time.Duration) (Result, error) {
	timed, cancel := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		timed, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	start := time.Now()
	ended, err := run.Wait(timed)
	killed := false
	if cause := context.Cause(timed); cause != nil && errors.Is(err, cause) {
		if errors.Is(cause, ErrStopping) {
			run.Release()
			return Result{Exit: -1}, ErrStillRunning
		}
		ended, err = killRun(ctx, run)
		killed = true
	}
	res := x.newUnitResult(ended)
	res.run = run
	if killed {
		res.TimedOut = ctx.Err() == nil
		if err != nil { // killed before the recorder could write a result
			res.Exit, res.Took, err = 128+9, time.Since(start), nil
		}
	}
	if err == nil && ended.Exit < 0 {
		err = errors.New(ended.Error)
	}
	if ctx.Err() != nil && killed {
		err = ctx.Err()
	}
	return res, err
}

// killTimeout is how long to wait for the end of a killed command.
const killTimeout = 10 * time.Second

// killRun ends a command and waits for its result.
func killRun(ctx context.Context, run *unit.Run) (unit.Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
	defer cancel()
	err := run.Kill(ctx)
	if err != nil { // the command can still end shortly
		ctx, cancel = context.WithTimeout(ctx, killGrace)
		defer cancel()
	}
	return run.Wait(ctx)
}

// newUnitResult returns a result for the model and the person: redacted, then cut to the limits.
func (x *Executor) newUnitResult(ended unit.Result) Result {
	r := newResult(x.cutStream(ended.Stdout), x.cutStream(ended.Stderr))
	r.Exit, r.TimedOut, r.Took = ended.Exit, ended.TimedOut, ended.Took
	if ended.Error != "" && ended.Exit >= 0 { // it ran, but its output is incomplete
		r.Cut, r.Stderr = true, r.Stderr+"["+x.redactor.Redact(ended.Error)+"]\n"
	}
	return r
}

// cutStream removes secrets from a stream, then cuts it.
func (x *Executor) cutStream(s record.Stream) *cutter {
	c := newCutter(x.maxBytes, x.maxLines)
	x.redactInto(s.Head, c)
	if len(s.Tail) > 0 {
		c.skip(s)
		x.redactInto(s.Tail, c)
	}
	return c
}

func (x *Executor) redactInto(text []byte, to *cutter) {
	w := x.redactor.Writer(to)
	_, _ = w.Write(text)
	_ = w.Close() // a cutter accepts everything
}

// unitPollInterval is the interval at which the files of a unit's output are read.
const unitPollInterval = 200 * time.Millisecond

// watchOutput sends the output of a command in a unit until the returned function is called. Only the part of each
// output that is kept of its beginning can be sent.
func (x *Executor) watchOutput(run *unit.Run, p *outputSender) (end func()) {
	if p == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		x.pollOutput(ctx, run, p)
	}()
	return func() {
		cancel()
		<-over
		p.close()
	}
}

func (x *Executor) pollOutput(ctx context.Context, run *unit.Run, p *outputSender) {
	outputs := []string{record.StdoutFile, record.StderrFile}
	at := make([]int64, len(outputs))
	clean := make([]io.WriteCloser, len(outputs))
	for i := range outputs {
		clean[i] = x.redactor.Writer(p)
		defer clean[i].Close()
	}
	look := time.NewTicker(unitPollInterval)
	defer look.Stop()
	for last := false; ; {
		for i, name := range outputs {
			text := run.ReadOutput(name, at[i])
			at[i] += int64(len(text))
			_, _ = clean[i].Write(text) // to p, which accepts everything
		}
		if last {
			return
		}
		select {
		case <-ctx.Done():
			last = true
		case <-look.C:
		}
	}
}
