package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// wireGuardSilent finds an interface of WireGuard that sends and gets nothing back: its peer has not answered a
// handshake.
func wireGuardSilent(f *Facts) *Finding {
	lines, _ := f.shown(machine.WireGuardProbe)
	if len(lines) == 0 {
		return nil
	}
	traffic, _ := parse(f, machine.TrafficProbe, machine.ParseTraffic)
	for _, line := range lines {
		name, _, ok := strings.Cut(strings.TrimPrefix(line, "/sys/class/net/"), "/uevent:")
		i := slices.IndexFunc(traffic, func(t machine.Traffic) bool { return t.Device == name })
		if !ok || i < 0 || plain(name) != name || traffic[i].Received > 0 || traffic[i].Sent == 0 {
			continue
		}
		return proved(i18n.NetWireguard(name), seeLine(machine.WireGuardProbe, line),
			see(machine.TrafficProbe, i18n.NetWireguardSeen(name, size(float64(traffic[i].Sent))))).
			advise(i18n.NetWireguardAdvice(name))
	}
	return nil
}

// linkValues returns what resolvectl(1) lists for each interface.
func (f *Facts) linkValues(look machine.Probe) map[string][]string {
	all, _ := parse(f, look, machine.ParseLinkValues)
	values := map[string][]string{}
	for _, l := range all {
		values[l.Device] = l.Values
	}
	return values
}

// dnsLeak finds that a VPN takes all connections, and that another interface answers for names: systemd.network(5),
// Domains=.
func dnsLeak(f *Facts) *Finding {
	if !f.mentions(i18n.DiagnoseWordsVpn) {
		return nil
	}
	routes, _ := f.routes()
	i := slices.IndexFunc(routes, isDefault)
	if i < 0 || !isTunnel(routes[i].Device) {
		return nil
	}
	vpn, servers, domains := plain(routes[i].Device), f.linkValues(machine.LinkServersProbe),
		f.linkValues(machine.LinkDomainsProbe)
	if vpn == "" || len(domains) == 0 || slices.Contains(domains[vpn], "~.") {
		return nil
	}
	for _, name := range linksWithServers(servers) {
		if name == vpn || len(servers[vpn]) > 0 && !slices.Contains(domains[name], "~.") {
			continue
		}
		found := proved(i18n.NetDnsLeak(vpn, name, strings.Join(servers[name], ", ")),
			seeLine(machine.RoutesProbe, "default dev "+vpn),
			seeLine(machine.LinkServersProbe, name+": "+strings.Join(servers[name], " ")),
			seeLine(machine.LinkDomainsProbe, vpn+": "+strings.Join(domains[vpn], " ")))
		if len(servers[vpn]) == 0 {
			return found.advise(i18n.NetDnsLeakServer(vpn))
		}
		goal, check := i18n.NetDnsLeakGoal(vpn), "resolvectl domain "+vpn
		return found.offer(goal, run(goal, "sudo -n resolvectl domain "+vpn+" '~.'", check, "~.",
			"sudo -n resolvectl domain "+vpn+" ''"))
	}
	return nil
}

// linksWithServers returns the interfaces that have name servers, in order.
func linksWithServers(servers map[string][]string) (names []string) {
	for name, list := range servers {
		if len(list) > 0 && plain(name) == name {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isTunnel reports whether an interface is that of a VPN, by its name.
func isTunnel(name string) bool {
	return slices.ContainsFunc([]string{"tun", "wg", "ppp", "tailscale", "proton", "nordlynx"}, func(kind string) bool {
		return strings.HasPrefix(name, kind)
	})
}

// countryUnset finds that no country is set whose rules hold for Wi-Fi: channels of 5 GHz and above 11 are not used
// then.
func countryUnset(f *Facts) *Finding {
	if !f.asksWifi() || !f.mentions(i18n.DiagnoseWordsChannel) {
		return nil
	}
	look := machine.RegulatoryProbe
	lines := f.lines(look)
	seen := lineWith(lines, "country 00")
	if seen == "" || lineWith(lines, "self-managed") != "" {
		return nil
	}
	found := likely(i18n.NetCountry, seeLine(look, seen))
	_, region, _ := strings.Cut(strings.SplitN(f.confLang(), ".", 2)[0], "_")
	if len(region) != 2 || strings.Trim(region, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return found.advise(i18n.NetCountryAdvice("KR"))
	}
	goal := i18n.NetCountryGoal(region)
	return found.offer(goal, run(goal, "sudo -n iw reg set "+region, look.String(), "country "+region,
		"sudo -n iw reg set 00")).
		advise(i18n.NetCountryAdvice(region))
}
