package check

import (
	"net/netip"
	"slices"

	"github.com/nidoit/blunux-ai/machine"
)

// parseRoutes reads the default routes. gateway is invalid for a point-to-point link.
func parseRoutes(text string) (gateway netip.Addr, routes int, ok bool) {
	list, err := machine.ParseRoutesJSON([]byte(text))
	if err != nil || slices.ContainsFunc(list, func(r machine.Route) bool { return r.Destination != "default" }) {
		return gateway, 0, false
	}
	if len(list) > 0 && list[0].Gateway != "" {
		a, err := netip.ParseAddr(list[0].Gateway)
		if err != nil || !a.Is4() {
			return gateway, 0, false
		}
		gateway = a
	}
	return gateway, len(list), true
}

// network checks for a default route and pings its gateway. It contacts no other host.
func network(l *look) {
	out, ok := l.run("network", machine.DefaultRouteProbe...)
	if !ok {
		return
	}
	gateway, routes, ok := parseRoutes(out.Stdout)
	switch {
	case !ok || out.Exit != 0 || out.Truncated:
		l.unknown("network", outputProblem(out), "ip")
		return
	case routes == 0:
		l.find(Finding{Key: "network:route", Severity: Warning, Code: "network_none", Fix: "nmcli device"})
		return
	case !gateway.IsValid():
		return
	}
	out, ok = l.run("network:gateway", "ping", "-n", "-c", "2", "-W", "2", gateway.String())
	switch {
	case !ok:
	case out.Exit == 1: // no answer (ping(8))
		l.find(Finding{Key: "network:gateway", Severity: Notice, Code: "network_gateway", Args: Args{Name: gateway.String()}})
	case out.Exit != 0:
		l.unknown("network:gateway", out.failure(), "ping")
	}
}
