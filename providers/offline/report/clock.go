package report

import (
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

var clockState = command(machine.ClockProbe.String())

// clock checks the synchronisation, the time zone, then the hardware clock.
func (q *inquiry) clock() Reply {
	step := q.output(clockState, "")
	switch {
	case step == nil && q.find(clockState) != nil:
		return Reply{Text: joinBlocks(q.say(i18n.HelperClockUnseen), q.resultOf(clockState).missing())}
	case step == nil:
		return q.toolReply(q.first)
	}
	c, ok := tryRead(machine.ParseClock, step.Stdout)
	if !ok {
		return Reply{Text: joinBlocks(q.say(i18n.HelperClockUnseen), quote(essentialLines(step.Stderr+step.Stdout, 2)))}
	}
	return q.clockFinding(c).reply()
}

func (q *inquiry) clockFinding(c machine.Clock) *finding {
	f := &finding{verdict: q.say(i18n.HelperClockPlain)}
	f.note(q.say(i18n.HelperClockNow(c.Local, c.Zone)), q.say(i18n.HelperClockLine(q.yesNoText(c.Synced), c.NTP)))
	if c.RTC != "" && c.RTC != "n/a" {
		f.note(q.say(i18n.HelperClockRtcLine(c.RTC, q.yesNoText(c.RTCLocal))))
	}
	switch {
	case c.NTP == "inactive" && c.Synced != "yes":
		on := "sudo -n timedatectl set-ntp true"
		f.verdict = q.say(i18n.HelperClockNoSync)
		f.propose(command(on), q.say(i18n.HelperClockAskSetNtp(on)))
	case c.NTP == "n/a" && c.Synced != "yes":
		f.verdict = q.say(i18n.HelperClockNoService)
	case c.NTP == "active" && c.Synced == "no":
		f.verdict = q.say(i18n.HelperClockWaiting)
		f.propose(q.unitLog("systemd-timesyncd"), q.say(i18n.HelperClockAskClockLog))
	default:
		q.checkZoneAndHardwareClock(f, c)
	}
	return f
}

// checkZoneAndHardwareClock reports a time zone that is unlikely to be the user's, and a hardware clock that
// another system sets.
func (q *inquiry) checkZoneAndHardwareClock(f *finding, c machine.Clock) {
	home := map[i18n.Lang]string{i18n.Korean: "Asia/Seoul", i18n.Chinese: "Asia/Shanghai", i18n.Traditional: "Asia/Taipei"}[q.Lang]
	switch {
	case home != "" && hasAnyPrefix(c.Zone, "UTC", "Etc/UTC"):
		to := "sudo -n timedatectl set-timezone " + home
		f.verdict = q.say(i18n.HelperClockZoneUtc)
		f.propose(command(to), q.say(i18n.HelperClockAskSetZone(to)))
	case c.RTCLocal == "yes":
		to := "sudo -n timedatectl set-local-rtc 0"
		f.verdict = q.say(i18n.HelperClockRtcLocal)
		f.propose(command(to), q.say(i18n.HelperClockAskRtcutc(to)))
	case c.Drift() >= 2*time.Minute:
		f.verdict = q.say(i18n.HelperClockRtcOff(q.durationText(c.Drift())))
		if c.Synced == "yes" {
			q.proposeCommand(f, "sudo -n hwclock --systohc", i18n.HelperClockAskRtcWrite)
		}
	case c.Synced == "":
		f.verdict = q.say(i18n.HelperClockPartly)
	case c.Synced == "yes":
		f.verdict = q.say(i18n.HelperClockFine)
		zone, _, _ := strings.Cut(c.Zone, " ")
		f.meaning = q.say(i18n.HelperClockZone(zone))
	}
}

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
