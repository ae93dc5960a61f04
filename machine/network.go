package machine

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/internal/sorting"
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
	out := fieldRows(text, 2, func(f []string) NetworkInterface {
		name, _, _ := strings.Cut(f[0], "@")
		return NetworkInterface{name, f[1], f[2:]}
	})
	return readable(out, len(out) > 0, "ip addr")
}

// NetworkLink is a row of ip -br link.
type NetworkLink struct{ Name, State, Address, Flags string }

// ParseLinks parses ip -br link (ip-link(8)): device, state, hardware address, flags.
func ParseLinks(text []byte) ([]NetworkLink, error) {
	out := fieldRows(text, 4, func(f []string) NetworkLink { return NetworkLink{f[0], f[1], f[2], f[3]} })
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

var (
	// WifiProbe lists the wireless networks in range.
	WifiProbe = Probe{"nmcli", "device", "wifi", "list"}
	// NetworkDevicesProbe lists the devices of NetworkManager.
	NetworkDevicesProbe = Probe{"nmcli", "-t", "-f", "DEVICE,TYPE,STATE,CONNECTION", "device", "status"}
	// NetworkStatusProbe shows the state of NetworkManager.
	NetworkStatusProbe = Probe{"nmcli", "general", "status"}
)

// SplitTerse splits a line of nmcli -t: fields are separated by colons, and a colon within a field is escaped
// (nmcli(1)).
func SplitTerse(line string) []string {
	var out []string
	var field strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			field.WriteByte(line[i])
		case line[i] == ':':
			out = append(out, field.String())
			field.Reset()
		default:
			field.WriteByte(line[i])
		}
	}
	return append(out, field.String())
}

// AccessPoint is one row of nmcli device wifi list.
type AccessPoint struct {
	SSID, Security string
	Signal         int
	InUse          bool
}

var wifiRow = pattern(`^(\*)?\s*(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}\s+)?(.*?)\s+(?:Infra|Ad-Hoc|Mesh|N/A)\s+\d+\s+\d+\s\S+\s+(\d{1,3})\s+\S+\s*(.*)$`)

// ParseWifi parses the table of nmcli device wifi list (nmcli(1)). Names can contain blanks and any script. Of several
// access points of one network it keeps the strongest.
func ParseWifi(text []byte) ([]AccessPoint, error) {
	var out []AccessPoint
	for _, line := range Lines(text) {
		f := wifiRow().FindStringSubmatch(line)
		if f == nil {
			continue
		}
		signal, err := strconv.Atoi(f[3])
		if err != nil || signal > 100 {
			continue
		}
		ap := AccessPoint{SSID: strings.TrimSpace(f[2]), Signal: signal, Security: strings.TrimSpace(f[4]), InUse: f[1] == "*"}
		same := slices.IndexFunc(out, func(o AccessPoint) bool { return o.SSID == ap.SSID && ap.SSID != "--" })
		switch {
		case same < 0:
			out = append(out, ap)
		case ap.InUse || ap.Signal > out[same].Signal && !out[same].InUse:
			out[same] = ap
		}
	}
	sorting.Stably(out, func(a, b AccessPoint) int { return b.Signal - a.Signal })
	return readable(out, len(out) > 0 || strings.Contains(string(text), "SSID"), "nmcli device wifi list")
}

// NetworkDevice is one row of nmcli device status.
type NetworkDevice struct{ Name, Kind, State, Connection string }

// ParseNetworkDevices parses nmcli -t -f DEVICE,TYPE,STATE,CONNECTION device status.
func ParseNetworkDevices(text []byte) ([]NetworkDevice, error) {
	return rows(lineRows(text, func(line string) (d NetworkDevice, ok bool) {
		if f := SplitTerse(line); len(f) == 4 {
			d = NetworkDevice{f[0], f[1], f[2], f[3]}
		}
		return d, d.Name != "" && d.State != ""
	}), text, "nmcli device status")
}

// ParseNetworkStatus parses nmcli general status: a line of headings, and the values below them.
func ParseNetworkStatus(text []byte) (map[string]string, error) {
	lines := Lines(text)
	if len(lines) != 2 {
		return nil, &UnreadableError{Source: "nmcli general status"}
	}
	out := map[string]string{}
	for at := 0; at < min(len(lines[0]), len(lines[1])); {
		heading, _, _ := strings.Cut(lines[0][at:], " ")
		value, _, _ := strings.Cut(lines[1][at:], "  ")
		out[heading] = strings.TrimSpace(value)
		at += len(heading)
		at += len(lines[0][at:]) - len(strings.TrimLeft(lines[0][at:], " "))
	}
	return out, nil
}

var pingTime = pattern(`(?:time|시간|时间)[=<]\s*([\d.]+)\s*(?:ms|밀리초|毫秒)?`)

// ParsePing returns the round trip of the first answer in ping's output (ping(8)), in milliseconds as printed.
func ParsePing(text []byte) (string, error) {
	m := pingTime().FindSubmatch(text)
	if m == nil {
		return "", &UnreadableError{Source: "ping"}
	}
	return string(m[1]), nil
}

// SocketsProbe lists the ports on which programs listen.
var SocketsProbe = Probe{"ss", "-tulpn"}

// Listener is one port that a program listens on.
type Listener struct {
	Protocol, Port, Program string
	Outside                 bool
}

var socketUsers = pattern(`users:\(\("([^"]+)",pid=(\d+)`)

// ParseSockets parses ss -tulpn (ss(8)): Netid State Recv-Q Send-Q Local Peer Process. IPv4 and IPv6 of one
// port are one listener.
func ParseSockets(text []byte) ([]Listener, error) {
	var out []Listener
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		if len(f) < 5 || f[0] != "tcp" && f[0] != "udp" {
			continue
		}
		i := strings.LastIndexByte(f[4], ':')
		if i < 0 {
			continue
		}
		address, port := f[4][:i], f[4][i+1:]
		if _, err := strconv.Atoi(port); err != nil {
			continue
		}
		l := Listener{Protocol: f[0], Port: port, Outside: !hasAnyPrefix(address, "127.", "[::1]", "localhost")}
		if m := socketUsers().FindStringSubmatch(line); m != nil {
			l.Program = fmt.Sprintf("%s (PID %s)", m[1], m[2])
		}
		same := slices.IndexFunc(out, func(o Listener) bool { return o.Port == l.Port && o.Protocol == l.Protocol })
		if same < 0 {
			out = append(out, l)
			continue
		}
		out[same].Outside = out[same].Outside || l.Outside
		if out[same].Program == "" {
			out[same].Program = l.Program
		}
	}
	return readable(out, len(out) > 0 || strings.HasPrefix(string(text), "Netid"), "ss")
}

// RadiosProbe shows which radios are blocked. It reads the kernel's files, because rfkill(8) needs a device that
// sandboxed commands cannot access.
var RadiosProbe = Probe{
	"grep", "-s", ".", "/sys/class/rfkill/rfkill*/type", "/sys/class/rfkill/rfkill*/soft", "/sys/class/rfkill/rfkill*/hard",
}

// Radio is one transmitter and what blocks it (Linux Documentation/driver-api/rfkill.rst).
type Radio struct {
	ID, Kind   string // "rfkill0", "wlan" or "bluetooth"
	Soft, Hard bool
}

// ParseRadios parses "/sys/class/rfkill/rfkill0/soft:1".
func ParseRadios(text []byte) ([]Radio, error) {
	var out []Radio
	for _, line := range Lines(text) {
		file, value, ok := strings.Cut(line, ":")
		if !ok || !strings.HasPrefix(file, "/sys/class/rfkill/rfkill") {
			continue
		}
		id := path.Base(path.Dir(file))
		at := slices.IndexFunc(out, func(r Radio) bool { return r.ID == id })
		if at < 0 {
			out, at = append(out, Radio{ID: id}), len(out)
		}
		switch path.Base(file) {
		case "type":
			out[at].Kind = value
		case "soft":
			out[at].Soft = value == "1"
		case "hard":
			out[at].Hard = value == "1"
		}
	}
	return rows(out, text, "rfkill")
}

var (
	// NetworkingProbe shows whether NetworkManager manages the network (nmcli(1), "networking").
	NetworkingProbe = Probe{"nmcli", "networking"}
	// WifiRadioProbe shows whether Wi-Fi is on (nmcli(1), "radio").
	WifiRadioProbe = Probe{"nmcli", "radio", "wifi"}
	// ActiveProfilesProbe lists the connections that are up (nmcli(1), "connection show").
	ActiveProfilesProbe = Probe{"nmcli", "-t", "-f", "NAME,UUID,STATE", "connection", "show", "--active"}
	// BlockedRadiosProbe shows the same as [RadiosProbe], without a shell.
	BlockedRadiosProbe = Probe{
		"find", "-L", "/sys/class/rfkill", "-mindepth", "2", "-maxdepth", "2", "-regex", `.*/\(type\|soft\|hard\)`,
		"-exec", "grep", "-H", ".", "{}", "+",
	}
)

// ParseEnabled parses a switch of nmcli: "enabled" or "disabled" (NetworkManager, src/nmcli/general.c).
func ParseEnabled(text []byte) (bool, error) {
	value := strings.TrimSuffix(string(text), "\n")
	return readable(value == "enabled", value == "enabled" || value == "disabled", "nmcli")
}

// ActiveProfile is a connection that is up or becomes so.
type ActiveProfile struct{ Name, UUID, State string }

// ParseActiveProfiles parses nmcli -t -f NAME,UUID,STATE connection show --active. It prints nothing if none is up.
func ParseActiveProfiles(text []byte) ([]ActiveProfile, error) {
	var out []ActiveProfile
	for line := range strings.Lines(string(text)) {
		f := SplitTerse(strings.TrimSuffix(line, "\n"))
		if len(f) != 3 || f[0] == "" || len(f[1]) != 36 {
			return nil, &UnreadableError{"nmcli", line}
		}
		out = append(out, ActiveProfile{f[0], f[1], f[2]})
	}
	return out, nil
}

// ProfileDNSProbe shows the name servers of a connection, for IPv4 or IPv6 (nmcli(1), "connection show";
// nm-settings-nmcli(5), "ipv4.dns" and "ipv4.ignore-auto-dns").
func ProfileDNSProbe(profile, family string) Probe {
	return Probe{"nmcli", "-g", family + ".dns," + family + ".ignore-auto-dns", "connection", "show", profile}
}

// ProfileDNS are the name servers of a connection.
type ProfileDNS struct {
	Servers    []string
	IgnoreAuto bool // those that the network announces are not used
}

// ParseProfileDNS parses nmcli -g ipv4.dns,ipv4.ignore-auto-dns: a line each. The first one is empty without servers.
func ParseProfileDNS(text []byte) (ProfileDNS, error) {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) != 2 || lines[1] != "yes" && lines[1] != "no" {
		return ProfileDNS{}, &UnreadableError{Source: "nmcli"}
	}
	servers := strings.FieldsFunc(strings.Join(SplitTerse(lines[0]), ":"), func(r rune) bool { return r == ',' || r == ' ' })
	return ProfileDNS{servers, lines[1] == "yes"}, nil
}

// AutoconnectProbe shows whether a connection is made by itself (nm-settings-nmcli(5), "connection.autoconnect").
func AutoconnectProbe(profile string) Probe {
	return Probe{"nmcli", "-g", "connection.autoconnect", "connection", "show", profile}
}
