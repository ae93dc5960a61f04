// Package guard decides which addresses the web tools may connect to. It judges the address of each connection when it
// is made, so that neither a redirect nor a name whose address changes leads into this computer or its network.
package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// ErrForbidden reports an address that is not opened.
var ErrForbidden = errors.New("it is an address of this computer or its network")

// ErrPort reports a port of another service than the web.
var ErrPort = errors.New("the port belongs to another service than the web")

// special are the IPv4 networks that are not the internet (IANA's special-purpose registry), multicast and the rest.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
	// Public addresses at which clouds serve the credentials of their machines, from inside only.
	"168.63.129.16/32", "100.100.100.200/32",
)

// special6 are the networks within 2000::/3 that are not the internet, or that carry an IPv4 address which the
// destination decides about: Teredo, benchmarks, ORCHID, documentation, 6to4.
var special6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")

var (
	global = netip.MustParsePrefix("2000::/3")
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		list[i] = netip.MustParsePrefix(t)
	}
	return list
}

// IsPublic reports whether an address is one of the internet. An IPv4 address inside an IPv6 one counts as itself where a
// translator of the network sends it on (NAT64).
func IsPublic(ip netip.Addr) bool {
	if ip.Zone() != "" {
		return false
	}
	ip = ip.Unmap()
	within := func(list []netip.Prefix) bool {
		return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(ip) })
	}
	switch {
	case !ip.IsValid():
		return false
	case ip.Is4():
		return !within(special)
	case nat64.Contains(ip):
		b := ip.As16()
		return IsPublic(netip.AddrFrom4([4]byte(b[12:])))
	}
	return global.Contains(ip) && !within(special6) && !hasPrivateISATAP(ip)
}

// hasPrivateISATAP reports whether an address is a tunnel to an IPv4 address that is not public (RFC 5214).
func hasPrivateISATAP(ip netip.Addr) bool {
	b := ip.As16()
	return b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe && !IsPublic(netip.AddrFrom4([4]byte(b[12:])))
}

// Guard judges connections.
type Guard struct {
	// Own returns the addresses of this computer, which are not opened even if they are public.
	Own func() ([]net.Addr, error)
}

// Control returns a [net.Dialer.Control] that refuses forbidden addresses. near is set for a host that the person named
// as one of their network; it is never another network's group address or this computer's wildcard.
func (g Guard) Control(near bool) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || network != "tcp4" && network != "tcp6" {
			return fmt.Errorf("%w: %s", ErrForbidden, address)
		}
		ip := to.Addr().Unmap()
		if near {
			if ip.IsUnspecified() || ip.IsMulticast() || ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
				return fmt.Errorf("%w: %s", ErrForbidden, ip)
			}
			return nil
		}
		switch {
		case !IsPublic(to.Addr()), g.isOwn(ip):
			return fmt.Errorf("%w: %s", ErrForbidden, ip)
		case to.Port() < 1024 && to.Port() != 80 && to.Port() != 443:
			return fmt.Errorf("%w: %d", ErrPort, to.Port())
		}
		return nil
	}
}

// connectTimeout bounds the time of a connection.
const connectTimeout = 10 * time.Second

// Dial connects to an address if that is permitted. near is set for a host that the person named as one of their network.
// resolver is nil for the system's.
func (g Guard) Dial(ctx context.Context, network, address string, near bool, resolver *net.Resolver) (net.Conn, error) {
	d := net.Dialer{Timeout: connectTimeout, Resolver: resolver, Control: g.Control(near)}
	return d.DialContext(ctx, network, address)
}

// isOwn reports whether an address is one of this computer's. If they cannot be read, each address is.
func (g Guard) isOwn(ip netip.Addr) bool {
	own, err := g.Own()
	return err != nil || slices.ContainsFunc(own, func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap().WithZone("") == ip
	})
}
