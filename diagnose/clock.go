package diagnose

import (
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Clock is the question why the time is wrong.
func Clock() Topic {
	return Topic{ID: "clock", About: i18n.DiagnoseAboutClock, sound: clockSound, causes: []cause{
		{"zone-link", zoneLink},
		{"ntp-masked", ntpMasked},
		{"ntp-failed", ntpFailed},
		{"ntp-off", ntpOff},
		{"no-service", noTimeService},
		{"two-services", twoTimeServices},
		{"no-answer", ntpSilent},
		{"past", clockPast},
		{"rtc-shifted", rtcShifted},
		{"rtc-wrong", rtcWrong},
		{"rtc-local", rtcLocal},
		{"zone-utc", zoneUTC},
	}}
}

// homeZone returns the time zone of the language of the session, or else of the person, "" if that does not tell it.
func (f *Facts) homeZone() string {
	language := strings.TrimSpace(f.stdout(machine.LanguageProbe))
	if bareLocale(language) == "C.utf8" || language == "" {
		language = f.language()
	}
	for prefix, zone := range map[string]string{
		"ko_KR": "Asia/Seoul", "ja_JP": "Asia/Tokyo", "zh_CN": "Asia/Shanghai",
		"zh_TW": "Asia/Taipei",
	} {
		if strings.HasPrefix(language, prefix) {
			return zone
		}
	}
	return ""
}

func setZone(zone, was string) Step {
	undo := ""
	if was != "" {
		undo = "sudo -n timedatectl set-timezone " + was
	}
	return run(i18n.ClockZoneGoal(zone), "sudo -n timedatectl set-timezone "+zone, machine.TimeZoneProbe.String(), zone,
		undo)
}

// zoneLink finds that /etc/localtime leads to nothing: localtime(5). The time is UTC then.
func zoneLink(f *Facts) *Finding {
	look, link := machine.FileProbe("/etc/localtime"), machine.LinkProbe("/etc/localtime")
	if out, known := f.output(look); !known || out.Exit == 0 {
		return nil
	}
	target := machine.CleanLine(strings.TrimSpace(f.stdout(link)))
	if target == "" {
		return nil
	}
	found := proved(i18n.ClockLink(target), see(look, i18n.DesktopNone), seeLine(link, target))
	if zone := f.homeZone(); zone != "" {
		return found.offer(i18n.ClockZoneGoal(zone), setZone(zone, ""))
	}
	return found.advise(i18n.ClockZoneAdvice)
}

var timeServices = []string{"systemd-timesyncd.service", "chronyd.service", "ntpd.service"}

// timeUnits returns the states of the services that set the clock, and those that run.
func (f *Facts) timeUnits() (u unitStates, active []string) {
	u = f.units(machine.TimeUnitsProbe)
	for _, name := range timeServices {
		if u.isActive(name) {
			active = append(active, name)
		}
	}
	return u, active
}

func ntpMasked(f *Facts) *Finding {
	u, active := f.timeUnits()
	name := timeServices[0]
	if len(active) > 0 || !u.isMasked(name) {
		return nil
	}
	return proved(i18n.DesktopMasked(name), u.see(machine.TimeUnitsProbe, name)).
		offer(i18n.ClockNtpGoal, unmask(i18n.DesktopUnmask(name), name, false)...)
}

func ntpFailed(f *Facts) *Finding {
	u, active := f.timeUnits()
	for _, name := range timeServices {
		if len(active) > 0 || u[name]["ActiveState"] != "failed" {
			continue
		}
		found := proved(i18n.DesktopFailed(name), u.see(machine.TimeUnitsProbe, name))
		if line := failureLine(f.lines(machine.TimeLogProbe), "error", "fail", "cannot", "could not", "fatal"); line != "" {
			found.Evidence = append(found.Evidence, seeLine(machine.TimeLogProbe, line))
		}
		return found.offer(i18n.DesktopStart(name), control(i18n.DesktopStart(name), "restart", name, false))
	}
	return nil
}

func ntpOff(f *Facts) *Finding {
	u, active := f.timeUnits()
	if u == nil || len(active) > 0 || strings.TrimSpace(f.stdout(machine.NTPProbe)) != "no" ||
		u.isMasked(timeServices[0]) || noTimeService(f) != nil {
		return nil
	}
	return proved(i18n.ClockNtpOff, seeLine(machine.NTPProbe, "no"), u.see(machine.TimeUnitsProbe, timeServices[0])).
		offer(i18n.ClockNtpGoal, run(i18n.ClockNtpGoal, "sudo -n timedatectl set-ntp true", machine.NTPProbe.String(), "yes",
			"sudo -n timedatectl set-ntp false"))
}

// noTimeService finds that no program can set the clock.
func noTimeService(f *Facts) *Finding {
	c, ok := f.clock()
	u, active := f.timeUnits()
	if !ok || c.Synced != "no" || c.NTP != "n/a" || u == nil || len(active) > 0 || u.isMasked(timeServices[0]) {
		return nil
	}
	return proved(i18n.ClockNoService, seeLine(machine.ClockProbe, "NTP service: n/a"),
		u.see(machine.TimeUnitsProbe, timeServices[0])).advise(i18n.ClockNoServiceAdvice)
}

func twoTimeServices(f *Facts) *Finding {
	u, active := f.timeUnits()
	if len(active) < 2 {
		return nil
	}
	goal := i18n.ClockTwoGoal(active[0], active[1])
	return proved(i18n.ClockTwo(active[0], active[1]), u.see(machine.TimeUnitsProbe, active[0]),
		u.see(machine.TimeUnitsProbe, active[1])).
		offer(goal, run(goal, "sudo -n systemctl disable --now "+active[0], "systemctl show -p ActiveState "+active[0],
			"ActiveState=inactive", "sudo -n systemctl enable --now "+active[0]))
}

func (f *Facts) clock() (machine.Clock, bool) {
	c, err := parse(f, machine.ClockProbe, machine.ParseClock)
	return c, err == nil
}

// ntpSilent finds that no time server answers: systemd, src/timesync/timesyncd-manager.c. Without a message it may only
// not have
// answered yet.
func ntpSilent(f *Facts) *Finding {
	c, ok := f.clock()
	line := lineWith(f.lines(machine.TimeLogProbe), "timed out waiting for reply", "failed to resolve",
		"network is unreachable", "no selectable sources")
	if _, active := f.timeUnits(); !ok || c.Synced != "no" || len(active) == 0 {
		return nil
	}
	if line == "" {
		return likely(i18n.ClockWaiting, seeLine(machine.ClockProbe, "System clock synchronized: no")).
			advise(i18n.ClockSilentAdvice)
	}
	return proved(i18n.ClockSilent, seeLine(machine.ClockProbe, "System clock synchronized: no"),
		seeLine(machine.TimeLogProbe, line)).advise(i18n.ClockSilentAdvice)
}

// rtcShifted finds that another system writes its local time into the clock of the mainboard.
func rtcShifted(f *Facts) *Finding {
	c, ok := f.clock()
	if !ok || !c.UniversalParsed || c.RTCLocal != "no" {
		return nil
	}
	shift := c.RTCTime.Sub(c.Universal).Round(time.Minute)
	if hours := shift.Round(30 * time.Minute); hours == 0 || (shift-hours).Abs() > 3*time.Minute ||
		hours.Abs() > 14*time.Hour {
		return nil
	}
	return proved(i18n.ClockShifted(machine.CleanLine(c.RTC)), seeLine(machine.ClockProbe, "RTC time: "+c.RTC)).
		offer(i18n.ClockRtcGoal, run(i18n.ClockRtcGoal, "sudo -n hwclock --systohc --utc", "", "", "")).
		advise(i18n.ClockWindowsAdvice)
}

func rtcWrong(f *Facts) *Finding {
	c, ok := f.clock()
	if !ok || c.Drift() < 5*time.Minute || rtcShifted(f) != nil {
		return nil
	}
	return likely(i18n.ClockBattery(machine.CleanLine(c.RTC)), seeLine(machine.ClockProbe, "RTC time: "+c.RTC)).
		offer(i18n.ClockRtcGoal, run(i18n.ClockRtcGoal, "sudo -n hwclock --systohc --utc", "", "", "")).
		advise(i18n.ClockBatteryAdvice)
}

func rtcLocal(f *Facts) *Finding {
	c, ok := f.clock()
	if !ok || c.RTCLocal != "yes" {
		return nil
	}
	return likely(i18n.ClockLocal, seeLine(machine.ClockProbe, "RTC in local TZ: yes")).offer(i18n.ClockLocalGoal,
		run(i18n.ClockLocalGoal, "sudo -n timedatectl set-local-rtc 0", "timedatectl status", "RTC in local TZ: no",
			"sudo -n timedatectl set-local-rtc 1")).advise(i18n.ClockWindowsAdvice)
}

// zoneUTC finds the zone that a fresh installation has, with a language that is spoken elsewhere.
func zoneUTC(f *Facts) *Finding {
	zone, home := strings.TrimSpace(f.stdout(machine.TimeZoneProbe)), f.homeZone()
	if zone != "UTC" && zone != "Etc/UTC" || home == "" {
		return nil
	}
	return likely(i18n.ClockUtc(home), seeLine(machine.TimeZoneProbe, zone)).
		offer(i18n.ClockZoneGoal(home), setZone(home, zone))
}

// clockSound reports the time, where it comes from, and what else can make it look wrong.
func clockSound(f *Facts) *Finding {
	c, ok := f.clock()
	if !ok || c.Synced != "yes" {
		return nil
	}
	zone, _, _ := strings.Cut(c.Zone, " ")
	return proved(i18n.ClockFine, seeLine(machine.ClockProbe, c.Local+", "+c.Zone),
		seeLine(machine.ClockProbe, "System clock synchronized: yes"), seeLine(machine.ClockProbe, "RTC time: "+c.RTC)).
		advise(i18n.ClockZoneElse(zone))
}
