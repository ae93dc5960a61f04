package systemd

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// Inhibitor keeps logind from shutting the machine down or putting it to sleep.
//
// Source: org.freedesktop.login1(5), Inhibit().
type Inhibitor struct {
	// Address is of the system bus; "" means $DBUS_SYSTEM_BUS_ADDRESS or the
	// usual place.
	Address string
}

// inhibitTimeout bounds how long logind may take; no command waits longer.
const inhibitTimeout = 3 * time.Second

// Inhibit holds the machine awake until release is called or this process ends;
// why is shown by systemd-inhibit --list. Where a user may not forbid it, as
// without a session at the machine, logind is asked to delay it instead, which
// it does for some seconds (InhibitDelayMaxSec, logind.conf(5)). It returns an
// error where there is no logind.
func (i Inhibitor) Inhibit(ctx context.Context, why string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, inhibitTimeout)
	defer cancel()
	conn, err := i.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot keep the machine awake: %w", err)
	}
	defer conn.Close() // the lock is the descriptor's, not the connection's
	logind := conn.Object("org.freedesktop.login1", "/org/freedesktop/login1")
	var locks []*os.File
	// One lock for each: asked for both at once logind 252 wants the right to
	// ignore the lid switch (method_inhibit in logind-dbus.c).
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

// inhibit takes one lock, the strongest that is allowed.
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
