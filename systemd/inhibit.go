package systemd

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// Inhibitor prevents logind from shutting down or suspending the machine.
//
// Source: org.freedesktop.login1(5), Inhibit().
type Inhibitor struct {
	// Address is the system bus. "" means $DBUS_SYSTEM_BUS_ADDRESS or the default.
	Address string
}

// inhibitTimeout is the time limit for logind, and so the longest delay of a command.
const inhibitTimeout = 3 * time.Second

// Inhibit keeps the machine awake until release is called or this process ends. systemd-inhibit --list displays
// why. If the user may not block, for example without a local session, Inhibit requests a delay, which lasts some
// seconds (InhibitDelayMaxSec, logind.conf(5)). It fails if there is no logind.
func (i Inhibitor) Inhibit(ctx context.Context, why string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, inhibitTimeout)
	defer cancel()
	conn, err := i.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot keep the machine awake: %w", err)
	}
	defer conn.Close() // the descriptor holds the lock, not the connection
	logind := conn.Object("org.freedesktop.login1", "/org/freedesktop/login1")
	var locks []*os.File
	// for one lock for each: a request for both requires the right to ignore the lid switch in logind 252
	// (method_inhibit in logind-dbus.c).
	for _, what := range []string{"shutdown", "sleep"} {
		lock, lockErr := inhibit(ctx, logind, what, why)
		if lockErr != nil {
			err = lockErr
			continue
		}
		locks = append(locks, lock)
	}
	if len(locks) == 0 {
		return nil, fmt.Errorf("cannot keep the machine awake: %w", err)
	}
	return sync.OnceFunc(func() {
		for _, l := range locks {
			l.Close()
		}
	}), nil
}

// inhibit takes one lock in the strongest mode that is allowed.
func inhibit(ctx context.Context, logind dbus.BusObject, what, why string) (lock *os.File, err error) {
	for _, mode := range []string{"block", "delay"} {
		var fd dbus.UnixFD
		err = logind.CallWithContext(ctx, "org.freedesktop.login1.Manager.Inhibit", 0, what, "blunux-ai", why, mode).Store(&fd)
		if err == nil {
			return os.NewFile(uintptr(fd), "inhibit"), nil
		}
	}
	return nil, err
}

func (i Inhibitor) dial(ctx context.Context) (*dbus.Conn, error) {
	return dialBus(ctx, []string{systemBus(i.Address)})
}
