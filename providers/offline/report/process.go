package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

var (
	sayTopMemory    = i18n.T("메모리를 가장 많이 쓰는 프로그램은 %[1]s{이에요/예요}: %.1[2]f%%, %[3]s.", "%[1]s uses the most memory: %.1[2]f%%, %[3]s.", "占用内存最多的是 %[1]s：%.1[2]f%%，%[3]s。")
	sayTopCPU       = i18n.T("CPU를 가장 많이 쓰는 프로그램은 %[1]s{이에요/예요}: %.1[2]f%%.", "%[1]s uses the most CPU: %.1[2]f%%.", "占用 CPU 最多的是 %[1]s：%.1[2]f%%。")
	sayIdleCPU      = i18n.T("CPU를 눈에 띄게 쓰는 프로그램이 없어요(가장 높은 %[1]s{이/가} %.1[2]f%%).", "No program uses the CPU noticeably (the highest, %[1]s, is at %.1[2]f%%).", "没有程序明显占用 CPU（最高的 %[1]s 为 %.1[2]f%%）。")
	sayTopListMem   = i18n.T("메모리 사용 상위(`ps aux`, 같은 프로그램은 합쳤어요):", "Top by memory (`ps aux`, processes of one program added up):", "内存占用排行（`ps aux`，同一程序合并计算）：")
	sayTopListCPU   = i18n.T("CPU 사용 상위(`ps aux`, 시작한 뒤의 평균이에요. 100%는 코어 하나예요):", "Top by CPU (`ps aux`; an average since each process started, 100% is one core):", "CPU 占用排行（`ps aux`，进程启动以来的平均值，100% 为一个核心）：")
	sayMemoryLine   = i18n.T("%[1]s: 메모리 %.1[2]f%%(%[3]s), 프로세스 %[4]d개", "%[1]s: %.1[2]f%% of memory (%[3]s), %[4]s", "%[1]s：内存 %.1[2]f%%（%[3]s），%[4]d 个进程")
	sayCPULine      = i18n.T("%[1]s: CPU %.1[2]f%%, 프로세스 %[3]d개", "%[1]s: %.1[2]f%% CPU, %[3]s", "%[1]s：CPU %.1[2]f%%，%[3]d 个进程")
	sayProcesses    = i18n.T("프로세스 %[1]d개", "%[1]d {process|processes}", "%[1]d 个进程")
	sayProcess      = i18n.T("프로세스 1개", "1 process", "1 个进程")
	sayTotal        = i18n.T("모두 %[1]d개의 프로세스가 돌고 있어요.", "%[1]d {process is|processes are} running in all.", "共有 %[1]d 个进程在运行。")
	sayRunningYes   = i18n.T("네, %[1]s{이/가} 실행 중이에요(프로세스 %[2]d개).", "Yes, %[1]s is running (%[2]s).", "是的，%[1]s 正在运行（%[2]d 个进程）。")
	sayRunningNo    = i18n.T("아니요, %[1]s 프로세스가 없어요(`%[2]s`).", "No, there is no %[1]s process (`%[2]s`).", "没有，找不到 %[1]s 进程（`%[2]s`）。")
	sayNoProcesses  = i18n.T("`%[1]s`에 프로세스가 하나도 없어요.", "`%[1]s` lists no process.", "`%[1]s` 没有列出任何进程。")
	sayHungryHint   = i18n.T("이 프로그램을 닫으면 바로 가벼워질 거예요.", "Closing it would free the machine at once.", "关闭它会立刻减轻负担。")
	sayProcessesRow = i18n.T("PID %[1]s: %[2]s", "PID %[1]s: %[2]s", "PID %[1]s：%[2]s")
)

// usage adds up the processes of one program.
type usage struct {
	program  string
	cpu, mem float64 // percent
	rss      float64 // bytes
	count    int
}

// parsePS adds up ps aux by program. Columns are those of ps(1), "u" format: USER PID %CPU %MEM VSZ RSS TTY
// STAT START TIME COMMAND. The command is everything from the eleventh field on.
func parsePS(text string) (list []usage, total int) {
	byName := map[string]*usage{}
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) < 11 {
			continue
		}
		cpu, okCPU := parseNumber(f[2])
		mem, okMem := parseNumber(f[3])
		rss, err := strconv.ParseFloat(f[5], 64)
		if !okCPU || !okMem || err != nil || rss < 0 {
			continue
		}
		total++
		name := programOf(f[10:])
		if name == "ps" || strings.HasPrefix(f[7], "Z") {
			continue // a zombie uses nothing
		}
		u := byName[name]
		if u == nil {
			u = &usage{program: name}
			byName[name] = u
		}
		u.cpu, u.mem, u.rss, u.count = u.cpu+cpu, u.mem+mem, u.rss+rss*1024, u.count+1
	}
	for _, u := range byName {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b usage) int { return cmp.Compare(a.program, b.program) })
	return list, total
}

// programOf returns the program of a command line: the script of an interpreter, or else the base of the path.
// "chrome --type=renderer" is chrome.
func programOf(command []string) string {
	name := strings.TrimSuffix(path.Base(command[0]), ":")
	if strings.HasPrefix(command[0], "[") {
		return strings.Join(command, " ")
	}
	switch strings.TrimRight(name, "0123456789.") {
	case "python", "node", "bash", "sh", "perl", "ruby", "java", "electron":
		for _, arg := range command[1:] {
			if !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") && len(arg) > 1 {
				return name + " " + path.Base(arg)
			}
		}
	}
	return name
}

func (r *result) processes() Reply {
	s := &r.steps[0]
	if strings.HasPrefix(strings.TrimSpace(s.Command), "pgrep") {
		return r.processByName(s)
	}
	list, total := parsePS(s.Stdout)
	if len(list) == 0 {
		if s.Exit == 0 && total > 0 {
			return Reply{Text: r.say(sayNoProcesses, s.Command)}
		}
		return r.unreadableReply(s)
	}
	var rep Reply
	if r.str("sort") == "cpu" {
		rep = r.byCPU(list)
	} else {
		rep = r.byMemory(list, total)
	}
	rep.Text = joinBlocks(rep.Text, r.zombieNote(s.Stdout))
	return rep
}

const shownPrograms = 5

func (r *result) byMemory(list []usage, total int) Reply {
	slices.SortStableFunc(list, func(a, b usage) int { return -cmp.Compare(a.rss, b.rss) })
	top := list[0]
	var lines []string
	for _, u := range list[:min(shownPrograms, len(list))] {
		lines = append(lines, r.say(sayMemoryLine, u.program, u.mem, formatSize(u.rss), r.count(u.count)))
	}
	text := joinBlocks(r.say(sayTopMemory, top.program, top.mem, formatSize(top.rss)), r.say(sayTopListMem), bullets(lines))
	if r.asksAbout("amount", "list", "process") {
		text = joinBlocks(text, r.say(sayTotal, total))
	}
	if top.mem >= 40 {
		text = joinBlocks(text, r.say(sayHungryHint))
	}
	return Reply{Text: text}
}

func (r *result) byCPU(list []usage) Reply {
	slices.SortStableFunc(list, func(a, b usage) int { return -cmp.Compare(a.cpu, b.cpu) })
	top := list[0]
	var lines []string
	for _, u := range list[:min(shownPrograms, len(list))] {
		lines = append(lines, r.say(sayCPULine, u.program, u.cpu, r.count(u.count)))
	}
	first := r.say(sayTopCPU, top.program, top.cpu)
	if top.cpu < 5 {
		first = r.say(sayIdleCPU, top.program, top.cpu)
	}
	text := joinBlocks(first, r.say(sayTopListCPU), bullets(lines))
	if top.cpu >= 80 {
		text = joinBlocks(text, r.say(sayHungryHint))
	}
	return Reply{Text: text}
}

// count formats a number of processes: a figure for ko and zh, words for English.
func (r *result) count(n int) any {
	if r.lang == "ko" || r.lang == "zh" {
		return n
	}
	if n == 1 {
		return r.say(sayProcess)
	}
	return r.say(sayProcesses, n)
}

// processByName reports whether a program runs, from pgrep -a.
func (r *result) processByName(s *providers.Step) Reply {
	name := r.str("name")
	var lines []string
	for _, line := range outputLines(s.Stdout) {
		pid, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := strconv.Atoi(pid); err != nil || hasAnyPrefix(path.Base(command), "pgrep", "blunux-ai") {
			continue
		}
		lines = append(lines, r.say(sayProcessesRow, pid, cutRunes(command, 90)))
	}
	switch {
	case len(lines) > 0:
		shown := lines[:min(3, len(lines))]
		if len(lines) > len(shown) {
			shown = append(slices.Clone(shown), fmt.Sprintf("… (+%d)", len(lines)-len(shown)))
		}
		return Reply{Text: joinBlocks(r.say(sayRunningYes, name, r.count(len(lines))), bullets(shown))}
	case s.Exit > 1:
		return Reply{Text: r.failureText(s)}
	}
	return Reply{Text: r.say(sayRunningNo, name, s.Command)}
}

func cutRunes(s string, limit int) string {
	if rs := []rune(s); len(rs) > limit {
		return string(rs[:limit]) + "…"
	}
	return s
}
