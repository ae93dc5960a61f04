package local_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/local"
)

func TestS15TheConfigurationNamesItsHosts(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"proc/net/route":                   "Iface\tDestination\tGateway\tFlags\neth0\t00000000\t0100A8C0\t0003\neth0\t0000A8C0\t00000000\t0001\n",
		"proc/net/ipv6_route":              "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003 eth0\n",
		"proc/net/arp":                     "IP address HW type Flags HW address Mask Device\n192.168.0.20 0x1 0x2 aa:bb:cc:dd:ee:ff * eth0\n192.168.0.21 0x1 0x0 00:00:00:00:00:00 * eth0\n",
		"etc/hosts":                        "127.0.0.1 localhost\n192.168.0.5 printer Printer.home # old\n",
		"etc/resolv.conf":                  "# resolver\nnameserver 192.168.0.2\nsearch home\n",
		"etc/chrony.conf":                  "pool 2.arch.pool.ntp.org iburst\n",
		"etc/systemd/timesyncd.conf":       "[Time]\nNTP=time.example.net time2.example.net\n#FallbackNTP=x.example.net\n",
		"etc/pacman.conf":                  "[core]\nServer = https://repo.example.net/$repo/os/$arch\n",
		"etc/pacman.d/mirrorlist":          "#Server = https://off.example.net/\nServer = https://mirror.example.net/archlinux/$repo/os/$arch\n",
		"usr/lib/systemd/timesyncd.conf.d": "",
	} {
		file := filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		if text != "" {
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		}
	}
	m := local.Hosts{Root: root, Extra: []string{"Nas.home"}}
	for _, host := range []string{
		"192.168.0.1", "fe80::1", "192.168.0.20", "printer", "printer.home", "192.168.0.2", "2.arch.pool.ntp.org", "time.example.net", "time2.example.net", "repo.example.net", "mirror.example.net", "nas.home", "gateway", "::ffff:192.168.0.1",
	} {
		require.True(t, m.HasHost(host), host)
	}
	for _, host := range []string{"", "192.168.0.21", "192.168.0.3", "home", "old", "x.example.net", "off.example.net", "example.net", "a.mirror.example.net", "pin.nas.home", "1.printer", "0.0.0.0"} {
		require.False(t, m.HasHost(host), host)
	}
	require.False(t, local.Hosts{Root: filepath.Join(root, "none")}.HasHost("192.168.0.1"))
}
