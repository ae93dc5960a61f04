package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// netDevice is one row of nmcli device status.
type netDevice struct{ name, kind, state, connection string }

var (
	radioSwitch = command("nmcli -t -f WIFI-HW,WIFI radio")
	netDevices  = command("nmcli -t -f DEVICE,TYPE,STATE,CONNECTION device status")
	savedNets   = command("nmcli -t -f NAME,TYPE,AUTOCONNECT connection show")
	pciDevices  = command("lspci -nnk")
)

func parseDevices(text string) []netDevice {
	var out []netDevice
	for _, line := range outputLines(text) {
		if f := splitTerse(line); len(f) == 4 && f[0] != "" && f[2] != "" {
			out = append(out, netDevice{f[0], f[1], f[2], f[3]})
		}
	}
	return out
}

// wifi checks a wireless link layer by layer: radio, manager, device, connection, address, internet, and drops
// in the log.
func (q *inquiry) wifi() Reply {
	if !q.collect(q.first, radioBlocks, radioSwitch, netDevices) {
		return Reply{}
	}
	if !q.hasRun(netDevices) && q.output(q.first, "") == nil && q.output(radioBlocks, "") == nil {
		return q.toolReply(q.first) // no program could be run, or none is installed
	}
	return conclude(q.firstBroken(q.wifiRadio, q.manager, q.wifiSwitch, q.wifiDevice, q.wifiUp, q.wifiLink))
}

// hasRun reports whether a step was run, with any result.
func (q *inquiry) hasRun(s intent.Step) bool { return q.find(s) != nil }

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
			f := &finding{verdict: q.say(i18n.HelperWirelessManagerOther(other))}
			f.propose(intent.Call("read_logs", "unit", other, "since", "boot"), q.say(i18n.HelperWirelessAskUnitLog(other)))
			return f
		}
	}
	if missing {
		return &finding{verdict: q.toolReply(q.first).Text}
	}
	f := &finding{verdict: q.say(i18n.HelperNetworkNmStopped)}
	if s := is["NetworkManager"]; s != "" {
		f.note(q.say(i18n.HelperWirelessManagerState(s)))
	}
	f.propose(intent.Call("manage_service", "action", "start", "name", "NetworkManager"), q.say(i18n.HelperWirelessAskStartManager))
	return f
}

// wifiSwitch checks NetworkManager's own switch.
func (q *inquiry) wifiSwitch() *finding {
	f := splitTerse(strings.TrimSpace(q.stdout(radioSwitch)))
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
func (q *inquiry) wifiCard() (card *netDevice, known bool) {
	list := parseDevices(q.stdout(netDevices))
	for i, d := range list {
		if d.kind == "wifi" && (card == nil || strings.HasPrefix(d.state, "connected")) {
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
	case card.state == "unmanaged":
		return q.wifiUnmanaged(card.name)
	case card.state == "unavailable":
		f := &finding{verdict: q.say(i18n.HelperWirelessWifiUnavailable(card.name)), evidence: []string{q.deviceState(*card)}}
		f.propose(intent.Call("manage_service", "action", "restart", "name", "NetworkManager"), q.say(i18n.HelperWirelessAskRestartManager))
		return f
	}
	return nil
}

func (q *inquiry) deviceState(d netDevice) string {
	return q.say(i18n.HelperWirelessDeviceState(d.name, d.state))
}

func (q *inquiry) wifiUnmanaged(device string) *finding {
	f := &finding{verdict: q.say(i18n.HelperWirelessWifiUnmanaged(device))}
	if word := quoteWord(device); word != "" {
		hand := "nmcli device set " + word + " managed yes"
		f.propose(command(hand), q.say(i18n.HelperWirelessAskManage(hand)))
	}
	return f
}

// noWifiCard reports whether there is a card at all, and whether it has a driver.
func (q *inquiry) noWifiCard() *finding {
	if !q.collect(pciDevices) {
		return nil
	}
	f := &finding{verdict: q.say(i18n.HelperWirelessNoWifiCard)}
	if q.stdout(pciDevices) == "" {
		return f
	}
	card := parseCard(q.stdout(pciDevices), "Network controller")
	switch {
	case card.model == "":
		f.note(q.say(i18n.HelperWirelessCardNone))
		return f
	case card.driver == "":
		f.verdict = q.say(i18n.HelperWirelessCardNoDriver(card.model))
	default:
		f.note(q.say(i18n.HelperWirelessCardDriver(card.model, card.driver)))
	}
	f.propose(intent.Call("read_logs", "since", "boot", "grep", "firmware"), q.say(i18n.HelperWirelessAskFirmwareLog))
	return f
}

// parseCard returns the first device of a class in lspci -nnk, with its driver.
func parseCard(text, class string) (card graphicsCard) {
	inCard := false
	for _, line := range outputLines(text) {
		if !strings.HasPrefix(line, " ") {
			head, model, _ := strings.Cut(line, ": ")
			inCard = card.model == "" && strings.Contains(head, class)
			if inCard {
				card.model, _, _ = strings.Cut(model, " [")
			}
		}
		if _, driver, ok := strings.Cut(line, "Kernel driver in use: "); ok && inCard {
			card.driver = strings.TrimSpace(driver)
		}
	}
	return card
}

// wifiUp reports why no network is connected.
func (q *inquiry) wifiUp() *finding {
	card, _ := q.wifiCard()
	switch {
	case card == nil || strings.HasPrefix(card.state, "connected"):
		return nil
	case strings.Contains(card.state, "getting IP configuration"):
		return q.wifiNoAddress(*card)
	case strings.HasPrefix(card.state, "connecting"):
		return &finding{verdict: q.say(i18n.HelperWirelessWifiConnecting(card.state))}
	}
	if !q.collect(savedNets, dropLog) {
		return nil
	}
	f := &finding{verdict: q.say(i18n.HelperWirelessWifiDown), evidence: []string{q.deviceState(*card)}}
	log := parseDrops(q.anyStdout(dropLog))
	if log.wrongKey > 0 {
		return q.wrongKey(f, log)
	}
	return q.proposeNetwork(f)
}

func (q *inquiry) wrongKey(f *finding, log dropLogState) *finding {
	name := log.ssid
	if name == "" {
		name = q.say(i18n.HelperWirelessThatNetwork)
	}
	f.verdict = q.say(i18n.HelperWirelessWifiWrongKey)
	f.note(q.say(i18n.HelperDropsWrongKeyTimes(log.wrongKey, log.wrongKeyAt)))
	f.meaning = q.say(i18n.HelperWirelessWifiWrongKeyFix(name))
	return f
}

func (q *inquiry) wifiNoAddress(card netDevice) *finding {
	f := &finding{verdict: q.say(i18n.HelperWirelessWifiDhcp(card.connection)), evidence: []string{q.deviceState(card)}}
	q.proposeUp(f, card.connection, i18n.HelperWirelessAskReconnect)
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
	list := parseWifi(q.stdout(q.first))
	if len(list) == 0 {
		if q.stdout(q.first) != "" {
			f.note(q.say(i18n.HelperWirelessWifiSeesNone))
		}
		return f
	}
	saved := savedNetworks(q.stdout(savedNets))
	for _, ap := range list {
		if slices.Contains(saved, ap.ssid) {
			f.note(q.say(i18n.HelperWirelessWifiSaved(ap.ssid, ap.signal)))
			q.proposeUp(f, ap.ssid, i18n.HelperWirelessAskConnect)
			return f
		}
	}
	f.note(q.say(i18n.HelperWirelessWifiInRange(q.networkNames(list))))
	if q.output(savedNets, "") != nil {
		f.meaning = q.say(i18n.HelperWirelessWifiPick)
	}
	return f
}

func (q *inquiry) networkNames(list []accessPoint) string {
	var names []string
	for _, ap := range list {
		if len(names) < 4 && ap.ssid != "--" && ap.ssid != "" {
			names = append(names, ap.ssid+" "+itoa(ap.signal)+"%")
		}
	}
	return strings.Join(names, ", ")
}

// savedNetworks returns the names of the saved wireless connections.
func savedNetworks(text string) []string {
	var out []string
	for _, line := range outputLines(text) {
		if f := splitTerse(line); len(f) >= 2 && strings.Contains(f[1], "wireless") && f[0] != "" {
			out = append(out, f[0])
		}
	}
	return out
}
