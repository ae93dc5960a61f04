package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	radioSwitch = command("nmcli -t -f WIFI-HW,WIFI radio")
	netDevices  = command(machine.NetworkDevicesProbe.String())
	savedNets   = command("nmcli -t -f NAME,TYPE,AUTOCONNECT connection show")
	pciDevices  = command(machine.PCIProbe.String())
)

// wifi checks a wireless link layer by layer: radio, manager, device, connection, address, internet, and drops
// in the log.
func (q *inquiry) wifi() Reply {
	if q.find(netDevices) == nil && q.output(q.first, "") == nil && q.output(radioBlocks, "") == nil {
		return q.toolReply(q.first) // no program could be run, or none is installed
	}
	return q.firstBroken(q.wifiRadio, q.manager, q.wifiSwitch, q.wifiDevice, q.wifiUp, q.wifiLink).reply()
}

func (q *inquiry) wifiRadio() *finding {
	return q.radioOff("wlan", "rfkill unblock wifi", i18n.HelperRadioWifiHard, i18n.HelperRadioWifiSoft)
}

// manager reports that NetworkManager does not run, and which program replaces it.
func (q *inquiry) manager() *finding {
	first := q.output(q.first, "nmcli")
	missing := first == nil
	if !missing && !strings.Contains(first.Stderr+first.Stdout, "NetworkManager is not running") {
		return nil
	}
	units := []string{"NetworkManager", "iwd", "systemd-networkd"}
	if !q.collect(unitStateStep(false, units...)) {
		return nil
	}
	is := unitStates(q.anyStdout(unitStateStep(false, units...)), units...)
	for _, other := range units[1:] {
		if is[other] == "active" {
			return q.found(i18n.HelperWirelessManagerOther(other)).
				propose(intent.Call("read_logs", "unit", other, "since", "boot"), q.say(i18n.HelperWirelessAskUnitLog(other)))
		}
	}
	if missing {
		return &finding{verdict: q.toolReply(q.first).Text}
	}
	f := q.found(i18n.HelperNetworkNmStopped)
	if s := is["NetworkManager"]; s != "" {
		f.note(q.say(i18n.HelperWirelessManagerState(s)))
	}
	f.propose(intent.Call("manage_service", "action", "start", "name", "NetworkManager"), q.say(i18n.HelperWirelessAskStartManager))
	return f
}

// wifiSwitch checks NetworkManager's own switch.
func (q *inquiry) wifiSwitch() *finding {
	f := machine.SplitTerse(strings.TrimSpace(q.stdout(radioSwitch)))
	if len(f) != 2 {
		return nil
	}
	out := &finding{evidence: []string{q.say(i18n.HelperWirelessSwitchFigures(f[0], f[1]))}}
	switch {
	case f[0] == "disabled":
		out.verdict = q.say(i18n.HelperWirelessWifiHardware)
	case f[0] == "enabled" && f[1] == "disabled":
		out.verdict = q.say(i18n.HelperWirelessWifiSwitchedOff)
		out.propose(command("nmcli radio wifi on"), q.say(i18n.HelperWirelessAskWifiOn))
	default:
		return nil
	}
	return out
}

// wifiCard returns the wireless device, preferring a connected one; nil if there is none. known reports whether
// the list could be read.
func (q *inquiry) wifiCard() (card *machine.NetworkDevice, known bool) {
	list := read(machine.ParseNetworkDevices, q.stdout(netDevices))
	for i, d := range list {
		if d.Kind == "wifi" && (card == nil || strings.HasPrefix(d.State, "connected")) {
			card = &list[i]
		}
	}
	return card, len(list) > 0
}

func (q *inquiry) wifiDevice() *finding {
	card, known := q.wifiCard()
	switch {
	case !known:
		return nil
	case card == nil:
		return q.noWifiCard()
	case card.State == "unmanaged":
		return q.wifiUnmanaged(card.Name)
	case card.State == "unavailable":
		return q.found(i18n.HelperWirelessWifiUnavailable(card.Name), q.deviceState(*card)).
			propose(intent.Call("manage_service", "action", "restart", "name", "NetworkManager"), q.say(i18n.HelperWirelessAskRestartManager))
	}
	return nil
}

func (q *inquiry) deviceState(d machine.NetworkDevice) string {
	return q.say(i18n.HelperWirelessDeviceState(d.Name, d.State))
}

func (q *inquiry) wifiUnmanaged(device string) *finding {
	f := q.found(i18n.HelperWirelessWifiUnmanaged(device))
	if word := quoteWord(device); word != "" {
		q.proposeCommand(f, "nmcli device set "+word+" managed yes", i18n.HelperWirelessAskManage)
	}
	return f
}

// noWifiCard reports whether there is a card at all, and whether it has a driver.
func (q *inquiry) noWifiCard() *finding {
	if !q.collect(pciDevices) {
		return nil
	}
	f := q.found(i18n.HelperWirelessNoWifiCard)
	if q.stdout(pciDevices) == "" {
		return f
	}
	card := networkCard(q.stdout(pciDevices))
	switch {
	case card.Model == "":
		f.note(q.say(i18n.HelperWirelessCardNone))
		return f
	case card.Driver == "":
		f.verdict = q.say(i18n.HelperWirelessCardNoDriver(card.Model))
	default:
		f.note(q.say(i18n.HelperWirelessCardDriver(card.Model, card.Driver)))
	}
	f.propose(intent.Call("read_logs", "since", "boot", "grep", "firmware"), q.say(i18n.HelperWirelessAskFirmwareLog))
	return f
}

// networkCard returns the first wireless card of lspci -nnk, with its driver.
func networkCard(text string) machine.PCIDevice {
	for _, d := range read(machine.ParsePCI, text) {
		if d.Class == "Network controller" {
			d.Model, _, _ = strings.Cut(d.Model, " [")
			return d
		}
	}
	return machine.PCIDevice{}
}

// wifiUp reports why no network is connected.
func (q *inquiry) wifiUp() *finding {
	card, _ := q.wifiCard()
	switch {
	case card == nil || strings.HasPrefix(card.State, "connected"):
		return nil
	case strings.Contains(card.State, "getting IP configuration"):
		return q.wifiNoAddress(*card)
	case strings.HasPrefix(card.State, "connecting"):
		return q.found(i18n.HelperWirelessWifiConnecting(card.State))
	}
	if !q.collect(savedNets, dropLog) {
		return nil
	}
	f := q.found(i18n.HelperWirelessWifiDown, q.deviceState(*card))
	if log := parseDrops(q.anyStdout(dropLog)); log.wrongKey > 0 {
		return q.wrongKey(f, log)
	}
	return q.proposeNetwork(f)
}

func (q *inquiry) wrongKey(f *finding, log dropLogState) *finding {
	name := cmp.Or(log.ssid, q.say(i18n.HelperWirelessThatNetwork))
	f.verdict = q.say(i18n.HelperWirelessWifiWrongKey)
	f.note(q.say(i18n.HelperDropsWrongKeyTimes(log.wrongKey, log.wrongKeyAt)))
	f.meaning = q.say(i18n.HelperWirelessWifiWrongKeyFix(name))
	return f
}

func (q *inquiry) wifiNoAddress(card machine.NetworkDevice) *finding {
	f := q.found(i18n.HelperWirelessWifiDhcp(card.Connection), q.deviceState(card))
	q.proposeUp(f, card.Connection, i18n.HelperWirelessAskReconnect)
	return f
}

// proposeUp offers to bring a saved connection up.
func (q *inquiry) proposeUp(f *finding, name string, ask func(command string) i18n.Text) {
	if word := quoteWord(name); word != "" {
		up := "nmcli connection up id " + word
		f.propose(command(up), q.say(ask(up)))
	}
}

// proposeNetwork offers the strongest saved network in range.
func (q *inquiry) proposeNetwork(f *finding) *finding {
	list := read(machine.ParseWifi, q.stdout(q.first))
	if len(list) == 0 {
		if q.stdout(q.first) != "" {
			f.note(q.say(i18n.HelperWirelessWifiSeesNone))
		}
		return f
	}
	saved := savedNetworks(q.stdout(savedNets))
	for _, ap := range list {
		if slices.Contains(saved, ap.SSID) {
			f.note(q.say(i18n.HelperWirelessWifiSaved(ap.SSID, ap.Signal)))
			q.proposeUp(f, ap.SSID, i18n.HelperWirelessAskConnect)
			return f
		}
	}
	f.note(q.say(i18n.HelperWirelessWifiInRange(q.networkNames(list))))
	if q.output(savedNets, "") != nil {
		f.meaning = q.say(i18n.HelperWirelessWifiPick)
	}
	return f
}

func (q *inquiry) networkNames(list []machine.AccessPoint) string {
	var names []string
	for _, ap := range list {
		if len(names) < 4 && ap.SSID != "--" && ap.SSID != "" {
			names = append(names, ap.SSID+" "+itoa(ap.Signal)+"%")
		}
	}
	return strings.Join(names, ", ")
}

// savedNetworks returns the names of the saved wireless connections.
func savedNetworks(text string) []string {
	var out []string
	for _, line := range machine.Lines(text) {
		if f := machine.SplitTerse(line); len(f) >= 2 && strings.Contains(f[1], "wireless") && f[0] != "" {
			out = append(out, f[0])
		}
	}
	return out
}
