// Package unit runs confirmed commands as transient units of the user's service manager. A command runs outside
// the daemon's unit and its protections, in its own cgroup that is limited and killed as a whole, and it
// survives a restart or crash of the daemon.
//
// Unit and daemon communicate through files in a directory for each run (see tools/unit/record), so no message can get
// lost. The daemon waits on a pipe there, which the kernel closes when the unit's main process exits for any reason.
//
// Sources: org.freedesktop.systemd1(5), systemd.service(5), systemd.exec(5), systemd.kill(5),
// systemd.resource-control(5).
package unit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// Prefix begins the name of every unit.
const Prefix = "blunux-ai-run-"

// Manager starts and stops units.
type Manager interface {
	// Available returns nil, or an error if no unit can be started now.
	Available(ctx context.Context) error
	// Start starts a unit and returns when its main process has reported that it is ready, or the error.
	Start(ctx context.Context, s Service) error
	// Stop ends every process of a unit and returns when none is left. It is no error if the unit does not exist.
	Stop(ctx context.Context, name string) error
}

// Service is a unit to start.
type Service struct {
	Name        string
	Description string
	Program     string   // absolute path
	Args        []string // name first
	Dir         string
	Tasks       uint64        // TasksMax
	Memory      uint64        // MemoryMax, in bytes
	Runtime     time.Duration // RuntimeMaxSec
}

// Options configures a [Runner].
type Options struct {
	Dir      string // parent of the runs' directories, created on first use
	Recorder string // absolute path of the program that implements the recorder
	Manager  Manager
	Tasks    uint64 // processes and threads of one command, default 4096
	Memory   uint64 // bytes of one command, default four fifths of the machine's
	Keep     int64  // bytes kept of the beginning and of the end of each output, default 1 MiB
}

// Runner runs commands in units. It is safe for concurrent use.
type Runner struct {
	o Options

	mu      sync.Mutex
	ownRuns map[string]bool // the runs of this process, by id
}

// New returns a runner.
func New(o Options) *Runner {
	if o.Tasks == 0 {
		o.Tasks = 4096
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory()
	}
	if o.Keep == 0 {
		o.Keep = 1 << 20
	}
	return &Runner{o: o, ownRuns: map[string]bool{}}
}

// defaultMemory returns four fifths of the machine's memory in bytes, so that the desktop keeps enough to run.
func defaultMemory() uint64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 1 << 62 // no limit
	}
	return uint64(info.Totalram) * uint64(info.Unit) / 5 * 4
}

// The errors of a command that was not started.
var (
	// ErrNotStarted reports a command that did not start and never will.
	ErrNotStarted = errors.New("not started")
	// ErrExists reports an id or a unit name that is already in use.
	ErrExists = errors.New("the run exists already")
)

// Available returns nil, or an error if commands cannot run in units now. It asks every time, because a manager
// can start and stop; that takes about a millisecond.
func (r *Runner) Available(ctx context.Context) error {
	if fi, err := os.Stat(r.o.Recorder); err != nil || !fi.Mode().IsRegular() {
		return fmt.Errorf("cannot run commands in units: no recorder at %q", r.o.Recorder)
	}
	if err := r.o.Manager.Available(ctx); err != nil {
		return fmt.Errorf("cannot run commands in units: %w", err)
	}
	return nil
}

// Spec is a command to run.
type Spec struct {
	ID          string   // of the run: letters, digits, - and _, at most 100; generated if empty
	Description string   // one line for people, without secrets
	File        string   // absolute path of the program
	Argv        []string // name first
	Env         []string // the complete environment
	Dir         string
	Timeout     time.Duration
	Note        json.RawMessage // the caller's data, stored with the run
}

// job is the content of a run's job.json.
type job struct {
	Description string          `json:"description"`
	Note        json.RawMessage `json:"note,omitempty"`
	Timeout     time.Duration   `json:"timeout"`
	Started     time.Time       `json:"started"`
	Keep        int64           `json:"keep"`
}

const jobFile = "job.json"

// ids matches names that need no escaping in a unit's name.
var ids = lazyregexp.New(`^[A-Za-z0-9_-]{1,100}$`)

// shutdownGrace is how long a command can run past its timeout if no daemon is running to end it.
const shutdownGrace = 5 * time.Second

// Start starts a command in its own unit and returns once it has started. Every error is [ErrNotStarted]: the
// command was not started and never will be.
func (r *Runner) Start(ctx context.Context, s Spec) (*Run, error) {
	if s.ID == "" {
		s.ID = rand.Text()
	}
	if !ids.MatchString(s.ID) {
		return nil, fmt.Errorf("%w: %q cannot be part of a unit's name", ErrNotStarted, s.ID)
	}
	run := r.newRun(s.ID)
	if err := r.prepare(run, s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	err := r.o.Manager.Start(ctx, Service{
		Name: run.Unit(), Description: s.Description, Program: r.o.Recorder, Args: []string{record.Name, run.dir},
		Dir: s.Dir, Tasks: r.o.Tasks, Memory: r.o.Memory, Runtime: s.Timeout + shutdownGrace,
	})
	if err == nil {
		return run, nil
	}
	// The recorder decides, not the manager: once it has taken the command, the command can no longer be called off.
	if off, offErr := record.Cancel(run.dir); !off && offErr == nil {
		return run, nil
	}
	return nil, fmt.Errorf("%w: %w", ErrNotStarted, errors.Join(err, run.Remove()))
}

// prepare creates a run's directory with everything the recorder needs.
func (r *Runner) prepare(run *Run, s Spec) error {
	if err := os.MkdirAll(r.o.Dir, 0o700); err != nil {
		return fmt.Errorf("cannot save the run: %w", err)
	}
	err := os.Mkdir(run.dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %s", ErrExists, run.ID)
	}
	r.setOwn(run.ID, true)
	if err == nil {
		err = unix.Mkfifo(filepath.Join(run.dir, record.AliveFile), 0o600)
	}
	run.job = job{Description: s.Description, Note: s.Note, Timeout: s.Timeout, Started: time.Now(), Keep: r.o.Keep}
	if err == nil {
		err = record.WriteFile(run.dir, jobFile, run.job)
	}
	if err == nil {
		err = record.WriteFile(run.dir, record.CommandFile, record.Command{
			File: s.File, Argv: s.Argv, Env: s.Env, Dir: s.Dir, Timeout: s.Timeout, Keep: r.o.Keep,
		})
	}
	if err != nil {
		return fmt.Errorf("cannot save the run: %w", errors.Join(err, run.Remove()))
	}
	return nil
}

func (r *Runner) newRun(id string) *Run {
	return &Run{ID: id, runner: r, dir: filepath.Join(r.o.Dir, id)}
}

func (r *Runner) setOwn(id string, ours bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ours {
		r.ownRuns[id] = true
	} else {
		delete(r.ownRuns, id)
	}
}

// EarlierRuns returns the runs of an earlier daemon: ended, still running, or cut short with the machine. [Run.Wait]
// reports which. It leaves out runs of this process and runs whose command was never written.
// The error joins the errors of runs that cannot be read, such as a run of a newer program.
func (r *Runner) EarlierRuns(context.Context) ([]*Run, error) {
	entries, err := os.ReadDir(r.o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list earlier runs: %w", err)
	}
	var left []*Run
	var unread error
	for _, e := range entries {
		r.mu.Lock()
		ours := r.ownRuns[e.Name()]
		r.mu.Unlock()
		if ours || !ids.MatchString(e.Name()) {
			continue
		}
		run := r.newRun(e.Name())
		switch err := run.readJob(); {
		case err == nil:
			r.setOwn(run.ID, true)
			left = append(left, run)
		case errors.Is(err, fs.ErrNotExist): // abandoned before there was a command
			_ = run.Remove()
		default:
			unread = errors.Join(unread, err)
		}
	}
	return left, unread
}

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

func (r *Run) readJob() error {
	if err := record.ReadFile(r.dir, jobFile, &r.job); err != nil {
		return fmt.Errorf("cannot read the run %s: %w", r.ID, err)
	}
	return nil
}

// Wait waits for the command to end, without a time limit, and returns its result. It can be called again, also by
// another process after this one has died. It returns [ErrNotStarted] for a command that an earlier daemon did not get
// to start, [ErrUnknown] for one that was cut short, or the cause of the end of ctx, which leaves the command running.
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
