//go:build !crashtest

package crash

// Here does nothing.
func Here(Point) {}
