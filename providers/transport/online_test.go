package transport_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers/transport"
)

func TestOnlineMeansADefaultRoute(t *testing.T) {
	const (
		head4    = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
		lan4     = "wlan0\t0002A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0\n"
		default4 = "wlan0\t00000000\t0102A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
		reject4  = "*\t00000000\t00000000\t0201\t0\t0\t1\t00000000\t0\t0\t0\n"
		zero     = "00000000000000000000000000000000"
		lo6      = zero + " 00 " + zero + " 00 " + zero + " ffffffff 00000001 00000000 00200200       lo\n"
		default6 = zero + " 00 " + zero + " 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003    wlan0\n"
	)
	for name, c := range map[string]struct {
		four, six string
		want      bool
	}{
		"nothing":              {head4, lo6, false},
		"the neighbours only":  {head4 + lan4, lo6, false},
		"a way out":            {head4 + lan4 + default4, "", true},
		"a way out by IPv6":    {head4, lo6 + default6, true},
		"a way that is closed": {head4 + reject4, "", false},
		"half a line":          {head4 + "wlan0\t00000000", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "proc/net")
			require.NoError(t, os.MkdirAll(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "route"), []byte(c.four), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "ipv6_route"), []byte(c.six), 0o600))
			require.Equal(t, c.want, transport.HasDefaultRoute(root))
		})
	}
	require.True(t, transport.HasDefaultRoute(t.TempDir()), "what cannot be read does not keep anybody from trying")
}
