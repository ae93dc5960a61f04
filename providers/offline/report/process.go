package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
)

func (r *result) processes() Reply {
	s := &r.steps[0]
	if strings.HasPrefix(strings.TrimSpace(s.Command), "pgrep") {
		return r.processByName(s)
	}
	all := read(machine.ParsePS, s.Stdout)
	list, total := machine.UsageOf(all), len(all)
	if len(list) == 0 {
		if s.Exit == 0 && total > 0 {
			return Reply{Text: r.say(i18n.HelperProcessNoProcesses(s.Command))}
		}
		return r.unreadableReply(s)
	}
	text := ""
	if r.str("sort") == "cpu" {
		text = r.byCPU(list)
	} else {
		text = r.byMemory(list, total)
	}
	return Reply{Text: joinBlocks(text, r.zombieNote(s.Stdout))}
}

const shownPrograms = 5

func (r *result) byMemory(list []machine.Usage, total int) string {
	sorting.Stably(list, func(a, b machine.Usage) int { return -cmp.Compare(a.RSS, b.RSS) })
	top, count, hint := list[0], "", ""
	if r.asksAbout("amount", "list", "process") {
		count = r.say(i18n.HelperProcessTotal(total))
	}
	if top.Mem >= 40 {
		hint = r.say(i18n.HelperProcessHungryHint)
	}
	lines := each(list[:min(shownPrograms, len(list))], func(u machine.Usage) string {
		return r.say(i18n.HelperProcessMemoryLine(u.Program, u.Mem, formatSize(u.RSS), u.Count))
	})
	head := r.say(i18n.HelperProcessTopMemory(top.Program, top.Mem, formatSize(top.RSS)))
	return joinBlocks(head, r.say(i18n.HelperProcessTopListMem), bullets(lines), count, hint)
}

func (r *result) byCPU(list []machine.Usage) string {
	top, head, hint := busiestFirst(list)[0], i18n.HelperProcessTopCpu, ""
	if top.CPU < 5 {
		head = i18n.HelperProcessIdleCpu
	}
	if top.CPU >= 80 {
		hint = r.say(i18n.HelperProcessHungryHint)
	}
	lines := each(list[:min(shownPrograms, len(list))], func(u machine.Usage) string {
		return r.say(i18n.HelperProcessCpuLine(u.Program, u.CPU, u.Count))
	})
	return joinBlocks(r.say(head(top.Program, top.CPU)), r.say(i18n.HelperProcessTopListCpu), bullets(lines), hint)
}

// processByName reports whether a program runs, from pgrep -a.
func (r *result) processByName(s *providers.Step) Reply {
	name := r.str("name")
	list := filter(read(machine.ParsePgrep, s.Stdout), func(p machine.FoundProcess) bool {
		return !hasAnyPrefix(path.Base(p.Command), "pgrep", "blunux-ai")
	})
	switch {
	case len(list) > 0:
		lines := each(list[:min(3, len(list))], func(p machine.FoundProcess) string {
			return r.say(i18n.HelperProcessProcessesRow(itoa(p.PID), cutRunes(p.Command, 90)))
		})
		if more := len(list) - len(lines); more > 0 {
			lines = append(lines, fmt.Sprintf("… (+%d)", more))
		}
		return Reply{Text: joinBlocks(r.say(i18n.HelperProcessRunningYes(name, len(list))), bullets(lines))}
	case s.Exit > 1:
		return Reply{Text: r.failureText(s)}
	}
	return Reply{Text: r.say(i18n.HelperProcessRunningNo(name, s.Command))}
}

func cutRunes(s string, limit int) string {
	if rs := []rune(s); len(rs) > limit {
		return string(rs[:limit]) + "…"
	}
	return s
}

// cpuNow reports what uses the processor now. ps only knows averages since each process started.
func (q *inquiry) cpuNow() Reply {
	snap := read(machine.ParseTop, q.anyStdout(topNow))
	users := snap.Busiest()
	if len(users) == 0 {
		return q.toolReply(q.first)
	}
	cores := q.cores()
	head := i18n.HelperBusyNow
	if users[0].CPU < 10 {
		head = i18n.HelperBusyIdleNow
	}
	f := q.found(head(users[0].Program, users[0].CPU, q.coresAre(cores)),
		q.fact(i18n.HelperBusyNext, busiestNames(users[1:])))
	if users[0].CPU >= 10 {
		f.note(q.loadFact(snap.Load, cores))
	}
	if task, known := diagnose.Chore(users[0].Program); known {
		f.meaning = q.say(i18n.SlowChoreAdvice(users[0].Program, task))
	}
	if ps := q.output(q.first, "ps"); ps != nil {
		f.note(q.resultOf(q.first).zombieNote(ps.Stdout))
		q.runaway(f, snap, read(machine.ParsePS, ps.Stdout))
	}
	return f.reply()
}

// runaway proposes to end a program of the user's own that has kept a core busy for hours.
func (q *inquiry) runaway(f *finding, snap machine.Snapshot, all []machine.Process) {
	if len(snap.Tasks) == 0 || snap.Tasks[0].CPU < 90 {
		return
	}
	t := snap.Tasks[0]
	hours := cpuHours(all, t.PID)
	if _, chore := diagnose.Chore(t.Program); hours < 2 || chore {
		return
	}
	f.meaning = q.say(i18n.HelperBusyRunaway(t.Program, t.PID, q.say(i18n.HelperBusyHoursCpu(hours))))
	q.proposeCommand(f, "kill "+itoa(t.PID), i18n.HelperBusyAskEndRunaway)
}

// cpuHours returns the processor time of a process, in whole hours. It returns 0 for root's processes.
func cpuHours(all []machine.Process, pid int) int {
	i := slices.IndexFunc(all, func(p machine.Process) bool { return p.PID == pid && p.User != "root" })
	if i < 0 {
		return 0
	}
	minutes, _, _ := strings.Cut(all[i].CPUTime, ":")
	n, err := strconv.Atoi(minutes)
	if err != nil || n < 0 {
		return 0
	}
	return n / 60
}

func (r *result) zombieNote(ps string) string {
	zombies := filter(read(machine.ParsePS, ps), machine.Process.IsZombie)
	if len(zombies) == 0 {
		return ""
	}
	names := each(zombies[:min(4, len(zombies))], func(p machine.Process) string {
		return strings.Trim(strings.TrimSuffix(strings.Join(p.Command, " "), " <defunct>"), "[]")
	})
	return r.say(i18n.HelperBusyZombies(len(zombies), strings.Join(names, ", ")))
}

var everyProcess = command(machine.PSProbe.String())

// programState reports whether a program runs, and its use of CPU and memory.
func (q *inquiry) programState() Reply {
	rep := q.toolReply(q.first)
	name := q.input("name")
	if s := q.output(q.first, "pgrep"); s == nil || s.Exit != 0 {
		if s != nil && q.Request != nil && q.Request.FailsToStart() && quoteWord(name) == name && !strings.Contains(name, "/") {
			return q.startFailure(name)
		}
		return rep
	}
	if !q.collect(everyProcess) {
		return Reply{}
	}
	var cpu, rss float64
	for _, u := range machine.UsageOf(read(machine.ParsePS, q.anyStdout(everyProcess))) {
		if strings.Contains(strings.ToLower(u.Program), strings.ToLower(name)) {
			cpu, rss = cpu+u.CPU, rss+u.RSS
		}
	}
	if rss == 0 {
		return rep
	}
	return Reply{Text: joinBlocks(rep.Text, bullets([]string{q.say(i18n.HelperBusyAppUses(formatSize(rss), cpu))})), Offer: rep.Offer}
}

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
	return r.sayIf(isSwapHeavy(st) && !isTight(st), i18n.HelperMemorySwapHeavy)
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

// cores returns the number of processor cores, 0 if it is unknown.
func (q *inquiry) cores() int {
	n, err := strconv.Atoi(strings.TrimSpace(q.stdout(coreCount)))
	if err != nil || n < 0 || n >= 10000 {
		return 0
	}
	return n
}

func (q *inquiry) coresAre(n int) string {
	if n == 0 {
		return q.say(i18n.HelperSlowCoresUnknown)
	}
	return q.say(i18n.HelperSlowCoresAre(n))
}

func (q *inquiry) loadFact(load float64, cores int) string {
	if cores == 0 {
		return q.say(i18n.HelperSlowLoadAlone(load))
	}
	return q.say(i18n.HelperSlowLoadFact(load, cores))
}

// busiestNames lists the first three programs that use the processor.
func busiestNames(users []machine.Usage) string {
	users = filter(users, func(u machine.Usage) bool { return u.CPU >= 1 })
	return strings.Join(each(users[:min(3, len(users))], func(u machine.Usage) string {
		return fmt.Sprintf("%s %.0f%%", u.Program, u.CPU)
	}), ", ")
}

func busiestFirst(users []machine.Usage) []machine.Usage {
	sorting.Stably(users, func(a, b machine.Usage) int { return -cmp.Compare(a.CPU, b.CPU) })
	return users
}
