//go:build crashtest

package crash

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

var target, remaining = parsePoint(os.Getenv("BLUNUX_AI_CRASH"))

// parsePoint parses "point" or "point:nth".
func parsePoint(s string) (Point, *atomic.Int64) {
	name, nth, _ := strings.Cut(s, ":")
	var n atomic.Int64
	n.Store(1)
	if v, err := strconv.ParseInt(nth, 10, 64); err == nil {
		n.Store(v)
	}
	return Point(name), &n
}

// Here kills the process at the configured point.
func Here(p Point) {
	if p != target || remaining.Add(-1) != 0 {
		return
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // wait for the signal
}

// Scaled makes a limit small enough to be reached in a test.
func Scaled(n int64) int64 { return n / 64 }
