package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// everyLevel are the levels of this machine, and those of older kernels.
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

// shortDir is a directory below which a socket's path fits into an address.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "cell-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// services are sockets that listen in the place of the buses.
type fakeBus map[string]string

func (s fakeBus) Sockets() (map[string]string, error) { return s, nil }

// listen returns a bus that answers nothing.
func listen(t *testing.T) Bus {
	t.Helper()
	path := filepath.Join(shortDir(t), "bus")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return fakeBus{"/run/dbus/system_bus_socket": path}
}

// TestEveryKindOfCellHoldsAtEveryLevel has each cell try what it must not be
// able to do, the ways of sockets among it, and the little that it must.
func TestEveryKindOfCellHoldsAtEveryLevel(t *testing.T) {
	for _, l := range everyLevel() {
		s := New(Options{Dir: shortDir(t), Helper: helper, Most: &l, Bus: listen(t)})
		for name, needs := range cells() {
			t.Run(l.String()+"/"+name, func(t *testing.T) { require.NoError(t, s.Holds(needs)) })
		}
	}
}
