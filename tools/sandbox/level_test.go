package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// everyLevel returns the levels of this machine and of older kernels.
func everyLevel() []Level {
	abi := cell.LandlockABI()
	all := levels(abi)
	for _, older := range []int{3, 4, 5} {
		if older < abi {
			all = append(all, Level{Namespaces: true, Landlock: older}, Level{Landlock: older})
		}
	}
	return all
}

// shortDir returns a directory whose path is short enough for a socket's address.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cell-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// fakeBus maps the paths of buses to sockets that replace them.
type fakeBus map[string]string

func (s fakeBus) Sockets() (map[string]string, error) { return s, nil }

// listen returns a bus that never answers.
func listen(t *testing.T) Bus {
	t.Helper()
	path := filepath.Join(shortDir(t), "bus")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return fakeBus{"/run/dbus/system_bus_socket": path}
}

// TestEveryKindOfCellHoldsAtEveryLevel has each cell try what it must not be able to do, including the escapes
// over sockets, and what it must be able to do.
func TestEveryKindOfCellHoldsAtEveryLevel(t *testing.T) {
	for _, l := range everyLevel() {
		s := New(Options{Dir: shortDir(t), Helper: helper, MaxLevel: &l, Bus: listen(t)})
		for name, needs := range cells() {
			t.Run(l.String()+"/"+name, func(t *testing.T) { require.NoError(t, s.CanConfine(needs)) })
		}
	}
}
