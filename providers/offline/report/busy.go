package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// cpuNow reports what uses the processor now. ps only knows averages since each process started.
func (q *inquiry) cpuNow() Reply {
	s := q.output(topNow, "")
	if s == nil {
		return q.toolReply(q.first)
	}
	snap, ok := tryRead(machine.ParseTop, s.Stdout)
	users := snap.Busiest()
	if !ok || len(users) == 0 {
		return q.toolReply(q.first)
	}
	v := vitals{top: snap, hasTop: true}
	if n, err := strconv.Atoi(strings.TrimSpace(q.stdout(coreCount))); err == nil && n > 0 && n < 10000 {
		v.cores = n
	}
	head := i18n.HelperBusyNow
	if users[0].CPU < 10 {
		head = i18n.HelperBusyIdleNow
	}
	f := finding{verdict: q.say(head(users[0].Program, users[0].CPU, q.coresAre(v.cores))), evidence: nonEmpty(q.nextBusiest(users))}
	if users[0].CPU >= 10 {
		f.note(q.loadFact(v))
	}
	if text, known := chores[users[0].Program]; known {
		f.meaning = q.say(i18n.HelperSlowChore(users[0].Program, q.say(text)))
	}
	if ps := q.output(q.first, "ps"); ps != nil {
		f.evidence = append(f.evidence, nonEmpty(q.resultOf(q.first).zombieNote(ps.Stdout))...)
	}
	q.runaway(&f, snap)
	return f.reply()
}

// nextBusiest lists the programs after the busiest one.
func (q *inquiry) nextBusiest(users []machine.Usage) string {
	var out []string
	for _, u := range users[1:] {
		if u.CPU >= 1 && len(out) < 3 {
			out = append(out, fmt.Sprintf("%s %.0f%%", u.Program, u.CPU))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return q.say(i18n.HelperBusyNext(strings.Join(out, ", ")))
}

// runaway proposes to end a program of the user's own that has kept a core busy for hours.
func (q *inquiry) runaway(f *finding, snap machine.Snapshot) {
	ps := q.output(q.first, "ps")
	if ps == nil || len(snap.Tasks) == 0 || snap.Tasks[0].CPU < 90 {
		return
	}
	t := snap.Tasks[0]
	hours := cpuHours(read(machine.ParsePS, ps.Stdout), t.PID)
	if _, chore := chores[t.Program]; hours < 2 || chore {
		return
	}
	end := "kill " + itoa(t.PID)
	step := command(end)
	f.meaning, f.fix, f.question = q.say(i18n.HelperBusyRunaway(t.Program, t.PID, q.say(i18n.HelperBusyHoursCpu(hours)))), &step, q.say(i18n.HelperBusyAskEndRunaway(end))
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
	var list []string
	for _, p := range read(machine.ParsePS, ps) {
		if p.IsZombie() {
			list = append(list, strings.Trim(strings.TrimSuffix(strings.Join(p.Command, " "), " <defunct>"), "[]"))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return r.say(i18n.HelperBusyZombies(len(list), strings.Join(list[:min(4, len(list))], ", ")))
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
	name, _ := q.first.Input["name"].(string)
	var cpu, rss float64
	if ps := q.output(everyProcess, ""); ps != nil {
		for _, u := range machine.UsageOf(read(machine.ParsePS, ps.Stdout)) {
			if strings.Contains(strings.ToLower(u.Program), strings.ToLower(name)) {
				cpu, rss = cpu+u.CPU, rss+u.RSS
			}
		}
	}
	if rss == 0 {
		return rep
	}
	return Reply{Text: joinBlocks(rep.Text, bullets([]string{q.say(i18n.HelperBusyAppUses(formatSize(rss), cpu))})), Offer: rep.Offer}
}
