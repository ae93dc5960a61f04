// Package steps runs the commands of a call one by one: it records each before it starts, and its result. It also
// finds what an earlier process left running.
package steps

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// Runner records and runs commands.
type Runner struct {
	records   Records
	executor  *executor.Executor
	inhibitor Inhibitor
	names     *unitNames
	saved     *savedRuns
}

// Options configures a [Runner].
type Options struct {
	Records  Records
	Executor *executor.Executor
	// Inhibitor keeps the machine awake while packages change. It can be nil.
	Inhibitor Inhibitor
	// KeepRuns keeps the output of confirmed commands on disk until [Runner.Release] is called for their task, so that
	// [Runner.Unfinished] returns it again after a crash. Otherwise it is only kept until it is returned.
	KeepRuns bool
}

// New returns a runner.
func New(o Options) *Runner {
	return &Runner{
		records: o.Records, executor: o.Executor, inhibitor: o.Inhibitor,
		names: &unitNames{count: map[string]int{}},
		saved: &savedRuns{enabled: o.KeepRuns, runs: map[string][]executor.Result{}},
	}
}

// Inhibitor prevents shutdown and sleep.
type Inhibitor interface {
	// Inhibit keeps the machine awake until release is called. Users who want to shut it down see why.
	Inhibit(ctx context.Context, why string) (release func(), err error)
}

// Ready reports whether commands can be recorded now.
func (r *Runner) Ready() error {
	if r.records.Ready == nil {
		return nil
	}
	return r.records.Ready()
}

// NotRun records commands that do not run, and why.
func (r *Runner) NotRun(e commandlog.Entry, reason string, lines []string) error {
	e.Reason = reason
	for _, line := range lines {
		e.Command = r.records.Redactor.Redact(line)
		if _, err := r.records.Recorder.Begin(e); err != nil {
			return err
		}
	}
	return nil
}

// KeepAwake keeps the machine awake; why is "" if it need not. It ignores errors: the person confirmed the change, not
// the inhibitor lock.
func (r *Runner) KeepAwake(ctx context.Context, why string) (release func()) {
	if why != "" && r.inhibitor != nil {
		if release, err := r.inhibitor.Inhibit(ctx, why); err == nil {
			return release
		}
	}
	return func() {}
}

// Result is the result of a command, whether it ran or not.
type Result struct {
	providers.Step
	Bytes     int  // size of its output
	Truncated bool // some of a command's output was left out
}

// Release removes the kept results of a task ([Options.KeepRuns]). Call it when the results are stored elsewhere on
// disk.
func (r *Runner) Release(task string) error { return r.saved.release(task) }

// errCancelled reports a command that was cancelled. It ends the whole call.
var errCancelled = errors.New("cancelled")

// Run records and runs a command. An error ends the whole call.
func (r *Runner) Run(ctx context.Context, q Request) (Result, error) {
	step := Result{Step: providers.Step{Command: q.Entry.Command, Exit: -1}}
	class := q.Entry.Class
	for _, program := range elevation.StartedPrograms(q.Command.Args()) {
		if !r.hasProgram(program) {
			step.MissingProgram = program
			class = commandlog.Failed
			break
		}
	}
	rec, err := r.records.begin(q, class)
	if err != nil || step.MissingProgram != "" {
		return step, err
	}
	job := executor.Job{Command: q.Command, Dir: q.Entry.Dir, Timeout: q.Timeout, Cells: q.Cells, OnOutput: q.OnOutput}
	if class == commandlog.Confirmed {
		job.Note = q.note(rec.entry, rec.ref)
	}
	crash.Here(crash.BeforeExec)
	res, err := r.start(ctx, job, q.Entry.Task)
	crash.Here(crash.ExecEnded)
	if errors.Is(err, executor.ErrStillRunning) { // the next process records its result
		return step, fmt.Errorf("%w: %s", err, step.Command)
	}
	r.records.end(rec, r.logResult(res, err))
	r.saved.add(q.Entry.Task, res)
	if ctx.Err() != nil {
		return step, fmt.Errorf("%w: %s", errCancelled, step.Command)
	}
	step.Step = fillStep(step.Step, res, err)
	if step.TimedOut {
		step.Limit = int(job.Timeout.Seconds())
	}
	if program := r.notFound(q.Command, step.Exit); program != "" {
		step.MissingProgram = program
	}
	if errors.Is(err, executor.ErrNotFound) {
		step.MissingProgram = q.Command.Args()[0]
	}
	if err != nil && !step.Interrupted {
		if _, lerr := r.records.begin(q, commandlog.Failed); lerr != nil {
			return step, lerr
		}
	}
	step.Bytes, step.Truncated = res.Bytes, res.Cut
	return step, nil
}

// RunFunc records an action and does it, like a command. An error ends the whole call. If do returns an error, the
// action was started and can have taken effect.
func (r *Runner) RunFunc(ctx context.Context, q Request, do executor.Func) (Result, error) {
	step := Result{Step: providers.Step{Command: q.Entry.Command, Exit: -1}}
	rec, err := r.records.begin(q, q.Entry.Class)
	if err != nil {
		return step, err
	}
	crash.Here(crash.BeforeExec)
	res, err := r.executor.RunFunc(ctx, q.Timeout, do)
	crash.Here(crash.ExecEnded)
	r.records.end(rec, r.logResult(res, err))
	if ctx.Err() != nil {
		return step, fmt.Errorf("%w: %s", errCancelled, step.Command)
	}
	step.Step, step.Bytes = fillStep(step.Step, res, nil), res.Bytes
	if err != nil {
		step.Interrupted, step.Stderr = true, r.records.Redactor.Redact(err.Error())
	}
	return step, nil
}

// Anticipate prepares for a command that only reads ([executor.Executor.Anticipate]).
func (r *Runner) Anticipate() (release func()) { return r.executor.Anticipate() }

func (r *Runner) hasProgram(program string) bool {
	_, err := r.executor.FindProgram(program)
	return err == nil
}

// start runs a job. A confirmed job runs in a unit named after its task.
func (r *Runner) start(ctx context.Context, job executor.Job, task string) (executor.Result, error) {
	for {
		if job.Note != nil {
			job.Unit = r.names.next(task)
		}
		res, err := r.executor.Run(ctx, job)
		if errors.Is(err, unit.ErrExists) { // by an earlier daemon's command, or one with background processes
			continue
		}
		return res, err
	}
}

// logResult returns a command's result for the command log.
func (r *Runner) logResult(res executor.Result, err error) commandlog.Result {
	ended := commandlog.Result{Exit: res.Exit, Took: res.Took, TimedOut: res.TimedOut}
	switch {
	case errors.Is(err, context.Canceled):
		ended.Error = commandlog.ErrorCancelled
	case err != nil:
		ended.Error = r.records.Redactor.Redact(err.Error())
	}
	return ended
}

// fillStep fills a step with the result of its command.
func fillStep(step providers.Step, res executor.Result, err error) providers.Step {
	step.Stdout, step.Stderr, step.Exit = res.Stdout, res.Stderr, res.Exit
	step.TimedOut, step.Cut = res.TimedOut, res.Cut
	step.Interrupted = errors.Is(err, unit.ErrUnknown)
	if err != nil && !step.Interrupted {
		step.Stderr = err.Error()
	}
	return step
}

// notFound returns the program of a shell source that is a single command, if the shell did not find it:
// bash(1), "EXIT STATUS".
func (r *Runner) notFound(c shell.Command, exit int) string {
	const commandNotFound = 127
	if c.Shell == "" || exit != commandNotFound {
		return ""
	}
	argv, literal := shell.ParseLiteral(c.Shell)
	if !literal || strings.Contains(argv[0], "/") || r.hasProgram(argv[0]) {
		return ""
	}
	return argv[0]
}

// savedRuns holds the results that stay on disk until [Runner.Release] is called for their task.
type savedRuns struct {
	enabled bool

	mu   sync.Mutex
	runs map[string][]executor.Result
}

// add keeps a result's files. If that is off, or without a task, it removes them.
func (s *savedRuns) add(task string, res executor.Result) {
	switch {
	case !res.HasFiles():
	case !s.enabled || task == "":
		_ = res.RemoveFiles() // remaining files are returned by Unfinished at the next start
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.runs[task] = append(s.runs[task], res.Files())
	}
}

// release removes the kept results of a task.
func (s *savedRuns) release(task string) error {
	s.mu.Lock()
	runs := s.runs[task]
	delete(s.runs, task)
	s.mu.Unlock()
	var errs []error
	for _, r := range runs {
		errs = append(errs, r.RemoveFiles())
	}
	return errors.Join(errs...)
}

// unitNames generates unit names for the commands of a task: the task's name for the first, then TASK-2, TASK-3 and
// so on.
type unitNames struct {
	mu    sync.Mutex
	tasks []string // most recent tasks, oldest first
	count map[string]int
}

// maxCountedTasks is the number of tasks whose count is stored. A forgotten task starts at its own name again, and the
// executor skips names that are in use.
const maxCountedTasks = 64

// taskName matches a task's id that can be part of a unit's name.
var taskName = lazyregexp.New(`^[A-Za-z0-9_-]{1,80}$`)

func (n *unitNames) next(task string) string {
	if !taskName.MatchString(task) {
		return rand.Text()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count[task] == 0 {
		n.tasks = append(n.tasks, task)
		if len(n.tasks) > maxCountedTasks {
			delete(n.count, n.tasks[0])
			n.tasks = slices.Delete(n.tasks, 0, 1)
		}
	}
	n.count[task]++
	if n.count[task] == 1 {
		return task
	}
	return task + "-" + strconv.Itoa(n.count[task])
}
