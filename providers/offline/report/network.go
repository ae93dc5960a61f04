package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

func (r *result) network() Reply {
	switch r.str("scope") {
	case "ip":
		return r.addresses()
	case "ports":
		return r.ports()
	case "connectivity":
		return r.connectivity()
	}
	return r.wifi()
}

func (r *result) wifi() Reply {
	s := &r.steps[0]
	if strings.Contains(s.Stderr+s.Stdout, "NetworkManager is not running") {
		return r.managerStopped()
	}
	list := read(machine.ParseWifi, s.Stdout)
	if len(list) == 0 {
		lines := machine.Lines(s.Stdout)
		strange := len(lines) > 1 || len(lines) == 1 && !strings.Contains(lines[0], "SSID")
		return r.noneReply(s, s.Exit != 0 || s.TimedOut || strange, i18n.HelperNetworkWifiNone)
	}
	head := r.say(i18n.HelperNetworkWifiIdle)
	var lines []string
	for _, ap := range list {
		name := ap.SSID
		if name == "--" || name == "" {
			name = r.say(i18n.HelperNetworkHiddenName)
		}
		if ap.InUse {
			head = r.say(i18n.HelperNetworkWifiCurrent(name, ap.Signal))
			head = joinBlocks(head, r.sayIf(ap.Signal < 40, i18n.HelperNetworkWifiWeak))
		}
		security := ap.Security
		if security == "" || security == "--" {
			security = r.say(i18n.HelperNetworkOpenNetwork)
		}
		lines = append(lines, r.say(i18n.HelperNetworkWifiRow(name, ap.Signal, security)))
	}
	return Reply{Text: joinBlocks(head, r.say(i18n.HelperNetworkWifiList(len(list))), bullets(lines[:min(8, len(lines))]))}
}

func (r *result) managerStopped() Reply {
	start := intent.Call("manage_service", "action", "start", "name", "NetworkManager")
	return Reply{Text: r.say(i18n.HelperNetworkNmStopped)}.offering(start, r.say(i18n.HelperNetworkAskStartNm))
}

// addressesOf returns the addresses in ip -br addr with their devices. Loopback and link-local addresses do not show
// a connection and are skipped.
func addressesOf(text string) []string {
	var out []string
	for _, d := range read(machine.ParseAddresses, text) {
		if d.Name == "lo" || d.State == "DOWN" || hasAnyPrefix(d.Name, "docker", "veth", "br-", "virbr") {
			continue
		}
		for _, a := range d.Addresses {
			if addr, _, ok := strings.Cut(a, "/"); ok && !hasAnyPrefix(addr, "fe80:", "169.254.", "127.", "::1") {
				out = append(out, d.Name+" "+addr)
			}
		}
	}
	return out
}

func defaultRoute(text string) machine.Route {
	all := append(read(machine.ParseRoutes, text), machine.Route{Destination: "default"})
	return all[slices.IndexFunc(all, func(r machine.Route) bool { return r.Destination == "default" })]
}

// defaultGateway names the default route of ip route; "" if there is none.
func defaultGateway(text string) string {
	r := defaultRoute(text)
	if r.Gateway == "" && r.Device != "" {
		return r.Device + " (dev)"
	}
	return r.Gateway
}

// connectivity reports the first broken layer, bottom up: device and address, route, internet, names.
func (r *result) connectivity() Reply {
	link, route, ping, dns := r.step("ip -br addr"), r.step("ip route"), r.step("ping"), r.step("getent")
	var layers []string
	addresses := []string{"?"}
	if isUsable(link) {
		if addresses = addressesOf(link.Stdout); len(addresses) == 0 {
			return r.offlineReply(r.say(i18n.HelperNetworkNoLink), layers)
		}
		layers = append(layers, r.say(i18n.HelperNetworkLayerLink(firstOf(addresses, 3))))
	}
	gateway := "?"
	if isUsable(route) {
		if gateway = defaultGateway(route.Stdout); gateway == "" {
			return r.offlineReply(r.say(i18n.HelperNetworkNoRoute(addresses[0])), layers)
		}
		layers = append(layers, r.say(i18n.HelperNetworkLayerRoute(gateway)))
	}
	delay, tested := "", hasPinged(ping)
	if tested {
		if ping.Exit != 0 {
			return r.offlineReply(r.say(i18n.HelperNetworkNoPing(gateway)), layers)
		}
		if ms, ok := tryRead(machine.ParsePing, ping.Stdout); ok {
			delay = ms
			layers = append(layers, r.say(i18n.HelperNetworkLayerPing(delay)))
		}
	}
	switch {
	case isNameMissing(dns):
		return r.offlineReply(r.namesFail(ping), layers)
	case isNameFound(dns):
		layers = append(layers, r.say(i18n.HelperNetworkLayerDns))
	}
	if !tested {
		return r.untestedReply(ping, isNameFound(dns), layers)
	}
	head := r.say(i18n.HelperNetworkOnline)
	if ms, ok := machine.ParseNumber(delay); ok && ms > 300 {
		head = r.say(i18n.HelperNetworkOnlineButSlow(delay))
	}
	if !r.asksAbout("cause", "why") {
		head = r.polar(true, head)
	}
	return Reply{Text: joinBlocks(head, bullets(layers))}
}

// hasPinged reports whether ping ran, with any result. Without the right to send packets it tests nothing.
func hasPinged(s *providers.Step) bool {
	if !isUsable(s) || s.TimedOut {
		return false
	}
	_, tested := machine.PingAnswers(s.Stdout, s.Stderr, s.Exit)
	return tested
}

// isNameMissing reports whether getent found no such name: it exits 2 (getent(1)).
func isNameMissing(s *providers.Step) bool { return isUsable(s) && !s.TimedOut && s.Exit == 2 }

func isNameFound(s *providers.Step) bool { return isUsable(s) && !s.TimedOut && s.Exit == 0 }

// namesFail reports that name resolution fails. Only a successful ping shows that the internet is reachable anyway.
func (r *result) namesFail(ping *providers.Step) string {
	if hasPinged(ping) {
		return r.say(i18n.HelperNetworkNoDns)
	}
	return joinBlocks(r.say(i18n.HelperNetworkNoDnsUntested), r.untestedReason(ping))
}

// untestedReply reports what is known if ping could not run.
func (r *result) untestedReply(ping *providers.Step, names bool, layers []string) Reply {
	head := r.sayIf(names, i18n.HelperNetworkNamesOnly)
	return Reply{Text: joinBlocks(head, r.untestedReason(ping), bullets(layers))}
}

func (r *result) untestedReason(ping *providers.Step) string {
	why := ""
	switch {
	case ping == nil:
	case ping.MissingProgram != "":
		why = r.missingText(ping.MissingProgram)
	case ping.Exit != 0 || ping.TimedOut:
		why = r.failureText(ping)
	}
	return joinBlocks(r.say(i18n.HelperNetworkUntested), why)
}

func isUsable(s *providers.Step) bool { return s != nil && s.MissingProgram == "" }

func (r *result) offlineReply(finding string, layers []string) Reply {
	if !r.asksAbout("cause", "why") && r.ask != nil && r.ask.HasQuestionMark() {
		finding = r.polar(false, finding)
	}
	if s := r.step("nmcli"); s != nil && strings.Contains(s.Stderr+s.Stdout, "NetworkManager is not running") {
		rep := r.managerStopped()
		rep.Text = joinBlocks(finding, rep.Text)
		return rep
	}
	logs := intent.Call("read_logs", "unit", "NetworkManager", "since", "1 hour ago")
	return Reply{Text: joinBlocks(finding, bullets(layers))}.offering(logs, r.say(i18n.HelperNetworkAskNetworkLogs))
}

// oneInterface answers a question about a named interface from "ip -br addr": its state and addresses, or that
// it does not exist.
func (r *result) oneInterface() (Reply, bool) {
	if r.ask == nil || r.ask.Interface() == "" {
		return Reply{}, false
	}
	s := r.step("ip -br addr")
	if s == nil || s.Exit != 0 || strings.TrimSpace(s.Stdout) == "" {
		return Reply{}, false
	}
	named := r.ask.Interface()
	all := read(machine.ParseAddresses, s.Stdout)
	there := names(all, 8, func(d machine.NetworkInterface) string { return d.Name })
	text := i18n.HelperNetworkNoInterface(named, there)
	if i := slices.IndexFunc(all, func(d machine.NetworkInterface) bool { return d.Name == named }); i >= 0 {
		switch d := all[i]; {
		case d.State == "UP" && len(d.Addresses) > 0:
			text = i18n.HelperNetworkInterfaceUp(d.Name, strings.Join(d.Addresses, ", "))
		case d.State == "UP" || d.State == "UNKNOWN":
			text = i18n.HelperNetworkInterfaceBare(d.Name, d.State)
		default:
			text = i18n.HelperNetworkInterfaceDown(d.Name, d.State)
		}
	}
	return Reply{Text: r.say(text)}, true
}

func (r *result) addresses() Reply {
	if rep, ok := r.oneInterface(); ok {
		return rep
	}
	s := r.step("addr")
	if !isUsable(s) {
		s = &r.steps[0]
	}
	list := addressesOf(s.Stdout)
	if len(list) == 0 {
		return r.noneReply(s, s.Exit != 0, i18n.HelperNetworkNoAddress)
	}
	_, first, _ := strings.Cut(list[0], " ")
	lines := slices.Clone(list)
	if route := r.step("route"); isUsable(route) {
		lines = append(lines, nonEmpty(r.fact(i18n.HelperNetworkLayerRoute, defaultGateway(route.Stdout)))...)
	}
	rep := Reply{Text: joinBlocks(r.say(i18n.HelperNetworkAddress(first)), bullets(lines))}
	if hasAnyPrefix(first, "10.", "192.168.", "172.") {
		rep.Text = joinBlocks(rep.Text, r.say(i18n.HelperNetworkPublicNote))
	}
	return rep
}

func (r *result) ports() Reply {
	s := &r.steps[0]
	list := read(machine.ParseSockets, s.Stdout)
	if len(list) == 0 {
		if s.Exit != 0 || len(machine.Lines(s.Stdout)) > 1 {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperNetworkPortsNone)}
	}
	if port := r.portAsked(); port != "" {
		return r.onePort(port, list)
	}
	slices.SortStableFunc(list, func(a, b machine.Listener) int { // the ports others can reach are not cut off
		switch {
		case a.Outside == b.Outside:
			return 0
		case a.Outside:
			return -1
		}
		return 1
	})
	var lines []string
	for _, l := range list[:min(15, len(list))] {
		lines = append(lines, fmt.Sprintf("%s/%s: %s, %s", l.Port, l.Protocol, r.programName(l), r.reach(l)))
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

func (r *result) onePort(port string, list []machine.Listener) Reply {
	for _, l := range list {
		if l.Port == port {
			return Reply{Text: r.say(i18n.HelperNetworkPortUsed(port, r.programName(l), l.Protocol+", "+r.reach(l)))}
		}
	}
	return Reply{Text: r.say(i18n.HelperNetworkPortFree(port))}
}

func (r *result) programName(l machine.Listener) string {
	if l.Program == "" {
		return r.say(i18n.HelperNetworkPortUnknown)
	}
	return l.Program
}

func (r *result) reach(l machine.Listener) string {
	if l.Outside {
		return r.say(i18n.HelperNetworkPortOutside)
	}
	return r.say(i18n.HelperNetworkPortLocal)
}
