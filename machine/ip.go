package machine

import (
	"encoding/json"
	"strings"
)

var (
	// AddressesProbe lists the network interfaces with their addresses.
	AddressesProbe = Probe{"ip", "-br", "addr"}
	// LinksProbe lists the network interfaces with their flags.
	LinksProbe = Probe{"ip", "-br", "link"}
	// RoutesProbe lists the routes.
	RoutesProbe = Probe{"ip", "route"}
	// DefaultRouteProbe lists the default routes of IPv4 as JSON.
	DefaultRouteProbe = Probe{"ip", "-j", "-4", "route", "show", "default"}
	// NameServersProbe shows the name servers.
	NameServersProbe = Probe{"cat", "/etc/resolv.conf"}
)

// NetworkInterface is a row of ip -br addr. The addresses have their prefix lengths.
type NetworkInterface struct {
	Name, State string
	Addresses   []string
}

// ParseAddresses parses ip -br addr (ip-address(8)): device, state, addresses.
func ParseAddresses(text []byte) ([]NetworkInterface, error) {
	var out []NetworkInterface
	for _, line := range Lines(text) {
		if f := strings.Fields(line); len(f) >= 2 {
			name, _, _ := strings.Cut(f[0], "@")
			out = append(out, NetworkInterface{name, f[1], f[2:]})
		}
	}
	return readable(out, len(out) > 0, "ip addr")
}

// NetworkLink is a row of ip -br link.
type NetworkLink struct{ Name, State, Address, Flags string }

// ParseLinks parses ip -br link (ip-link(8)): device, state, hardware address, flags.
func ParseLinks(text []byte) ([]NetworkLink, error) {
	var out []NetworkLink
	for _, line := range Lines(text) {
		if f := strings.Fields(line); len(f) >= 4 {
			out = append(out, NetworkLink{f[0], f[1], f[2], f[3]})
		}
	}
	return readable(out, len(out) > 0, "ip link")
}

// Route is a row of the routing table. Gateway is "" for a point-to-point link.
type Route struct {
	Destination string `json:"dst"`
	Gateway     string `json:"gateway"`
	Device      string `json:"dev"`
}

// ParseRoutes parses ip route (ip-route(8)): a destination, then "via" the gateway and "dev" the device.
func ParseRoutes(text []byte) ([]Route, error) {
	var out []Route
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		r := Route{Destination: f[0]}
		for i := 1; i+1 < len(f); i++ {
			switch f[i] {
			case "via":
				r.Gateway = f[i+1]
			case "dev":
				r.Device = f[i+1]
			}
		}
		out = append(out, r)
	}
	return rows(out, text, "ip route")
}

// ParseRoutesJSON parses ip -j route (ip-route(8)): a list of routes, the lowest metric first.
func ParseRoutesJSON(text []byte) ([]Route, error) {
	var out []Route
	return readable(out, json.Unmarshal(text, &out) == nil && out != nil, "ip route")
}

// ParseNameServers parses resolv.conf(5). A file without name servers is not an error.
func ParseNameServers(text []byte) []string {
	var out []string
	for _, line := range Lines(text) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "nameserver" {
			out = append(out, f[1])
		}
	}
	return out
}
