// Package executor starts commands: as children of this process, in cells of the sandbox, or as units of the user's
// service manager. It redacts and cuts their output.
package executor

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/unit"
)

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
	cells    waitingCells
}

// Options configures an [Executor]. Zero values mean the defaults.
type Options struct {
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
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE",
}

// fixedEnv makes programs write plain English to a pipe, without a pager or colours, so that their output can
// be parsed.
var fixedEnv = []string{
	"LC_ALL=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "COLUMNS=200",
	"PAGER=cat", "SYSTEMD_PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat",
	"LESSSECURE=1", "SYSTEMD_COLORS=0",
	"MANOPT=-C /dev/null -M /usr/share/man:/usr/local/share/man", // man(1): only the system's configuration and pages
}

// New returns an executor.
func New(o Options) *Executor {
	x := &Executor{
		path: o.Path, maxBytes: cmp.Or(o.MaxBytes, 50<<10), maxLines: cmp.Or(o.MaxLines, 500),
		sandbox: o.Sandbox, units: o.Units, redactor: cmp.Or(o.Redactor, secret.NewRedactor(nil)),
		cells: waitingCells{sandbox: o.Sandbox},
	}
	if x.path == nil {
		x.path = fixedPath
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

// ErrNotFound reports a program that is not in the system's directories.
var ErrNotFound = exec.ErrNotFound

// FindProgram returns the file of a program. A name with a slash must be an absolute path.
func (x *Executor) FindProgram(program string) (string, error) {
	if filepath.IsAbs(program) {
		return program, shell.CheckExecutable(program)
	}
	if !strings.Contains(program, "/") {
		for _, dir := range x.path {
			file := filepath.Join(dir, program)
			if shell.CheckExecutable(file) == nil {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("%s: %w", program, ErrNotFound)
}

// ProgramFiles returns the files of the programs, sorted. It skips shell builtins and missing programs.
func (x *Executor) ProgramFiles(programs []string) []string {
	files := []string{}
	for _, name := range programs {
		if file, err := x.FindProgram(name); err == nil && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}

// ApprovalEnv returns the part of the environment that an approval is bound to: everything except the person's
// display, which can change before a late answer.
func (x *Executor) ApprovalEnv() []string {
	screen := []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP"}
	return slices.DeleteFunc(slices.Clone(x.env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(screen, name)
	})
}

// CanConfine returns nil if commands with these needs can be confined, or the reason why not.
func (x *Executor) CanConfine(n sandbox.Needs) error {
	if x.sandbox == nil {
		return sandbox.ErrNone
	}
	return x.sandbox.CanConfine(n)
}
