package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// Command is one program to start: an argument vector, or a shell source that the checker has parsed and
// printed. Exactly one of the two is set.
type Command struct {
	Argv  []string `json:"argv,omitempty"`
	Shell string   `json:"shell,omitempty"`
}

// argv returns the arguments to start. A shell source runs in bash without start-up files, whose grammar it was
// judged by.
func (c Command) argv() []string {
	if c.Shell != "" {
		return []string{"bash", "--norc", "--noprofile", "-c", c.Shell}
	}
	return c.Argv
}

// Executor starts commands with a fixed PATH, no terminal, empty standard input, their own session, and an
// environment built from a short list, so API keys never get there. It cuts the output to limits, and ends the
// whole process group at the timeout.
type Executor struct {
	path     []string
	env      []string
	maxBytes int
	maxLines int
	sandbox  *sandbox.Sandbox
	units    *unit.Runner
	redactor *secret.Redactor
}

// ExecutorOptions configures an [Executor]. Zero values mean the defaults.
type ExecutorOptions struct {
	Path     []string                 // directories to look up programs in
	MaxBytes int                      // of stdout and of stderr, default 50 KiB
	MaxLines int                      // of stdout and of stderr, default 500
	Getenv   func(name string) string // source of the environment, default none
	// Sandbox confines commands that are only allowed to read. Without it they cannot run.
	Sandbox *sandbox.Sandbox
	// Units runs confirmed commands outside of this process if the user has a service manager. If nil or
	// unavailable, they run as child processes.
	Units *unit.Runner
	// Redactor removes secrets from output before it is cut. If nil, one that only knows the patterns of
	// secrets is used.
	Redactor *secret.Redactor
}

// fixedPath are the system's program directories. The daemon's own PATH is not used, because it can contain
// directories that others can write to.
var fixedPath = []string{"/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin"}

// inheritedVariables are the variables that a command can need to reach the person's session. The rest of the daemon's
// environment is not passed on.
var inheritedVariables = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "TZ",
	"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME",
	"XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "DBUS_SESSION_BUS_ADDRESS",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
}

// fixedEnv makes programs write plain English to a pipe, without a pager or colours, so that their output can
// be parsed.
var fixedEnv = []string{
	"LC_ALL=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "COLUMNS=200",
	"PAGER=cat", "SYSTEMD_PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat",
	"LESSSECURE=1", "SYSTEMD_COLORS=0",
	"MANOPT=-C /dev/null -M /usr/share/man:/usr/local/share/man", // man(1): only the system's configuration and pages
}

// NewExecutor returns an executor.
func NewExecutor(o ExecutorOptions) *Executor {
	x := &Executor{path: o.Path, maxBytes: o.MaxBytes, maxLines: o.MaxLines, sandbox: o.Sandbox, units: o.Units, redactor: o.Redactor}
	if x.redactor == nil {
		x.redactor = secret.NewRedactor(nil)
	}
	if x.path == nil {
		x.path = fixedPath
	}
	if x.maxBytes == 0 {
		x.maxBytes = 50 << 10
	}
	if x.maxLines == 0 {
		x.maxLines = 500
	}
	if o.Getenv != nil {
		for _, name := range inheritedVariables {
			if v := o.Getenv(name); v != "" {
				x.env = append(x.env, name+"="+v)
			}
		}
	}
	x.env = append(x.env, "PATH="+strings.Join(x.path, ":"))
	x.env = append(x.env, fixedEnv...)
	return x
}

// FindProgram returns the file of a program. A name with a slash must be an absolute path.
func (x *Executor) FindProgram(program string) (string, error) {
	if filepath.IsAbs(program) {
		return program, checkExecutable(program)
	}
	if !strings.Contains(program, "/") {
		for _, dir := range x.path {
			file := filepath.Join(dir, program)
			if checkExecutable(file) == nil {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w", program, exec.ErrNotFound)
}

// resolvePrograms returns the files of the programs, sorted. It skips shell builtins and missing programs.
func (x *Executor) resolvePrograms(programs []string) []string {
	files := []string{}
	for _, name := range programs {
		if file, err := x.FindProgram(name); err == nil && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}

// approvalEnv returns the part of the environment that an approval is bound to: everything except the person's
// display, which can change before a late answer.
func (x *Executor) approvalEnv() []string {
	screen := []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP"}
	return slices.DeleteFunc(slices.Clone(x.env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(screen, name)
	})
}

func checkExecutable(file string) error {
	fi, err := os.Stat(file)
	if err == nil && (fi.IsDir() || fi.Mode()&0o111 == 0) {
		err = os.ErrPermission
	}
	return err
}

// Result is the result of a command.
type Result struct {
	Stdout, Stderr string
	Exit           int  // status; 128+n if signal n ended it; -1 if it did not start
	Cut            bool // some output was left out
	Bytes          int  // size of the output before it was cut
	TimedOut       bool
	Took           time.Duration

	run *unit.Run // the run's files on disk, or nil
}

// killGrace is the time between TERM and KILL for a process group.
const killGrace = 2 * time.Second

// Job is a command to run.
type Job struct {
	Command
	Dir     string
	Timeout time.Duration
	// Confine runs the command in the sandbox with these openings. If nil, it runs with all of the user's
	// rights, as confirmed commands do.
	Confine *sandbox.Needs
	// Cells are the parts of the command, each with its own openings. If set, they run one after the other,
	// like the shell would run them, instead of the whole command.
	Cells []Cell
	// Unit is the name of the unit for a confirmed command, without prefix and suffix. If empty, the command
	// runs as a child process. Note is stored with the unit for [Gate.UnfinishedRuns].
	Unit string
	Note json.RawMessage
	// OnOutput is called with the command's output while it runs: whole lines without secrets, at most the last
	// 64 KiB at a time. It can be nil, and it is not called after Run has returned.
	OnOutput func(text string)
}

// CanConfine returns nil if commands with these needs can be confined, or the reason why not.
func (x *Executor) CanConfine(n sandbox.Needs) error {
	if x.sandbox == nil {
		return sandbox.ErrNone
	}
	return x.sandbox.CanConfine(n)
}

// Run starts a command and waits for it. At the timeout it ends the command with all its processes and sets
// TimedOut in the result. It returns an error if the command could not be started ([unit.ErrExists] if the unit
// exists), if ctx was cancelled, which also ends the command, or if the result is unknown ([unit.ErrUnknown]).
// A command in a unit keeps running if the cause of ctx's end is [ErrStopping]; the error is then [ErrStillRunning].
func (x *Executor) Run(ctx context.Context, j Job) (Result, error) {
	argv := j.argv()
	if len(argv) == 0 {
		return Result{Exit: -1}, errors.New("no command to run")
	}
	file, err := x.FindProgram(argv[0])
	if err != nil {
		return Result{Exit: -1}, err
	}
	if len(j.Cells) > 0 {
		return x.runInCells(ctx, j)
	}
	if x.units != nil && j.Unit != "" && j.Confine == nil {
		res, err := x.runInUnit(ctx, j, file, argv)
		if !errors.Is(err, errNoUnit) {
			return res, err
		}
	}
	return x.runAsChild(ctx, j, file, argv)
}

// runAsChild runs a command as a child of this process, in a process group that is ended as a whole. Processes
// that leave the group are not ended.
func (x *Executor) runAsChild(ctx context.Context, j Job, file string, argv []string) (Result, error) {
	return x.runChildren(ctx, j, func(timed context.Context, s *streams) (int, error) {
		return x.runChild(timed, j.Dir, j.Confine, file, argv, s)
	})
}

// runInCells runs the parts of a command one after the other, each in its own cell.
func (x *Executor) runInCells(ctx context.Context, j Job) (Result, error) {
	return x.runChildren(ctx, j, func(timed context.Context, s *streams) (exit int, err error) {
		for _, c := range j.Cells {
			if c.After == "&&" && exit != 0 || c.After == "||" && exit == 0 {
				continue
			}
			argv := c.argv()
			file, err := x.FindProgram(argv[0])
			if err != nil {
				return -1, err
			}
			if exit, err = x.runChild(timed, j.Dir, &c.Needs, file, argv, s); err != nil || timed.Err() != nil {
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
	r := Result{
		Stdout: stdout.String(), Stderr: stderr.String(), Exit: exit,
		Cut: stdout.isCut() || stderr.isCut(), Bytes: stdout.total + stderr.total,
		TimedOut: errors.Is(timed.Err(), context.DeadlineExceeded) && ctx.Err() == nil,
		Took:     time.Since(start),
	}
	return r, ctx.Err()
}

// runChild runs one process and waits for it. It only fails if the process could not be started.
func (x *Executor) runChild(timed context.Context, dir string, n *sandbox.Needs, file string, argv []string, s *streams) (int, error) {
	cmd := exec.CommandContext(timed, file, argv[1:]...)
	cmd.Args[0] = argv[0]
	cmd.Dir, cmd.Env = dir, x.env
	cmd.Stdout, cmd.Stderr = s.out, s.err
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	entered, leave, err := x.confine(cmd, n)
	if err != nil {
		return -1, err
	}
	defer leave()
	// A grandchild can keep the pipes open after its parent has ended.
	cmd.WaitDelay = killGrace + time.Second
	g := newGroup(cmd)
	defer g.close()
	cmd.Cancel = g.terminate

	if err := cmd.Start(); err != nil {
		return -1, err
	}
	if failed := entered(); failed != nil {
		_ = cmd.Wait()
		return -1, failed
	}
	crash.Here(crash.ExecStarted)
	err = cmd.Wait()
	g.reaped.Store(true)
	// Kill processes that ignored TERM or outlived their parent. Reading commands leave nothing running.
	if timed.Err() != nil || n != nil {
		_ = g.signal(syscall.SIGKILL)
	}
	return exitStatus(cmd, err), nil
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
