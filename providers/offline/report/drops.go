package report

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayWrongKeyTimes = i18n.T("이번 부팅 뒤 비밀번호 오류 %[1]d번, 마지막 %[2]s(`journalctl -b`)", "Wrong password since boot: %[1]d, last at %[2]s (`journalctl -b`)", "本次启动后密码错误 %[1]d 次，最近 %[2]s（`journalctl -b`）")
	sayWifiHealthy   = i18n.T("와이파이는 지금 %[1]s에 연결되어 있고 인터넷도 돼요. 이번 부팅 뒤 끊긴 기록도 없어요.", "Wi-Fi is connected to %[1]s and the internet answers. No drop is on record since boot.", "Wi-Fi 已连接到 %[1]s，互联网正常。本次启动后没有断线记录。")
	sayWifiJoined    = i18n.T("와이파이는 지금 %[1]s에 연결되어 있어요.", "Wi-Fi is connected to %[1]s now.", "Wi-Fi 当前已连接到 %[1]s。")
	sayWifiDropped   = i18n.T("와이파이는 지금 %[1]s에 연결되어 있지만, 이번 부팅 뒤 %[2]d번 끊겼어요.", "Wi-Fi is connected to %[1]s now, but it has not been steady. Drops since boot: %[2]d.", "Wi-Fi 当前已连接到 %[1]s，但本次启动后断线 %[2]d 次。")
	sayDropsSpan     = i18n.T("끊김 %[1]d번: %[2]s ~ %[3]s(`journalctl -b`)", "Drops: %[1]d, from %[2]s to %[3]s (`journalctl -b`)", "断线 %[1]d 次：%[2]s ~ %[3]s（`journalctl -b`）")
	sayDropsOnce     = i18n.T("끊김 1번: %[1]s(`journalctl -b`)", "One drop: %[1]s (`journalctl -b`)", "断线 1 次：%[1]s（`journalctl -b`）")
	sayDropReason    = i18n.T("가장 흔한 이유: %[1]s(%[2]d번)", "Most common reason: %[1]s (%[2]d×)", "最常见的原因：%[1]s（%[2]d 次）")
	sayDropsUnread   = i18n.T("끊긴 기록은 로그를 읽지 못해 확인하지 못했어요.", "Whether it dropped could not be seen: the log is not readable.", "无法读取日志，未能确认是否断线。")
	saySignal        = i18n.T("신호 %[1]d%%(`nmcli device wifi list`)", "Signal %[1]d%% (`nmcli device wifi list`)", "信号 %[1]d%%（`nmcli device wifi list`）")
	sayPowerSaveOn   = i18n.T("무선 절전: 켜짐(`iw dev %[1]s get power_save`)", "Wireless power saving: on (`iw dev %[1]s get power_save`)", "无线省电：开（`iw dev %[1]s get power_save`）")
	sayPowerSaveOff  = i18n.T("무선 절전: 꺼짐(`iw dev %[1]s get power_save`)", "Wireless power saving: off (`iw dev %[1]s get power_save`)", "无线省电：关（`iw dev %[1]s get power_save`）")
	sayMeansSaving   = i18n.T("무선 절전이 응답을 늦춰 끊기는 일이 흔해요.", "Power saving often makes the card answer too late and lose the link.", "无线省电常使网卡响应过慢而断线。")
	sayMeansWeak     = i18n.T("신호가 약해서 끊기는 것으로 보여요. 공유기에 가까이 가거나 5 GHz 대신 2.4 GHz 이름에 연결해 보세요.", "The weak signal explains that: move closer, or join the router's 2.4 GHz name instead of 5 GHz.", "这应是信号弱造成的：请靠近路由器，或改连 2.4 GHz 的网络。")
	sayMeansRouter   = i18n.T("신호와 절전에는 이상이 없으니 공유기를 껐다 켜고 채널을 바꿔 보세요.", "Signal and power saving are in order, so restart the router and try another channel.", "信号和省电都正常，请重启路由器并更换信道。")
	sayMeansKey      = i18n.T("인증 단계에서 끊기고 있어요. 비밀번호나 공유기의 보안 설정(WPA2/WPA3)을 확인하세요.", "It drops while authenticating: check the password or the router's security setting (WPA2/WPA3).", "在认证阶段断开：请检查密码或路由器的安全设置（WPA2/WPA3）。")
	askPowerSave     = i18n.T("재부팅할 때까지만 무선 절전을 꺼 볼까요? (`%[1]s`)", "Shall I switch power saving off until the next start? (`%[1]s`)", "要关闭无线省电（到下次启动为止）吗？（`%[1]s`）")

	sayDevicesUnread  = i18n.T("무선 장치의 상태는 알아보지 못했어요(`nmcli device status`).", "The state of the wireless device could not be read (`nmcli device status`).", "无法读取无线设备的状态（`nmcli device status`）。")
	sayReasonLost     = i18n.T("공유기 신호를 잃음", "the access point was no longer heard", "收不到路由器信号")
	sayReasonIdle     = i18n.T("응답이 없어 공유기가 끊음(reason 4)", "the access point gave up on an idle or silent station (reason 4)", "因无响应被路由器断开（reason 4）")
	sayReasonAuth     = i18n.T("인증이 풀림(reason %[1]d)", "authentication no longer valid (reason %[1]d)", "认证失效（reason %[1]d）")
	sayReasonLeaving  = i18n.T("공유기가 연결을 끝냄(reason %[1]d)", "the access point ended the connection (reason %[1]d)", "路由器结束了连接（reason %[1]d）")
	sayReasonUnspoken = i18n.T("이유를 밝히지 않음(reason %[1]d)", "no reason given (reason %[1]d)", "未说明原因（reason %[1]d）")
	sayReasonOther    = i18n.T("reason %[1]d", "reason %[1]d", "reason %[1]d")
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

type dropPatterns struct{ when, reason, ssid *regexp.Regexp }

var dropRegexps = sync.OnceValue(func() dropPatterns {
	return dropPatterns{
		when:   regexp.MustCompile(`^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d)`),
		reason: regexp.MustCompile(`(?:reason=|Reason: )(\d{1,3})\b`),
		ssid:   regexp.MustCompile(`ssid="([^"]{1,64})"`),
	}
})

// parseDrops counts wpa_supplicant's events. If there are none, it counts the kernel's lines, which report the
// same drops.
func parseDrops(text string) dropLogState {
	events := dropLogState{reasons: map[int]int{}}
	kernel := dropLogState{reasons: map[int]int{}}
	for _, line := range outputLines(text) {
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
	d.wrongKeyAt = dropRegexps().when.FindString(line)
	if m := dropRegexps().ssid.FindStringSubmatch(line); m != nil {
		d.ssid = m[1]
	}
}

func (d *dropLogState) addDrop(line string) {
	reason := lostLink
	if m := dropRegexps().reason.FindStringSubmatch(line); m != nil {
		reason, _ = strconv.Atoi(m[1]) // three digits at most
	}
	own := strings.Contains(line, "locally_generated=1")
	if own && reason == 3 {
		return
	}
	if own && reason == 4 {
		reason = lostLink // the card gave up on a silent access point
	}
	d.times = append(d.times, dropRegexps().when.FindString(line))
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
		return &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.say(sayDevicesUnread)}}
	}
	looks := []intent.Step{dropLog, connectivity}
	word := quoteWord(card.name) // a network device can have almost any name
	saving := command("iw dev " + word + " get power_save")
	if word != "" {
		looks = append(looks, saving)
	}
	if !q.collect(looks...) {
		return nil
	}
	if q.hasRun(connectivity) {
		if f := q.checkLayers(connectivity); f != nil || len(q.needed) > 0 {
			return f
		}
	}
	return q.dropFinding(*card, q.stdout(saving))
}

func (q *inquiry) dropFinding(card netDevice, saving string) *finding {
	name, log := card.connection, parseDrops(q.anyStdout(dropLog))
	f := &finding{verdict: q.say(sayWifiHealthy, name)}
	signal := -1
	for _, ap := range parseWifi(q.stdout(q.first)) {
		if ap.inUse {
			signal = ap.signal
			f.note(q.say(saySignal, signal))
		}
	}
	f.note(q.delay())
	if !q.internetAnswers() || q.isJournalHidden(dropLog) {
		f.verdict = q.say(sayWifiJoined, name)
	}
	if n := len(log.times); n > 0 {
		f.verdict = q.say(sayWifiDropped, name, n)
		f.note(q.dropSpan(log), q.dropReason(log))
	} else if q.isJournalHidden(dropLog) {
		f.note(q.say(sayDropsUnread))
	}
	q.dropRemedy(f, card.name, signal, saving, log)
	return f
}

func (q *inquiry) dropSpan(log dropLogState) string {
	if len(log.times) == 1 {
		return q.say(sayDropsOnce, log.times[0])
	}
	return q.say(sayDropsSpan, len(log.times), log.times[0], log.times[len(log.times)-1])
}

func (q *inquiry) dropReason(log dropLogState) string {
	reason, count := log.mostFrequent()
	text := sayReasonOther
	switch reason {
	case lostLink:
		return q.say(sayDropReason, q.say(sayReasonLost), count)
	case 4:
		return q.say(sayDropReason, q.say(sayReasonIdle), count)
	case 2, 6, 7, 14, 15, 16, 23:
		text = sayReasonAuth
	case 3, 5, 8, 12:
		text = sayReasonLeaving
	case 0, 1:
		text = sayReasonUnspoken
	}
	return q.say(sayDropReason, q.say(text, reason), count)
}

// dropRemedy adds the remedy: move closer, disable power saving, or check the router.
func (q *inquiry) dropRemedy(f *finding, device string, signal int, saving string, log dropLogState) {
	on := strings.Contains(saving, "Power save: on")
	reason, count := log.mostFrequent()
	switch {
	case on:
		f.note(q.say(sayPowerSaveOn, device))
	case strings.Contains(saving, "Power save: off"):
		f.note(q.say(sayPowerSaveOff, device))
	}
	switch {
	case signal >= 0 && signal < 40 && (count > 0 || q.asksAbout("cause", "slow")):
		f.meaning = q.say(sayMeansWeak)
	case count == 0:
	case reason == 2 || reason == 15 || reason == 23:
		f.meaning = q.say(sayMeansKey)
	case on && quoteWord(device) == device:
		off := "sudo -n iw dev " + device + " set power_save off"
		f.meaning = q.say(sayMeansSaving)
		f.propose(command(off), q.say(askPowerSave, off))
	case saving != "" && signal >= 40:
		f.meaning = q.say(sayMeansRouter)
	}
}

// isJournalHidden reports whether a step could not read the system's journal.
func (q *inquiry) isJournalHidden(s intent.Step) bool {
	step := q.output(s, "")
	return step == nil || !isFullyRead(step)
}
