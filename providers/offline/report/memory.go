package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
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
		return r.say(i18n.HelperMemorySwapHeavy)
	}
	return ""
}

func (r *result) memoryVerdict(st memoryState) string {
	verdict := i18n.HelperMemoryFine
	switch {
	case st.isTight():
		verdict = i18n.HelperMemoryTight
	case st.usedPercent() >= 75:
		verdict = i18n.HelperMemoryHigh
	}
	return r.say(verdict(formatSize(st.total), formatSize(st.available), st.usedPercent()))
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
		f.meaning = q.say(i18n.HelperMemoryRelief(users[0].program, formatSize(users[0].rss)))
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
		out = append(out, q.say(i18n.HelperMemoryTop(strings.Join(top, ", "))))
	}
	if p := parsePressure(q.stdout(memoryPressure)); len(p) > 0 && p[0].avg60 >= 1 {
		out = append(out, q.say(i18n.HelperMemoryWait(p[0].avg60)))
	}
	return out
}

func (r *result) swap(st memoryState) string {
	asked := r.asksAbout("swap")
	switch {
	case st.swapTotal == 0:
		return r.say(i18n.HelperMemorySwapNone)
	case st.swapUsed == 0 && asked:
		return r.say(i18n.HelperMemorySwapNo(formatSize(st.swapTotal)))
	case st.swapUsed == 0:
		return r.say(i18n.HelperMemorySwapIdle(formatSize(st.swapTotal)))
	case asked:
		return r.say(i18n.HelperMemorySwapYes(formatSize(st.swapUsed), formatSize(st.swapTotal)))
	}
	return r.say(i18n.HelperMemorySwapUsed(formatSize(st.swapUsed), formatSize(st.swapTotal)))
}
