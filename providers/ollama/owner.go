package ollama

import (
	"bufio"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// firstUserID is the lowest user id of a person (login.defs(5) UID_MIN). Lower ids belong to services, such as
// ollama's own.
const firstUserID = 1000

// IsTrusted reports whether only root, services or the user with the given id listen on a local server's port.
// Any local user can open the port, and a server that is found automatically must not belong to another user.
// Servers elsewhere were configured explicitly and are trusted. A server is not trusted if the owner of its port
// cannot be read. root is "/" except in tests.
//
// Format: Linux, Documentation/networking/proc_net_tcp.rst.
func IsTrusted(root, server string, uid int) bool {
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
	read := false
	for _, table := range []string{"tcp", "tcp6"} { // tcp6 is missing without IPv6
		owners, err := listeners(filepath.Join(root, "proc/net", table), port)
		read = read || err == nil
		if slices.ContainsFunc(owners, func(owner int) bool { return owner >= firstUserID && owner != uid }) {
			return false
		}
	}
	return read
}

// stateListen is TCP_LISTEN, include/net/tcp_states.h.
const stateListen = "0A"

// listeners returns the user ids of the sockets that listen on a port.
func listeners(table string, port int) (owners []int, err error) {
	f, err := os.Open(table)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 8 || fields[3] != stateListen {
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
	return owners, lines.Err()
}
