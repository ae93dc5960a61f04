package machine

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// ParseListeners parses /proc/net/tcp or /proc/net/tcp6 (proc_pid_net(5)): the addresses at which programs listen. An
// address is printed as 32-bit words of this machine, of which all that this program runs on have the low byte first.
func ParseListeners(text []byte) ([]netip.AddrPort, error) {
	const listening = "0A"
	var out []netip.AddrPort
	lines := Lines(text)
	if len(lines) == 0 || !strings.HasPrefix(strings.TrimSpace(lines[0]), "sl ") {
		return nil, &UnreadableError{"/proc/net/tcp", strings.Join(lines[:min(len(lines), 1)], "")}
	}
	var bad error
	for _, line := range lines[1:] {
		f := strings.Fields(line)
		if len(f) < 4 {
			bad = &UnreadableError{"/proc/net/tcp", line}
			continue
		}
		address, ok := kernelAddress(f[1])
		if !ok {
			bad = &UnreadableError{"/proc/net/tcp", line}
		} else if f[3] == listening {
			out = append(out, address)
		}
	}
	return out, bad
}

// kernelAddress parses "0100007F:4965", 127.0.0.1:18789.
func kernelAddress(word string) (netip.AddrPort, bool) {
	host, port, _ := strings.Cut(word, ":")
	b, err := hex.DecodeString(host)
	if err != nil || len(b) != 4 && len(b) != 16 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	n, err := strconv.ParseUint(port, 16, 16)
	a, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(a.Unmap(), uint16(n)), ok && err == nil
}
