package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayMemoryFine  = i18n.T("메모리는 넉넉해요. 전체 %[1]s 가운데 %[2]s{을/를} 더 쓸 수 있어요(사용 %[3]d%%).", "Memory is fine: %[2]s of %[1]s is still available (%[3]d%% in use).", "内存充足：共 %[1]s，还可用 %[2]s（已用 %[3]d%%）。")
	sayMemoryHigh  = i18n.T("메모리를 꽤 쓰고 있어요. 전체 %[1]s 가운데 %[2]s 남았어요(사용 %[3]d%%).", "Memory is fairly used: %[2]s of %[1]s is still available (%[3]d%% in use).", "内存占用较高：共 %[1]s，还可用 %[2]s（已用 %[3]d%%）。")
	sayMemoryTight = i18n.T("메모리가 부족해요. 전체 %[1]s 가운데 %[2]s밖에 안 남았어요(사용 %[3]d%%). 느려지거나 프로그램이 강제로 종료될 수 있어요.", "Memory is short: only %[2]s of %[1]s is still available (%[3]d%% in use). Expect slowness, or programs being killed.", "内存不足：共 %[1]s，只剩 %[2]s（已用 %[3]d%%）。系统可能变慢，程序可能被强制结束。")
	saySwapNone    = i18n.T("스왑은 없어요.", "There is no swap.", "没有交换空间。")
	saySwapIdle    = i18n.T("스왑 %[1]s{은/는} 쓰이지 않고 있어요.", "Swap (%[1]s) is not in use.", "交换空间（%[1]s）没有被使用。")
	saySwapUsed    = i18n.T("스왑은 전체 %[2]s 가운데 %[1]s{을/를} 쓰고 있어요.", "Swap: %[1]s of %[2]s is in use.", "交换空间：共 %[2]s，已用 %[1]s。")
	saySwapYes     = i18n.T("네, 스왑을 쓰고 있어요: 전체 %[2]s 가운데 %[1]s.", "Yes, it is swapping: %[1]s of %[2]s swap is in use.", "是的，正在使用交换空间：共 %[2]s，已用 %[1]s。")
	saySwapNo      = i18n.T("아니요, 스왑은 쓰지 않고 있어요(전체 %[1]s).", "No, it is not swapping (%[1]s of swap, none in use).", "没有，交换空间（%[1]s）没有被使用。")
	saySwapHeavy   = i18n.T("스왑을 많이 쓰면 디스크를 기다리느라 느려져요.", "Heavy swapping makes everything wait for the disk.", "大量使用交换空间会因等待磁盘而变慢。")
	sayFreeSource  = i18n.T("`free -h` 기준이고, 캐시는 필요하면 비워지므로 여유로 셌어요.", "From `free -h`; cache counts as available because it is given back when needed.", "依据 `free -h`；缓存在需要时会释放，因此算作可用。")
	askMemoryHogs  = i18n.T("어떤 프로그램이 메모리를 많이 쓰는지 볼까요?", "Shall I see which programs use the most memory?", "要看看哪些程序占用内存最多吗？")
)

// memoryState is what free -h tells, in bytes.
type memoryState struct {
	total, available    float64
	swapTotal, swapUsed float64
}

// parseFree reads free's table (procps-ng, free(1)): rows of numbers with
// units; the first with six is memory, the first with three is swap. Old
// versions have no "available" column: free plus cache stands in.
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

// sizesAfterLabel reads the numbers of a row behind its label.
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
		return r.unreadable(s)
	}
	used := int((st.total-st.available)/st.total*100 + 0.5)
	tight := st.available < st.total/10
	verdict := sayMemoryFine
	switch {
	case tight:
		verdict = sayMemoryTight
	case used >= 75:
		verdict = sayMemoryHigh
	}
	lines := []string{r.say(verdict, formatSize(st.total), formatSize(st.available), used), r.swap(st)}
	if r.asked("swap") {
		lines[0], lines[1] = lines[1], lines[0]
	}
	if st.swapTotal > 0 && st.swapUsed > st.swapTotal/2 {
		lines = append(lines, r.say(saySwapHeavy))
	}
	rep := Reply{Text: joinBlocks(append(lines, r.say(sayFreeSource))...)}
	if used >= 75 || st.swapTotal > 0 && st.swapUsed > st.swapTotal/2 {
		step := intent.Call("check_processes", "sort", "mem")
		rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(askMemoryHogs))
	}
	return rep
}

func (r *result) swap(st memoryState) string {
	asked := r.asked("swap")
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
