package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

func (r *result) memory() Reply {
	s := &r.steps[0]
	st, ok := tryRead(machine.ParseFree, s.Stdout)
	if !ok {
		return r.unreadableReply(s)
	}
	if r.asksAbout("swap") && !isTight(st) {
		return Reply{Text: joinBlocks(r.swap(st), r.heavySwap(st))}
	}
	return Reply{Text: joinBlocks(r.memoryVerdict(st), r.swap(st), r.heavySwap(st))}
}

// heavySwap explains swapping that slows a machine down, unless the answer already says that memory is short.
func (r *result) heavySwap(st machine.Free) string {
	if isSwapHeavy(st) && !isTight(st) {
		return r.say(i18n.HelperMemorySwapHeavy)
	}
	return ""
}

func (r *result) memoryVerdict(st machine.Free) string {
	verdict := i18n.HelperMemoryFine
	switch {
	case isTight(st):
		verdict = i18n.HelperMemoryTight
	case usedPercent(st) >= 75:
		verdict = i18n.HelperMemoryHigh
	}
	return r.say(verdict(formatSize(st.Total), formatSize(st.Available), usedPercent(st)))
}

// usedPercent returns the share of memory in use, in percent.
func usedPercent(st machine.Free) int { return int((st.Total-st.Available)/st.Total*100 + 0.5) }

func isTight(st machine.Free) bool     { return st.Available < st.Total/10 }
func isSwapHeavy(st machine.Free) bool { return st.SwapTotal > 0 && st.SwapUsed > st.SwapTotal/2 }

var (
	topMemory      = intent.Call("check_processes", "sort", "mem")
	memoryPressure = command(machine.MemoryPressureProbe.String())
)

// memory reports how much is available, what uses it, and whether anything waits for it.
func (q *inquiry) memory() Reply {
	rep := q.toolReply(q.first)
	free := q.output(q.first, "")
	if free == nil {
		return rep
	}
	st, ok := tryRead(machine.ParseFree, free.Stdout)
	if !ok {
		return rep
	}
	var users []machine.Usage
	if ps := q.output(topMemory, "ps"); ps != nil {
		users = machine.UsageOf(read(machine.ParsePS, ps.Stdout))
		slices.SortStableFunc(users, func(a, b machine.Usage) int { return -cmp.Compare(a.RSS, b.RSS) })
	}
	if usedPercent(st) < 75 || q.asksAbout("swap") && !isTight(st) {
		users = nil // only relevant if little is available
	}
	f := &finding{verdict: rep.Text, evidence: q.memoryFigures(users)}
	if (isTight(st) || isSwapHeavy(st)) && len(users) > 0 {
		f.meaning = q.say(i18n.HelperMemoryRelief(users[0].Program, formatSize(users[0].RSS)))
	}
	return f.reply()
}

// memoryFigures names the three largest programs and how long others waited.
func (q *inquiry) memoryFigures(users []machine.Usage) []string {
	var out, top []string
	for _, u := range users[:min(3, len(users))] {
		top = append(top, u.Program+" "+formatSize(u.RSS))
	}
	if len(top) > 0 {
		out = append(out, q.say(i18n.HelperMemoryTop(strings.Join(top, ", "))))
	}
	if p := read(machine.ParsePressure, q.stdout(memoryPressure)); len(p) > 0 && p[0].Some.Avg60 >= 1 {
		out = append(out, q.say(i18n.HelperMemoryWait(p[0].Some.Avg60)))
	}
	return out
}

func (r *result) swap(st machine.Free) string {
	asked := r.asksAbout("swap")
	switch {
	case st.SwapTotal == 0:
		return r.say(i18n.HelperMemorySwapNone)
	case st.SwapUsed == 0 && asked:
		return r.say(i18n.HelperMemorySwapNo(formatSize(st.SwapTotal)))
	case st.SwapUsed == 0:
		return r.say(i18n.HelperMemorySwapIdle(formatSize(st.SwapTotal)))
	case asked:
		return r.say(i18n.HelperMemorySwapYes(formatSize(st.SwapUsed), formatSize(st.SwapTotal)))
	}
	return r.say(i18n.HelperMemorySwapUsed(formatSize(st.SwapUsed), formatSize(st.SwapTotal)))
}
