package machine

import (
	"net"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListenersAreReadFromTheKernel(t *testing.T) {
	got, err := ParseListeners([]byte(`  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:4965 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 36147 1 0000000000000000 100 0 0 10 0
   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 21871 1 0000000000000000 100 0 0 10 0
   2: 0F02000A:0016 0202000A:D9B6 01 00000000:00000000 02:0009B0F6 00000000     0        0 35957 2 0000000000000000 20 4 31 10 -1
`))
	require.NoError(t, err)
	require.Equal(t, []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:18789"), netip.MustParseAddrPort("0.0.0.0:22")}, got)
	got, err = ParseListeners([]byte("  sl  local_address\n   0: 00000000000000000000000001000000:4965 00000000000000000000000000000000:0000 0A\n" +
		"   1: 0000000000000000FFFF00000100007F:4966 x 0A\n   2: 000080FE00000000FF005450B6AD1DFE:4967 x 0A\n"))
	require.NoError(t, err)
	require.Equal(t, []netip.AddrPort{netip.MustParseAddrPort("[::1]:18789"), netip.MustParseAddrPort("127.0.0.1:18790"), netip.MustParseAddrPort("[fe80::5054:ff:fe1d:adb6]:18791")}, got)
	for _, bad := range []string{"", "no table\n", " sl  x\n  0: 01:4965 x 0A\n", " sl  x\n 0: 0100007F\n", " sl  x\n 0: 0100007F:XX x 0A\n"} {
		_, err := ParseListeners([]byte(bad))
		require.ErrorContains(t, err, "cannot read the output of ", "%q", bad)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	text, err := os.ReadFile("/proc/net/tcp")
	require.NoError(t, err)
	got, err = ParseListeners(text)
	require.NoError(t, err)
	require.Contains(t, got, l.Addr().(*net.TCPAddr).AddrPort())
}
