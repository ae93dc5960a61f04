package machine

import (
	"slices"
	"strconv"
	"strings"
)

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
	slices.SortStableFunc(out, func(a, b AccessPoint) int { return b.Signal - a.Signal })
	return readable(out, len(out) > 0 || strings.Contains(string(text), "SSID"), "nmcli device wifi list")
}

// NetworkDevice is one row of nmcli device status.
type NetworkDevice struct{ Name, Kind, State, Connection string }

// ParseNetworkDevices parses nmcli -t -f DEVICE,TYPE,STATE,CONNECTION device status.
func ParseNetworkDevices(text []byte) ([]NetworkDevice, error) {
	var out []NetworkDevice
	for _, line := range Lines(text) {
		if f := SplitTerse(line); len(f) == 4 && f[0] != "" && f[2] != "" {
			out = append(out, NetworkDevice{f[0], f[1], f[2], f[3]})
		}
	}
	return rows(out, text, "nmcli device status")
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
