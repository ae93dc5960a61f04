package machine

import (
	"strconv"
	"strings"
)

var (
	// DropsProbe shows when wireless links ended since the machine started.
	DropsProbe = Probe{
		"journalctl", "--no-pager", "-b", "-n", "300", "-g", "CTRL-EVENT-DISCONNECTED|deauthenticated from|disassociated from|Connection to AP",
	}
	// NameProbe looks up a name on the internet (getent(1)): it exits 2 if there is none.
	NameProbe = Probe{"getent", "hosts", "archlinux.org"}
)

// InternetAddress is one that answers ping wherever there is internet.
const InternetAddress = "1.1.1.1"

// PingProbe asks a machine to answer (ping(8)), and waits for two seconds.
func PingProbe(host string) Probe { return Probe{"ping", "-c", "1", "-W", "2", host} }

// PowerSaveProbe shows whether a wireless device saves power (iw(8), "get power_save").
func PowerSaveProbe(device string) Probe { return Probe{"iw", "dev", device, "get", "power_save"} }

// PingAnswers reports whether a machine answered ping. It exits 1 if there is no answer and 2 on other errors (ping(8)).
// tested is false without the right to send packets, for example.
func PingAnswers(stdout, stderr string, exit int) (answers, tested bool) {
	switch exit {
	case 0:
		answers = containsAny(stdout, "bytes from", "time=", " received", " 0% packet loss")
		return answers, answers
	case 1, 2:
		low := strings.ToLower(stderr)
		return false, low == "" || containsAny(low, "unreachable", "no route", "is down", "not known", "failure in name resolution")
	}
	return false, false
}

// Drops are the ends of wireless links. Those that this machine ended itself (suspend, another network) do not count.
type Drops struct {
	Times   []string
	Reasons map[int]int // how often, by the reason codes of IEEE 802.11, or LostLink
}

// LostLink is the pseudo reason code of a link that ended without a frame: the beacons stopped.
const LostLink = -1

var (
	dropTime   = pattern(`^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d)`)
	dropReason = pattern(`(?:reason=|Reason: )(\d{1,3})\b`)
)

// LinkDrops counts wpa_supplicant's events (wpa_supplicant/events.c). If there are none, it counts the kernel's lines, which
// report the same drops (Linux, net/mac80211/mlme.c).
func LinkDrops(text string) Drops {
	events, kernel := Drops{Reasons: map[int]int{}}, Drops{Reasons: map[int]int{}}
	for _, line := range Lines([]byte(text)) {
		switch {
		case strings.Contains(line, "CTRL-EVENT-DISCONNECTED"):
			events.add(line)
		case strings.Contains(line, "kernel:") && containsAny(line, "deauthenticated from", "disassociated from", "Connection to AP"):
			kernel.add(line)
		}
	}
	if len(events.Times) == 0 {
		return kernel
	}
	return events
}

func (d *Drops) add(line string) {
	reason := LostLink
	if m := dropReason().FindStringSubmatch(line); m != nil {
		reason, _ = strconv.Atoi(m[1]) // three digits at most
	}
	own := strings.Contains(line, "locally_generated=1")
	if own && reason == 3 {
		return
	}
	if own && reason == 4 {
		reason = LostLink // the card gave up on a silent access point
	}
	d.Times = append(d.Times, dropTime().FindString(line))
	d.Reasons[reason]++
}

// MostFrequent returns the most frequent reason.
func (d Drops) MostFrequent() (reason, count int) {
	for r, n := range d.Reasons {
		if n > count || n == count && r < reason {
			reason, count = r, n
		}
	}
	return reason, count
}
