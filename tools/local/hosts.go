// Package local knows this machine: the hosts in its configuration, and the block devices in use.
package local

import (
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/machine"
)

// Hosts are the hosts in the machine's own configuration: gateways, DNS resolvers, time and package
// servers, the hosts file, and the neighbours in the kernel's table. The files belong to root or to the kernel.
type Hosts struct {
	Root  string   // parent of /etc and /proc; "" for /
	Extra []string // from the person's settings
}

// HasHost reports whether the current configuration names a host. A name does not include its subdomains.
func (m Hosts) HasHost(host string) bool {
	host = strings.ToLower(host)
	own, _ := os.Hostname()
	if host == "gateway" || host == "_gateway" || host == "_outbound" || host != "" && host == strings.ToLower(own) {
		return true
	}
	same := func(other string) bool { return sameHost(host, other) }
	if slices.ContainsFunc(m.Extra, same) {
		return true
	}
	for _, found := range []func() []string{m.gateways, m.neighbours, m.configuredHosts, m.ownAddresses} {
		if slices.ContainsFunc(found(), same) {
			return true
		}
	}
	return false
}

func sameHost(host, other string) bool {
	a, errA := netip.ParseAddr(host)
	b, errB := netip.ParseAddr(other)
	if errA == nil && errB == nil {
		return a.Unmap().WithZone("") == b.Unmap().WithZone("")
	}
	return host == strings.ToLower(strings.TrimSuffix(other, "."))
}

// lines returns the words of the lines of files, given as patterns, without comments.
func (m Hosts) lines(patterns ...string) (out [][]string) {
	for _, p := range patterns {
		paths, _ := filepath.Glob(m.Root + p) // fails only for a bad pattern
		for _, path := range paths {
			if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
				continue
			}
			data, _ := os.ReadFile(path) // nil if it is unreadable
			for line := range strings.Lines(string(data)) {
				line, _, _ = strings.Cut(line, "#")
				if fields := strings.Fields(line); len(fields) > 0 {
					out = append(out, fields)
				}
			}
		}
	}
	return out
}

// gateways returns the gateways of the default routes (proc(5), /proc/net/route; the kernel writes IPv4
// addresses in the machine's byte order).
func (m Hosts) gateways() []string {
	var found []string
	for _, f := range m.lines("/proc/net/route") {
		if len(f) > 2 && f[1] == "00000000" {
			if b, err := hex.DecodeString(f[2]); err == nil && len(b) == 4 {
				found = append(found, netip.AddrFrom4([4]byte{b[3], b[2], b[1], b[0]}).String())
			}
		}
	}
	for _, f := range m.lines("/proc/net/ipv6_route") {
		if len(f) > 4 && f[1] == "00" && strings.Trim(f[0], "0") == "" && strings.Trim(f[4], "0") != "" {
			if b, err := hex.DecodeString(f[4]); err == nil && len(b) == 16 {
				found = append(found, netip.AddrFrom16([16]byte(b)).String())
			}
		}
	}
	return found
}

// neighbours returns the hosts of the local network whose hardware address the kernel knows.
func (m Hosts) neighbours() []string {
	var found []string
	for _, f := range m.lines("/proc/net/arp") {
		if len(f) > 3 && f[3] != "00:00:00:00:00:00" {
			found = append(found, f[0])
		}
	}
	return found
}

// ownAddresses returns this machine's addresses.
func (m Hosts) ownAddresses() []string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var found []string
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			found = append(found, p.Addr().String())
		}
	}
	return found
}

// serverLine matches the host in a line of a configuration file.
var serverLine = lazyregexp.New(`^\s*(?:[Ss]erver|CacheServer)\s*=\s*[a-z]+://([^/:\s]+)`)

// configuredHosts returns the hosts in configuration files.
func (m Hosts) configuredHosts() []string {
	var found []string
	for _, f := range m.lines("/etc/hosts") {
		found = append(found, f...)
	}
	for _, path := range []string{"/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"} {
		text, _ := os.ReadFile(m.Root + path) // nil if it is unreadable
		found = append(found, machine.ParseNameServers(text)...)
	}
	for _, f := range m.lines("/etc/chrony.conf", "/etc/chrony/chrony.conf", "/etc/ntp.conf") {
		if len(f) > 1 && slices.Contains([]string{"server", "pool", "peer"}, f[0]) {
			found = append(found, f[1])
		}
	}
	for _, f := range m.lines(
		"/etc/systemd/timesyncd.conf.d/*.conf", "/usr/lib/systemd/timesyncd.conf.d/*.conf", "/etc/systemd/timesyncd.conf",
	) {
		key, first, ok := strings.Cut(strings.Join(f, " "), "=")
		if key = strings.TrimSpace(key); ok && (key == "NTP" || key == "FallbackNTP") {
			found = append(found, strings.Fields(first)...)
		}
	}
	for _, f := range m.lines("/etc/pacman.d/*", "/etc/pacman.conf") {
		if server := serverLine.FindStringSubmatch(strings.Join(f, " ")); server != nil {
			found = append(found, server[1])
		}
	}
	return found
}
