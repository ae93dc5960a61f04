package report

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayBootTime      = i18n.T("부팅에 %[1]s 걸렸어요.", "Booting took %[1]s.", "启动用了 %[1]s。")
	sayBootParts     = i18n.T("나눠 보면: %[1]s (`systemd-analyze time`)", "In parts: %[1]s (`systemd-analyze time`)", "其中：%[1]s（`systemd-analyze time`）")
	sayBootSlowest   = i18n.T("오래 걸린 것(`systemd-analyze blame`, 나란히 시작되니 그대로 더해지지는 않아요):", "The slowest (`systemd-analyze blame`; they start side by side, so the times do not add up):", "耗时最长的（`systemd-analyze blame`，并行启动，不会直接相加）：")
	sayPartFirmware  = i18n.T("펌웨어(BIOS)", "firmware", "固件（BIOS）")
	sayPartLoader    = i18n.T("부트로더", "boot loader", "引导程序")
	sayPartKernel    = i18n.T("커널", "kernel", "内核")
	sayPartInitrd    = i18n.T("initrd", "initrd", "initrd")
	sayPartServices  = i18n.T("서비스", "services", "服务")
	saySeconds       = i18n.T("%.1[1]f초", "%.1[1]f s", "%.1[1]f 秒")
	sayMinutesAnd    = i18n.T("%[1]d분 %[2]d초", "%[1]d min %[2]d s", "%[1]d 分 %[2]d 秒")
	sayMinutesWhole  = i18n.T("%[1]d분", "%[1]d min", "%[1]d 分钟")
	sayBootFirmware  = i18n.T("펌웨어(BIOS)가 가장 오래 걸려요. 리눅스가 아니라 BIOS 설정에서 줄일 수 있어요.", "The firmware (BIOS) takes the longest; that can be shortened in its setup, not in Linux.", "固件（BIOS）耗时最长，只能在 BIOS 设置中缩短。")
	sayBootFine      = i18n.T("빠른 편이에요.", "That is quick.", "速度不错。")
	sayBootChain     = i18n.T("부팅이 끝나기를 실제로 붙잡은 것: %[1]s (`systemd-analyze critical-chain`)", "What the boot really waited for: %[1]s (`systemd-analyze critical-chain`)", "启动实际等待的是：%[1]s（`systemd-analyze critical-chain`）")
	sayBootOnline    = i18n.T("NetworkManager-wait-online은 인터넷 연결을 기다리느라 부팅을 붙잡아요. 부팅할 때 네트워크 드라이브를 쓰지 않는다면 꺼도 돼요.", "NetworkManager-wait-online holds up the boot until there is a connection; without network drives at boot it can be off.", "NetworkManager-wait-online 会等待网络连接而拖慢启动；如果启动时不用网络盘，可以关闭它。")
	sayBootDevice    = i18n.T("%[1]s 장치를 기다리느라 오래 걸렸어요. `/etc/fstab`에 지금은 없는 디스크가 적혀 있는지 확인하세요.", "It waited long for the device %[1]s; see whether `/etc/fstab` names a disk that is gone.", "长时间在等待设备 %[1]s；请检查 `/etc/fstab` 中是否写了已不存在的磁盘。")
	askBootOnline    = i18n.T("꺼서 부팅을 최대 %[1]s 줄일까요? (`%[2]s`)", "Shall I turn it off and save up to %[1]s? (`%[2]s`)", "要关闭它以节省最多 %[1]s 吗？（`%[2]s`）")
	sayBootUnplanned = i18n.T("아직 부팅이 끝나지 않아 시간을 잴 수 없어요. 잠시 뒤에 다시 물어봐 주세요.", "Booting has not finished yet, so it cannot be measured. Ask again in a moment.", "启动尚未完成，无法测量，请稍后再问。")
)

var bootTotal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`Startup finished in (.*?)(?: = (.*))?$`)
})

// parseSeconds parses systemd's durations: "1min 2.345s", "890ms".
func parseSeconds(s string) (float64, bool) {
	total, any := 0.0, false
	for _, f := range strings.Fields(s) {
		i := strings.IndexFunc(f, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if i <= 0 {
			return 0, false
		}
		n, err := strconv.ParseFloat(f[:i], 64)
		factor, known := map[string]float64{"h": 3600, "min": 60, "s": 1, "ms": 0.001, "us": 0.000001}[f[i:]]
		if err != nil || !known {
			return 0, false
		}
		total, any = total+n*factor, true
	}
	return total, any
}

// parseBlame parses systemd-analyze blame: a duration and a unit, slowest first. It skips units that took less
// than half a second.
func parseBlame(text string, limit int) []link {
	var out []link
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) < 2 || len(out) >= limit {
			continue
		}
		secs, ok := parseSeconds(strings.Join(f[:len(f)-1], " "))
		if ok && secs >= noticeable {
			out = append(out, link{f[len(f)-1], secs})
		}
	}
	return out
}

// noticeable is the minimum time in seconds for a unit to be listed.
const noticeable = 0.5

// spanText formats seconds: 9.9 seconds, 1 minute 30 seconds.
func (r *result) spanText(secs float64) string {
	if secs < 60 {
		return r.say(saySeconds, secs)
	}
	whole := int(secs + 0.5)
	if whole%60 == 0 {
		return r.say(sayMinutesWhole, whole/60)
	}
	return r.say(sayMinutesAnd, whole/60, whole%60)
}

// linkTexts formats units with the time they took.
func (r *result) linkTexts(links []link) []string {
	var out []string
	for _, l := range links {
		out = append(out, unitName(l.unit)+" "+r.spanText(l.took))
	}
	return out
}

// unitName converts a device unit to its path (systemd.unit(5)). Other units keep their names.
func unitName(unit string) string {
	path, isDevice := strings.CutSuffix(unit, ".device")
	if !isDevice {
		return strings.TrimSuffix(unit, ".service")
	}
	path = strings.ReplaceAll(path, "-", "/")
	for _, e := range [][2]string{{`\x2d`, "-"}, {`\x20`, " "}, {`\x40`, "@"}} {
		path = strings.ReplaceAll(path, e[0], e[1])
	}
	return cleanLine("/" + path)
}

// bootParts translates the parts of "6.2s (firmware) + 2s (loader) + …".
func (r *result) bootParts(parts string) string {
	names := map[string]i18n.Text{"firmware": sayPartFirmware, "loader": sayPartLoader, "kernel": sayPartKernel, "initrd": sayPartInitrd, "userspace": sayPartServices}
	var out []string
	for _, p := range strings.Split(parts, " + ") {
		span, what, ok := strings.Cut(p, " (")
		secs, okSpan := parseSeconds(span)
		name, known := names[strings.TrimSuffix(what, ")")]
		if !ok || !okSpan || !known {
			return parts
		}
		out = append(out, r.say(name)+" "+r.spanText(secs))
	}
	return strings.Join(out, ", ")
}

// bootTotalOf parses "Startup finished in 1s (kernel) + 2s (userspace) = 3s", also without a sum.
func bootTotalOf(line string) (total float64, parts string, ok bool) {
	m := bootTotal().FindStringSubmatch(line)
	if m == nil {
		return 0, "", false
	}
	sum := strings.TrimSpace(m[2])
	if sum == "" {
		sum = strings.TrimSpace(strings.SplitN(m[1], " (", 2)[0])
	}
	total, ok = parseSeconds(sum)
	return total, m[1], ok
}

func (r *result) boot() Reply {
	s := r.step("analyze time")
	if s == nil {
		s = &r.steps[0]
	}
	if strings.Contains(s.Stdout+s.Stderr, "Bootup is not yet finished") {
		return Reply{Text: r.say(sayBootUnplanned)}
	}
	lines := outputLines(s.Stdout)
	if len(lines) == 0 {
		return r.unreadableReply(s)
	}
	total, parts, ok := bootTotalOf(lines[0])
	if !ok {
		return r.unreadableReply(s)
	}
	head, firmware := r.say(sayBootTime, r.spanText(total)), ""
	if total < quickBoot {
		head += " " + r.say(sayBootFine)
	}
	if firmwareDominates(parts) {
		firmware = r.say(sayBootFirmware)
	}
	return Reply{Text: joinBlocks(head, bullets([]string{r.say(sayBootParts, r.bootParts(parts))}), r.slowUnits(total), firmware)}
}

// wantsSlowUnits reports whether the slow units should be listed.
func (r *result) wantsSlowUnits(total float64) bool {
	return total >= quickBoot || r.asksAbout("why", "cause", "slow")
}

// quickBoot is the boot time in seconds below which no explanation is needed.
const quickBoot = 20

// slowUnits lists what a slow boot waited for, or, if that is unknown, the slowest units.
func (r *result) slowUnits(total float64) string {
	if !r.wantsSlowUnits(total) {
		return ""
	}
	if s := r.step("critical-chain"); s != nil {
		holders := slices.DeleteFunc(parseChain(s.Stdout), func(l link) bool { return l.took < noticeable })
		if len(holders) > 0 {
			return bullets([]string{r.say(sayBootChain, strings.Join(r.linkTexts(holders[:min(4, len(holders))]), ", "))})
		}
	}
	if blame := r.step("blame"); blame != nil {
		if slow := parseBlame(blame.Stdout, 4); len(slow) > 0 {
			return joinBlocks(r.say(sayBootSlowest), bullets(r.linkTexts(slow)))
		}
	}
	return ""
}

// firmwareDominates reports whether the firmware takes more than half of the boot time: "12.3s (firmware) + 2s
// (loader) + …".
func firmwareDominates(parts string) bool {
	total, firmware := 0.0, 0.0
	for _, p := range strings.Split(parts, " + ") {
		span, what, ok := strings.Cut(p, " (")
		secs, okSpan := parseSeconds(span)
		if !ok || !okSpan {
			continue
		}
		total += secs
		if strings.HasPrefix(what, "firmware") {
			firmware = secs
		}
	}
	return firmware > total/2
}

// link is a unit of the critical chain with its own startup time.
type link struct {
	unit string
	took float64 // seconds
}

var chainRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w@.\\:-]+\.[a-z]+) @[^+]*\+(.+)$`)
})

// parseChain parses systemd-analyze critical-chain (systemd-analyze(1)) and returns the units that took time,
// longest first.
func parseChain(text string) []link {
	var out []link
	for _, line := range outputLines(text) {
		m := chainRow().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if secs, ok := parseSeconds(m[2]); ok {
			out = append(out, link{m[1], secs})
		}
	}
	slices.SortStableFunc(out, func(a, b link) int { return -cmp.Compare(a.took, b.took) })
	return out
}

// boot reports how long booting took, what it waited for and what failed.
func (q *inquiry) boot() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	rep := q.toolReply(q.first)
	times := q.output(q.first, "analyze time")
	if times == nil || !strings.Contains(times.Stdout, "Startup finished in ") {
		return rep
	}
	if !q.collect(failedUnitsStep) {
		return Reply{}
	}
	f := finding{verdict: rep.Text}
	var chain []link
	if s := q.output(q.first, "critical-chain"); s != nil {
		chain = parseChain(s.Stdout)
	}
	return q.proposeSpeedup(f, chain)
}

// proposeSpeedup proposes the obvious way to shorten booting, or a check of failed units.
func (q *inquiry) proposeSpeedup(f finding, chain []link) Reply {
	for _, l := range chain {
		switch {
		case l.unit == "NetworkManager-wait-online.service" && l.took >= 3:
			off := "sudo -n systemctl disable NetworkManager-wait-online.service"
			step := command(off)
			f.meaning, f.fix, f.question = q.say(sayBootOnline), &step, q.say(askBootOnline, q.result(Result{}).spanText(l.took), off)
			return f.reply()
		case strings.HasSuffix(l.unit, ".device") && l.took >= 30:
			f.meaning = q.say(sayBootDevice, unitName(l.unit))
			return f.reply()
		}
	}
	var failed []string
	if s := q.output(failedUnitsStep, ""); s != nil {
		for _, u := range parseUnits(s.Stdout) {
			failed = append(failed, u.unit)
		}
	}
	if len(failed) > 0 {
		unit := strings.TrimSuffix(failed[0], ".service")
		step := intent.Call("read_logs", "unit", unit, "since", "boot")
		f.evidence = append(f.evidence, q.say(sayFailedFact, strings.Join(failed[:min(4, len(failed))], ", ")))
		f.fix, f.question = &step, q.say(askServiceLogs, unit)
	}
	return f.reply()
}
