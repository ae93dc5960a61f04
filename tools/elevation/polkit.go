package elevation

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/godbus/dbus/v5"
)

// Answer is polkit's decision about an action.
type Answer int

// The answers.
const (
	Refused   Answer = iota
	Allowed          // without asking anyone
	NeedsAuth        // after someone authenticates
)

// Authority is polkit: it decides who may do what.
type Authority interface {
	// Check asks whether this process is allowed an action, without prompting anyone.
	Check(ctx context.Context, action string) (Answer, error)
}

// SystemPolkit is the system's authority.
type SystemPolkit struct {
	// Address of the system bus; "" means the standard one.
	Address string
}

// subject and verdict are the argument and the result of CheckAuthorization, interface
// org.freedesktop.PolicyKit1.Authority.
type subject struct {
	Kind    string
	Details map[string]dbus.Variant
}

type verdict struct {
	Authorized, Challenge bool
	Details               map[string]string
}

// Check asks polkit without the flag that allows it to prompt the person.
func (p SystemPolkit) Check(ctx context.Context, action string) (Answer, error) {
	conn, err := p.dial(ctx)
	if err != nil {
		return Refused, fmt.Errorf("cannot ask polkit: %w", err)
	}
	defer conn.Close()
	start, err := startTime()
	if err != nil {
		return Refused, fmt.Errorf("cannot ask polkit: %w", err)
	}
	us := subject{"unix-process", map[string]dbus.Variant{
		"pid":        dbus.MakeVariant(uint32(os.Getpid())),
		"start-time": dbus.MakeVariant(start),
		"uid":        dbus.MakeVariant(int32(os.Getuid())),
	}}
	var v verdict
	err = conn.Object("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority").CallWithContext(ctx,
		"org.freedesktop.PolicyKit1.Authority.CheckAuthorization", 0, us, action, map[string]string{}, uint32(0), "").Store(&v)
	switch {
	case err != nil:
		return Refused, fmt.Errorf("cannot ask polkit about %s: %w", action, err)
	case v.Authorized:
		return Allowed, nil
	case v.Challenge:
		return NeedsAuth, nil
	}
	return Refused, nil
}

func (p SystemPolkit) dial(ctx context.Context) (*dbus.Conn, error) {
	address := p.Address
	if address == "" {
		address = "unix:path=/run/dbus/system_bus_socket"
	}
	conn, err := dbus.Dial(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	err = conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Getuid()))})
	if err == nil {
		err = conn.Hello()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// startTime returns when this process started, in clock ticks since boot: field 22 of proc_pid_stat(5).
func startTime() (uint64, error) {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(data), ") ") // the name can contain blanks
	fields := strings.Fields(after)
	if len(fields) < 20 {
		return 0, fmt.Errorf("cannot read /proc/self/stat")
	}
	return strconv.ParseUint(fields[19], 10, 64)
}
