package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// quoted returns a name as one word of a command, "" if it has characters that end quotation marks or are not printed.
func quoted(name string) string {
	switch {
	case plain(name) == name:
		return name
	case strings.ContainsAny(name, "'\"\\$`!") || machine.CleanLine(name) != name || strings.HasPrefix(name, "-"):
		return ""
	}
	return "'" + name + "'"
}

// noWifiCard finds that no wireless card is there, or one that its driver does not drive.
func noWifiCard(f *Facts) *Finding {
	if !f.asksWifi() || !f.hasNoDevice() || f.stdout(machine.PCIProbe) == "" {
		return nil
	}
	all, _ := parse(f, machine.PCIProbe, machine.ParsePCI)
	i := slices.IndexFunc(all, func(d machine.PCIDevice) bool { return strings.HasPrefix(d.Class, "Network controller") })
	switch {
	case i < 0:
		return likely(i18n.NetNoCard, noDevices, see(machine.PCIProbe, i18n.DesktopNone)).advise(i18n.NetNoCardAdvice)
	case all[i].Driver != "":
		return likely(i18n.NetCardIdle(machine.CleanLine(all[i].Model), all[i].Driver), noDevices, seeLine(machine.PCIProbe, all[i].Model)).
			advise(i18n.NetDriverAdvice)
	}
	return nil
}

// otherManager finds that another service than NetworkManager manages the network, without a connection.
func otherManager(f *Facts) *Finding {
	look := machine.NetworkUnitsProbe
	u := f.units(look)
	if !f.isOffline() || u == nil || u.isActive("NetworkManager.service") {
		return nil
	}
	for _, name := range networkManagers[1:] {
		if !u.isActive(name) {
			continue
		}
		return likely(i18n.NetOther(name), u.see(look, "NetworkManager.service"), u.see(look, name)).advise(i18n.NetOtherAdvice(name)).
			showing(machine.NetworkLogProbe, failureLine(f.lines(machine.NetworkLogProbe), "error", "fail", "fatal"))
	}
	return nil
}

// wifiDevice returns the wireless device of NetworkManager, preferring a connected one.
func (f *Facts) wifiDevice() (d machine.NetworkDevice, seen Evidence) {
	for _, one := range f.networkDevices() {
		if one.Kind == "wifi" && plain(one.Name) == one.Name && (d.Name == "" || strings.HasPrefix(one.State, "connected")) {
			d = one
		}
	}
	return d, see(machine.NetworkDevicesProbe, i18n.DesktopUnit(d.Name, d.State))
}

// wifiUnavailable finds a device that NetworkManager cannot use although nothing switches it off.
func wifiUnavailable(f *Facts) *Finding {
	d, seen := f.wifiDevice()
	if d.State != "unavailable" || !f.isOffline() || strings.TrimSpace(f.stdout(machine.WifiRadioProbe)) != "enabled" || noSupplicant(f) != nil {
		return nil
	}
	if _, blocked := f.blockedWifi(); blocked {
		return nil
	}
	return f.restartManager(likely(i18n.NetUnavailable(d.Name), seen, seeLine(machine.WifiRadioProbe, "enabled")))
}

// notJoined finds Wi-Fi that is on and not connected, and whether a saved network is in range.
func notJoined(f *Facts) *Finding {
	d, seen := f.wifiDevice()
	switch {
	case !f.isOffline() || autoconnect(f) != nil || wifiPassword(f) != nil:
		return nil
	case strings.HasPrefix(d.State, "connecting") && !strings.Contains(d.State, "getting IP configuration"):
		return proved(i18n.NetConnecting(d.Name), seen)
	case d.State != "disconnected":
		return nil
	}
	found := proved(i18n.NetIdle(d.Name), seen)
	list, err := parse(f, machine.WifiProbe, machine.ParseWifi)
	if err != nil {
		return found
	}
	names := []string{}
	for _, ap := range list {
		if word := quoted(ap.SSID); word != "" && f.isSaved(ap.SSID) {
			goal := i18n.NetJoin(ap.SSID)
			found.Evidence = append(found.Evidence, see(machine.WifiProbe, i18n.NetSaved(ap.SSID, ap.Signal)))
			return found.offer(goal, run(goal, "nmcli connection up id "+word, "nmcli -g GENERAL.STATE connection show id "+word, "activated", "nmcli connection down id "+word))
		}
		if ap.SSID != "--" && ap.SSID != "" && len(names) < 4 {
			names = append(names, fmt.Sprintf("%s %d%%", machine.CleanLine(ap.SSID), ap.Signal))
		}
	}
	if len(names) == 0 {
		return found.advise(i18n.NetNoneInRange)
	}
	found.Evidence = append(found.Evidence, see(machine.WifiProbe, i18n.NetInRange(strings.Join(names, ", "))))
	return found.advise(i18n.NetPick)
}

// isSaved reports whether NetworkManager has a wireless connection of a name.
func (f *Facts) isSaved(name string) bool {
	return slices.ContainsFunc(f.lines(machine.ProfilesProbe), func(line string) bool {
		w := machine.SplitTerse(line)
		return len(w) == 4 && w[0] == name && strings.Contains(w[1], "wireless")
	})
}

// joined returns the wireless device if the question is about Wi-Fi and it is connected.
func (f *Facts) joined() (d machine.NetworkDevice, ok bool) {
	if !f.asksWifi() {
		return d, false
	}
	d, _ = f.wifiDevice()
	return d, strings.HasPrefix(d.State, "connected")
}

// signal returns the strength of the network in use, in percent.
func (f *Facts) signal() (percent int, ok bool) {
	list, _ := parse(f, machine.WifiProbe, machine.ParseWifi)
	i := slices.IndexFunc(list, func(ap machine.AccessPoint) bool { return ap.InUse })
	if i < 0 {
		return 0, false
	}
	return list[i].Signal, true
}

func weakSignal(f *Facts) *Finding {
	d, ok := f.joined()
	if !ok {
		return nil
	}
	if percent, known := f.signal(); known && percent < 40 {
		return likely(i18n.NetWeak(d.Connection), see(machine.WifiProbe, i18n.NetSignal(percent))).advise(i18n.NetWeakAdvice)
	}
	return nil
}

// dropReasons describe the codes of IEEE 802.11 for the end of a link.
var dropReasons = map[int]func(reason int) i18n.Text{
	0: i18n.NetReasonUnspoken, 1: i18n.NetReasonUnspoken,
	2: i18n.NetReasonAuth, 6: i18n.NetReasonAuth, 7: i18n.NetReasonAuth, 14: i18n.NetReasonAuth, 15: i18n.NetReasonAuth, 16: i18n.NetReasonAuth, 23: i18n.NetReasonAuth,
	3: i18n.NetReasonLeaving, 5: i18n.NetReasonLeaving, 8: i18n.NetReasonLeaving, 12: i18n.NetReasonLeaving,
	4:                func(int) i18n.Text { return i18n.NetReasonIdle },
	machine.LostLink: func(int) i18n.Text { return i18n.NetReasonLost },
}

// linkDrops finds that the connection ended again and again.
func linkDrops(f *Facts) *Finding {
	d, ok := f.joined()
	if !ok || f.isOffline() {
		return nil
	}
	out, _ := f.output(machine.DropsProbe)
	drops := machine.LinkDrops(out.Stdout)
	n := len(drops.Times)
	if n == 0 {
		return nil
	}
	reason, count := drops.MostFrequent()
	text, known := dropReasons[reason]
	if !known {
		text = i18n.NetReasonOther
	}
	found := likely(i18n.NetDropped(d.Connection, n), see(machine.DropsProbe, i18n.NetDropSpan(n, drops.Times[0], drops.Times[n-1])), see(machine.DropsProbe, i18n.NetDropReason(text(reason), count)))
	found.Evidence = append(found.Evidence, f.quality(d)...)
	saving := f.stdout(machine.PowerSaveProbe(d.Name))
	switch percent, known := f.signal(); {
	case reason == 2 || reason == 15 || reason == 23:
		return found.advise(i18n.NetDropKey)
	case strings.Contains(saving, "Power save: on"):
		set, check := "sudo -n iw dev "+d.Name+" set power_save ", machine.PowerSaveProbe(d.Name).String()
		return found.offer(i18n.NetSavingOff, run(i18n.NetSavingOff, set+"off", check, "Power save: off", set+"on")).advise(i18n.NetSavingAdvice)
	case saving != "" && known && percent >= 40:
		return found.advise(i18n.NetDropRouter)
	}
	return found
}

// quality shows the signal, the answer of the internet and the power saving of a device.
func (f *Facts) quality(d machine.NetworkDevice) (seen []Evidence) {
	if percent, ok := f.signal(); ok {
		seen = append(seen, see(machine.WifiProbe, i18n.NetSignal(percent)))
	}
	if answers, _ := f.pings(machine.InternetAddress); answers {
		seen = append(seen, f.seePing(machine.InternetAddress))
	}
	look := machine.PowerSaveProbe(d.Name)
	switch saving := f.stdout(look); {
	case strings.Contains(saving, "Power save: on"):
		seen = append(seen, see(look, i18n.NetSavingIsOn))
	case strings.Contains(saving, "Power save: off"):
		seen = append(seen, see(look, i18n.NetSavingIsOff))
	}
	return seen
}

// wifiWell says what Wi-Fi is connected to, and that it did not drop if the log shows that.
func wifiWell(f *Facts) *Finding {
	d, ok := f.joined()
	if !ok {
		return nil
	}
	well := likely(i18n.NetJoined(d.Connection), f.quality(d)...)
	log, known := f.output(machine.DropsProbe)
	switch answers, _ := f.pings(machine.InternetAddress); {
	case !known || log.Stderr != "" || lineWith(machine.Lines([]byte(log.Stdout)), "-- no entries --", "ctrl-event", "kernel:") == "":
		return well.advise(i18n.NetDropsUnseen)
	case answers:
		well.Says = i18n.NetJoinedWell(d.Connection)
	}
	return well
}
