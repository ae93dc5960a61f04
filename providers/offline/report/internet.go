package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	connectivity = intent.Call("check_network", "scope", "connectivity")
	links        = command(machine.LinksProbe.String())
	resolvConf   = command(machine.NameServersProbe.String())
	activeNets   = command("nmcli -t -f NAME,TYPE,DEVICE connection show --active")
)

// internet checks from the radio up to name resolution and stops at the first broken layer. If all work, it
// reports the first step.
func (q *inquiry) internet() Reply {
	f := q.checkLayers(q.first)
	if f == nil && len(q.needed) == 0 {
		return q.toolReply(q.first)
	}
	if f != nil && f.verdict != q.say(i18n.HelperInternetPingFiltered) && q.Request != nil && q.Request.HasQuestionMark() && !q.asksAbout("cause", "why") {
		f.verdict = q.say(i18n.HelperResultNo) + f.verdict
	}
	return f.reply()
}

// checkLayers checks the layers of one connectivity result.
func (q *inquiry) checkLayers(s intent.Step) *finding {
	r := q.resultOf(s)
	if r == nil || r.out == nil || r.out.Refusal != "" {
		return nil
	}
	n := &network{inquiry: q, result: r}
	return q.firstBroken(n.cable, n.lease, n.portal, n.gateway, n.nameResolution)
}

// network is a connectivity result in which to find the broken layer.
type network struct {
	*inquiry
	result *result
}

func (n *network) out(part string) string {
	if s := n.result.step(part); isUsable(s) {
		return s.Stdout
	}
	return ""
}

// status returns a column of nmcli general status by its heading.
func (n *network) status(heading string) string {
	return read(machine.ParseNetworkStatus, n.out("nmcli general"))[heading]
}

// cable reports why no device has an address: radio off, cable unplugged, no lease.
func (n *network) cable() *finding {
	if !isUsable(n.result.step("ip -br addr")) || len(addressesOf(n.out("ip -br addr"))) > 0 {
		return nil
	}
	if s := n.result.step("nmcli"); s != nil && strings.Contains(s.Stderr+s.Stdout, "NetworkManager is not running") {
		return n.stoppedManager()
	}
	if !n.collect(links, radioBlocks) {
		return nil
	}
	wired, wireless := deadLinks(read(machine.ParseLinks, n.stdout(links)))
	radioOff := n.wifiRadio()
	if radioOff == nil && n.status("WIFI-HW") == "enabled" {
		radioOff = n.switchedOff("enabled", n.status("WIFI"))
	}
	switch {
	case radioOff != nil && (wireless || wired == ""):
		return radioOff
	case wired != "":
		return n.found(i18n.HelperInternetCableOut(wired))
	}
	return nil
}

func (n *network) stoppedManager() *finding {
	return n.found(i18n.HelperNetworkNmStopped).
		propose(intent.Call("manage_service", "action", "start", "name", "NetworkManager"),
			n.say(i18n.HelperWirelessAskStartManager))
}

// deadLinks returns the wired device without a carrier, and whether there is a wireless one.
func deadLinks(links []machine.NetworkLink) (wired string, wireless bool) {
	for _, l := range links {
		switch {
		case strings.HasPrefix(l.Name, "wl"):
			wireless = true
		case hasAnyPrefix(l.Name, "en", "eth") && strings.Contains(l.Flags, "NO-CARRIER") && wired == "":
			wired = l.Name
		}
	}
	return wired, wireless
}

// lease reports a device that is up but has no address from DHCP.
func (n *network) lease() *finding {
	if len(addressesOf(n.out("ip -br addr"))) > 0 || !isUsable(n.result.step("ip -br addr")) {
		return nil
	}
	device, address := deviceWithoutLease(read(machine.ParseAddresses, n.out("ip -br addr")))
	if device == "" {
		return nil
	}
	address = cmp.Or(address, n.say(i18n.HelperInternetNoUsableAddr))
	f := n.found(i18n.HelperInternetNoAddressDhcp(device), n.say(i18n.HelperInternetAddressState(device, address)))
	f.meaning = n.say(i18n.HelperInternetGatewayMeans)
	n.reconnect(f, device)
	return f
}

// reconnect offers to bring the device's connection up again.
func (n *network) reconnect(f *finding, device string) {
	if word := quoteWord(device); word != "" && n.result.step("nmcli") != nil && n.result.step("nmcli").MissingProgram == "" {
		n.proposeCommand(f, "nmcli device connect "+word, i18n.HelperWirelessAskReconnect)
	}
}

// deviceWithoutLease returns a device that is up with no address except a link-local one.
func deviceWithoutLease(all []machine.NetworkInterface) (device, address string) {
	for _, d := range all {
		if d.State != "UP" || hasAnyPrefix(d.Name, "lo", "docker", "veth", "br-", "virbr") {
			continue
		}
		if i := slices.IndexFunc(d.Addresses, func(s string) bool { return strings.HasPrefix(s, "169.254.") }); i >= 0 {
			return d.Name, d.Addresses[i]
		}
		device = cmp.Or(device, d.Name)
	}
	return device, ""
}

func (n *network) portal() *finding {
	if n.status("CONNECTIVITY") != "portal" {
		return nil
	}
	return &finding{verdict: n.say(i18n.HelperInternetPortal), evidence: []string{n.say(i18n.HelperInternetPortalLine)}, meaning: n.say(i18n.HelperInternetPortalMeans)}
}

// gateway reports whether the router, a VPN or the provider fails.
func (n *network) gateway() *finding {
	if ping := n.result.step("ping"); !hasPinged(ping) || ping.Exit == 0 {
		return nil
	}
	route := defaultRoute(n.out("ip route"))
	via, device := route.Gateway, route.Device
	if hasAnyPrefix(device, "tun", "wg", "ppp", "tailscale", "proton", "nordlynx") {
		return n.tunnel(device)
	}
	resolves := isNameFound(n.result.step("getent"))
	if via == "" || quoteWord(via) != via {
		return nil
	}
	near := command("ping -c 1 -W 2 " + via)
	if !n.collect(near) {
		return nil
	}
	answer := n.output(near, "")
	switch {
	case resolves:
		return n.found(i18n.HelperInternetPingFiltered, n.gatewayFact(via, answer))
	case !hasPinged(answer):
		return nil
	case answer.Exit != 0:
		f := &finding{verdict: n.say(i18n.HelperInternetGatewayDead(via)), evidence: []string{n.say(i18n.HelperInternetGatewayLine(via, near.Input["command"].(string)))}, meaning: n.say(i18n.HelperInternetGatewayMeans)}
		n.reconnect(f, device)
		return f
	}
	return &finding{verdict: n.say(i18n.HelperInternetProviderDead), evidence: []string{n.gatewayFact(via, answer)}, meaning: n.say(i18n.HelperInternetProviderMeans)}
}

func (n *network) gatewayFact(via string, ping *providers.Step) string {
	if !hasPinged(ping) || ping.Exit != 0 {
		return n.say(i18n.HelperInternetGatewayLine(via, "ping -c 1 -W 2 "+via))
	}
	if ms, ok := tryRead(machine.ParsePing, ping.Stdout); ok {
		return n.say(i18n.HelperInternetGatewayGood(via, ms))
	}
	return n.say(i18n.HelperInternetGatewayUp(via))
}

func (n *network) tunnel(device string) *finding {
	if !n.collect(activeNets) {
		return nil
	}
	f := n.found(i18n.HelperInternetVpnDead(device), n.say(i18n.HelperInternetVpnLine(device)))
	for _, line := range machine.Lines(n.stdout(activeNets)) {
		c := machine.SplitTerse(line)
		if len(c) != 3 || c[2] != device && c[1] != "vpn" && c[1] != "wireguard" {
			continue
		}
		if word := quoteWord(c[0]); word != "" {
			n.proposeCommand(f, "nmcli connection down id "+word, i18n.HelperInternetAskVpnDown)
			break
		}
	}
	return f
}

// nameResolution reports why name resolution fails although the internet is reachable.
func (n *network) nameResolution() *finding {
	ping, dns := n.result.step("ping"), n.result.step("getent")
	if !hasPinged(ping) || ping.Exit != 0 || !isNameMissing(dns) {
		return nil
	}
	if !n.collect(resolvConf, unitStateStep(false, "systemd-resolved")) || n.output(resolvConf, "") == nil {
		return nil
	}
	servers := machine.ParseNameServers([]byte(n.stdout(resolvConf)))
	servers = servers[:min(3, len(servers))] // the C library reads no more, resolv.conf(5)
	state := unitStates(n.anyStdout(unitStateStep(false, "systemd-resolved")), "systemd-resolved")["systemd-resolved"]
	f := &finding{}
	f.note(n.fact(i18n.HelperInternetNetReady, read(machine.ParsePing, ping.Stdout)), n.say(i18n.HelperInternetNamesLine))
	n.nameTrouble(f, servers, state)
	return f
}

func (n *network) nameTrouble(f *finding, servers []string, state string) {
	restart := intent.Call("manage_service", "action", "restart", "name", "NetworkManager")
	switch {
	case len(servers) == 0:
		f.verdict = n.say(i18n.HelperInternetResolvEmpty)
		f.note(n.say(i18n.HelperInternetServersNone))
	case slices.ContainsFunc(servers, isStub) && state != "" && state != "active":
		f.verdict = n.say(i18n.HelperInternetResolvedDown)
		f.note(n.say(i18n.HelperInternetServersLine(strings.Join(servers, ", "))), n.say(i18n.HelperInternetResolvedLine(state)))
		f.propose(intent.Call("manage_service", "action", "start", "name", "systemd-resolved"), n.say(i18n.HelperInternetAskStartResolved))
		return
	default:
		f.verdict = n.say(i18n.HelperInternetServerDead(strings.Join(servers, ", ")))
		f.note(n.say(i18n.HelperInternetServersLine(strings.Join(servers, ", "))))
	}
	if isUsable(n.result.step("nmcli")) {
		f.propose(restart, n.say(i18n.HelperWirelessAskRestartManager))
	}
}

// isStub reports whether a name server is systemd-resolved's own.
func isStub(server string) bool { return server == "127.0.0.53" || server == "127.0.0.54" }

// delay reports the ping time, "" if there was no answer.
func (q *inquiry) delay() string {
	if !q.internetAnswers() {
		return ""
	}
	return q.fact(i18n.HelperInternetNetReady, read(machine.ParsePing, q.resultOf(connectivity).step("ping").Stdout))
}

// internetAnswers reports whether the connectivity step reached the internet.
func (q *inquiry) internetAnswers() bool {
	r := q.resultOf(connectivity)
	return r != nil && hasPinged(r.step("ping")) && r.step("ping").Exit == 0
}
