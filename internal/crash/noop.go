//go:build !crashtest

package crash

// Here does nothing.
func Here(Point) {}

// Scaled returns n.
func Scaled(n int64) int64 { return n }
