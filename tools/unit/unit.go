// Package unit runs commands that a person confirmed as transient units of
// the user's service manager: outside the daemon's own unit and its
// protections, each in a cgroup of its own that bounds it and is killed as a
// whole, and longer than the daemon, should that be restarted or die.
//
// Unit and daemon meet on the disk, in a directory for each run (explained in
// tools/unit/record): no message between them can get lost. The daemon waits
// on a pipe there, which the kernel closes whenever the unit's main process is
// gone, however it went.
//
// Sources: org.freedesktop.systemd1(5), systemd.service(5), systemd.exec(5),
// systemd.kill(5), systemd.resource-control(5).
package unit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// Prefix begins the name of every unit.
const Prefix = "blunux-ai-run-"

// Manager starts and stops units; nil in [Options] means the user's own.
type Manager interface {
	// Available reports nil, or why no unit can be started now.
	Available(ctx context.Context) error
	// Start starts a unit and returns when its main process has said that it
	// is ready, or how that failed.
	Start(ctx context.Context, s Service) error
	// Stop ends every process of a unit and returns when none is left. A unit
	// that is not there is no error.
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

// Options makes a [Runner].
type Options struct {
	Dir      string // of the runs' directories, made when first needed
	Recorder string // program that has the recorder's mode, absolute path
	Manager  Manager
	Tasks    uint64 // processes and threads of one command, default 4096
	Memory   uint64 // bytes of one command, default four fifths of the machine's
	Keep     int64  // bytes kept of the beginning and of the end of each output, default 1 MiB
}

// Runner runs commands in units. It is safe for concurrent use.
type Runner struct {
	o Options

	mu  sync.Mutex
	our map[string]bool // the runs of this process, by id
}

// New returns a runner.
func New(o Options) *Runner {
	if o.Tasks == 0 {
		o.Tasks = 4096
	}
	if o.Memory == 0 {
		o.Memory = mostOfMemory()
	}
	if o.Keep == 0 {
		o.Keep = 1 << 20
	}
	return &Runner{o: o, our: map[string]bool{}}
}

// mostOfMemory is four fifths of the machine's memory in bytes, which leaves
// the desktop enough to go on.
func mostOfMemory() uint64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 1 << 62 // no bound
	}
	return uint64(info.Totalram) * uint64(info.Unit) / 5 * 4
}

// The ways in which a command was not started.
var (
	// ErrNotStarted reports a command that did not start and never will.
	ErrNotStarted = errors.New("not started")
	// ErrTaken reports an id that another run has, or a unit that is still there.
	ErrTaken = errors.New("there is a run of that name already")
)

// Available reports nil, or why commands cannot be run in units now. It asks
// each time, as a manager may come and go; that takes about a millisecond.
func (r *Runner) Available(ctx context.Context) error {
	if fi, err := os.Stat(r.o.Recorder); err != nil || !fi.Mode().IsRegular() {
		return fmt.Errorf("cannot run commands in units: the recorder %q is not there", r.o.Recorder)
	}
	if err := r.o.Manager.Available(ctx); err != nil {
		return fmt.Errorf("cannot run commands in units: %w", err)
	}
	return nil
}

// Spec is a command to run.
type Spec struct {
	ID          string   // of the run: letters, digits, - and _, at most 100; made up when empty
	Description string   // one line for people; secrets are taken out already
	File        string   // absolute path of the program
	Argv        []string // name first
	Env         []string // all of it
	Dir         string
	Timeout     time.Duration
	Note        json.RawMessage // the caller's own, kept with the run
}

// job is what a run's directory says about it.
type job struct {
	Description string          `json:"description"`
	Note        json.RawMessage `json:"note,omitempty"`
	Timeout     time.Duration   `json:"timeout"`
	Started     time.Time       `json:"started"`
	Keep        int64           `json:"keep"`
}

const jobFile = "job.json"

// ids are what may stand in a unit's name without an escape.
var ids = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// afterwards is how long a command may outlive its timeout where no daemon is
// there to end it on time.
const afterwards = 5 * time.Second

// Start starts a command in a unit of its own and returns when it has been
// started. An error that is [ErrNotStarted] means that nothing was started and
// nothing will be; any other does not happen.
func (r *Runner) Start(ctx context.Context, s Spec) (*Run, error) {
	if s.ID == "" {
		s.ID = rand.Text()
	}
	if !ids.MatchString(s.ID) {
		return nil, fmt.Errorf("%w: %q cannot be part of a unit's name", ErrNotStarted, s.ID)
	}
	run := r.run(s.ID)
	if err := r.prepare(run, s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	err := r.o.Manager.Start(ctx, Service{
		Name: run.Unit(), Description: s.Description, Program: r.o.Recorder, Args: []string{record.Name, run.dir},
		Dir: s.Dir, Tasks: r.o.Tasks, Memory: r.o.Memory, Runtime: s.Timeout + afterwards,
	})
	if err == nil {
		return run, nil
	}
	// Whatever the manager says, the recorder has the last word: once it has
	// taken the command it can no longer be called off.
	if off, offErr := record.CallOff(run.dir); !off && offErr == nil {
		return run, nil
	}
	return nil, fmt.Errorf("%w: %w", ErrNotStarted, errors.Join(err, run.Forget()))
}

// prepare makes a run's directory with everything the recorder needs.
func (r *Runner) prepare(run *Run, s Spec) error {
	if err := os.MkdirAll(r.o.Dir, 0o700); err != nil {
		return fmt.Errorf("cannot keep the run: %w", err)
	}
	err := os.Mkdir(run.dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %s", ErrTaken, run.ID)
	}
	r.mark(run.ID, true)
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
		return fmt.Errorf("cannot keep the run: %w", errors.Join(err, run.Forget()))
	}
	return nil
}

func (r *Runner) run(id string) *Run {
	return &Run{ID: id, runner: r, dir: filepath.Join(r.o.Dir, id)}
}

func (r *Runner) mark(id string, ours bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ours {
		r.our[id] = true
	} else {
		delete(r.our, id)
	}
}

// Left returns the runs that a former daemon left: ended, still running, or
// cut short with the machine. [Run.Wait] tells which. Runs of this process are
// not among them, nor are ones that had not got as far as a command.
// The error joins what could not be read, such as a run of a newer program.
func (r *Runner) Left(context.Context) ([]*Run, error) {
	entries, err := os.ReadDir(r.o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot look for runs that were left: %w", err)
	}
	var left []*Run
	var unread error
	for _, e := range entries {
		r.mu.Lock()
		ours := r.our[e.Name()]
		r.mu.Unlock()
		if ours || !ids.MatchString(e.Name()) {
			continue
		}
		run := r.run(e.Name())
		switch err := run.readJob(); {
		case err == nil:
			r.mark(run.ID, true)
			left = append(left, run)
		case errors.Is(err, fs.ErrNotExist): // given up before there was anything to start
			_ = run.Forget()
		default:
			unread = errors.Join(unread, err)
		}
	}
	return left, unread
}
