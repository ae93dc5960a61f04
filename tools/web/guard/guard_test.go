package guard_test

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/web/guard"
)

func TestThreat20OnlyAddressesOfTheInternetArePublic(t *testing.T) {
	for _, text := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255", "127.0.0.1", "127.1.2.3",
		"127.255.255.255", "168.63.129.16", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1",
		"192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
		"224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "::ffff:192.168.1.1",
		"64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "64:ff9b:1::7f00:1", "100::1", "2001::1",
		"2001:0:4136:e378:8000:63bf:80ff:fffe", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:c0a8:101::1",
		"2002:808:808::1", "3fff::1", "fc00::1", "fd00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "fe80::1%eth0", "fe80::1%1", "fec0::1", "ff02::1",
		"ff05::2", "5f00::1", "2606:4700::5efe:7f00:1", "2606:4700::200:5efe:c0a8:101", "2606:4700:4700::1111%lo",
	} {
		require.False(t, guard.IsPublic(netip.MustParseAddr(text)), text)
	}
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1", "172.15.255.255", "172.32.0.0",
		"192.167.255.255", "192.169.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2606:4700:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888",
	} {
		require.True(t, guard.IsPublic(netip.MustParseAddr(text)), text)
	}
	require.False(t, guard.IsPublic(netip.Addr{}))
}

// TestThreat20NoIPv6FormOfAPrivateAddressIsPublic: what carries a private IPv4 address is refused like it.
func TestThreat20NoIPv6FormOfAPrivateAddressIsPublic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ip := netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "ip")))
		b := ip.As4()
		require.Equal(t, guard.IsPublic(ip), guard.IsPublic(netip.AddrFrom16(ip.As16())), "mapped %s", ip)
		for _, prefix := range []string{"64:ff9b::", "2002::", "::", "64:ff9b:1::"} {
			form := netip.MustParseAddr(prefix).As16()
			copy(form[12:], b[:])
			if prefix == "2002::" {
				copy(form[2:], b[:])
			}
			if guard.IsPublic(netip.AddrFrom16(form)) {
				require.True(t, guard.IsPublic(ip), "%s in %s", ip, prefix)
			}
		}
	})
}

func TestThreat20TheGuardJudgesEachConnection(t *testing.T) {
	own := func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("93.184.216.34"), Mask: net.CIDRMask(24, 32)}}, nil
	}
	far, near := guard.Guard{Own: own}.Control(false), guard.Guard{Own: own}.Control(true)
	require.NoError(t, far("tcp4", "1.1.1.1:443", nil))
	require.NoError(t, far("tcp6", "[2606:4700:4700::1111]:8443", nil))
	require.ErrorIs(t, far("tcp4", "93.184.216.34:443", nil), guard.ErrForbidden, "our own address, although it is public")
	require.ErrorIs(t, far("tcp4", "127.0.0.1:443", nil), guard.ErrForbidden)
	require.ErrorIs(t, far("tcp6", "[::ffff:127.0.0.1]:443", nil), guard.ErrForbidden)
	require.ErrorIs(t, far("udp4", "1.1.1.1:443", nil), guard.ErrForbidden)
	require.ErrorIs(t, far("tcp4", "example.org:443", nil), guard.ErrForbidden, "no address")
	for _, port := range []string{"1", "22", "25", "53", "110", "139", "445", "587", "1023"} {
		require.ErrorIs(t, far("tcp4", "1.1.1.1:"+port, nil), guard.ErrPort, port)
	}
	require.NoError(t, near("tcp4", "192.168.0.1:80", nil))
	require.NoError(t, near("tcp4", "127.0.0.1:631", nil))
	for _, never := range []string{"0.0.0.0:80", "224.0.0.1:80", "255.255.255.255:80"} {
		require.ErrorIs(t, near("tcp4", never, nil), guard.ErrForbidden, never)
	}
	unknown := guard.Guard{Own: func() ([]net.Addr, error) { return nil, errors.New("no") }}.Control(false)
	require.ErrorIs(t, unknown("tcp4", "1.1.1.1:443", nil), guard.ErrForbidden)
}
