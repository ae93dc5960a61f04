package report

import (
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// dropLog reads the lines of kernel and supplicant about losing a wireless link.
var dropLog = command(`journalctl --no-pager -b -n 300 -g "CTRL-EVENT-DISCONNECTED|CTRL-EVENT-SSID-TEMP-DISABLED|deauthenticated from|disassociated from|Connection to AP"`)

// dropLogState summarises that log. Links that this machine ended itself (suspend, another network) do not
// count.
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

// mostFrequent returns the most frequent reason.
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

func (q *inquiry) dropReason(log dropLogState) string {
	reason, count := log.mostFrequent()
	text := i18n.HelperDropsReasonOther
	switch reason {
	case lostLink:
		return q.say(i18n.HelperDropsDropReason(q.say(i18n.HelperDropsReasonLost), count))
	case 4:
		return q.say(i18n.HelperDropsDropReason(q.say(i18n.HelperDropsReasonIdle), count))
	case 2, 6, 7, 14, 15, 16, 23:
		text = i18n.HelperDropsReasonAuth
	case 3, 5, 8, 12:
		text = i18n.HelperDropsReasonLeaving
	case 0, 1:
		text = i18n.HelperDropsReasonUnspoken
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
