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

	"github.com/nidoit/blunux-ai/crash"
	"github.com/nidoit/blunux-ai/secret"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// Command is one program to start: an argument vector, or a shell source that
// the checker has parsed and printed again. Exactly one of the two is set.
type Command struct {
	Argv  []string `json:"argv,omitempty"`
	Shell string   `json:"shell,omitempty"`
	// By says who carries Argv out inside this program, in the place of the
	// [Executor]: [byServer], [byNotes] or [byTimetable]. No program is started for it.
	By string `json:"by,omitempty"`
	// Against is a digest of what such a command acts on, as it was when it was
	// planned: another server's tool, a note. It is not done to anything else.
	Against string `json:"against,omitempty"`
}

// argv returns what is really started. A shell source runs under bash with no
// start-up file, the grammar it was judged by.
func (c Command) argv() []string {
	if c.Shell != "" {
		return []string{"bash", "--norc", "--noprofile", "-c", c.Shell}
	}
	return c.Argv
}

// Executor starts commands the way every command here runs: with a fixed
// PATH, no terminal, closed standard input, a session of its own, an
// environment built from a short list (so API keys never get there), output
// cut to limits, and its whole process group ended when time is up.
type Executor struct {
	path     []string
	env      []string
	maxBytes int
	maxLines int
	sandbox  *sandbox.Sandbox
	units    *unit.Runner
	redactor *secret.Redactor
}

// ExecutorOptions bounds an [Executor]. Zero values mean the defaults.
type ExecutorOptions struct {
	Path     []string                 // directories programs are looked up in
	MaxBytes int                      // of stdout and of stderr, default 50 KiB
	MaxLines int                      // of stdout and of stderr, default 500
	Getenv   func(name string) string // the environment to pick from, default none
	// Sandbox confines commands that may only read; without one they cannot run so.
	Sandbox *sandbox.Sandbox
	// Units runs confirmed commands outside this process, where the user has a
	// service manager; nil, or where there is none, they run as its children.
	Units *unit.Runner
	// Redactor takes secrets out of output, before it is cut; nil means one that
	// knows no values, only shapes.
	Redactor *secret.Redactor
}

// fixedPath are the system's program directories. The daemon's own PATH is
// not used: it may name directories others can write to.
var fixedPath = []string{"/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin"}

// passedOn are the variables a command may need to reach the person's session.
// Nothing else of the daemon's environment gets through.
var passedOn = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "TZ",
	"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME",
	"XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "DBUS_SESSION_BUS_ADDRESS",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
}

// fixedEnv makes every program write plain English to a pipe: output is
// parsed, and no pager or colour may come between.
var fixedEnv = []string{
	"LC_ALL=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "COLUMNS=200",
	"PAGER=cat", "SYSTEMD_PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat",
	"LESSSECURE=1", "SYSTEMD_COLORS=0",
	"MANOPT=-C /dev/null -M /usr/share/man:/usr/local/share/man", // man(1): no settings but the system's, no pages of others
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
		for _, name := range passedOn {
			if v := o.Getenv(name); v != "" {
				x.env = append(x.env, name+"="+v)
			}
		}
	}
	x.env = append(x.env, "PATH="+strings.Join(x.path, ":"))
	x.env = append(x.env, fixedEnv...)
	return x
}

// Look returns the file a program name stands for. A name with a slash must
// be absolute.
func (x *Executor) Look(program string) (string, error) {
	if filepath.IsAbs(program) {
		return program, executable(program)
	}
	if !strings.Contains(program, "/") {
		for _, dir := range x.path {
			file := filepath.Join(dir, program)
			if executable(file) == nil {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w", program, exec.ErrNotFound)
}

// resolve returns the files that the names of programs stand for, in order of
// name. What is built into a shell, or is not there, stands for none.
func (x *Executor) resolve(programs []string) []string {
	files := []string{}
	for _, name := range programs {
		if file, err := x.Look(name); err == nil && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}

// bound returns the environment an approval is bound to: all of it but where
// the person's screen is, which may change before a late answer.
func (x *Executor) bound() []string {
	screen := []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP"}
	return slices.DeleteFunc(slices.Clone(x.env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(screen, name)
	})
}

func executable(file string) error {
	fi, err := os.Stat(file)
	if err == nil && (fi.IsDir() || fi.Mode()&0o111 == 0) {
		err = os.ErrPermission
	}
	return err
}

// Result is how a command ended.
type Result struct {
	Stdout, Stderr string
	Exit           int  // status; 128+n when signal n ended it; -1 when it did not start
	Cut            bool // some output was left out
	Bytes          int  // of output, before it was cut
	TimedOut       bool
	Took           time.Duration

	run *unit.Run // what is kept of it on the disk; nil for nothing
}

// grace is how long a group may take to end after TERM, before KILL.
const grace = 2 * time.Second

// Job is a command to run.
type Job struct {
	Command
	Dir     string
	Timeout time.Duration
	// Confine runs the command in the sandbox, with these openings; nil runs it
	// with all the user's rights, as what a person confirmed needs.
	Confine *sandbox.Needs
	// Cells are the parts of the command with the openings of each; they run one
	// after the other, as the shell would have them, in the place of the whole.
	Cells []Cell
	// Unit names the unit that a confirmed command runs in, without prefix and
	// suffix, and Note is what is kept with it for [Executor.Left]. An empty
	// name runs the command as a child.
	Unit string
	Note json.RawMessage
	// Printed is told what the command prints while it does, in whole lines and
	// without secrets, at most 64 KiB at a time, of more the end; nil where nobody
	// looks on. It is not called after Run has returned.
	Printed func(text string)
}

// Confines reports whether commands with these needs can be held to reading:
// nil, or why not.
func (x *Executor) Confines(n sandbox.Needs) error {
	if x.sandbox == nil {
		return sandbox.ErrNone
	}
	return x.sandbox.Holds(n)
}

// Run starts a command and waits for it, at most its timeout; then it is ended
// with everything it started. It returns an error only when the command could
// not be started ([unit.ErrTaken] when there is a unit of that name), ctx was
// cancelled, which ends the command too, or nobody knows how it ended
// ([unit.ErrUnknown]); a timeout is told by the result. A command in a unit is
// not ended when the cause of ctx's end is [ErrStopping]: the error is then
// [ErrLeft].
func (x *Executor) Run(ctx context.Context, j Job) (Result, error) {
	argv := j.argv()
	if len(argv) == 0 || j.By != "" {
		return Result{Exit: -1}, errors.New("there is no command")
	}
	file, err := x.Look(argv[0])
	if err != nil {
		return Result{Exit: -1}, err
	}
	if len(j.Cells) > 0 {
		return x.inCells(ctx, j)
	}
	if x.units != nil && j.Unit != "" && j.Confine == nil {
		res, err := x.inUnit(ctx, j, file, argv)
		if !errors.Is(err, errNoUnit) {
			return res, err
		}
	}
	return x.asChild(ctx, j, file, argv)
}

// asChild runs a command as a child of this process, in a process group that
// is ended as a whole. Whatever leaves the group is out of reach.
func (x *Executor) asChild(ctx context.Context, j Job, file string, argv []string) (Result, error) {
	return x.children(ctx, j, func(timed context.Context, s *streams) (int, error) {
		return x.child(timed, j.Dir, j.Confine, file, argv, s)
	})
}

// inCells runs the parts of a command one after the other, each in a cell of its own.
func (x *Executor) inCells(ctx context.Context, j Job) (Result, error) {
	return x.children(ctx, j, func(timed context.Context, s *streams) (exit int, err error) {
		for _, c := range j.Cells {
			if c.After == "&&" && exit != 0 || c.After == "||" && exit == 0 {
				continue
			}
			argv := c.argv()
			file, err := x.Look(argv[0])
			if err != nil {
				return -1, err
			}
			if exit, err = x.child(timed, j.Dir, &c.Needs, file, argv, s); err != nil || timed.Err() != nil {
				return exit, err
			}
		}
		return exit, nil
	})
}

// streams are where the output of a job's processes goes.
type streams struct {
	out, err io.WriteCloser
}

// children runs the processes of a job within its time, and gathers what they print.
func (x *Executor) children(ctx context.Context, j Job, run func(context.Context, *streams) (int, error)) (Result, error) {
	timed, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	stdout, stderr := newCutter(x.maxBytes, x.maxLines), newCutter(x.maxBytes, x.maxLines)
	// Half a key that was cut off is still half a key: first redacted, then cut.
	seen := newPrinted(j.Printed)
	defer seen.close()
	s := &streams{out: x.redactor.Writer(seen.and(stdout)), err: x.redactor.Writer(seen.and(stderr))}
	start := time.Now()
	exit, err := run(timed, s)
	if err != nil {
		return Result{Exit: -1}, err
	}
	_, _ = s.out.Close(), s.err.Close() // the cutters take everything
	r := Result{
		Stdout: stdout.String(), Stderr: stderr.String(), Exit: exit,
		Cut: stdout.cut() || stderr.cut(), Bytes: stdout.total + stderr.total,
		TimedOut: errors.Is(timed.Err(), context.DeadlineExceeded) && ctx.Err() == nil,
		Took:     time.Since(start),
	}
	return r, ctx.Err()
}

// child runs one process and all it starts. It fails only when it could not be
// started.
func (x *Executor) child(timed context.Context, dir string, n *sandbox.Needs, file string, argv []string, s *streams) (int, error) {
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
	// A grandchild may keep the pipes open after its parent is gone.
	cmd.WaitDelay = grace + time.Second
	g := newGroup(cmd)
	defer g.close()
	cmd.Cancel = g.end

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
	// Whatever ignored TERM or outlived its parent; what only reads leaves nothing running.
	if timed.Err() != nil || n != nil {
		_ = g.signal(syscall.SIGKILL)
	}
	return exitOf(cmd, err), nil
}

// confine has a command start inside the sandbox. entered waits until it has
// become the command; leave gives back what that took.
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
	return start.Entered, start.Close, nil
}

// exitOf returns the exit status, 128+n for a signal as shells have it, or -1.
func exitOf(cmd *exec.Cmd, err error) int {
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
