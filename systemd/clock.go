package systemd

import "golang.org/x/sys/unix"

// monotonic returns CLOCK_MONOTONIC in microseconds, as sd_notify(3) wants it
// with RELOADING=1.
func monotonic() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return 0
	}
	return ts.Nano() / 1000
}
