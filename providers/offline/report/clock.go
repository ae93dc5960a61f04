package report

import (
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
)

var (
	sayClockNow       = i18n.T("이 컴퓨터의 시각: %[1]s, 시간대: %[2]s(`timedatectl`)", "This machine's time: %[1]s, zone: %[2]s (`timedatectl`)", "本机时间：%[1]s，时区：%[2]s（`timedatectl`）")
	sayClockFine      = i18n.T("시계는 인터넷 시각과 맞춰져 있어요.", "The clock is synchronised with the internet.", "时钟已与网络时间同步。")
	sayClockZone      = i18n.T("그래도 시각이 다르게 보이면 시간대(%[1]s)가 지금 있는 곳과 맞는지 보세요.", "If the time still looks wrong, see whether the zone (%[1]s) is where you are.", "如果时间看起来仍不对，请检查时区（%[1]s）是否与所在地一致。")
	askRTCWrite       = i18n.T("맞는 시각을 메인보드 시계에 써 넣을까요? (`%[1]s`)", "Shall I write the right time to the board's clock? (`%[1]s`)", "要把正确的时间写入主板时钟吗？（`%[1]s`）")
	sayClockPartly    = i18n.T("시각이 동기화됐는지는 출력에 없어서 시계가 맞는지 말할 수 없어요.", "The output does not say whether the clock is synchronised, so I cannot tell whether it is right.", "输出中没有同步状态，无法判断时钟是否准确。")
	sayClockPlain     = i18n.T("시계에서 문제를 찾지 못했어요.", "Nothing is wrong with the clock as far as I can see.", "没有发现时钟有问题。")
	sayClockNoSync    = i18n.T("시각을 인터넷과 맞추는 기능(NTP)이 꺼져 있어요. 그래서 시계가 점점 틀어져요.", "Synchronising with the internet (NTP) is off, so the clock drifts.", "网络时间同步（NTP）已关闭，时钟会逐渐偏差。")
	askSetNTP         = i18n.T("켤까요? (`%[1]s`)", "Shall I switch it on? (`%[1]s`)", "要打开吗？（`%[1]s`）")
	sayClockNoService = i18n.T("시각을 인터넷과 맞출 프로그램이 없어요(NTP service: n/a).", "There is no program that synchronises the clock (NTP service: n/a).", "没有可用的时间同步程序（NTP service: n/a）。")
	sayClockWaiting   = i18n.T("시각 동기화(NTP)는 켜져 있지만 아직 맞춰지지 않았어요. 인터넷이 안 되거나 시간 서버가 막혀 있을 때 이래요.", "Synchronisation (NTP) is on but has not succeeded, as without internet or with the time servers blocked.", "时间同步（NTP）已开启但尚未成功，可能是没有网络或时间服务器被阻挡。")
	askClockLog       = i18n.T("systemd-timesyncd 로그에서 이유를 찾아볼까요?", "Shall I look for the reason in the log of systemd-timesyncd?", "要在 systemd-timesyncd 的日志中查找原因吗？")
	sayZoneUTC        = i18n.T("시간대가 UTC로 되어 있어서 한국 시각보다 9시간 느리게 보여요.", "The time zone is UTC, so the clock shows UTC.", "时区为 UTC，因此比北京时间慢 8 小时。")
	askSetZone        = i18n.T("한국 시간대로 바꿀까요? (`%[1]s`)", "Shall I change it? (`%[1]s`)", "要改为中国时区吗？（`%[1]s`）")
	sayRTCLocal       = i18n.T("메인보드 시계(RTC)가 지역 시각으로 되어 있어요. 윈도우와 함께 쓸 때 흔하지만, 서머타임이나 시간대가 바뀌면 틀어져요.", "The board's clock (RTC) keeps local time: usual beside Windows, but it goes wrong with time zones and daylight saving.", "主板时钟（RTC）使用本地时间：与 Windows 双系统时常见，但时区或夏令时变化时会出错。")
	askRTCUTC         = i18n.T("RTC를 UTC로 바꿀까요? 윈도우도 함께 쓴다면 윈도우 쪽 시각이 어긋날 수 있어요. (`%[1]s`)", "Shall I let the RTC keep UTC? A Windows beside it may then show the wrong time. (`%[1]s`)", "要将 RTC 改为 UTC 吗？若同时使用 Windows，其时间可能出现偏差。（`%[1]s`）")
	sayRTCOff         = i18n.T("메인보드 시계(RTC)가 실제와 %[1]s 어긋나 있어요. 다른 운영체제(윈도우)가 지역 시각으로 써 놓았거나 배터리가 다 됐을 때 이래요.", "The board's clock (RTC) is off by %[1]s, as when another system (Windows) writes local time to it, or its battery is empty.", "主板时钟（RTC）偏差 %[1]s：可能是另一个系统（Windows）写入了本地时间，或电池没电。")
	sayClockLine      = i18n.T("동기화: %[1]s, NTP: %[2]s(`timedatectl`)", "Synchronised: %[1]s, NTP: %[2]s (`timedatectl`)", "同步：%[1]s，NTP：%[2]s（`timedatectl`）")
	sayRTCLine        = i18n.T("RTC: %[1]s, 지역 시각 사용: %[2]s(`timedatectl`)", "RTC: %[1]s, in local time: %[2]s (`timedatectl`)", "RTC：%[1]s，使用本地时间：%[2]s（`timedatectl`）")
	sayClockUnseen    = i18n.T("시계의 상태를 알아보지 못했어요(`timedatectl`).", "The state of the clock could not be read (`timedatectl`).", "无法读取时钟状态（`timedatectl`）。")
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
		return Reply{Text: joinBlocks(q.say(sayClockUnseen), q.missingProgramOf(clockState))}
	}
	if step == nil {
		return q.toolReply(q.first)
	}
	c, ok := parseClock(step.Stdout)
	if !ok {
		return Reply{Text: joinBlocks(q.say(sayClockUnseen), quoteSome(step.Stderr+step.Stdout))}
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
	f := finding{verdict: q.say(sayClockPlain)}
	f.note(q.say(sayClockNow, c.local, c.zone), q.say(sayClockLine, q.yesNoText(c.synced), c.ntp))
	if c.rtc != "" && c.rtc != "n/a" {
		f.note(q.say(sayRTCLine, c.rtc, q.yesNoText(c.rtcLocal)))
	}
	switch {
	case c.ntp == "inactive" && c.synced != "yes":
		on := "sudo -n timedatectl set-ntp true"
		f.verdict = q.say(sayClockNoSync)
		f.propose(command(on), q.say(askSetNTP, on))
	case c.ntp == "n/a" && c.synced != "yes":
		f.verdict = q.say(sayClockNoService)
	case c.ntp == "active" && c.synced == "no":
		f.verdict = q.say(sayClockWaiting)
		f.propose(q.unitLog("systemd-timesyncd"), q.say(askClockLog))
	default:
		q.checkZoneAndHardwareClock(&f, c)
	}
	return f
}

// checkZoneAndHardwareClock reports a time zone that is unlikely to be the user's, and a hardware clock that
// another system sets.
func (q *inquiry) checkZoneAndHardwareClock(f *finding, c wallClock) {
	home := map[i18n.Lang]string{i18n.Korean: "Asia/Seoul", i18n.Chinese: "Asia/Shanghai"}[q.Lang]
	switch {
	case home != "" && hasAnyPrefix(c.zone, "UTC", "Etc/UTC"):
		to := "sudo -n timedatectl set-timezone " + home
		f.verdict = q.say(sayZoneUTC)
		f.propose(command(to), q.say(askSetZone, to))
	case c.rtcLocal == "yes":
		to := "sudo -n timedatectl set-local-rtc 0"
		f.verdict = q.say(sayRTCLocal)
		f.propose(command(to), q.say(askRTCUTC, to))
	case c.drift() >= 2*time.Minute:
		f.verdict = q.say(sayRTCOff, q.durationText(c.drift()))
		if c.synced == "yes" {
			write := "sudo -n hwclock --systohc"
			f.propose(command(write), q.say(askRTCWrite, write))
		}
	case c.synced == "":
		f.verdict = q.say(sayClockPartly)
	case c.synced == "yes":
		f.verdict = q.say(sayClockFine)
		zone, _, _ := strings.Cut(c.zone, " ")
		f.meaning = q.say(sayClockZone, zone)
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
		return q.say(sayMinutes, minutes)
	}
	if minutes == 0 {
		return q.say(sayHours, hours)
	}
	return q.say(sayHours, hours) + " " + q.say(sayMinutes, minutes)
}
