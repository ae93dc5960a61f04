package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

var (
	sayBusyNow    = i18n.T("지금 CPU를 가장 많이 쓰는 프로그램은 %[1]s{이에요/예요}: %.0[2]f%%(100%%가 코어 하나, %[3]s, `top`).", "%[1]s uses the most CPU right now: %.0[2]f%% (100%% is one core; %[3]s, `top`).", "当前占用 CPU 最多的是 %[1]s：%.0[2]f%%（100%% 为一个核心，%[3]s，`top`）。")
	sayIdleNow    = i18n.T("지금 CPU를 많이 쓰는 프로그램은 없어요. 가장 높은 것이 %[1]s %.0[2]f%%예요(100%%가 코어 하나, %[3]s, `top`).", "Nothing uses much CPU right now; the highest is %[1]s with %.0[2]f%% (100%% is one core; %[3]s, `top`).", "当前没有程序大量占用 CPU，最高的是 %[1]s %.0[2]f%%（100%% 为一个核心，%[3]s，`top`）。")
	sayBusyNext   = i18n.T("그다음: %[1]s (`top`)", "Next: %[1]s (`top`)", "其次：%[1]s（`top`）")
	sayRunaway    = i18n.T("%[1]s(PID %[2]d){이/가} CPU를 %[3]s이나 썼고 지금도 코어 하나를 거의 다 쓰고 있어요. 멈춰 버린 것일 수 있어요.", "%[1]s (PID %[2]d) has used %[3]s of CPU time and still takes about a whole core; it may be stuck.", "%[1]s（PID %[2]d）已占用 CPU %[3]s，现在仍几乎占满一个核心，可能已卡死。")
	askEndRunaway = i18n.T("정상 종료를 요청할까요? 저장하지 않은 내용은 먼저 저장하세요. (`%[1]s`)", "Shall I ask it to end? Save what is open in it first. (`%[1]s`)", "要请求它正常退出吗？请先保存其中的内容。（`%[1]s`）")
	sayZombies    = i18n.T("끝났지만 정리되지 않은 좀비 프로세스가 %[1]d개 있어요: %[2]s (`ps aux`). 자원을 쓰지 않아서 해롭지 않고, 부모 프로그램이 끝나면 사라져요.", "Zombies, ended but not yet cleared away: %[1]d (%[2]s, `ps aux`). They use nothing and vanish when their parent ends.", "有 %[1]d 个僵尸进程（已结束但未清理）：%[2]s（`ps aux`）。它们不占资源，父进程结束后会消失。")
	sayAppUses    = i18n.T("모두 합쳐 메모리 %[1]s, CPU %.1[2]f%%(시작한 뒤 평균) (`ps aux`)", "In all: %[1]s of memory, %.1[2]f%% CPU (average since start) (`ps aux`)", "合计：内存 %[1]s，CPU %.1[2]f%%（启动以来平均）（`ps aux`）")
	sayHoursCPU   = i18n.T("%[1]d시간", "%[1]d {hour|hours}", "%[1]d 小时")
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
	head := sayBusyNow
	if users[0].cpu < 10 {
		head = sayIdleNow
	}
	f := finding{verdict: q.say(head, users[0].program, users[0].cpu, q.coresAre(v.cores)), evidence: nonEmpty(q.nextBusiest(users))}
	if users[0].cpu >= 10 {
		f.note(q.loadFact(v))
	}
	if text, known := chores[users[0].program]; known {
		f.meaning = q.say(saySlowChore, users[0].program, q.say(text))
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
	return q.say(sayBusyNext, strings.Join(out, ", "))
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
	f.meaning, f.fix, f.question = q.say(sayRunaway, t.program, t.pid, q.say(sayHoursCPU, hours)), &step, q.say(askEndRunaway, end)
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
	return r.say(sayZombies, len(list), strings.Join(list[:min(4, len(list))], ", "))
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
	return Reply{Text: joinBlocks(rep.Text, bullets([]string{q.say(sayAppUses, formatSize(rss), cpu)})), Offer: rep.Offer}
}
