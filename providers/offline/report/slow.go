package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	saySlowMemory    = i18n.T("메모리가 모자라서 느린 것 같아요. 전체 %[1]s 가운데 %[2]s만 남았어요.", "It is most likely short of memory: only %[2]s of %[1]s is left.", "最可能是内存不足：共 %[1]s，只剩 %[2]s。")
	saySlowMemoryFix = i18n.T("%[1]s{을/를} 닫으면 약 %[2]s{이/가} 비어요.", "Closing %[1]s would free about %[2]s.", "关闭 %[1]s 大约可释放 %[2]s。")
	saySlowDisk      = i18n.T("디스크를 기다리느라 느린 것 같아요. 최근 1분의 %.0[1]f%% 동안 프로그램들이 읽기·쓰기를 기다렸어요.", "It is most likely waiting for the disk: programs waited for reading or writing %.0[1]f%% of the last minute.", "最可能是在等待磁盘：最近一分钟有 %.0[1]f%% 的时间程序在等待读写。")
	saySlowDiskWait  = i18n.T("디스크를 기다리느라 느린 것 같아요. CPU가 일하지 못하고 디스크를 기다리는 시간이 %.0[1]f%%예요(`top`).", "It is most likely waiting for the disk: the CPU stands idle for it %.0[1]f%% of the time (`top`).", "最可能是在等待磁盘：CPU 有 %.0[1]f%% 的时间在等待磁盘（`top`）。")
	saySlowWaiters   = i18n.T("지금 디스크를 기다리는 프로그램: %[1]s (`top`의 상태 D)", "Waiting for it right now: %[1]s (state D in `top`)", "当前在等待磁盘的程序：%[1]s（`top` 中状态为 D）")
	saySlowDiskBad   = i18n.T("커널 로그에 디스크 오류가 %[1]d줄 있어요. 디스크가 고장 나는 중일 수 있으니 중요한 파일부터 백업하세요.", "The kernel log has disk errors (lines: %[1]d). The disk may be failing: back up what matters first.", "内核日志中有 %[1]d 行磁盘错误，磁盘可能正在损坏，请先备份重要文件。")
	saySlowDiskGood  = i18n.T("큰 복사나 업데이트가 도는 중이라면 끝나면 나아져요.", "If a big copy or an update is running, it gets better when that ends.", "如果正在进行大文件复制或更新，结束后会好转。")
	saySlowFull      = i18n.T("%[1]s 디스크가 꽉 차서 느린 것 같아요: %[2]d%% 사용, %[3]s 남음. 저장하지 못하는 프로그램들이 멈춰요.", "%[1]s is full (%[2]d%% used, %[3]s left), which is most likely why: programs that cannot save hang.", "%[1]s 已满（已用 %[2]d%%，剩余 %[3]s），这很可能是原因：无法保存的程序会卡住。")
	saySlowHot       = i18n.T("너무 뜨거워서 CPU가 스스로 속도를 낮추는 것 같아요. %[1]s: %[2]s°C.", "It is so hot that the CPU most likely slows itself down. %[1]s: %[2]s°C.", "温度过高，CPU 很可能正在降频。%[1]s：%[2]s°C。")
	saySlowHotFix    = i18n.T("통풍구를 막은 것이 없는지, 팬이 도는지 보고 무거운 일을 잠시 멈춰 보세요.", "See that the vents are free and the fan turns, and pause heavy work for a while.", "请确认通风口未被堵住、风扇在转，并暂停繁重的任务。")
	saySlowBusy      = i18n.T("%[1]s{이/가} CPU를 많이 쓰고 있어서 느린 것 같아요: 지금 %.0[2]f%%(100%%가 코어 하나, 모두 %[3]s).", "%[1]s keeps the CPU busy and is most likely the reason: %.0[2]f%% right now (100%% is one core; %[3]s in all).", "最可能是 %[1]s 占用了 CPU：当前 %.0[2]f%%（100%% 为一个核心，%[3]s）。")
	saySlowCrowd     = i18n.T("CPU가 거의 쉬지 못하고 있어요: %.0[1]f%% 사용 중(`top`). 여러 프로그램이 나눠 쓰고 있어요.", "The CPU hardly rests: %.0[1]f%% busy (`top`), shared by several programs.", "CPU 几乎没有空闲：使用率 %.0[1]f%%（`top`），由多个程序共同占用。")
	saySlowQueue     = i18n.T("CPU가 모자란 것 같아요. 최근 1분의 %.0[1]f%% 동안 프로그램들이 CPU를 기다렸어요(`/proc/pressure/cpu`).", "The CPU is most likely too busy: programs waited for it %.0[1]f%% of the last minute (`/proc/pressure/cpu`).", "很可能是 CPU 不够用：最近一分钟有 %.0[1]f%% 的时间程序在等待 CPU（`/proc/pressure/cpu`）。")
	saySlowChore     = i18n.T("%[1]s: 지금 돌고 있는 %[2]s. 끝나면 저절로 나아져요.", "%[1]s is %[2]s; it gets better by itself when that ends.", "%[1]s 是%[2]s，结束后会自行好转。")
	saySlowCloseIt   = i18n.T("응답이 없거나 필요 없는 프로그램이면 저장하고 닫아 보세요.", "If it does not respond or is not needed, save your work and close it.", "如果它没有响应或不需要，请保存后关闭。")
	saySlowNothing   = i18n.T("지금은 느려질 만한 것이 보이지 않아요.", "Nothing stands out right now that would make it slow.", "目前没有发现会导致变慢的情况。")
	saySlowNarrow    = i18n.T("볼 수 있었던 범위에서는 느려질 만한 것이 보이지 않아요.", "In what could be seen, nothing would make it slow.", "在能查看的范围内，没有发现会导致变慢的情况。")
	sayAppFact       = i18n.T("%[1]s: CPU %.0[2]f%%, 메모리 %[3]s (`top`)", "%[1]s: CPU %.0[2]f%%, memory %[3]s (`top`)", "%[1]s：CPU %.0[2]f%%，内存 %[3]s（`top`）")
	sayAppGone       = i18n.T("%[1]s{은/는} 지금 실행 중이 아니에요 (`pgrep`)", "%[1]s is not running right now (`pgrep`)", "%[1]s 当前没有运行（`pgrep`）")
	saySlowAskAgain  = i18n.T("느려지는 순간에 다시 물어봐 주시면 그때의 상태를 볼 수 있어요.", "Ask again in a moment when it is slow, so that I can see it happen.", "请在变慢的时候再问一次，我就能看到当时的状态。")
	saySlowBlind     = i18n.T("느린 이유를 보여 줄 값을 하나도 읽지 못했어요.", "None of the figures that would tell the reason could be read.", "没有读到任何能说明原因的数值。")
	sayLoadFact      = i18n.T("부하 %.2[1]f, 코어 %[2]d개 (`top`, `nproc`)", "Load %.2[1]f, cores: %[2]d (`top`, `nproc`)", "负载 %.2[1]f，%[2]d 个核心（`top`、`nproc`）")
	sayLoadAlone     = i18n.T("부하 %.2[1]f (`top`)", "Load %.2[1]f (`top`)", "负载 %.2[1]f（`top`）")
	sayBusyFact      = i18n.T("CPU %.0[1]f%% 사용, 디스크 대기 %.0[2]f%% (`top`)", "CPU %.0[1]f%% busy, %.0[2]f%% waiting for the disk (`top`)", "CPU 使用 %.0[1]f%%，等待磁盘 %.0[2]f%%（`top`）")
	sayNowFact       = i18n.T("지금 CPU를 많이 쓰는 프로그램: %[1]s (`top`)", "Using most CPU right now: %[1]s (`top`)", "当前占用 CPU 最多：%[1]s（`top`）")
	saySinceFact     = i18n.T("CPU를 많이 쓴 프로그램(시작한 뒤 평균): %[1]s (`ps aux`)", "Using most CPU (average since start): %[1]s (`ps aux`)", "占用 CPU 最多（启动以来平均）：%[1]s（`ps aux`）")
	sayMemFact       = i18n.T("메모리 %[1]s 가운데 %[2]s 남음, 스왑 %[3]s 사용 (`free -h`)", "Memory: %[2]s of %[1]s left, %[3]s of swap in use (`free -h`)", "内存共 %[1]s，剩 %[2]s，交换空间已用 %[3]s（`free -h`）")
	sayStallFact     = i18n.T("최근 1분에 기다린 시간: CPU %.0[1]f%%, 디스크 %.0[2]f%%, 메모리 %.0[3]f%% (`/proc/pressure`)", "Waited in the last minute: for CPU %.0[1]f%%, disk %.0[2]f%%, memory %.0[3]f%% (`/proc/pressure`)", "最近一分钟的等待时间：CPU %.0[1]f%%，磁盘 %.0[2]f%%，内存 %.0[3]f%%（`/proc/pressure`）")
	sayHeatFact      = i18n.T("온도 %[2]s°C, %[1]s (`sensors`)", "Temperature %[2]s°C, %[1]s (`sensors`)", "温度 %[2]s°C，%[1]s（`sensors`）")
	sayThrottled     = i18n.T("부팅한 뒤 과열로 속도를 낮춘 기록이 로그에 %[1]d줄 있어요 (`journalctl -k`)", "Since boot, log lines about slowing down for heat: %[1]d (`journalctl -k`)", "启动以来有 %[1]d 行因过热降频的日志（`journalctl -k`）")
	sayFailedFact    = i18n.T("실패한 서비스: %[1]s (`systemctl --failed`)", "Failed units: %[1]s (`systemctl --failed`)", "失败的服务：%[1]s（`systemctl --failed`）")
	sayNotLooked     = i18n.T("보지 못한 것: %[1]s", "Could not be seen: %[1]s", "未能查看：%[1]s")
	sayCoresAre      = i18n.T("코어 %[1]d개", "%[1]d {core|cores}", "共 %[1]d 个核心")
	askWhatFills     = i18n.T("무엇이 디스크를 채웠는지 찾아볼까요?", "Shall I look for what fills it?", "要查找是什么占满了磁盘吗？")
	choreIndex       = i18n.T("파일 색인 작업이에요", "indexing files", "文件索引任务")
	choreUpdate      = i18n.T("패키지 작업이에요", "installing or updating packages", "软件包安装或更新任务")
	choreBuild       = i18n.T("컴파일 작업이에요", "compiling", "编译任务")
	choreBackup      = i18n.T("백업·복사 작업이에요", "copying or backing up", "复制或备份任务")
)

// chores are programs with temporary work.
var chores = map[string]i18n.Text{
	"baloo_file": choreIndex, "baloo_file_extr": choreIndex, "baloo_file_extractor": choreIndex, "tracker-miner-f": choreIndex, "tracker-miner-fs-3": choreIndex, "tracker-extract": choreIndex,
	"tracker-extract-3": choreIndex, "localsearch-3": choreIndex, "localsearch-ext": choreIndex, "updatedb": choreIndex, "plocate-build": choreIndex, "mandb": choreIndex,
	"pacman": choreUpdate, "yay": choreUpdate, "paru": choreUpdate, "packagekitd": choreUpdate, "mkinitcpio": choreUpdate, "depmod": choreUpdate, "dkms": choreUpdate,
	"cc1": choreBuild, "cc1plus": choreBuild, "rustc": choreBuild, "cargo": choreBuild, "ld": choreBuild, "makepkg": choreBuild, "clang": choreBuild, "clang++": choreBuild, "ninja": choreBuild, "make": choreBuild,
	"rsync": choreBackup, "cp": choreBackup, "borg": choreBackup, "restic": choreBackup, "timeshift": choreBackup, "btrfs": choreBackup, "snapper": choreBackup,
}

// vitals are the figures that can explain why a machine is slow.
type vitals struct {
	top                 snapshot
	hasTop              bool
	cores               int
	cpu, io, mem        float64 // percent of the last minute in which something waited
	hasPressure         bool
	memory              memoryState
	hasMemory           bool
	full                *fileSystem // the fullest file system of this machine
	heat                *heat
	hogs                []usage // averages since their start, used if top is missing
	throttled, badReads int
	failed              []string
}

// slow checks everything that can make a machine slow and reports the most likely cause first.
func (q *inquiry) slow() Reply {
	if !q.collect(q.first, topNow, coreCount, allPressure, memoryStep, diskStep, heatStep, failedUnitsStep) {
		return Reply{}
	}
	if q.resultOf(topNow) == nil {
		return q.toolReply(q.first)
	}
	v := q.vitals()
	var more []intent.Step
	if v.waitsForDisk() {
		more = append(more, diskErrors)
	}
	if v.isHot() {
		more = append(more, throttleStep)
	}
	if !q.collect(more...) {
		return Reply{}
	}
	v.badReads, v.throttled = len(journalLines(q.stdout(diskErrors))), len(journalLines(q.stdout(throttleStep)))
	if v.isEmpty() {
		return Reply{Text: joinBlocks(q.say(saySlowBlind), q.toolReply(q.first).Text)}
	}
	f, found := q.slowness(v)
	f.evidence = append(f.evidence, q.vitalFacts(v, !found)...)
	return f.reply()
}

func (q *inquiry) vitals() vitals {
	var v vitals
	if s := q.output(topNow, ""); s != nil {
		v.top, v.hasTop = parseTop(s.Stdout)
	}
	if s := q.output(topCPU, "ps"); s != nil && len(v.top.tasks) == 0 {
		v.hogs, _ = parsePS(s.Stdout)
		slices.SortStableFunc(v.hogs, func(a, b usage) int { return -cmp.Compare(a.cpu, b.cpu) })
	}
	if n, err := strconv.Atoi(strings.TrimSpace(q.stdout(coreCount))); err == nil && n > 0 && n < 10000 {
		v.cores = n
	}
	if p := parsePressure(q.stdout(allPressure)); len(p) == 3 {
		v.cpu, v.io, v.mem, v.hasPressure = p[0].avg60, p[1].avg60, p[2].avg60, true
	}
	if s := q.output(memoryStep, ""); s != nil {
		v.memory, v.hasMemory = parseFree(s.Stdout)
	}
	if s := q.output(diskStep, ""); s != nil {
		for _, fs := range realFileSystems(parseDF(s.Stdout)) {
			if !isRemote(fs) && hasAnyPrefix(fs.mount+"/", "//", "/home/", "/var/", "/tmp/") && v.full == nil {
				v.full = &fs
			}
		}
	}
	if s := q.output(heatStep, ""); s != nil {
		v.heat = hottestCPU(parseSensors(s.Stdout))
	}
	if s := q.output(failedUnitsStep, ""); s != nil {
		for _, u := range parseUnits(s.Stdout) {
			v.failed = append(v.failed, u.unit)
		}
	}
	return v
}

// hottestCPU prefers the processor's own sensors to those of disks and boards.
func hottestCPU(list []heat) *heat {
	for _, h := range list {
		if containsAny(h.where, "coretemp", "k10temp", "zenpower", "cpu_thermal", "Tctl", "Package") {
			return &h
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

func (v vitals) isEmpty() bool {
	return !v.hasTop && !v.hasPressure && !v.hasMemory && v.full == nil && len(v.hogs) == 0
}

func (v vitals) waitsForMemory() bool {
	return v.hasMemory && (v.mem >= 5 || v.memory.isTight() && v.memory.isSwapHeavy() || v.memory.available < v.memory.total/20)
}
func (v vitals) waitsForDisk() bool { return v.io >= 20 || v.top.waiting >= 20 }
func (v vitals) isHot() bool        { return v.heat != nil && v.heat.celsius >= v.heat.limit() }

// slowness reports the most likely cause, most serious first: a machine short of memory also waits for the
// disk, and a hot one is also busy.
func (q *inquiry) slowness(v vitals) (f finding, found bool) {
	switch {
	case v.waitsForMemory():
		return q.slowMemory(v), true
	case v.full != nil && v.full.percent >= 98:
		step := diskStep
		return finding{verdict: q.say(saySlowFull, v.full.mount, v.full.percent, v.full.avail), fix: &step, question: q.say(askWhatFills)}, true
	case v.waitsForDisk():
		return q.slowDisk(v), true
	case v.isHot():
		return finding{verdict: q.say(saySlowHot, placeOf(*v.heat), celsius(v.heat.celsius)), meaning: q.say(saySlowHotFix)}, true
	}
	if f, busy := q.slowBusy(v); busy {
		return f, true
	}
	return q.slowNothing(v), false
}

func (q *inquiry) slowMemory(v vitals) finding {
	f := finding{verdict: q.say(saySlowMemory, formatSize(v.memory.total), formatSize(v.memory.available))}
	var largest usage
	users := v.top.busiest()
	if s := q.output(topCPU, "ps"); s != nil { // all processes, not only the busy ones
		users, _ = parsePS(s.Stdout)
	}
	for _, u := range users {
		if u.rss > largest.rss {
			largest = u
		}
	}
	if largest.rss > v.memory.total/10 {
		f.meaning = q.say(saySlowMemoryFix, largest.program, formatSize(largest.rss))
	}
	return f
}

func (q *inquiry) slowDisk(v vitals) finding {
	f := finding{verdict: q.say(saySlowDisk, v.io), meaning: q.say(saySlowDiskGood)}
	if v.io < 20 {
		f.verdict = q.say(saySlowDiskWait, v.top.waiting)
	}
	if v.badReads > 0 {
		f.meaning = q.say(saySlowDiskBad, v.badReads)
		if disk := faultyDisk(journalLines(q.stdout(diskErrors))); disk != "" {
			f.propose(smartStep(disk), q.say(askSmart, smartCommand(disk)))
		}
	} else if chore := q.choreOf(v.top.waitingPrograms()); chore != "" {
		f.meaning = chore
	}
	if stuck := v.top.waitingPrograms(); len(stuck) > 0 {
		f.evidence = []string{q.say(saySlowWaiters, strings.Join(stuck, ", "))}
	}
	return f
}

// choreOf explains the first program with temporary work, "" for none.
func (q *inquiry) choreOf(programs []string) string {
	for _, p := range programs {
		if what, ok := chores[p]; ok {
			return q.say(saySlowChore, p, q.say(what))
		}
	}
	return ""
}

// slowBusy reports an overloaded processor.
func (q *inquiry) slowBusy(v vitals) (finding, bool) {
	cores := max(v.cores, 1)
	var names []string
	users := v.top.busiest()
	for _, u := range users[:min(3, len(users))] {
		names = append(names, u.program)
	}
	f := finding{meaning: cmp.Or(q.choreOf(names), q.say(saySlowCloseIt))}
	switch {
	case len(users) > 0 && users[0].cpu >= 80 && (users[0].cpu >= float64(cores)*25 || v.top.busy >= 50):
		f.verdict = q.say(saySlowBusy, users[0].program, users[0].cpu, q.coresAre(v.cores))
	case v.top.busy >= 85 || v.cpu >= 30:
		f.verdict = q.say(saySlowCrowd, v.top.busy)
		if !v.top.measured {
			f.verdict = q.say(saySlowQueue, v.cpu)
		}
	default:
		return finding{}, false
	}
	return f, true
}

func (q *inquiry) coresAre(n int) string {
	if n == 0 {
		return q.say(sayCoresUnknown)
	}
	return q.say(sayCoresAre, n)
}

var sayCoresUnknown = i18n.T("코어 수는 모름", "number of cores unknown", "核心数未知")

// slowNothing reports that no cause was found, and anything else that was noticed.
func (q *inquiry) slowNothing(v vitals) finding {
	f := finding{verdict: q.say(saySlowNothing), meaning: q.say(saySlowAskAgain)}
	if !v.hasTop || !v.hasMemory {
		f.verdict = q.say(saySlowNarrow)
	}
	if len(v.failed) > 0 {
		unit := strings.TrimSuffix(v.failed[0], ".service")
		step := intent.Call("read_logs", "unit", unit, "since", "boot")
		f.fix, f.question = &step, q.say(askServiceLogs, unit)
	}
	return f
}

// vitalFacts returns the figures behind the answer, each with its source. If a cause was found, normal figures
// are omitted.
func (q *inquiry) vitalFacts(v vitals, all bool) []string {
	out := nonEmpty(q.appFact(v))
	add := func(worth bool, text i18n.Text, args ...any) {
		if all || worth {
			out = append(out, q.say(text, args...))
		}
	}
	if v.hasTop {
		out = append(out, q.loadFact(v))
	}
	if v.top.measured {
		add(v.top.busy >= 50 || v.top.waiting >= 10, sayBusyFact, v.top.busy, v.top.waiting)
	}
	out = append(out, nonEmpty(q.topFact(v))...)
	if v.hasMemory {
		add(v.memory.usedPercent() >= 75 || v.memory.isSwapHeavy(), sayMemFact, formatSize(v.memory.total), formatSize(v.memory.available), formatSize(v.memory.swapUsed))
	}
	if v.hasPressure {
		add(max(v.cpu, v.io, v.mem) >= 5, sayStallFact, v.cpu, v.io, v.mem)
	}
	if v.heat != nil {
		add(v.heat.celsius >= v.heat.limit()-15, sayHeatFact, placeOf(*v.heat), celsius(v.heat.celsius))
	}
	if v.throttled > 0 {
		out = append(out, q.say(sayThrottled, v.throttled))
	}
	if len(v.failed) > 0 {
		out = append(out, q.say(sayFailedFact, strings.Join(v.failed[:min(4, len(v.failed))], ", ")))
	}
	if blind := v.missingPrograms(); len(blind) > 0 && all {
		out = append(out, q.say(sayNotLooked, strings.Join(blind, ", ")))
	}
	return out
}

// missingPrograms returns the programs whose figures are missing.
func (v vitals) missingPrograms() []string {
	var out []string
	for _, look := range []struct {
		seen bool
		name string
	}{{v.hasTop, "`top`"}, {v.hasMemory, "`free`"}, {v.hasPressure, "`/proc/pressure`"}, {v.full != nil, "`df`"}, {v.heat != nil, "`sensors`"}} {
		if !look.seen {
			out = append(out, look.name)
		}
	}
	return out
}

// appFact reports on the program in the question.
func (q *inquiry) appFact(v vitals) string {
	name, _ := q.first.Input["name"].(string)
	if name == "" {
		return ""
	}
	for _, u := range v.top.busiest() {
		if strings.EqualFold(u.program, name) {
			return q.say(sayAppFact, u.program, u.cpu, formatSize(u.rss))
		}
	}
	if s := q.output(q.first, "pgrep"); s != nil && strings.TrimSpace(s.Stdout) == "" && s.Exit == 1 {
		return q.say(sayAppGone, name)
	}
	return ""
}

func (q *inquiry) loadFact(v vitals) string {
	if v.cores == 0 {
		return q.say(sayLoadAlone, v.top.load)
	}
	return q.say(sayLoadFact, v.top.load, v.cores)
}

// topFact names the three busiest programs.
func (q *inquiry) topFact(v vitals) string {
	users, text := v.top.busiest(), sayNowFact
	if len(users) == 0 {
		users, text = v.hogs, saySinceFact
	}
	var out []string
	for _, u := range users {
		if u.cpu >= 1 && len(out) < 3 {
			out = append(out, fmt.Sprintf("%s %.0f%%", u.program, u.cpu))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return q.say(text, strings.Join(out, ", "))
}
