package unit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	systemd "github.com/coreos/go-systemd/v22/dbus"
	"github.com/godbus/dbus/v5"

	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// Timeouts for talking to the service manager.
const (
	answerTimeout = 5 * time.Second  // for requests that it answers immediately
	startTimeout  = 10 * time.Second // until the recorder is ready
	stopTimeout   = 2 * time.Second  // between TERM and KILL
)

// UserManager is the user's service manager, reached over the session bus or, if there is none, the manager's
// own socket.
type UserManager struct {
	addresses []string
}

// NewUserManager returns the manager of a session, whose addresses it reads from getenv. It never starts a bus
// or a manager.
func NewUserManager(getenv func(string) string) *UserManager {
	m := &UserManager{}
	if address := getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		m.addresses = append(m.addresses, address)
	}
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		m.addresses = append(m.addresses,
			"unix:path="+dbus.EscapeBusAddressValue(filepath.Join(dir, "bus")),
			"unix:path="+dbus.EscapeBusAddressValue(filepath.Join(dir, "systemd", "private")))
	}
	return m
}

// connect dials the first address where a service manager answers.
func (m *UserManager) connect(ctx context.Context) (*systemd.Conn, error) {
	if len(m.addresses) == 0 {
		return nil, errors.New("the user's service manager does not answer: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
	}
	var errs []error
	for _, address := range m.addresses {
		conn, err := systemd.NewConnection(func() (*dbus.Conn, error) { return dial(ctx, address) })
		if err == nil {
			if _, err = conn.GetManagerProperty("Version"); err == nil {
				return conn, nil
			}
			conn.Close()
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("the user's service manager does not answer: %w", errors.Join(errs...))
}

func dial(ctx context.Context, address string) (*dbus.Conn, error) {
	conn, err := dbus.Dial(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	err = conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Getuid()))})
	if err == nil && !strings.HasSuffix(address, "/systemd/private") { // a private socket has no bus to greet
		err = conn.Hello()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// Available returns nil, or an error if no unit can be started now.
func (m *UserManager) Available(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	conn, err := m.connect(ctx)
	if err != nil {
		return err
	}
	conn.Close()
	return nil
}

// Start starts a transient unit and waits until it is ready.
func (m *UserManager) Start(ctx context.Context, s Service) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout+answerTimeout)
	defer cancel()
	conn, err := m.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	done := make(chan string, 1)
	if _, err := conn.StartTransientUnitContext(ctx, s.Name, "fail", unitProperties(s), done); err != nil {
		var refused dbus.Error
		if errors.As(err, &refused) && refused.Name == "org.freedesktop.systemd1.UnitExists" {
			err = ErrExists
		}
		return fmt.Errorf("cannot start %s: %w", s.Name, err)
	}
	select {
	case how := <-done:
		if how != "done" {
			return fmt.Errorf("cannot start %s: %s", s.Name, how)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cannot start %s: %w", s.Name, ctx.Err())
	}
}

// execStart is one element of the ExecStart property, org.freedesktop.systemd1(5).
type execStart struct {
	Path          string
	Args          []string
	IgnoreFailure bool
}

// unitProperties returns a unit's settings. None of them takes rights away, so sudo and run0 work in it: the person
// has seen and confirmed the command. The recorder sets the command's environment.
func unitProperties(s Service) []systemd.Property {
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = strings.ReplaceAll(a, "$", "$$") // or the manager would expand it
	}
	set := func(name string, value any) systemd.Property {
		return systemd.Property{Name: name, Value: dbus.MakeVariant(value)}
	}
	return []systemd.Property{
		set("Description", s.Description),
		set("Type", "notify"),
		set("NotifyAccess", "main"),
		set("ExecStart", []execStart{{s.Program, args, false}}),
		set("WorkingDirectory", "-"+s.Dir), // the recorder reports a missing directory
		set("UMask", uint32(0o022)),
		set("StandardInput", "null"),
		set("StandardOutput", "journal"),
		set("StandardError", "journal"),
		set("SyslogIdentifier", record.Name),
		set("IgnoreSIGPIPE", false),
		set("TasksMax", s.Tasks),
		set("MemoryMax", s.Memory),
		set("OOMPolicy", "continue"), // the command notices a killed process itself, as in a terminal
		set("TimeoutStartUSec", microseconds(startTimeout)),
		set("RuntimeMaxUSec", microseconds(s.Runtime)),
		set("TimeoutStopUSec", microseconds(stopTimeout)),
		set("KillMode", "control-group"),
		set("SendSIGKILL", true),
		set("CollectMode", "inactive-or-failed"), // remove failed units as well
	}
}

func microseconds(d time.Duration) uint64 { return uint64(d.Microseconds()) }

// Stop stops a unit and kills the processes that survive the stop.
func (m *UserManager) Stop(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout+answerTimeout)
	defer cancel()
	conn, err := m.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	group := controlGroup(ctx, conn, name)
	done := make(chan string, 1)
	_, err = conn.StopUnitContext(ctx, name, "replace", done)
	var refused dbus.Error
	if errors.As(err, &refused) && refused.Name == "org.freedesktop.systemd1.NoSuchUnit" {
		return nil
	}
	if err == nil {
		select {
		case <-done:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return errors.Join(err, killGroup(group))
}

// controlGroup returns the path of a unit's cgroup, or "" if it has none.
func controlGroup(ctx context.Context, conn *systemd.Conn, name string) string {
	p, err := conn.GetUnitTypePropertyContext(ctx, name, "Service", "ControlGroup")
	if err != nil {
		return ""
	}
	path, _ := p.Value.Value().(string)
	return path
}

// killGroup kills all remaining processes of a cgroup (cgroups(7)), including root's, which the user's service
// manager cannot signal.
func killGroup(path string) error {
	if path == "" || path == "/" {
		return nil
	}
	err := os.WriteFile(filepath.Join("/sys/fs/cgroup", path, "cgroup.kill"), []byte("1"), 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
