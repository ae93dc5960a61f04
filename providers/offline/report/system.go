package report

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

var (
	sayKernel     = i18n.T("커널은 %[1]s{이에요/예요}.", "The kernel is %[1]s.", "内核是 %[1]s。")
	sayOS         = i18n.T("운영체제는 %[1]s{이에요/예요}.", "The operating system is %[1]s.", "操作系统是 %[1]s。")
	sayUptime     = i18n.T("켜진 지 %[1]s 됐어요.", "The machine has been up for %[1]s.", "已运行 %[1]s。")
	sayLoad       = i18n.T("부하 평균(1·5·15분): %[1]s", "Load average (1, 5, 15 minutes): %[1]s", "平均负载（1、5、15 分钟）：%[1]s")
	sayOverview   = i18n.T("이 컴퓨터의 요약이에요:", "This machine in short:", "这台电脑的概要：")
	sayFactOS     = i18n.T("운영체제: %[1]s", "Operating system: %[1]s", "操作系统：%[1]s")
	sayFactKernel = i18n.T("커널: %[1]s", "Kernel: %[1]s", "内核：%[1]s")
	sayFactUptime = i18n.T("가동 시간: %[1]s", "Up for: %[1]s", "运行时间：%[1]s")
	sayFactCPU    = i18n.T("CPU: %[1]s", "CPU: %[1]s", "CPU：%[1]s")
	sayFactMemory = i18n.T("메모리: 전체 %[1]s, 사용 가능 %[2]s", "Memory: %[1]s, %[2]s available", "内存：共 %[1]s，可用 %[2]s")
	sayDays       = i18n.T("%[1]d일", "%[1]d {day|days}", "%[1]d 天")
	sayDay        = i18n.T("1일", "1 day", "1 天")
	sayHours      = i18n.T("%[1]d시간", "%[1]d {hour|hours}", "%[1]d 小时")
	sayHour       = i18n.T("1시간", "1 hour", "1 小时")
	sayMinutes    = i18n.T("%[1]d분", "%[1]d {minute|minutes}", "%[1]d 分钟")
	sayMinute     = i18n.T("1분", "1 minute", "1 分钟")
	sayCores      = i18n.T("CPU는 %[1]s{이에요/예요}: 논리 코어 %[2]s개.", "The CPU is %[1]s, logical cores: %[2]s.", "CPU 是 %[1]s，有 %[2]s 个逻辑核心。")
	sayPhysical   = i18n.T("소켓 %[1]s개, 소켓마다 코어 %[2]s개, 코어마다 스레드 %[3]s개", "Sockets: %[1]s, cores per socket: %[2]s, threads per core: %[3]s", "%[1]s 个插槽，每个 %[2]s 核，每核 %[3]s 线程")
)

var uptimeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`up\s+(?:(\d+)\s+days?,\s*)?(?:(\d+):(\d\d)|(\d+)\s+min)?`)
})

// uptime formats the uptime from uptime(1), "" if unreadable.
func (r *result) uptime(text string) string {
	f := uptimeForm().FindStringSubmatch(text)
	if f == nil || f[1]+f[2]+f[3]+f[4] == "" {
		return ""
	}
	var parts []string
	add := func(digits string, one, many i18n.Text) {
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil || n == 0:
		case n == 1:
			parts = append(parts, r.say(one))
		default:
			parts = append(parts, r.say(many, n))
		}
	}
	add(f[1], sayDay, sayDays)
	add(f[2], sayHour, sayHours)
	add(f[3]+f[4], sayMinute, sayMinutes)
	if len(parts) == 0 {
		return r.say(sayMinutes, 0)
	}
	return strings.Join(parts, " ")
}

// loadAverage returns the three figures at the end of uptime(1).
func loadAverage(text string) string {
	_, load, ok := strings.Cut(text, "load average:")
	if !ok {
		return ""
	}
	return strings.TrimSpace(load)
}

// osName returns PRETTY_NAME from os-release(5).
func osName(text string) string {
	for _, line := range outputLines(text) {
		if v, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			return strings.Trim(v, `"'`)
		}
	}
	return ""
}

func (r *result) system() Reply {
	out := func(part string) string {
		if s := r.step(part); s != nil && s.Exit == 0 {
			return strings.Join(outputLines(s.Stdout), "\n")
		}
		return ""
	}
	kernel, distro, upText := strings.TrimSpace(out("uname")), osName(out("os-release")), out("uptime")
	up := r.uptime(upText)
	focus := ""
	switch {
	case r.asksAbout("uptime") && up != "":
		focus = r.say(sayUptime, up)
		if load := loadAverage(upText); load != "" {
			focus = joinBlocks(focus, bullets([]string{r.say(sayLoad, load)}))
		}
	case r.asksAbout("kernel") && kernel != "":
		focus = r.say(sayKernel, kernel)
		if distro != "" {
			focus = joinBlocks(focus, bullets([]string{r.say(sayFactOS, distro)}))
		}
	case r.asksAbout("os", "version") && !r.asksAbout("specs") && distro != "":
		focus = joinBlocks(r.say(sayOS, distro), bullets(nonEmpty(r.fact(sayFactKernel, kernel), r.fact(sayFactUptime, up))))
	}
	if focus != "" {
		return Reply{Text: focus}
	}
	facts := nonEmpty(r.fact(sayFactOS, distro), r.fact(sayFactKernel, kernel), r.fact(sayFactCPU, cpuModel(out("lscpu"))), r.memoryFact(out("free")), r.fact(sayFactUptime, up))
	if len(facts) == 0 {
		return r.unreadableReply(&r.steps[0])
	}
	return Reply{Text: joinBlocks(r.say(sayOverview), bullets(facts))}
}

func (r *result) fact(p i18n.Text, value string) string {
	if value == "" {
		return ""
	}
	return r.say(p, value)
}

func (r *result) memoryFact(text string) string {
	st, ok := parseFree(text)
	if !ok {
		return ""
	}
	return r.say(sayFactMemory, formatSize(st.total), formatSize(st.available))
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// cpuModel returns model and count from lscpu(1).
func cpuModel(text string) string {
	info := parseIndented(text)
	model := info["Model name"]
	if model == "" {
		return ""
	}
	if n := info["CPU(s)"]; n != "" {
		model += " × " + n
	}
	return model
}

// parseIndented parses "Key: value" lines with any indentation. The first non-empty value of a key wins.
func parseIndented(text string) map[string]string {
	out := map[string]string{}
	for _, line := range outputLines(text) {
		key, value, ok := strings.Cut(line, ":")
		if k := strings.TrimSpace(key); ok && out[k] == "" {
			out[k] = strings.TrimSpace(value)
		}
	}
	return out
}

// cpu reports the processor.
func (r *result) cpu(s *providers.Step) Reply {
	info := parseIndented(s.Stdout)
	if info["CPU(s)"] == "" {
		return r.unreadableReply(s)
	}
	model := info["Model name"]
	if model == "" {
		model = info["Architecture"]
	}
	text := r.say(sayCores, model, info["CPU(s)"])
	if info["Socket(s)"] != "" && info["Core(s) per socket"] != "" && info["Thread(s) per core"] != "" {
		text = joinBlocks(text, bullets([]string{r.say(sayPhysical, info["Socket(s)"], info["Core(s) per socket"], info["Thread(s) per core"])}))
	}
	return Reply{Text: text}
}
