package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
)

// listener is one port that a program listens on.
type listener struct {
	protocol, port, program string
	outside                 bool
}

var socketUsers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`users:\(\("([^"]+)",pid=(\d+)`) })

// parseSockets parses ss -tulpn (ss(8)): Netid State Recv-Q Send-Q Local Peer Process. IPv4 and IPv6 of one
// port are one listener.
func parseSockets(text string) []listener {
	var out []listener
	for _, line := range outputLines(text) {
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
		l := listener{protocol: f[0], port: port, outside: !hasAnyPrefix(address, "127.", "[::1]", "localhost")}
		if m := socketUsers().FindStringSubmatch(line); m != nil {
			l.program = fmt.Sprintf("%s (PID %s)", m[1], m[2])
		}
		same := slices.IndexFunc(out, func(o listener) bool { return o.port == l.port && o.protocol == l.protocol })
		if same < 0 {
			out = append(out, l)
			continue
		}
		out[same].outside = out[same].outside || l.outside
		if out[same].program == "" {
			out[same].program = l.program
		}
	}
	return out
}

func (r *result) ports() Reply {
	s := &r.steps[0]
	list := parseSockets(s.Stdout)
	if len(list) == 0 {
		if s.Exit != 0 || len(outputLines(s.Stdout)) > 1 {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperNetworkPortsNone)}
	}
	if port := r.portAsked(); port != "" {
		return r.onePort(port, list)
	}
	var lines []string
	for _, l := range list[:min(15, len(list))] {
		lines = append(lines, fmt.Sprintf("%s/%s: %s, %s", l.port, l.protocol, r.programName(l), r.reach(l)))
	}
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("… (+%d)", more))
	}
	return Reply{Text: joinBlocks(r.say(i18n.HelperNetworkPortsOpen(len(list))), bullets(lines))}
}

func (r *result) portAsked() string {
	if r.ask == nil {
		return ""
	}
	return r.ask.Port()
}

func (r *result) onePort(port string, list []listener) Reply {
	for _, l := range list {
		if l.port == port {
			return Reply{Text: r.say(i18n.HelperNetworkPortUsed(port, r.programName(l), l.protocol+", "+r.reach(l)))}
		}
	}
	return Reply{Text: r.say(i18n.HelperNetworkPortFree(port))}
}

func (r *result) programName(l listener) string {
	if l.program == "" {
		return r.say(i18n.HelperNetworkPortUnknown)
	}
	return l.program
}

func (r *result) reach(l listener) string {
	if l.outside {
		return r.say(i18n.HelperNetworkPortOutside)
	}
	return r.say(i18n.HelperNetworkPortLocal)
}
