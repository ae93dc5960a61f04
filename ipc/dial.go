package ipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ErrUnreachable reports that no daemon answers and none could be started.
var ErrUnreachable = errors.New("the daemon cannot be reached")

// UnreachableError lists the failed attempts to reach the daemon. It is an [ErrUnreachable].
type UnreachableError struct {
	Path  string   // the socket, "" for another machine
	Tried []string // one line per attempt, in order
}

// Error returns the attempts on one line each.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%v at %s\n  tried: %s", ErrUnreachable, e.Path, strings.Join(e.Tried, "\n  tried: "))
}

// Unwrap returns [ErrUnreachable].
func (e *UnreachableError) Unwrap() error { return ErrUnreachable }

// The systemd units. The dialler starts the socket unit if it is installed, which starts the service.
const (
	SocketUnit  = "blunux-ai-agent.socket"
	ServiceUnit = "blunux-ai-agent.service"
	// BridgesUnit, TimerUnit and PathUnit start the service for messages of bridges and for automations.
	BridgesUnit = "blunux-ai-bridges.socket"
	TimerUnit   = "blunux-ai-agent.timer"
	PathUnit    = "blunux-ai-agent.path"
)

// Dialer connects to the daemon and starts it if it does not listen: with systemctl --user if the unit is
// installed, otherwise by running the daemon's program, detached. That daemon exits when it is idle.
type Dialer struct {
	Locator
	// NoStart makes Dial fail instead of starting a daemon, even if the service manager listens on the socket and
	// connecting would start it.
	NoStart bool
	// Daemon is the daemon's program. "" means blunux-ai next to this program or in PATH.
	Daemon string
	// StartTimeout bounds the wait for a started daemon. 0 means 10 s.
	StartTimeout time.Duration
	// Host is another machine, as ssh knows it. "" means this one. Its daemon is reached with ssh, see [Relay].
	Host string
	// Channel is the channel of a bridge, which dials its own socket (see [BridgeSocket]). "" means the daemon's
	// socket.
	Channel string
}

// NewDialer returns a dialler for this process.
func NewDialer() Dialer { return Dialer{Locator: NewLocator()} }

// Dial connects to the daemon. Socket and serving process must belong to the user. The error is an
// [UnreachableError] if no daemon answers.
func (d Dialer) Dial(ctx context.Context) (*net.UnixConn, error) {
	if d.Host != "" {
		return d.dialHost(ctx)
	}
	main, err := d.Path()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	path := d.dialTarget(main)
	if d.NoStart && d.isActivatable(ctx) {
		return nil, &UnreachableError{Path: path, Tried: []string{"systemctl --user is-active " + ServiceUnit + ": it is not"}}
	}
	c, err := d.connect(ctx, path)
	if err == nil || !(errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)) {
		return c, err
	}
	tried := []string{"connect: " + shortCause(err)}
	if d.NoStart {
		return nil, &UnreachableError{Path: path, Tried: tried}
	}
	for _, start := range []func(context.Context, string) (string, error){d.startUnit, d.startDetached} {
		what, err := start(ctx, main)
		if what == "" {
			continue // not available here
		}
		if err == nil {
			if c, err = d.connect(ctx, path); err == nil {
				return c, nil
			}
		}
		tried = append(tried, what+": "+shortCause(err))
	}
	return nil, &UnreachableError{Path: path, Tried: tried}
}

// dialTarget returns the socket to dial. main is the daemon's own.
func (d Dialer) dialTarget(main string) string {
	if d.Channel == "" {
		return main
	}
	return BridgeSocket(main, d.Channel)
}

// connect connects to an existing socket of the user and checks the owner of the serving process.
func (d Dialer) connect(ctx context.Context, path string) (*net.UnixConn, error) {
	if err := CheckSocket(path, d.UID); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: refusing the socket: %w", ErrUnreachable, err)
	}
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	uc := c.(*net.UnixConn)
	peer, err := PeerOf(uc)
	if err == nil && peer.UID != d.UID {
		err = fmt.Errorf("%w: %s is served by uid %d, not by you (uid %d)", ErrUnreachable, path, peer.UID, d.UID)
	}
	if err != nil {
		uc.Close()
		return nil, err
	}
	return uc, nil
}

// shortCause describes the cause of a failed attempt in a few words.
func shortCause(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no socket there"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	}
	return err.Error()
}

// unitDirs returns the directories for user units, systemd.unit(5).
func (d Dialer) unitDirs() []string {
	dirs := []string{"/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"}
	config := d.Getenv("XDG_CONFIG_HOME")
	if home := d.Getenv("HOME"); home != "" {
		config = cmp.Or(config, filepath.Join(home, ".config"))
		dirs = append(dirs, filepath.Join(home, ".local/share/systemd/user"))
	}
	if config != "" {
		dirs = append(dirs, filepath.Join(config, "systemd/user"))
	}
	return dirs
}

// startUnit starts the socket unit. It is not available if the unit is not installed, or if the environment sets
// another socket or home than the unit's.
func (d Dialer) startUnit(ctx context.Context, _ string) (string, error) {
	if !d.UsesUnits() {
		return "", nil
	}
	systemctl, err := exec.LookPath("systemctl")
	if err != nil {
		return "", nil
	}
	what := "systemctl --user start " + SocketUnit
	ctx, cancel := context.WithTimeout(ctx, d.startTimeout())
	defer cancel()
	out, err := exec.CommandContext(ctx, systemctl, "--user", "start", SocketUnit).CombinedOutput()
	if err != nil {
		return what, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return what, nil
}

// UsesUnits reports whether the installed unit would serve this environment.
func (d Dialer) UsesUnits() bool {
	return d.Getenv("BLUNUX_AI_SOCK") == "" && d.Getenv("BLUNUX_AI_HOME") == "" && d.unitInstalled()
}

// isActivatable reports whether the service manager listens while the daemon does not run, or is about to exit.
// Connecting would start it.
func (d Dialer) isActivatable(ctx context.Context) bool {
	systemctl, err := exec.LookPath("systemctl")
	if err != nil || !d.UsesUnits() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, d.startTimeout())
	defer cancel()
	// The output has one word per unit. The exit status only says whether all are active.
	out, _ := exec.CommandContext(ctx, systemctl, "--user", "is-active", SocketUnit, ServiceUnit).Output()
	states := strings.Fields(string(out))
	return len(states) == 2 && states[0] == "active" && !slices.Contains([]string{"active", "activating", "reloading", "refreshing"}, states[1])
}

func (d Dialer) unitInstalled() bool {
	return slices.ContainsFunc(d.unitDirs(), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, SocketUnit))
		return err == nil
	})
}

func (d Dialer) startTimeout() time.Duration {
	if d.StartTimeout == 0 {
		return 10 * time.Second
	}
	return d.StartTimeout
}

// startDetached starts the daemon's program in a new session and waits until it listens. Its output goes to a log
// next to the socket.
func (d Dialer) startDetached(ctx context.Context, path string) (string, error) {
	binary, err := d.Program()
	what := binary + " daemon"
	if err != nil {
		return "start blunux-ai daemon", err
	}
	log, logName, err := d.startLog(path)
	if err != nil {
		return what, err
	}
	defer log.Close()
	// Unknown inherited files, such as a pipe, must not stay open in the daemon: a reader would wait forever for
	// their end.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return what, fmt.Errorf("cannot close inherited files: %w", err)
	}
	cmd := exec.Command(binary, "daemon", "--idle-exit", "10m")
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return what, err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	if err := d.awaitSocket(ctx, d.dialTarget(path), exited); err != nil {
		return what, fmt.Errorf("%w%s", err, logExcerpt(logName))
	}
	return what, nil
}

func (d Dialer) startLog(path string) (*os.File, string, error) {
	if d.IsPrivate(path) { // the log needs the directory before the daemon creates it
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, "", err
		}
		if err := CheckDir(filepath.Dir(path), d.UID); err != nil {
			return nil, "", err
		}
	}
	name := path + ".log"
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	return f, name, err
}

// awaitSocket waits until a daemon listens at path, the started one exits, or time runs out. If it exits because
// another daemon already runs, that is not a failure: the next connect reaches the other one.
func (d Dialer) awaitSocket(ctx context.Context, path string, exited <-chan error) error {
	deadline := time.NewTimer(d.startTimeout())
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if c, err := d.connect(ctx, path); err == nil {
			c.Close()
			return nil
		}
		select {
		case err := <-exited:
			if c, cerr := d.connect(ctx, path); cerr == nil {
				c.Close()
				return nil
			}
			if err == nil {
				err = errors.New("it ended at once")
			}
			return err
		case <-deadline.C:
			return fmt.Errorf("it did not listen within %s", d.startTimeout())
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Program returns the path of blunux-ai: Daemon, else the one next to this program, else the one in PATH.
func (d Dialer) Program() (string, error) {
	if d.Daemon != "" {
		return d.Daemon, nil
	}
	self, err := os.Executable()
	if err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		beside := filepath.Join(filepath.Dir(self), "blunux-ai")
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	found, err := exec.LookPath("blunux-ai")
	if err != nil {
		return "", fmt.Errorf("no blunux-ai next to %s nor in PATH", self)
	}
	return found, nil
}

// logExcerpt returns the last output of a failed daemon, formatted as a suffix of an error.
func logExcerpt(name string) string {
	text, err := os.ReadFile(name)
	if err != nil || len(strings.TrimSpace(string(text))) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) > 5 {
		lines = lines[len(lines)-5:]
	}
	return "; output: " + strings.Join(lines, "\n    ")
}

// Start runs a link in the background. The returned function stops it and waits for its end. Call either Start or
// [Link.Run], once.
func (l *Link) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = l.Run(ctx) // ends with ctx, which is not a failure
	}()
	return func() {
		cancel()
		<-ended
	}
}
