package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// cpuNow reports what uses the processor now. ps only knows averages since each process started.
func (q *inquiry) cpuNow() Reply {
	if !q.collect(q.first, topNow, coreCount) {
		return Reply{}
	}
	s := q.output(topNow, "")
	if s == nil {
		return q.toolReply(q.first)
	}
	snap, ok := parseTop(s.Stdout)
	users := snap.busiest()
	if !ok || len(users) == 0 {
		return q.toolReply(q.first)
	}
	v := vitals{top: snap, hasTop: true}
	if n, err := strconv.Atoi(strings.TrimSpace(q.stdout(coreCount))); err == nil && n > 0 && n < 10000 {
		v.cores = n
	}
	head := i18n.HelperBusyNow
	if users[0].cpu < 10 {
		head = i18n.HelperBusyIdleNow
	}
	f := finding{verdict: q.say(head(users[0].program, users[0].cpu, q.coresAre(v.cores))), evidence: nonEmpty(q.nextBusiest(users))}
	if users[0].cpu >= 10 {
		f.note(q.loadFact(v))
	}
	if text, known := chores[users[0].program]; known {
		f.meaning = q.say(i18n.HelperSlowChore(users[0].program, q.say(text)))
	}
	if ps := q.output(q.first, "ps"); ps != nil {
		f.evidence = append(f.evidence, nonEmpty(q.resultOf(q.first).zombieNote(ps.Stdout))...)
	}
	q.runaway(&f, snap)
	return f.reply()
}

// nextBusiest lists the programs after the busiest one.
func (q *inquiry) nextBusiest(users []usage) string {
	var out []string
	for _, u := range users[1:] {
		if u.cpu >= 1 && len(out) < 3 {
			out = append(out, fmt.Sprintf("%s %.0f%%", u.program, u.cpu))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return q.say(i18n.HelperBusyNext(strings.Join(out, ", ")))
}

// runaway proposes to end a program of the user's own that has kept a core busy for hours.
func (q *inquiry) runaway(f *finding, snap snapshot) {
	ps := q.output(q.first, "ps")
	if ps == nil || len(snap.tasks) == 0 || snap.tasks[0].cpu < 90 {
		return
	}
	t := snap.tasks[0]
	hours := cpuHours(ps.Stdout, t.pid)
	if _, chore := chores[t.program]; hours < 2 || chore {
		return
	}
	end := "kill " + itoa(t.pid)
	step := command(end)
	f.meaning, f.fix, f.question = q.say(i18n.HelperBusyRunaway(t.program, t.pid, q.say(i18n.HelperBusyHoursCpu(hours)))), &step, q.say(i18n.HelperBusyAskEndRunaway(end))
}

// cpuHours returns the processor time of a process in ps aux, in whole hours. TIME is minutes and seconds
// ("612:41"). It returns 0 for root's processes.
func cpuHours(ps string, pid int) int {
	for _, line := range outputLines(ps) {
		f := strings.Fields(line)
		if len(f) < 11 || f[1] != itoa(pid) || f[0] == "root" {
			continue
		}
		minutes, _, _ := strings.Cut(f[9], ":")
		n, err := strconv.Atoi(minutes)
		if err != nil || n < 0 {
			return 0
		}
		return n / 60
	}
	return 0
}

// zombies returns the processes that ended and were not reaped.
func zombies(ps string) []string {
	var out []string
	for _, line := range outputLines(ps) {
		if f := strings.Fields(line); len(f) >= 11 && strings.HasPrefix(f[7], "Z") {
			out = append(out, strings.Trim(strings.TrimSuffix(strings.Join(f[10:], " "), " <defunct>"), "[]"))
		}
	}
	return out
}

// zombieNote reports zombies, if any.
func (r *result) zombieNote(ps string) string {
	list := zombies(ps)
	if len(list) == 0 {
		return ""
	}
	return r.say(i18n.HelperBusyZombies(len(list), strings.Join(list[:min(4, len(list))], ", ")))
}

var everyProcess = command("ps aux --sort=-%mem")

// programState reports whether a program runs, and its use of CPU and memory.
func (q *inquiry) programState() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	rep := q.toolReply(q.first)
	s := q.output(q.first, "pgrep")
	if s == nil || s.Exit != 0 {
		return rep
	}
	if !q.collect(everyProcess) {
		return Reply{}
	}
	name, _ := q.first.Input["name"].(string)
	var cpu, rss float64
	if ps := q.output(everyProcess, ""); ps != nil {
		list, _ := parsePS(ps.Stdout)
		for _, u := range list {
			if strings.Contains(strings.ToLower(u.program), strings.ToLower(name)) {
				cpu, rss = cpu+u.cpu, rss+u.rss
			}
		}
	}
	if rss == 0 {
		return rep
	}
	return Reply{Text: joinBlocks(rep.Text, bullets([]string{q.say(i18n.HelperBusyAppUses(formatSize(rss), cpu))})), Offer: rep.Offer}
}
