package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
