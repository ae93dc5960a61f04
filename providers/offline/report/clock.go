package report

import (
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
)

var clockState = command("timedatectl status")

// wallClock is the output of timedatectl status.
type wallClock struct {
	local, zone     string
	synced, ntp     string
	rtc, rtcLocal   string
	universal       time.Time
	rtcTime         time.Time
	universalParsed bool
}

// parseClock parses timedatectl status (timedatectl(1)): "Key: value" lines.
func parseClock(text string) (c wallClock, ok bool) {
	info := parseIndented(text)
	c = wallClock{
		local: info["Local time"], zone: info["Time zone"], synced: info["System clock synchronized"],
		ntp: info["NTP service"], rtc: info["RTC time"], rtcLocal: info["RTC in local TZ"],
	}
	var errU, errR error
	c.universal, errU = time.Parse("Mon 2006-01-02 15:04:05 MST", info["Universal time"])
	c.rtcTime, errR = time.Parse("Mon 2006-01-02 15:04:05", c.rtc)
	c.universalParsed = errU == nil && errR == nil
	return c, c.local != "" && c.zone != ""
}

// drift returns the error of the hardware clock. It returns 0 if that clock keeps local time.
func (c wallClock) drift() time.Duration {
	if !c.universalParsed || c.rtcLocal != "no" {
		return 0
	}
	return c.rtcTime.Sub(c.universal).Abs().Round(time.Minute)
}

// clock checks the synchronisation, the time zone, then the hardware clock.
func (q *inquiry) clock() Reply {
	if !q.collect(q.first, clockState) {
		return Reply{}
	}
	step := q.output(clockState, "")
	if step == nil && q.hasRun(clockState) {
		return Reply{Text: joinBlocks(q.say(i18n.HelperClockUnseen), q.missingProgramOf(clockState))}
	}
	if step == nil {
		return q.toolReply(q.first)
	}
	c, ok := parseClock(step.Stdout)
	if !ok {
		return Reply{Text: joinBlocks(q.say(i18n.HelperClockUnseen), quoteSome(step.Stderr+step.Stdout))}
	}
	return q.clockFinding(c).reply()
}

// quoteSome quotes the essential lines of an output. It returns "" if there are none.
func quoteSome(text string) string {
	if words := essentialLines(text, 2); words != "" {
		return quote(words)
	}
	return ""
}

func (q *inquiry) clockFinding(c wallClock) finding {
	f := finding{verdict: q.say(i18n.HelperClockPlain)}
	f.note(q.say(i18n.HelperClockNow(c.local, c.zone)), q.say(i18n.HelperClockLine(q.yesNoText(c.synced), c.ntp)))
	if c.rtc != "" && c.rtc != "n/a" {
		f.note(q.say(i18n.HelperClockRtcLine(c.rtc, q.yesNoText(c.rtcLocal))))
	}
	switch {
	case c.ntp == "inactive" && c.synced != "yes":
		on := "sudo -n timedatectl set-ntp true"
		f.verdict = q.say(i18n.HelperClockNoSync)
		f.propose(command(on), q.say(i18n.HelperClockAskSetNtp(on)))
	case c.ntp == "n/a" && c.synced != "yes":
		f.verdict = q.say(i18n.HelperClockNoService)
	case c.ntp == "active" && c.synced == "no":
		f.verdict = q.say(i18n.HelperClockWaiting)
		f.propose(q.unitLog("systemd-timesyncd"), q.say(i18n.HelperClockAskClockLog))
	default:
		q.checkZoneAndHardwareClock(&f, c)
	}
	return f
}

// checkZoneAndHardwareClock reports a time zone that is unlikely to be the user's, and a hardware clock that
// another system sets.
func (q *inquiry) checkZoneAndHardwareClock(f *finding, c wallClock) {
	home := map[i18n.Lang]string{i18n.Korean: "Asia/Seoul", i18n.Chinese: "Asia/Shanghai", i18n.Traditional: "Asia/Taipei"}[q.Lang]
	switch {
	case home != "" && hasAnyPrefix(c.zone, "UTC", "Etc/UTC"):
		to := "sudo -n timedatectl set-timezone " + home
		f.verdict = q.say(i18n.HelperClockZoneUtc)
		f.propose(command(to), q.say(i18n.HelperClockAskSetZone(to)))
	case c.rtcLocal == "yes":
		to := "sudo -n timedatectl set-local-rtc 0"
		f.verdict = q.say(i18n.HelperClockRtcLocal)
		f.propose(command(to), q.say(i18n.HelperClockAskRtcutc(to)))
	case c.drift() >= 2*time.Minute:
		f.verdict = q.say(i18n.HelperClockRtcOff(q.durationText(c.drift())))
		if c.synced == "yes" {
			write := "sudo -n hwclock --systohc"
			f.propose(command(write), q.say(i18n.HelperClockAskRtcWrite(write)))
		}
	case c.synced == "":
		f.verdict = q.say(i18n.HelperClockPartly)
	case c.synced == "yes":
		f.verdict = q.say(i18n.HelperClockFine)
		zone, _, _ := strings.Cut(c.zone, " ")
		f.meaning = q.say(i18n.HelperClockZone(zone))
	}
}

// yesNoText translates a program's yes or no.
func (q *inquiry) yesNoText(word string) string {
	if word == "yes" || word == "no" {
		return q.yesNo(word == "yes")
	}
	return word
}

// durationText formats hours and minutes.
func (q *inquiry) durationText(d time.Duration) string {
	hours, minutes := int(d.Hours()), int(d.Minutes())%60
	if hours == 0 {
		return q.say(i18n.HelperSystemMinutes(minutes))
	}
	if minutes == 0 {
		return q.say(i18n.HelperSystemHours(hours))
	}
	return q.say(i18n.HelperSystemHours(hours)) + " " + q.say(i18n.HelperSystemMinutes(minutes))
}
