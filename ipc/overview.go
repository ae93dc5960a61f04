package ipc

import "path/filepath"

// MaxOverview bounds what [FleetSocket] sends, in bytes.
const MaxOverview = 1 << 20

// FleetSocket returns the socket at which the server of a fleet shows it: each connection gets one line of JSON. It is
// in a directory of its own, which the gateway's unit can see as a whole, so that a server that starts again is seen,
// too. It returns "" without a runtime directory.
func FleetSocket(getenv func(string) string) string {
	dir := getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "blunux-fleet", "overview.sock")
}
