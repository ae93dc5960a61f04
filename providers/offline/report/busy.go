package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// cpuNow reports what uses the processor now. ps only knows averages since each process started.
func (q *inquiry) cpuNow() Reply {
	snap := read(machine.ParseTop, q.anyStdout(topNow))
	users := snap.Busiest()
	if len(users) == 0 {
		return q.toolReply(q.first)
	}
	v := vitals{top: snap, hasTop: true, cores: q.cores()}
	head := i18n.HelperBusyNow
	if users[0].CPU < 10 {
		head = i18n.HelperBusyIdleNow
	}
	f := q.found(head(users[0].Program, users[0].CPU, q.coresAre(v.cores)), q.fact(i18n.HelperBusyNext, busiestNames(users[1:])))
	if users[0].CPU >= 10 {
		f.note(q.loadFact(v))
	}
	if text, known := chores[users[0].Program]; known {
		f.meaning = q.say(i18n.HelperSlowChore(users[0].Program, q.say(text)))
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
	if _, chore := chores[t.Program]; hours < 2 || chore {
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

// zombieNote reports zombies, if any.
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
	if s := q.output(q.first, "pgrep"); s == nil || s.Exit != 0 {
		return rep
	}
	if !q.collect(everyProcess) {
		return Reply{}
	}
	name := q.input("name")
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
