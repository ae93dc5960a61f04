package report

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
)

var (
	sayBootTime      = i18n.T("부팅에 %[1]s 걸렸어요.", "Booting took %[1]s.", "启动用了 %[1]s。")
	sayBootParts     = i18n.T("나눠 보면: %[1]s", "In parts: %[1]s", "其中：%[1]s")
	sayBootSlowest   = i18n.T("오래 걸린 서비스(`systemd-analyze blame`):", "The slowest units (`systemd-analyze blame`):", "耗时最长的服务（`systemd-analyze blame`）：")
	sayBootParallel  = i18n.T("서비스는 나란히 시작되니 이 시간이 그대로 더해지지는 않아요.", "Units start side by side, so these times do not simply add up.", "服务是并行启动的，这些时间不会直接相加。")
	sayBootFirmware  = i18n.T("펌웨어(BIOS)가 가장 오래 걸려요. 리눅스가 아니라 BIOS 설정에서 줄일 수 있어요.", "The firmware (BIOS) takes the longest; that can be shortened in its setup, not in Linux.", "固件（BIOS）耗时最长，只能在 BIOS 设置中缩短。")
	sayBootFine      = i18n.T("빠른 편이에요.", "That is quick.", "速度不错。")
	sayBootUnplanned = i18n.T("아직 부팅이 끝나지 않아 시간을 잴 수 없어요. 잠시 뒤에 다시 물어봐 주세요.", "Booting has not finished yet, so it cannot be measured. Ask again in a moment.", "启动尚未完成，无法测量，请稍后再问。")
)

var bootTotal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`Startup finished in (.*?)(?: = (.*))?$`)
})

// parseSeconds reads systemd's spans: "1min 2.345s", "890ms".
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

// parseBlame reads the first lines of systemd-analyze blame: a span and a unit.
func parseBlame(text string, limit int) []string {
	var out []string
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) < 2 || len(out) >= limit {
			continue
		}
		span := strings.Join(f[:len(f)-1], " ")
		if _, ok := parseSeconds(span); ok {
			out = append(out, f[len(f)-1]+" "+span)
		}
	}
	return out
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
		return r.unreadable(s)
	}
	m := bootTotal().FindStringSubmatch(lines[0])
	if m == nil {
		return r.unreadable(s)
	}
	total := strings.TrimSpace(m[2])
	if total == "" {
		total = strings.TrimSpace(strings.SplitN(m[1], " (", 2)[0])
	}
	head := r.say(sayBootTime, total)
	if secs, ok := parseSeconds(total); ok && secs < 20 {
		head += " " + r.say(sayBootFine)
	}
	parts := []string{head, bullets([]string{r.say(sayBootParts, m[1])})}
	if firmwareDominates(m[1]) {
		parts = append(parts, r.say(sayBootFirmware))
	}
	if blame := r.step("blame"); blame != nil {
		if slow := parseBlame(blame.Stdout, 5); len(slow) > 0 {
			parts = append(parts, r.say(sayBootSlowest), bullets(slow), r.say(sayBootParallel))
		}
	}
	return Reply{Text: joinBlocks(parts...)}
}

// firmwareDominates reports whether more than half the time passes before
// Linux has started: "12.3s (firmware) + 2s (loader) + …".
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
