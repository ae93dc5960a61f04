package diagnose

import (
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Internet is the question why the network or a website does not work. The object is an interface or the name of a
// host.
func Internet() Topic {
	causes := []cause{
		{"radio-switch", radioSwitch},
		{"radio-off", radioOff},
		{"modules-gone", when((*Facts).hasNoDevice, lostModules)},
		{"driver-blocked", when((*Facts).hasNoDevice, blocked(noDevices,
			append(slices.Clone(networkDrivers), "bcma", "e1000", "igc", "igb", "virtio_net")...))},
		{"firmware-missing", when((*Facts).hasNoDevice, networkFirmware)},
		{"no-driver", when((*Facts).hasNoDevice, networkDriver)},
		{"networking-off", networkingOff},
		{"wifi-off", wifiOff},
		{"no-manager", when((*Facts).isOffline, noManager)},
		{"two-managers", twoManagers},
		{"unmanaged", unmanaged},
		{"no-supplicant", noSupplicant},
		{"interface-down", when((*Facts).isOffline, interfaceDown)},
		{"wifi-password", wifiPassword},
		{"no-lease", when((*Facts).isOffline, noLease)},
		{"cable", when((*Facts).isOffline, cable)},
		{"autoconnect", autoconnect},
		{"no-route", noRoute},
		{"gateway-silent", gatewaySilent},
		{"mtu", smallMTU},
		{"resolv-link", resolvLink},
		{"resolv-empty", resolvEmpty},
		{"resolver-down", resolverDown},
		{"resolver-silent", resolverSilent},
		{"nsswitch", nsswitchHosts},
		{"hosts-entry", hostsEntry},
		{"proxy", deadProxy},
		{"firewall", firewallDrops},
		{"portal", captivePortal},
		{"clock-past", clockPast},
		{"vpn-route", vpnRoute},
		{"provider-silent", providerSilent},
		{"names-fail", namesFail},
		{"no-card", noWifiCard},
		{"other-manager", otherManager},
		{"unavailable", wifiUnavailable},
		{"not-joined", notJoined},
		{"weak-signal", weakSignal},
		{"drops", linkDrops},
		{"wireguard-silent", wireGuardSilent},
		{"dns-leak", dnsLeak},
		{"country-unset", countryUnset},
	}
	return Topic{ID: "internet", Object: AnAddress, About: i18n.DiagnoseAboutInternet, sound: internetWell, causes: causes}
}

// isPhysical reports whether an interface is a device, by the names that udev gives: systemd.net-naming-scheme(7).
func isPhysical(name string) bool {
	return plain(name) == name &&
		slices.ContainsFunc([]string{"en", "eth", "wl", "ww", "usb"},
			func(kind string) bool { return strings.HasPrefix(name, kind) })
}

// asksWifi reports whether the question is about Wi-Fi: other connections do not count then.
func (f *Facts) asksWifi() bool { return f.mentions(i18n.DiagnoseWordsWifi) }

// isAsked reports whether an interface is a device that the question is about.
func (f *Facts) isAsked(name string) bool {
	return isPhysical(name) && (!f.asksWifi() || strings.HasPrefix(name, "wl"))
}

func isUsable(address string) bool {
	p, err := netip.ParsePrefix(address)
	return err == nil && p.Addr().IsGlobalUnicast()
}

// isOffline reports whether no device in question has an address, which the addresses must show.
func (f *Facts) isOffline() bool {
	all, err := parse(f, machine.AddressesProbe, machine.ParseAddresses)
	return err == nil && !slices.ContainsFunc(all, func(i machine.NetworkInterface) bool {
		return f.isAsked(i.Name) && slices.ContainsFunc(i.Addresses, isUsable)
	})
}

// devices returns the interfaces that are devices, with their flags. ok is false if they are not known.
func (f *Facts) devices() (all []machine.NetworkLink, ok bool) {
	links, err := parse(f, machine.LinksProbe, machine.ParseLinks)
	for i := range links {
		links[i].Name, _, _ = strings.Cut(links[i].Name, "@")
	}
	return slices.DeleteFunc(links, func(l machine.NetworkLink) bool {
		return !f.isAsked(l.Name) || f.Object != "" && isPhysical(f.Object) && l.Name != f.Object
	}), err == nil
}

func hasFlag(l machine.NetworkLink, flag string) bool {
	return slices.Contains(strings.Split(strings.Trim(l.Flags, "<>"), ","), flag)
}

// blockedRadio returns a transmitter of a kind that is blocked, if no other of the kind is free.
func (f *Facts) blockedRadio(kind string) (off machine.Radio, ok bool) {
	lines, _ := f.shown(machine.RadiosProbe)
	all, _ := machine.ParseRadios([]byte(strings.Join(lines, "\n"))) // none is no radio
	for _, r := range all {
		switch {
		case r.Kind != kind || plain(r.ID) == "":
		case !r.Soft && !r.Hard:
			return off, false
		case !ok || r.Hard:
			off, ok = r, true
		}
	}
	return off, ok
}

// blockedWifi returns a Wi-Fi transmitter that is blocked while there is no other connection.
func (f *Facts) blockedWifi() (r machine.Radio, ok bool) {
	if !f.isOffline() {
		return r, false
	}
	return f.blockedRadio("wlan")
}

func radioSwitch(f *Facts) *Finding {
	r, ok := f.blockedWifi()
	if !ok || !r.Hard {
		return nil
	}
	return proved(i18n.NetSwitch(r.ID), see(machine.RadiosProbe, i18n.DiagnoseLine(r.ID+" hard:1"))).
		advise(i18n.NetSwitchAdvice)
}

func radioOff(f *Facts) *Finding {
	r, ok := f.blockedWifi()
	if !ok || r.Hard {
		return nil
	}
	return proved(i18n.NetRadio(r.ID), see(machine.RadiosProbe, i18n.DiagnoseLine(r.ID+" soft:1"))).offer(i18n.NetRadioOn,
		run(i18n.NetRadioOn, "sudo -n rfkill unblock wlan", "cat /sys/class/rfkill/"+r.ID+"/soft", "0",
			"sudo -n rfkill block wlan"))
}

var noDevices = see(machine.LinksProbe, i18n.DesktopNone)

// hasNoDevice reports whether the kernel has no network interface of a device.
func (f *Facts) hasNoDevice() bool {
	links, ok := f.devices()
	return ok && len(links) == 0 && !isPhysical(f.Object)
}

var networkDrivers = []string{"iwl", "rtw", "rtl", "ath", "brcm", "mt7", "mediatek", "r8169", "tg3", "bnx"}

func networkFirmware(f *Facts) *Finding {
	look, line := f.firmwareLine(networkDrivers...)
	if line == "" || lineWith([]string{line}, "bluetooth", "hci0") != "" {
		return nil
	}
	return proved(i18n.NetFirmware, noDevices, seeLine(look, line)).
		offer(i18n.DesktopFirmwareGoal, install(i18n.DesktopFirmwareGoal, "linux-firmware"))
}

func networkDriver(f *Facts) *Finding {
	all, _ := parse(f, machine.PCIProbe, machine.ParsePCI)
	i := slices.IndexFunc(all, func(d machine.PCIDevice) bool {
		return d.Driver == "" && (strings.HasPrefix(d.Class, "Network controller") ||
			strings.HasPrefix(d.Class, "Ethernet controller"))
	})
	if i < 0 {
		return nil
	}
	return proved(i18n.NetDriver(machine.CleanLine(all[i].Model)), noDevices, seeLine(machine.PCIProbe, all[i].Model)).
		advise(i18n.NetDriverAdvice)
}

func networkingOff(f *Facts) *Finding {
	if strings.TrimSpace(f.stdout(machine.NetworkingProbe)) != "disabled" {
		return nil
	}
	return proved(i18n.NetNetworking, seeLine(machine.NetworkingProbe, "disabled")).
		offer(i18n.NetNetworkingOn, run(i18n.NetNetworkingOn, "nmcli networking on", "nmcli networking", "enabled",
			"nmcli networking off"))
}

func wifiOff(f *Facts) *Finding {
	if !f.isOffline() || strings.TrimSpace(f.stdout(machine.WifiRadioProbe)) != "disabled" {
		return nil
	}
	return proved(i18n.NetWifi, see(machine.AddressesProbe, i18n.NetNoAddress),
		seeLine(machine.WifiRadioProbe, "disabled")).
		offer(i18n.NetRadioOn, run(i18n.NetRadioOn, "nmcli radio wifi on", "nmcli radio wifi", "enabled",
			"nmcli radio wifi off"))
}

var networkManagers = []string{"NetworkManager.service", "systemd-networkd.service", "dhcpcd.service", "iwd.service"}

func noManager(f *Facts) *Finding {
	look := machine.NetworkUnitsProbe
	u := f.units(look)
	for _, name := range networkManagers {
		if u.isActive(name) {
			return nil
		}
	}
	for _, name := range networkManagers {
		found := proved(i18n.NetManager(name), see(machine.AddressesProbe, i18n.NetNoAddress), u.see(look, name))
		switch {
		case u.isMasked(name):
			return found.offer(i18n.DesktopStart(name), unmask(i18n.DesktopUnmask(name), name, false)...)
		case u[name]["ActiveState"] == "failed":
			return found.showing(machine.NetworkLogProbe, failureLine(f.lines(machine.NetworkLogProbe), "error", "fail",
				"fatal")).offer(i18n.DesktopStart(name), control(i18n.DesktopStart(name), "restart", name, false))
		case u.isIdle(name):
			return found.offer(i18n.DesktopStart(name), u.start(name, false)...)
		}
	}
	return nil
}

// twoManagers finds an interface that two services manage: each takes away what the other one sets.
func twoManagers(f *Facts) *Finding {
	look := machine.NetworkUnitsProbe
	u := f.units(look)
	if !u.isActive("NetworkManager.service") {
		return nil
	}
	for _, d := range f.networkDevices() {
		if !isPhysical(d.Name) || d.State == "unmanaged" || d.State == "unavailable" {
			continue
		}
		other, seen := "dhcpcd.service", u.see(look, "dhcpcd.service")
		if !u.isActive(other) {
			if other = "systemd-networkd.service"; !u.isActive(other) {
				return nil
			}
			row := ""
			for _, line := range f.lines(machine.NetworkdLinksProbe) {
				if w := strings.Fields(line); len(w) == 5 && w[1] == d.Name && strings.HasPrefix(w[4], "config") {
					row = line
				}
			}
			seen = seeLine(machine.NetworkdLinksProbe, row)
			if row == "" {
				continue
			}
		}
		undo := "sudo -n systemctl enable --now " + other
		return proved(i18n.NetTwo(d.Name, other), see(machine.NetworkDevicesProbe, i18n.DesktopUnit(d.Name, d.State)),
			u.see(look, "NetworkManager.service"), seen).
			offer(i18n.NetTwoGoal(other), run(i18n.NetTwoGoal(other), "sudo -n systemctl disable --now "+other,
				"systemctl show -p ActiveState "+other, "ActiveState=inactive", undo))
	}
	return nil
}

func interfaceDown(f *Facts) *Finding {
	links, _ := f.devices()
	for _, l := range links {
		if hasFlag(l, "UP") {
			return nil
		}
	}
	if _, blocked := f.blockedWifi(); len(links) == 0 || blocked {
		return nil
	}
	name := links[0].Name
	return proved(i18n.NetDown(name), see(machine.LinksProbe, i18n.DiagnoseLine(name+" "+links[0].Flags)),
		see(machine.AddressesProbe, i18n.NetNoAddress)).
		offer(i18n.NetUp(name), run(i18n.NetUp(name), "sudo -n ip link set "+name+" up", "ip -br link show "+name, "UP>",
			"sudo -n ip link set "+name+" down"))
}

func unmanaged(f *Facts) *Finding {
	if !f.isOffline() || !f.units(machine.NetworkUnitsProbe).isActive("NetworkManager.service") {
		return nil
	}
	for _, d := range f.networkDevices() {
		if !isPhysical(d.Name) || d.State != "unmanaged" {
			continue
		}
		found := proved(i18n.NetUnmanaged(d.Name), see(machine.NetworkDevicesProbe, i18n.DesktopUnit(d.Name, d.State)))
		lines, _ := f.shown(machine.UnmanagedProbe)
		if line := lineWith(lines, "unmanaged-devices"); line != "" {
			file, number, _ := numbered(line)
			found.showing(machine.UnmanagedProbe, line).Advice = i18n.NetUnmanagedAdvice(file, number)
		}
		return found.offer(i18n.NetManage(d.Name), run(i18n.NetManage(d.Name), "nmcli device set "+d.Name+" managed yes",
			"nmcli -g GENERAL.NM-MANAGED device show "+d.Name, "yes", "nmcli device set "+d.Name+" managed no"))
	}
	return nil
}

// noSupplicant finds that NetworkManager has nothing to sign in to Wi-Fi with.
func noSupplicant(f *Facts) *Finding {
	look, name := machine.NetworkUnitsProbe, "wpa_supplicant.service"
	u := f.units(look)
	devices := f.networkDevices()
	i := slices.IndexFunc(devices, func(d machine.NetworkDevice) bool {
		return isPhysical(d.Name) && d.Kind == "wifi" && d.State == "unavailable"
	})
	if i < 0 || !f.isOffline() || !u.isActive("NetworkManager.service") || u.isActive("iwd.service") || u.isActive(name) ||
		strings.TrimSpace(f.stdout(machine.WifiRadioProbe)) != "enabled" {
		return nil
	}
	found := proved(i18n.NetSupplicant(devices[i].Name, name),
		see(machine.NetworkDevicesProbe, i18n.DesktopUnit(devices[i].Name, devices[i].State)), u.see(look, name),
		seeLine(machine.WifiRadioProbe, "enabled"))
	switch {
	case u.isMasked(name):
		return found.offer(i18n.DesktopStart(name), unmask(i18n.DesktopUnmask(name), name, false)...)
	case u[name]["LoadState"] == "not-found":
		return found.advise(i18n.NetSupplicantAdvice)
	}
	return nil
}

// wifiPassword finds that the access point refused the password: wpa_supplicant, wpa_supplicant/events.c.
func wifiPassword(f *Facts) *Finding {
	if !f.isOffline() {
		return nil
	}
	lines := f.lines(machine.NetworkLogProbe)
	line := lineWith(lines, "pre-shared key may be incorrect", "(reason 'no-secrets'", "4-way handshake failed")
	if named := lineWith(lines, "reason=wrong_key"); named != "" {
		line = named
	}
	if line == "" || strings.Contains(strings.Join(lines[slices.Index(lines, line):], "\n"), "CTRL-EVENT-CONNECTED") {
		return nil
	}
	found := proved(i18n.NetPassword, see(machine.AddressesProbe, i18n.NetNoAddress),
		seeLine(machine.NetworkLogProbe, line)).advise(i18n.NetPasswordAdvice)
	if m := accessPoint().FindStringSubmatch(line); m != nil && quoted(m[1]) != "" {
		found.Advice = i18n.NetPasswordAgain(m[1], quoted(m[1]))
	}
	return found
}

var accessPoint = form(`ssid="([^"]{1,64})"`)

func noLease(f *Facts) *Finding {
	all, _ := parse(f, machine.AddressesProbe, machine.ParseAddresses)
	for _, i := range all {
		if !f.isAsked(i.Name) || i.State != "UP" {
			continue
		}
		line := lineWith(f.lines(machine.NetworkLogProbe), "dhcp4 ("+i.Name+"): request timed out", "dhcpv4 lease lost",
			"ip-config-unavailable", "timed out waiting for", "no dhcpoffers")
		own := slices.IndexFunc(i.Addresses, func(a string) bool { return strings.HasPrefix(a, "169.254.") })
		seen := i18n.NetNoAddress
		if own >= 0 {
			seen = i18n.DiagnoseLine(i.Name + " " + i.Addresses[own])
		}
		found := likely(i18n.NetLease(i.Name), see(machine.AddressesProbe, seen))
		found.Certain = own >= 0 || line != ""
		for _, d := range f.networkDevices() {
			if d.Name == i.Name && !found.Certain && strings.Contains(d.State, "getting IP configuration") {
				found.Evidence = append(found.Evidence, see(machine.NetworkDevicesProbe,
					i18n.DesktopUnit(d.Name, d.State+", "+d.Connection)))
			}
		}
		return f.reconnect(found.showing(machine.NetworkLogProbe, line), i.Name).advise(i18n.NetLeaseAdvice)
	}
	return nil
}

// reconnect offers to connect a device again, if NetworkManager runs.
func (f *Facts) reconnect(found *Finding, device string) *Finding {
	if plain(device) == "" || !f.units(machine.NetworkUnitsProbe).isActive("NetworkManager.service") {
		return found
	}
	goal := i18n.NetReconnect(device)
	return found.offer(goal, run(goal, "nmcli device connect "+device, "nmcli -g GENERAL.STATE device show "+device, "100",
		""))
}

// networkDevices returns the devices of NetworkManager. Without it there are none.
func (f *Facts) networkDevices() []machine.NetworkDevice {
	all, _ := parse(f, machine.NetworkDevicesProbe, machine.ParseNetworkDevices)
	return all
}

func cable(f *Facts) *Finding {
	links, _ := f.devices()
	i := slices.IndexFunc(links, func(l machine.NetworkLink) bool {
		return !strings.HasPrefix(l.Name, "w") && hasFlag(l, "NO-CARRIER") && hasFlag(l, "UP")
	})
	if i < 0 {
		return nil
	}
	found := proved(i18n.NetCable(links[i].Name), see(machine.LinksProbe,
		i18n.DiagnoseLine(links[i].Name+" "+links[i].Flags)), see(machine.AddressesProbe, i18n.NetNoAddress))
	found.Certain = len(links) == 1 // a person with Wi-Fi may not use a cable
	return found.advise(i18n.NetCableAdvice)
}

func autoconnect(f *Facts) *Finding {
	if !f.isOffline() {
		return nil
	}
	devices := f.networkDevices()
	idle := slices.IndexFunc(devices, func(d machine.NetworkDevice) bool {
		return isPhysical(d.Name) &&
			d.State == "disconnected"
	})
	if idle < 0 {
		return nil
	}
	name := ""
	for _, line := range f.lines(machine.ProfilesProbe) {
		w := machine.SplitTerse(line)
		if len(w) != 4 || !strings.Contains(w[1], map[string]string{
			"wifi":     "wireless",
			"ethernet": "ethernet",
		}[devices[idle].Kind]) {
			continue
		}
		if w[2] != "no" || name != "" || plain(w[0]) != w[0] {
			return nil
		}
		name = w[0]
	}
	if name == "" {
		return nil
	}
	set := "nmcli connection modify " + name + " connection.autoconnect "
	return proved(i18n.NetAutoconnect(name), see(machine.NetworkDevicesProbe,
		i18n.DesktopUnit(devices[idle].Name, "disconnected")), seeLine(machine.ProfilesProbe, name+" autoconnect=no")).
		offer(i18n.NetConnect(name),
			run(i18n.NetConnect(name), set+"yes", machine.AutoconnectProbe(name).String(), "yes", set+"no"),
			run(i18n.NetConnect(name), "nmcli connection up "+name, "nmcli -g GENERAL.STATE connection show "+name, "activated",
				"nmcli connection down "+name))
}

// routes returns the routes. ok is false if they are not known.
func (f *Facts) routes() (all []machine.Route, ok bool) {
	out, known := f.output(machine.RoutesProbe)
	all, err := machine.ParseRoutes([]byte(out.Stdout))
	return all, known && out.Exit == 0 && !out.Cut && err == nil
}

func isDefault(r machine.Route) bool {
	return r.Destination == "default" || r.Destination == "0.0.0.0/1"
}

func noRoute(f *Facts) *Finding {
	all, ok := f.routes()
	addresses, err := parse(f, machine.AddressesProbe, machine.ParseAddresses)
	if !ok || err != nil || slices.ContainsFunc(all, isDefault) {
		return nil
	}
	for _, i := range addresses {
		at := slices.IndexFunc(i.Addresses, func(a string) bool { return isUsable(a) && strings.Contains(a, ".") })
		if isPhysical(i.Name) && at >= 0 {
			return proved(i18n.NetRoute(i.Name, i.Addresses[at]),
				see(machine.AddressesProbe, i18n.DiagnoseLine(i.Name+" "+i.Addresses[at])),
				see(machine.RoutesProbe, i18n.NetRouteNone)).
				advise(i18n.NetRouteAdvice(i.Name))
		}
	}
	return nil
}

// isSilent reports whether a machine of the local network does not answer: ip-neighbour(8), state FAILED.
func (f *Facts) isSilent(address string) (line string) {
	for _, line := range f.lines(machine.NeighboursProbe) {
		if w := strings.Fields(line); w[0] == address && (w[len(w)-1] == "FAILED" || w[len(w)-1] == "INCOMPLETE") {
			return line
		}
	}
	return ""
}

// gateway returns the default route, if it leads over a router.
func (f *Facts) gateway() (r machine.Route, ok bool) {
	all, _ := f.routes()
	i := slices.IndexFunc(all, isDefault)
	if i < 0 || plain(all[i].Gateway) == "" {
		return r, false
	}
	return all[i], true
}

// pings reports whether a machine answers. tested is false if that is not known.
func (f *Facts) pings(host string) (answers, tested bool) {
	out, known := f.output(machine.PingProbe(host))
	if !known {
		return false, false
	}
	return machine.PingAnswers(out.Stdout, out.Stderr, out.Exit)
}

// seePing shows that a machine answers, or does not.
func (f *Facts) seePing(host string) Evidence {
	look := machine.PingProbe(host)
	if answers, _ := f.pings(host); !answers {
		return see(look, i18n.NetAnswersNot(host))
	}
	ms, _ := parse(f, look, machine.ParsePing)
	return see(look, i18n.NetAnswers(host, ms))
}

// findsNames reports whether names on the internet are found.
func (f *Facts) findsNames() (found, tested bool) {
	out, known := f.output(machine.NameProbe)
	return out.Exit == 0, known && (out.Exit == 0 || out.Exit == 2)
}

// isCutOff reports whether neither the internet answers nor names are found.
func (f *Facts) isCutOff() bool {
	answers, pinged := f.pings(machine.InternetAddress)
	found, asked := f.findsNames()
	return pinged && asked && !answers && !found
}

func gatewaySilent(f *Facts) *Finding {
	r, ok := f.gateway()
	if !ok {
		return nil
	}
	seen := f.seePing(r.Gateway)
	if line := f.isSilent(r.Gateway); line != "" {
		seen = seeLine(machine.NeighboursProbe, line)
	} else if answers, tested := f.pings(r.Gateway); !tested || answers || !f.isCutOff() {
		return nil
	}
	found := proved(i18n.NetGateway(r.Gateway, r.Device),
		see(machine.RoutesProbe, i18n.DiagnoseLine("default via "+r.Gateway+" dev "+r.Device)), seen)
	return f.reconnect(found, r.Device).advise(i18n.NetGatewayAdvice)
}

// providerSilent finds that the router answers, and the internet beyond it does not.
func providerSilent(f *Facts) *Finding {
	r, ok := f.gateway()
	if !ok || !f.isCutOff() {
		return nil
	}
	if answers, _ := f.pings(r.Gateway); !answers {
		return nil
	}
	return proved(i18n.NetProvider, f.seePing(r.Gateway), f.seePing(machine.InternetAddress)).
		advise(i18n.NetProviderAdvice)
}

// namesFail finds that the name servers do not find names although the internet answers.
func namesFail(f *Facts) *Finding {
	servers := f.nameServers()
	answers, _ := f.pings(machine.InternetAddress)
	if found, tested := f.findsNames(); len(servers) == 0 || !answers || found || !tested {
		return nil
	}
	all := machine.CleanLine(strings.Join(servers, ", "))
	return f.restartManager(proved(i18n.NetNames(all), f.seePing(machine.InternetAddress),
		see(machine.NameProbe, i18n.NetNameNone), seeLine(machine.NameServersProbe, "nameserver "+servers[0])))
}

// restartManager offers to restart NetworkManager, if it runs.
func (f *Facts) restartManager(found *Finding) *Finding {
	if !f.units(machine.NetworkUnitsProbe).isActive("NetworkManager.service") {
		return found
	}
	return found.offer(i18n.NetRestart, control(i18n.NetRestart, "restart", "NetworkManager.service", false))
}

// internetWell says that only ping does not get through. Of Wi-Fi it says how good it is.
func internetWell(f *Facts) *Finding {
	if f.asksWifi() {
		return wifiWell(f)
	}
	answers, pinged := f.pings(machine.InternetAddress)
	if found, _ := f.findsNames(); !found || !pinged || answers {
		return nil
	}
	well := likely(i18n.NetPingFiltered, f.seePing(machine.InternetAddress))
	if r, ok := f.gateway(); ok {
		well.Evidence = append(well.Evidence, f.seePing(r.Gateway))
	}
	return well
}

func smallMTU(f *Facts) *Finding {
	lines, _ := f.shown(machine.MTUProbe)
	for _, line := range lines {
		file, text, _ := strings.Cut(line, ":")
		name, size := path.Base(path.Dir(file)), text
		if n, err := strconv.Atoi(size); err != nil || n >= 1280 || n < 68 || !isPhysical(name) {
			continue
		}
		set := "sudo -n ip link set " + name + " mtu "
		return proved(i18n.NetMtu(name, size), seeLine(machine.MTUProbe, line)).
			offer(i18n.NetMtuGoal(name), run(i18n.NetMtuGoal(name), set+"1500", "cat /sys/class/net/"+name+"/mtu", "1500",
				set+size)).advise(i18n.NetMtuAdvice)
	}
	return nil
}

var resolvConf = "/etc/resolv.conf"

// resolvLink finds a resolv.conf that is a link to nothing, as when systemd-resolved was stopped.
func resolvLink(f *Facts) *Finding {
	look, link := machine.FileProbe(resolvConf), machine.LinkProbe(resolvConf)
	if out, known := f.output(look); !known || out.Exit == 0 {
		return nil
	}
	target := machine.CleanLine(strings.TrimSpace(f.stdout(link)))
	if target == "" {
		return nil
	}
	found := proved(i18n.NetResolvLink(target), see(look, i18n.DesktopNone), seeLine(link, target))
	units := machine.NetworkUnitsProbe
	if u := f.units(units); strings.Contains(target, "systemd/resolve") && u.isIdle("systemd-resolved.service") {
		found.Evidence = append(found.Evidence, u.see(units, "systemd-resolved.service"))
		return found.offer(i18n.DesktopStart("systemd-resolved"), u.start("systemd-resolved.service", false)...)
	}
	return found.advise(i18n.NetResolvAdvice)
}

// resolvEmpty finds a resolv.conf without a name server, or none at all.
func resolvEmpty(f *Facts) *Finding {
	out, known := f.output(machine.NameServersProbe)
	if !known || out.Cut || f.isOffline() || len(machine.ParseNameServers([]byte(out.Stdout))) > 0 {
		return nil
	}
	link, linked := f.output(machine.LinkProbe(resolvConf))
	if !linked || link.Exit == 0 && out.Exit != 0 { // a link to nothing
		return nil
	}
	if out.Exit != 0 && !strings.Contains(out.Stderr, "No such file") {
		return nil
	}
	return f.restartManager(proved(i18n.NetResolvEmpty, see(machine.NameServersProbe, i18n.DesktopNone)).
		advise(i18n.NetResolvAdvice))
}

// nameServers returns the servers that are asked: resolv.conf(5), MAXNS.
func (f *Facts) nameServers() []string {
	all := machine.ParseNameServers([]byte(f.stdout(machine.NameServersProbe)))
	return all[:min(3, len(all))]
}

// resolverDown finds that this machine is its own name server, and none runs.
func resolverDown(f *Facts) *Finding {
	servers := f.nameServers()
	if len(servers) == 0 || slices.ContainsFunc(servers,
		func(s string) bool { return !strings.HasPrefix(s, "127.") && s != "::1" }) {
		return nil
	}
	ports := f.lines(machine.PortsProbe)
	if len(ports) == 0 ||
		slices.ContainsFunc(ports, func(line string) bool {
			w := strings.Fields(line)
			return len(w) > 4 &&
				strings.HasSuffix(w[4], ":53")
		}) {
		return nil
	}
	found := proved(i18n.NetResolver(servers[0]), seeLine(machine.NameServersProbe, "nameserver "+servers[0]),
		see(machine.PortsProbe, i18n.NetPortNone("53")))
	look, name := machine.NetworkUnitsProbe, "systemd-resolved.service"
	switch u := f.units(look); {
	case !strings.HasPrefix(servers[0], "127.0.0.5"):
		return found.advise(i18n.NetResolverAdvice)
	case u.isMasked(name):
		found.Evidence = append(found.Evidence, u.see(look, name))
		return found.offer(i18n.DesktopStart(name), unmask(i18n.DesktopUnmask(name), name, false)...)
	case u.isIdle(name):
		found.Evidence = append(found.Evidence, u.see(look, name))
		return found.offer(i18n.DesktopStart(name), u.start(name, false)...)
	}
	return found.advise(i18n.NetResolverAdvice)
}

func resolverSilent(f *Facts) *Finding {
	for _, server := range f.nameServers() {
		line := f.isSilent(server)
		if line == "" {
			continue
		}
		return proved(i18n.NetServer(server), seeLine(machine.NameServersProbe, "nameserver "+server),
			seeLine(machine.NeighboursProbe, line)).advise(i18n.NetServerAdvice)
	}
	return nil
}

// nsswitchHosts finds a line of nsswitch.conf that leaves out the name servers.
func nsswitchHosts(f *Facts) *Finding {
	lines := f.lines(machine.HostsOrderProbe)
	if len(lines) == 0 {
		return nil
	}
	file, number, text := numbered(lines[0])
	words := strings.Fields(text)
	if file == "" || slices.Contains(words, "dns") || slices.Contains(words, "resolve") {
		return nil
	}
	return proved(i18n.NetNsswitch(number), seeLine(machine.HostsOrderProbe, lines[0])).offer(i18n.NetNsswitchGoal,
		run(i18n.NetNsswitchGoal, "sudo -n sed -i '"+number+"s/$/ dns/' "+file, "grep ^hosts: "+file, " dns",
			"sudo -n sed -i '"+number+"s/ dns$//' "+file))
}

// hostsEntry finds that a name has a fixed address on this machine.
func hostsEntry(f *Facts) *Finding {
	name := plain(f.Object)
	if !strings.Contains(name, ".") {
		return nil
	}
	for i, line := range strings.Split(f.stdout(machine.HostsProbe), "\n") {
		text, _, _ := strings.Cut(line, "#")
		w := strings.Fields(text)
		if len(w) < 2 || plain(w[0]) != w[0] || !slices.ContainsFunc(w[1:],
			func(s string) bool { return strings.EqualFold(s, name) || strings.EqualFold(s, "www."+name) }) {
			continue
		}
		number := strconv.Itoa(i + 1)
		return proved(i18n.NetHosts(name, w[0], number), seeLine(machine.HostsProbe, line)).
			offer(i18n.NetHostsGoal(number), commentOut(i18n.NetHostsGoal(number), "/etc/hosts", number))
	}
	return nil
}

var localProxy = form(`(?i)^(?:export\s+)?(?:https?|all|ftp)_proxy=["']?(?:\w+://)?(?:[^@/\s]*@)?(127\.[\d.]+|localhost|\[::1\]):(\d{1,5})\b`)

// deadProxy finds a proxy on this machine that does not run. Its line may hold a password.
func deadProxy(f *Facts) *Finding {
	lines, _ := f.shown(machine.ProxyProbe)
	for _, line := range lines {
		p := strings.SplitN(line, ":", 3)
		if len(p) != 3 {
			continue
		}
		m := localProxy().FindStringSubmatch(strings.TrimSpace(p[2]))
		ports := f.lines(machine.PortsProbe)
		if m == nil || len(ports) == 0 || slices.ContainsFunc(ports, func(row string) bool {
			w := strings.Fields(row)
			return len(w) > 4 && strings.HasSuffix(w[4], ":"+m[2])
		}) {
			continue
		}
		file, number := p[0], p[1]
		found := proved(i18n.NetProxy(m[1]+":"+m[2], file, number),
			see(machine.ProxyProbe, i18n.DiagnoseLine(file+":"+number)), see(machine.PortsProbe, i18n.NetPortNone(m[2]))).
			advise(i18n.NetProxyAdvice(file, number))
		if file == "/etc/environment" && isWhole(number) {
			found.offer(i18n.NetProxyGoal, commentOut(i18n.NetProxyGoal, file, number))
		}
		return found
	}
	return nil
}

var outgoing = form(`IN= OUT=\S+ .*DST=(\S+) .*PROTO=(\w+) .*DPT=(\d+)`)

// firewallDrops finds that ufw drops what this machine sends: ufw(8), LOGGING.
func firewallDrops(f *Facts) *Finding {
	look := machine.KernelLogProbe("UFW")
	lines, _ := f.shown(look)
	line := lineWith(lines, "[ufw block] in= out=")
	m := outgoing().FindStringSubmatch(line)
	if m == nil || !slices.Contains([]string{"53", "80", "443", "853"}, m[3]) {
		return nil
	}
	return proved(i18n.NetFirewall(m[3], m[2]), seeLine(look, line)).advise(i18n.NetFirewallAdvice(m[3]))
}

func captivePortal(f *Facts) *Finding {
	if strings.TrimSpace(f.stdout(machine.ConnectivityProbe)) != "portal" {
		return nil
	}
	return proved(i18n.NetPortal, seeLine(machine.ConnectivityProbe, "portal")).advise(i18n.NetPortalAdvice)
}

// clockPast finds a clock that is behind what was already installed: no certificate is valid then.
func clockPast(f *Facts) *Finding {
	look := machine.TimesProbe("/var/lib/pacman/local")
	now, errNow := strconv.Atoi(strings.TrimSpace(f.stdout(machine.NowProbe)))
	then, errThen := strconv.Atoi(strings.TrimSpace(f.stdout(look)))
	if errNow != nil || errThen != nil || now+86400 > then {
		return nil
	}
	return proved(i18n.ClockPast, seeLine(machine.NowProbe, strconv.Itoa(now)), seeLine(look, strconv.Itoa(then))).
		offer(i18n.ClockNtpGoal, run(i18n.ClockNtpGoal, "sudo -n timedatectl set-ntp true", machine.NTPProbe.String(), "yes",
			"")).advise(i18n.ClockPastAdvice)
}

// vpnRoute finds that a VPN takes all connections. If the internet does not answer, it is the VPN that fails.
func vpnRoute(f *Facts) *Finding {
	all, _ := f.routes()
	i := slices.IndexFunc(all, isDefault)
	if i < 0 || !isTunnel(all[i].Device) {
		return nil
	}
	name := plain(all[i].Device)
	found := likely(i18n.NetVpn(name), seeLine(machine.RoutesProbe, all[i].Destination+" dev "+name)).
		advise(i18n.NetVpnAdvice)
	if f.isCutOff() {
		found = proved(i18n.NetVpnDead(name), append(found.Evidence, f.seePing(machine.InternetAddress))...)
	}
	for _, line := range f.lines(machine.ProfilesProbe) {
		w := machine.SplitTerse(line)
		if len(w) == 4 && w[3] == name && quoted(w[0]) != "" {
			goal := i18n.NetVpnGoal(w[0])
			found.offer(goal, run(goal, "nmcli connection down id "+quoted(w[0]), "nmcli -t -f ACTIVE,NAME connection show",
				"no:"+w[0], "nmcli connection up id "+quoted(w[0])))
		}
	}
	return found
}
