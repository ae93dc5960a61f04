package systemd

import (
	"context"
	"errors"
	"fmt"
)

// TimeSync is how the machine's clock is kept right.
type TimeSync struct {
	Able   bool // there is a service that could
	On     bool // it is switched on
	Synced bool // and has set the clock
}

// Synchronised asks timedated, which the bus starts when it does not run. It
// fails where there is none.
//
// Source: org.freedesktop.timedate1(5), CanNTP, NTP, NTPSynchronized.
func (c Clock) Synchronised(ctx context.Context) (TimeSync, error) {
	conn, err := dialBus(ctx, []string{systemBus(c.Address)})
	if err != nil {
		return TimeSync{}, fmt.Errorf("cannot ask whether the clock is synchronised: %w", err)
	}
	defer conn.Close()
	const service = "org.freedesktop.timedate1"
	timedated := conn.Object(service, "/org/freedesktop/timedate1")
	var s TimeSync
	for _, p := range []struct {
		name string
		to   *bool
	}{{"CanNTP", &s.Able}, {"NTP", &s.On}, {"NTPSynchronized", &s.Synced}} {
		call := timedated.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, service, p.name)
		err = errors.Join(err, call.Store(p.to))
	}
	if err != nil {
		return TimeSync{}, fmt.Errorf("cannot ask whether the clock is synchronised: %w", err)
	}
	return s, nil
}
