package unit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// ErrUnknown reports a command that was started but has no recorded result, because the machine or the unit was
// killed. It can have done all, some or none of its work.
var ErrUnknown = errors.New("the result of the command is unknown")

// Run is one command in its unit.
type Run struct {
	ID     string
	runner *Runner
	dir    string
	job    job
}

// Result is how a command ended.
type Result struct {
	Exit     int // status; 128+n if signal n ended it; -1 if it did not start
	Took     time.Duration
	TimedOut bool   // the service manager ended it at its timeout
	Error    string // why it did not start or its output was not saved
	Stdout   record.Stream
	Stderr   record.Stream
}

// Unit returns the unit's name.
func (r *Run) Unit() string { return Prefix + r.ID + ".service" }

// Note returns the caller's data that is stored with the run.
func (r *Run) Note() json.RawMessage { return r.job.Note }

// Started returns when the run was started.
func (r *Run) Started() time.Time { return r.job.Started }

// Timeout returns the command's time limit.
func (r *Run) Timeout() time.Duration { return r.job.Timeout }

func (r *Run) readJob() error {
	if err := record.ReadFile(r.dir, jobFile, &r.job); err != nil {
		return fmt.Errorf("cannot read the run %s: %w", r.ID, err)
	}
	return nil
}

// Wait waits for the command to end, without a time limit, and returns its result. It can be called
// again, also by another process after this one has died. It returns [ErrNotStarted] for a command that an
// earlier daemon did not get to start, [ErrUnknown] for one that was cut short, or the cause of the end of ctx,
// which leaves the command running.
func (r *Run) Wait(ctx context.Context) (Result, error) {
	off, err := record.Cancel(r.dir)
	if err != nil {
		return Result{Exit: -1}, err
	}
	if off {
		return Result{Exit: -1}, fmt.Errorf("%w: the program ended before the start", ErrNotStarted)
	}
	if err := r.waitRecorder(ctx); err != nil {
		return Result{Exit: -1}, err
	}
	return r.readResult()
}

// waitRecorder waits until the recorder has written the result or has died. It reads a pipe that is never written to:
// the read ends when the last process that has it open for writing closes it.
func (r *Run) waitRecorder(ctx context.Context) error {
	pipe, err := os.OpenFile(filepath.Join(r.dir, record.AliveFile), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("cannot wait for the command: %w", err)
	}
	defer pipe.Close()
	stop := context.AfterFunc(ctx, func() { _ = pipe.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	switch _, err := pipe.Read(make([]byte, 1)); {
	case errors.Is(err, io.EOF):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	default:
		return fmt.Errorf("cannot wait for the command: %w", err)
	}
}

// readResult assembles the result from the recorder's files.
func (r *Run) readResult() (Result, error) {
	ended, err := record.ReadResult(r.dir)
	known := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Result{Exit: -1}, err
	}
	res := Result{Exit: ended.Exit, Took: ended.Took, TimedOut: ended.TimedOut, Error: ended.Error}
	for _, s := range []struct {
		name string
		to   *record.Stream
	}{{record.StdoutFile, &res.Stdout}, {record.StderrFile, &res.Stderr}} {
		*s.to, err = record.ReadStream(r.dir, s.name, r.job.Keep)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a missing file: killed before it printed anything
			return res, err
		}
	}
	if !known {
		res.Exit = -1
		return res, ErrUnknown
	}
	return res, nil
}

// ReadOutput returns what the command has printed so far on one of its outputs ([record.StdoutFile],
// [record.StderrFile]), starting at byte at and limited to the part of the beginning that is kept. It returns
// nil if the output cannot be read.
func (r *Run) ReadOutput(output string, at int64) []byte {
	f, err := os.Open(filepath.Join(r.dir, output))
	if err != nil {
		return nil // not created yet
	}
	defer f.Close()
	text, _ := io.ReadAll(io.NewSectionReader(f, at, max(r.job.Keep-at, 0)))
	return text
}

// Kill ends every process of the command, including background ones: with TERM, and two seconds later with
// KILL. It returns when no process is left.
func (r *Run) Kill(ctx context.Context) error {
	if err := r.runner.o.Manager.Stop(ctx, r.Unit()); err != nil {
		return fmt.Errorf("cannot end %s: %w", r.Unit(), err)
	}
	return nil
}

// Release gives up the run, so that [Runner.EarlierRuns] returns it again.
func (r *Run) Release() { r.runner.setOwn(r.ID, false) }

// Remove removes the files of a run. Programs that it left in the background keep running.
func (r *Run) Remove() error {
	if err := os.RemoveAll(r.dir); err != nil {
		return fmt.Errorf("cannot remove the run %s: %w", r.ID, err)
	}
	r.runner.setOwn(r.ID, false)
	return nil
}
