package systemd

import (
	"context"
	"errors"
	"fmt"
)

// TimeSync is the state of the clock's synchronisation.
type TimeSync struct {
	Available bool // a service is available
	Enabled   bool // it is enabled
	Synced    bool // it has set the clock
}

// Synchronised queries timedated, which the bus starts on demand. It fails if there is none.
//
// Source: org.freedesktop.timedate1(5), CanNTP, NTP, NTPSynchronized.
func (c Clock) Synchronised(ctx context.Context) (TimeSync, error) {
	conn, err := dialBus(ctx, []string{systemBus(c.Address)})
	if err != nil {
		return TimeSync{}, fmt.Errorf("cannot determine whether the clock is synchronised: %w", err)
	}
	defer conn.Close()
	const service = "org.freedesktop.timedate1"
	timedated := conn.Object(service, "/org/freedesktop/timedate1")
	var s TimeSync
	for _, p := range []struct {
		name string
		to   *bool
	}{{"CanNTP", &s.Available}, {"NTP", &s.Enabled}, {"NTPSynchronized", &s.Synced}} {
		call := timedated.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, service, p.name)
		err = errors.Join(err, call.Store(p.to))
	}
	if err != nil {
		return TimeSync{}, fmt.Errorf("cannot determine whether the clock is synchronised: %w", err)
	}
	return s, nil
}
