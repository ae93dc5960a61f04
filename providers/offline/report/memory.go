package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayMemoryFine   = i18n.T("메모리는 넉넉해요. 전체 %[1]s 가운데 %[2]s{을/를} 더 쓸 수 있어요(사용 %[3]d%%, `free -h`).", "Memory is fine: %[2]s of %[1]s is still available (%[3]d%% in use, `free -h`).", "内存充足：共 %[1]s，还可用 %[2]s（已用 %[3]d%%，`free -h`）。")
	sayMemoryHigh   = i18n.T("메모리를 꽤 쓰고 있어요. 전체 %[1]s 가운데 %[2]s 남았어요(사용 %[3]d%%, `free -h`).", "Memory is fairly used: %[2]s of %[1]s is still available (%[3]d%% in use, `free -h`).", "内存占用较高：共 %[1]s，还可用 %[2]s（已用 %[3]d%%，`free -h`）。")
	sayMemoryTight  = i18n.T("메모리가 부족해요. 전체 %[1]s 가운데 %[2]s밖에 안 남았어요(사용 %[3]d%%, `free -h`). 느려지거나 프로그램이 강제로 종료될 수 있어요.", "Memory is short: only %[2]s of %[1]s is still available (%[3]d%% in use, `free -h`). Expect slowness, or programs being killed.", "内存不足：共 %[1]s，只剩 %[2]s（已用 %[3]d%%，`free -h`）。系统可能变慢，程序可能被强制结束。")
	saySwapNone     = i18n.T("스왑은 없어요.", "There is no swap.", "没有交换空间。")
	saySwapIdle     = i18n.T("스왑 %[1]s{은/는} 쓰이지 않고 있어요.", "Swap (%[1]s) is not in use.", "交换空间（%[1]s）没有被使用。")
	saySwapUsed     = i18n.T("스왑은 전체 %[2]s 가운데 %[1]s{을/를} 쓰고 있어요.", "Swap: %[1]s of %[2]s is in use.", "交换空间：共 %[2]s，已用 %[1]s。")
	saySwapYes      = i18n.T("스왑을 쓰고 있어요: 전체 %[2]s 가운데 %[1]s(`free -h`).", "Swap is in use: %[1]s of %[2]s (`free -h`).", "正在使用交换空间：共 %[2]s，已用 %[1]s（`free -h`）。")
	saySwapNo       = i18n.T("스왑은 쓰지 않고 있어요(전체 %[1]s, `free -h`).", "Swap is not in use (%[1]s in all, `free -h`).", "交换空间没有被使用（共 %[1]s，`free -h`）。")
	saySwapHeavy    = i18n.T("스왑을 많이 쓰면 디스크를 기다리느라 느려져요.", "Heavy swapping makes everything wait for the disk.", "大量使用交换空间会因等待磁盘而变慢。")
	sayMemoryTop    = i18n.T("많이 쓰는 프로그램: %[1]s(`ps aux`)", "Largest: %[1]s (`ps aux`)", "占用最多：%[1]s（`ps aux`）")
	sayMemoryWait   = i18n.T("최근 1분의 %.1[1]f%% 동안 프로그램들이 메모리를 기다리며 멈춰 있었어요(`/proc/pressure/memory`). 체감될 만큼 느려져요.", "Programs stood still waiting for memory %.1[1]f%% of the last minute (`/proc/pressure/memory`): that is felt as slowness.", "最近一分钟有 %.1[1]f%% 的时间程序在等待内存（`/proc/pressure/memory`），会明显感到卡顿。")
	sayMemoryRelief = i18n.T("%[1]s{을/를} 닫으면 약 %[2]s{이/가} 비어요.", "Closing %[1]s would free about %[2]s.", "关闭 %[1]s 大约可释放 %[2]s。")
)

// memoryState is the output of free -h, in bytes.
type memoryState struct {
	total, available    float64
	swapTotal, swapUsed float64
}

// parseFree parses free's table (procps-ng, free(1)): rows of numbers with units. The first with six is memory,
// the first with three is swap. Old versions have no "available" column: free plus cache is used instead.
func parseFree(text string) (st memoryState, ok bool) {
	swapSeen := false
	for _, line := range outputLines(text) {
		sizes := sizesAfterLabel(line)
		switch {
		case len(sizes) >= 6 && st.total == 0:
			st.total, st.available, ok = sizes[0], sizes[5], sizes[0] > 0
		case len(sizes) == 5 && st.total == 0:
			st.total, st.available, ok = sizes[0], sizes[2]+sizes[4], sizes[0] > 0
		case len(sizes) >= 3 && ok && !swapSeen && !strings.HasPrefix(line, "-"):
			st.swapTotal, st.swapUsed, swapSeen = sizes[0], sizes[1], true
		}
	}
	return st, ok && st.available <= st.total
}

// sizesAfterLabel parses the numbers of a row after its label.
func sizesAfterLabel(line string) []float64 {
	_, rest, found := strings.Cut(line, ":")
	if !found {
		return nil
	}
	var out []float64
	for _, f := range strings.Fields(rest) {
		n, ok := parseSize(f)
		if !ok {
			return nil
		}
		out = append(out, n)
	}
	return out
}

func (r *result) memory() Reply {
	s := &r.steps[0]
	st, ok := parseFree(s.Stdout)
	if !ok {
		return r.unreadableReply(s)
	}
	if r.asksAbout("swap") && !st.isTight() {
		return Reply{Text: joinBlocks(r.swap(st), r.heavySwap(st))}
	}
	return Reply{Text: joinBlocks(r.memoryVerdict(st), r.swap(st), r.heavySwap(st))}
}

// heavySwap explains swapping that slows a machine down, unless the answer already says that memory is short.
func (r *result) heavySwap(st memoryState) string {
	if st.isSwapHeavy() && !st.isTight() {
		return r.say(saySwapHeavy)
	}
	return ""
}

func (r *result) memoryVerdict(st memoryState) string {
	verdict := sayMemoryFine
	switch {
	case st.isTight():
		verdict = sayMemoryTight
	case st.usedPercent() >= 75:
		verdict = sayMemoryHigh
	}
	return r.say(verdict, formatSize(st.total), formatSize(st.available), st.usedPercent())
}

// usedPercent returns the share of memory in use, in percent.
func (st memoryState) usedPercent() int { return int((st.total-st.available)/st.total*100 + 0.5) }

func (st memoryState) isTight() bool     { return st.available < st.total/10 }
func (st memoryState) isSwapHeavy() bool { return st.swapTotal > 0 && st.swapUsed > st.swapTotal/2 }

var (
	topMemory      = intent.Call("check_processes", "sort", "mem")
	memoryPressure = command("cat /proc/pressure/memory")
)

// memory reports how much is available, what uses it, and whether anything waits for it.
func (q *inquiry) memory() Reply {
	if !q.collect(q.first, topMemory, memoryPressure) {
		return Reply{}
	}
	rep := q.toolReply(q.first)
	free := q.output(q.first, "")
	if free == nil {
		return rep
	}
	st, ok := parseFree(free.Stdout)
	if !ok {
		return rep
	}
	var users []usage
	if ps := q.output(topMemory, "ps"); ps != nil {
		users, _ = parsePS(ps.Stdout)
		slices.SortStableFunc(users, func(a, b usage) int { return -cmp.Compare(a.rss, b.rss) })
	}
	if st.usedPercent() < 75 || q.asksAbout("swap") && !st.isTight() {
		users = nil // only relevant if little is available
	}
	f := finding{verdict: rep.Text, evidence: q.memoryFigures(users)}
	if (st.isTight() || st.isSwapHeavy()) && len(users) > 0 {
		f.meaning = q.say(sayMemoryRelief, users[0].program, formatSize(users[0].rss))
	}
	return f.reply()
}

// memoryFigures names the three largest programs and how long others waited.
func (q *inquiry) memoryFigures(users []usage) []string {
	var out, top []string
	for _, u := range users[:min(3, len(users))] {
		top = append(top, u.program+" "+formatSize(u.rss))
	}
	if len(top) > 0 {
		out = append(out, q.say(sayMemoryTop, strings.Join(top, ", ")))
	}
	if p := parsePressure(q.stdout(memoryPressure)); len(p) > 0 && p[0].avg60 >= 1 {
		out = append(out, q.say(sayMemoryWait, p[0].avg60))
	}
	return out
}

func (r *result) swap(st memoryState) string {
	asked := r.asksAbout("swap")
	switch {
	case st.swapTotal == 0:
		return r.say(saySwapNone)
	case st.swapUsed == 0 && asked:
		return r.say(saySwapNo, formatSize(st.swapTotal))
	case st.swapUsed == 0:
		return r.say(saySwapIdle, formatSize(st.swapTotal))
	case asked:
		return r.say(saySwapYes, formatSize(st.swapUsed), formatSize(st.swapTotal))
	}
	return r.say(saySwapUsed, formatSize(st.swapUsed), formatSize(st.swapTotal))
}
