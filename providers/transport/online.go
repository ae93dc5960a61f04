package transport

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// HasDefaultRoute reports whether this computer has an IPv4 or IPv6 default route. It reads the kernel's tables below
// root ("/" except in tests), which is fast and sends nothing. It returns true if neither table can be read. A
// route does not prove that servers can be reached.
//
// Formats: Linux, net/ipv4/fib_trie.c (fib_route_seq_show) and
// net/ipv6/route.c (rt6_info_route).
func HasDefaultRoute(root string) bool {
	four, fourErr := hasRoute(filepath.Join(root, "proc/net/route"), defaultRoute4)
	six, sixErr := hasRoute(filepath.Join(root, "proc/net/ipv6_route"), defaultRoute6)
	return four || six || fourErr != nil && sixErr != nil
}

// The flags of a route, linux/route.h and linux/ipv6_route.h.
const (
	routeUp     = 0x1
	routeReject = 0x200
)

func hasRoute(file string, is func(fields []string) bool) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if is(strings.Fields(lines.Text())) {
			return true, nil
		}
	}
	return false, lines.Err()
}

func defaultRoute4(f []string) bool {
	return len(f) >= 8 && f[1] == "00000000" && f[7] == "00000000" && parseFlags(f[3])&routeUp != 0 && parseFlags(f[3])&routeReject == 0
}

func defaultRoute6(f []string) bool {
	return len(f) >= 10 && strings.Trim(f[0], "0") == "" && f[1] == "00" && f[9] != "lo" && parseFlags(f[8])&routeUp != 0 && parseFlags(f[8])&routeReject == 0
}

func parseFlags(hex string) uint64 {
	v, _ := strconv.ParseUint(hex, 16, 32) // an invalid number has no flags
	return v
}
