package ollama

import (
	"bufio"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// firstPerson is the first user id of people, login.defs(5) UID_MIN; below it
// are services, such as ollama's own.
const firstPerson = 1000

// Trusted reports whether nobody but root, a service or the user with an id
// listens at a server's port on this computer. Anybody here can open the port;
// what is found without being asked for must not be another person's. A server
// elsewhere was named by somebody and is trusted. root is "/" but for tests.
//
// Format: Linux, Documentation/networking/proc_net_tcp.rst.
func Trusted(root, server string, uid int) bool {
	u, err := url.Parse(server)
	if err != nil {
		return false
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return true
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return false
	}
	for _, table := range []string{"tcp", "tcp6"} {
		for _, owner := range listeners(filepath.Join(root, "proc/net", table), port) {
			if owner >= firstPerson && owner != uid {
				return false
			}
		}
	}
	return true
}

// listening is TCP_LISTEN, include/net/tcp_states.h.
const listening = "0A"

// listeners are the user ids of the sockets that listen at a port.
func listeners(table string, port int) []int {
	f, err := os.Open(table)
	if err != nil {
		return nil
	}
	defer f.Close()
	var owners []int
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 8 || fields[3] != listening {
			continue
		}
		_, hex, _ := strings.Cut(fields[1], ":")
		if at, err := strconv.ParseUint(hex, 16, 16); err != nil || int(at) != port {
			continue
		}
		if owner, err := strconv.Atoi(fields[7]); err == nil {
			owners = append(owners, owner)
		}
	}
	return owners
}
