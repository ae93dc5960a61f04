// Package unit runs confirmed commands as transient units of the user's service manager. A command runs outside
// the daemon's unit and its protections, in its own cgroup that is limited and killed as a whole, and it
// survives a restart or crash of the daemon.
//
// Unit and daemon communicate through files in a directory for each run (see tools/unit/record), so no message
// can get lost. The daemon waits on a pipe there, which the kernel closes when the unit's main process exits
// for any reason.
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

// Manager starts and stops units.
type Manager interface {
	// Available returns nil, or an error if no unit can be started now.
	Available(ctx context.Context) error
	// Start starts a unit and returns when its main process has reported that it is ready, or the error.
	Start(ctx context.Context, s Service) error
	// Stop ends every process of a unit and returns when none is left. It is no error if the unit does not
	// exist.
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
var ids = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

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
	// The recorder decides, not the manager: once it has taken the command, the command can no longer be called
	// off.
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
