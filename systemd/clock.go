package systemd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
	"golang.org/x/sys/unix"
)

// Reasons that [Clock.Watch] reports.
const (
	ClockSet = "clock"  // the wall clock was set or jumped
	Resumed  = "resume" // the machine resumed from sleep
)

// Clock detects changes of the wall clock and resumes from sleep.
type Clock struct {
	// Address is the system bus of logind. "" means $DBUS_SYSTEM_BUS_ADDRESS or the default.
	Address string
}

// Watch calls jumped with [ClockSet] or [Resumed] after each such event, one call at a time, until ctx ends. A
// resume can be reported as both. Without logind, only the kernel is watched, and that is not an error. Watch
// does not wake up the process in between.
//
// Sources: timerfd_create(2), TFD_TIMER_CANCEL_ON_SET; org.freedesktop.login1(5), PrepareForSleep.
func (c Clock) Watch(ctx context.Context, jumped func(reason string)) error {
	timer, err := jumpTimer()
	if err != nil {
		return fmt.Errorf("cannot watch the clock: %w", err)
	}
	reasons := make(chan string, 1)
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tell := func(reason string) {
		select {
		case reasons <- reason:
		case <-ctx.Done():
		}
	}
	all.Go(func() { watchSleep(ctx, systemBus(c.Address), func() { tell(Resumed) }) })
	failed := make(chan error, 1)
	all.Go(func() { failed <- watchJumps(timer, func() { tell(ClockSet) }) })
	defer timer.Close() // ends watchJumps
	for {
		select {
		case reason := <-reasons:
			jumped(reason)
		case err := <-failed:
			return fmt.Errorf("cannot watch the clock: %w", err)
		case <-ctx.Done():
			return nil
		}
	}
}

// jumpTimer returns a timer that never expires, but is cancelled when the wall clock jumps.
func jumpTimer() (*os.File, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	never := unix.ItimerSpec{Value: unix.Timespec{Sec: math.MaxInt64}} // the kernel limits it to its maximum
	if err := unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, &never, nil); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "timerfd"), nil
}

// watchJumps reports jumps until the timer is closed.
func watchJumps(timer *os.File, jumped func()) error {
	for {
		_, err := timer.Read(make([]byte, 8))
		switch {
		case errors.Is(err, unix.ECANCELED):
			jumped()
		case err != nil:
			return err
		}
	}
}

// watchSleep reports resumes that logind announces, until ctx ends.
func watchSleep(ctx context.Context, address string, resumed func()) {
	const service = "org.freedesktop.login1"
	match := []dbus.MatchOption{
		dbus.WithMatchSender(service), dbus.WithMatchInterface(service + ".Manager"), dbus.WithMatchMember("PrepareForSleep"),
	}
	listenForever(ctx, []string{address}, func(ctx context.Context, conn *dbus.Conn) (<-chan *dbus.Signal, error) {
		heard := make(chan *dbus.Signal, 16)
		conn.Signal(heard)
		return heard, conn.AddMatchSignalContext(ctx, match...)
	}, func(s *dbus.Signal) {
		var begins bool
		if s.Name == service+".Manager.PrepareForSleep" && dbus.Store(s.Body, &begins) == nil && !begins {
			resumed()
		}
	})
}

// SuspendedTime returns how long the machine has been suspended since boot. It never decreases, so an increase means that
// the machine was asleep in between.
//
// Source: clock_gettime(2): CLOCK_MONOTONIC stops during sleep, CLOCK_BOOTTIME does not.
func SuspendedTime() time.Duration {
	// Reading the clock that includes sleep first never overestimates the difference.
	all, awake := clock(unix.CLOCK_BOOTTIME), clock(unix.CLOCK_MONOTONIC)
	return max(all-awake, 0)
}

// BootID identifies the current boot of the machine. It is "" if it cannot be read.
//
// Source: random(4), boot_id.
func BootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(text))
}

func clock(id int32) time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// monotonic returns CLOCK_MONOTONIC in microseconds, which sd_notify(3) requires with RELOADING=1.
func monotonic() int64 { return clock(unix.CLOCK_MONOTONIC).Microseconds() }
