package report

import (
	"cmp"
	"slices"
	"strconv"
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
	return q.switchedOff(f[0], f[1])
}

// switchedOff reports a wireless card that NetworkManager may not use. It returns nil if it may.
func (q *inquiry) switchedOff(hardware, software string) *finding {
	figures := q.say(i18n.HelperWirelessSwitchFigures(hardware, software))
	switch {
	case hardware == "disabled":
		return q.found(i18n.HelperWirelessWifiHardware, figures)
	case hardware == "enabled" && software == "disabled":
		f := q.found(i18n.HelperWirelessWifiSwitchedOff, figures)
		return f.propose(command("nmcli radio wifi on"), q.say(i18n.HelperWirelessAskWifiOn))
	}
	return nil
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
			propose(intent.Call("manage_service", "action", "restart", "name", "NetworkManager"),
				q.say(i18n.HelperWirelessAskRestartManager))
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
		f.note(q.sayIf(q.stdout(q.first) != "", i18n.HelperWirelessWifiSeesNone))
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
	named := filter(list, func(ap machine.AccessPoint) bool { return ap.SSID != "--" && ap.SSID != "" })
	return names(named, 4, func(ap machine.AccessPoint) string { return ap.SSID + " " + itoa(ap.Signal) + "%" })
}

func savedNetworks(text string) []string {
	var out []string
	for _, line := range machine.Lines(text) {
		if f := machine.SplitTerse(line); len(f) >= 2 && strings.Contains(f[1], "wireless") && f[0] != "" {
			out = append(out, f[0])
		}
	}
	return out
}

// radioBlocks reads the kernel's files, because rfkill(8) needs a device that sandboxed commands cannot access.
var radioBlocks = command(machine.RadiosProbe.String())

// blockedRadio returns a blocked radio of a kind if no other of that kind is free: a blocked dongle next to a
// working card is not a problem.
func blockedRadio(list []machine.Radio, kind string) (off machine.Radio, blocked bool) {
	for _, r := range list {
		switch {
		case r.Kind != kind:
		case !r.Soft && !r.Hard:
			return machine.Radio{}, false
		case !blocked || r.Hard:
			off, blocked = r, true
		}
	}
	return off, blocked
}

// radioOff reports that every radio of a kind is blocked. It returns nil if one is free or none is known.
func (q *inquiry) radioOff(kind, unblock string, hard, soft i18n.Text) *finding {
	r, blocked := blockedRadio(read(machine.ParseRadios, q.anyStdout(radioBlocks)), kind)
	if !blocked {
		return nil
	}
	figures := q.say(i18n.HelperRadioFigures(q.yesNo(r.Soft), q.yesNo(r.Hard)))
	if r.Hard {
		return q.found(hard, figures)
	}
	return q.proposeCommand(q.found(soft, figures), unblock, i18n.HelperRadioAskUnblock)
}

func (q *inquiry) yesNo(yes bool) string {
	if yes {
		return q.say(i18n.HelperRadioIs)
	}
	return q.say(i18n.HelperRadioIsNot)
}

// dropLog reads the lines of kernel and supplicant about losing a wireless link.
var dropLog = command(`journalctl --no-pager -b -n 300 -g "CTRL-EVENT-DISCONNECTED|CTRL-EVENT-SSID-TEMP-DISABLED|deauthenticated from|disassociated from|Connection to AP"`)

// dropLogState summarises that log. Links that this machine ended itself (suspend, another network) do not count.
type dropLogState struct {
	times      []string
	reasons    map[int]int // by 802.11 reason code, or lost
	wrongKey   int
	wrongKeyAt string
	ssid       string
}

// lostLink is the pseudo reason code for a link that ended without a frame: the beacons stopped.
const lostLink = -1

var (
	dropWhen   = pattern(`^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d)`)
	dropReason = pattern(`(?:reason=|Reason: )(\d{1,3})\b`)
	dropSsid   = pattern(`ssid="([^"]{1,64})"`)
)

// parseDrops counts wpa_supplicant's events. If there are none, it counts the kernel's lines, which report the
// same drops.
func parseDrops(text string) dropLogState {
	events := dropLogState{reasons: map[int]int{}}
	kernel := dropLogState{reasons: map[int]int{}}
	for _, line := range machine.Lines(text) {
		switch {
		case strings.Contains(line, "CTRL-EVENT-SSID-TEMP-DISABLED"):
			events.addDenial(line)
		case strings.Contains(line, "CTRL-EVENT-DISCONNECTED"):
			events.addDrop(line)
		case strings.Contains(line, "kernel:") && containsAny(line, "deauthenticated from", "disassociated from", "Connection to AP"):
			kernel.addDrop(line)
		}
	}
	if len(events.times) == 0 {
		events.times, events.reasons = kernel.times, kernel.reasons
	}
	return events
}

func (d *dropLogState) addDenial(line string) {
	if !strings.Contains(line, "WRONG_KEY") {
		return
	}
	d.wrongKey++
	d.wrongKeyAt = dropWhen().FindString(line)
	if m := dropSsid().FindStringSubmatch(line); m != nil {
		d.ssid = m[1]
	}
}

func (d *dropLogState) addDrop(line string) {
	reason := lostLink
	if m := dropReason().FindStringSubmatch(line); m != nil {
		reason, _ = strconv.Atoi(m[1]) // three digits at most
	}
	own := strings.Contains(line, "locally_generated=1")
	if own && reason == 3 {
		return
	}
	if own && reason == 4 {
		reason = lostLink // the card gave up on a silent access point
	}
	d.times = append(d.times, dropWhen().FindString(line))
	d.reasons[reason]++
}

func (d dropLogState) mostFrequent() (reason, count int) {
	for r, n := range d.reasons {
		if n > count || n == count && r < reason {
			reason, count = r, n
		}
	}
	return reason, count
}

// wifiLink reports on a connected network: whether the internet is reachable, and how often the link dropped.
func (q *inquiry) wifiLink() *finding {
	card, known := q.wifiCard()
	if card == nil {
		if known {
			return nil
		}
		return &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.say(i18n.HelperDropsDevicesUnread)}}
	}
	looks := []intent.Step{dropLog, connectivity}
	word := quoteWord(card.Name) // a network device can have almost any name
	saving := command("iw dev " + word + " get power_save")
	if word != "" {
		looks = append(looks, saving)
	}
	if !q.collect(looks...) {
		return nil
	}
	if q.find(connectivity) != nil {
		if f := q.checkLayers(connectivity); f != nil || len(q.needed) > 0 {
			return f
		}
	}
	return q.dropFinding(*card, q.stdout(saving))
}

func (q *inquiry) dropFinding(card machine.NetworkDevice, saving string) *finding {
	name, log := card.Connection, parseDrops(q.anyStdout(dropLog))
	f := q.found(i18n.HelperDropsWifiHealthy(name))
	signal := -1
	for _, ap := range read(machine.ParseWifi, q.stdout(q.first)) {
		if ap.InUse {
			signal = ap.Signal
			f.note(q.say(i18n.HelperDropsSignal(signal)))
		}
	}
	f.note(q.delay())
	if !q.internetAnswers() || q.isJournalHidden(dropLog) {
		f.verdict = q.say(i18n.HelperDropsWifiJoined(name))
	}
	if n := len(log.times); n > 0 {
		f.verdict = q.say(i18n.HelperDropsWifiDropped(name, n))
		f.note(q.dropSpan(log), q.dropReason(log))
	} else if q.isJournalHidden(dropLog) {
		f.note(q.say(i18n.HelperDropsUnread))
	}
	q.dropRemedy(f, card.Name, signal, saving, log)
	return f
}

func (q *inquiry) dropSpan(log dropLogState) string {
	if len(log.times) == 1 {
		return q.say(i18n.HelperDropsOnce(log.times[0]))
	}
	return q.say(i18n.HelperDropsSpan(len(log.times), log.times[0], log.times[len(log.times)-1]))
}

// dropReasons describe the codes of IEEE 802.11 for the end of a link.
var dropReasons = map[int]func(reason int) i18n.Text{
	0: i18n.HelperDropsReasonUnspoken, 1: i18n.HelperDropsReasonUnspoken,
	2: i18n.HelperDropsReasonAuth, 6: i18n.HelperDropsReasonAuth, 7: i18n.HelperDropsReasonAuth,
	14: i18n.HelperDropsReasonAuth, 15: i18n.HelperDropsReasonAuth, 16: i18n.HelperDropsReasonAuth,
	23: i18n.HelperDropsReasonAuth, 3: i18n.HelperDropsReasonLeaving, 5: i18n.HelperDropsReasonLeaving,
	8: i18n.HelperDropsReasonLeaving, 12: i18n.HelperDropsReasonLeaving,
	4:        func(int) i18n.Text { return i18n.HelperDropsReasonIdle },
	lostLink: func(int) i18n.Text { return i18n.HelperDropsReasonLost },
}

func (q *inquiry) dropReason(log dropLogState) string {
	reason, count := log.mostFrequent()
	text, known := dropReasons[reason]
	if !known {
		text = i18n.HelperDropsReasonOther
	}
	return q.say(i18n.HelperDropsDropReason(q.say(text(reason)), count))
}

// dropRemedy adds the remedy: move closer, disable power saving, or check the router.
func (q *inquiry) dropRemedy(f *finding, device string, signal int, saving string, log dropLogState) {
	on := strings.Contains(saving, "Power save: on")
	reason, count := log.mostFrequent()
	switch {
	case on:
		f.note(q.say(i18n.HelperDropsPowerSaveOn(device)))
	case strings.Contains(saving, "Power save: off"):
		f.note(q.say(i18n.HelperDropsPowerSaveOff(device)))
	}
	switch {
	case signal >= 0 && signal < 40 && (count > 0 || q.asksAbout("cause", "slow")):
		f.meaning = q.say(i18n.HelperDropsMeansWeak)
	case count == 0:
	case reason == 2 || reason == 15 || reason == 23:
		f.meaning = q.say(i18n.HelperDropsMeansKey)
	case on && quoteWord(device) == device:
		off := "sudo -n iw dev " + device + " set power_save off"
		f.meaning = q.say(i18n.HelperDropsMeansSaving)
		f.propose(command(off), q.say(i18n.HelperDropsAskPowerSave(off)))
	case saving != "" && signal >= 40:
		f.meaning = q.say(i18n.HelperDropsMeansRouter)
	}
}

// isJournalHidden reports whether a step could not read the system's journal.
func (q *inquiry) isJournalHidden(s intent.Step) bool {
	step := q.output(s, "")
	return step == nil || !isFullyRead(step)
}
