package ipc

import (
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

// UnreachableError says what was tried before giving up. It is an
// [ErrUnreachable].
type UnreachableError struct {
	Path  string
	Tried []string // one line an attempt, in order
}

// Error returns the attempts on one line each.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%v at %s\n  tried: %s", ErrUnreachable, e.Path, strings.Join(e.Tried, "\n  tried: "))
}

// Unwrap returns [ErrUnreachable].
func (e *UnreachableError) Unwrap() error { return ErrUnreachable }

// The units: the dialler starts the socket unit where it is installed, and
// that one the service.
const (
	SocketUnit  = "blunux-ai-agent.socket"
	ServiceUnit = "blunux-ai-agent.service"
)

// Dialer connects to the daemon and starts it when nobody listens: through
// systemctl --user where the unit is installed, else the daemon's binary
// beside this program, detached; it exits by itself when idle.
type Dialer struct {
	Locator
	// NoStart makes Dial fail instead of starting a daemon, also where the
	// service manager listens in its place and a mere connect would start it.
	NoStart bool
	// Daemon is the daemon's binary; "" means blunux-ai beside this program,
	// else in PATH.
	Daemon string
	// StartTimeout bounds waiting for a started daemon; 0 means 10 s.
	StartTimeout time.Duration
	// Channel is whose bridge dials: it reaches the daemon over the socket of its
	// own (see [BridgeSocket]); "" for the daemon's.
	Channel string
}

// NewDialer returns a dialler for this process.
func NewDialer() Dialer { return Dialer{Locator: NewLocator()} }

// Dial returns a connection to the daemon. The socket must be the user's own
// and so must the process behind it. Its error is an [UnreachableError] when
// no daemon answers.
func (d Dialer) Dial(ctx context.Context) (*net.UnixConn, error) {
	main, err := d.Path()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	path := d.target(main)
	if d.NoStart && d.sleeping(ctx) {
		return nil, &UnreachableError{Path: path, Tried: []string{"systemctl --user is-active " + ServiceUnit + ": it is not"}}
	}
	c, err := d.connect(ctx, path)
	if err == nil || !startable(err) {
		return c, err
	}
	tried := []string{"connect: " + short(err)}
	if d.NoStart {
		return nil, &UnreachableError{Path: path, Tried: tried}
	}
	for _, start := range []func(context.Context, string) (string, error){d.startUnit, d.startDetached} {
		what, err := start(ctx, main)
		if what == "" {
			continue // does not apply here
		}
		if err == nil {
			if c, err = d.connect(ctx, path); err == nil {
				return c, nil
			}
		}
		tried = append(tried, what+": "+short(err))
	}
	return nil, &UnreachableError{Path: path, Tried: tried}
}

// target is the socket that is dialled, of a daemon whose own is main.
func (d Dialer) target(main string) string {
	if d.Channel == "" {
		return main
	}
	return BridgeSocket(main, d.Channel)
}

// connect connects to a socket that is there and ours, and checks who
// answers.
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

// startable reports whether starting a daemon can mend a failed connect.
func startable(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// short names the cause of a failed attempt in a few words.
func short(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no socket there"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nobody listens"
	}
	return err.Error()
}

// unitDirs are the places a user unit can be installed in, systemd.unit(5).
func (d Dialer) unitDirs() []string {
	dirs := []string{"/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"}
	config := d.Getenv("XDG_CONFIG_HOME")
	if home := d.Getenv("HOME"); home != "" {
		if config == "" {
			config = filepath.Join(home, ".config")
		}
		dirs = append(dirs, filepath.Join(home, ".local/share/systemd/user"))
	}
	if config != "" {
		dirs = append(dirs, filepath.Join(config, "systemd/user"))
	}
	return dirs
}

// startUnit starts the socket unit. It does not apply where the unit is not
// installed, or where the environment asks for another socket or home than
// the unit knows.
func (d Dialer) startUnit(ctx context.Context, _ string) (string, error) {
	if !d.unitApplies() {
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

// unitApplies reports whether the installed unit would serve this environment.
func (d Dialer) unitApplies() bool {
	return d.Getenv("BLUNUX_AI_SOCK") == "" && d.Getenv("BLUNUX_AI_HOME") == "" && d.unitInstalled()
}

// sleeping reports that the service manager listens and the daemon does not
// run, or is about to end: whoever connects now starts it.
func (d Dialer) sleeping(ctx context.Context) bool {
	systemctl, err := exec.LookPath("systemctl")
	if err != nil || !d.unitApplies() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, d.startTimeout())
	defer cancel()
	// One word a unit; the exit status only tells whether all are active.
	out, _ := exec.CommandContext(ctx, systemctl, "--user", "is-active", SocketUnit, ServiceUnit).Output()
	states := strings.Fields(string(out))
	return len(states) == 2 && states[0] == "active" && !slices.Contains([]string{"active", "activating", "reloading", "refreshing"}, states[1])
}

func (d Dialer) unitInstalled() bool {
	for _, dir := range d.unitDirs() {
		if _, err := os.Stat(filepath.Join(dir, SocketUnit)); err == nil {
			return true
		}
	}
	return false
}

func (d Dialer) startTimeout() time.Duration {
	if d.StartTimeout == 0 {
		return 10 * time.Second
	}
	return d.StartTimeout
}

// startDetached starts the daemon's binary in a session of its own and waits
// until it listens. What it says meanwhile goes to a log beside the socket.
func (d Dialer) startDetached(ctx context.Context, path string) (string, error) {
	binary, err := d.binary()
	what := binary + " daemon"
	if err != nil {
		return "start blunux-ai daemon", err
	}
	log, logName, err := d.startLog(path)
	if err != nil {
		return what, err
	}
	defer log.Close()
	// Files this program was given and knows nothing of (a pipe, a terminal)
	// must not live on in the daemon: whoever waits for their end would wait
	// for ever.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return what, fmt.Errorf("cannot let go of inherited files: %w", err)
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
	if err := d.awaitSocket(ctx, d.target(path), exited); err != nil {
		return what, fmt.Errorf("%w%s", err, lastWords(logName))
	}
	return what, nil
}

func (d Dialer) startLog(path string) (*os.File, string, error) {
	if d.IsPrivate(path) { // the daemon would make it; the log needs it before
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

// awaitSocket waits until somebody listens at path, the daemon ends, or time
// runs out. A daemon that ends because another is already there is no
// failure: the next connect reaches that one.
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

// binary finds the daemon's binary.
func (d Dialer) binary() (string, error) {
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
		return "", fmt.Errorf("no blunux-ai beside %s nor in PATH", self)
	}
	return found, nil
}

// lastWords returns the end of what a failed daemon wrote, ready to be
// appended to an error.
func lastWords(name string) string {
	text, err := os.ReadFile(name)
	if err != nil || len(strings.TrimSpace(string(text))) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) > 5 {
		lines = lines[len(lines)-5:]
	}
	return "; it said: " + strings.Join(lines, "\n    ")
}
