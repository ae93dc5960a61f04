package report

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayCrashed      = i18n.T("%[1]s{이/가} 최근 2주 동안 %[2]d번 비정상 종료됐어요. 마지막은 %[3]s(%[4]s).", "%[1]s crashed %[2]d× in the last two weeks, last on %[3]s (%[4]s).", "%[1]s 最近两周崩溃了 %[2]d 次，最后一次是 %[3]s（%[4]s）。")
	sayCrashedOther = i18n.T("그 밖에: %[1]s (`coredumpctl list`)", "Others: %[1]s (`coredumpctl list`)", "其他：%[1]s（`coredumpctl list`）")
	sayCrashedIn    = i18n.T("멈춘 곳: %[1]s (`coredumpctl info`)", "It stopped in %[1]s (`coredumpctl info`)", "崩溃位置：%[1]s（`coredumpctl info`）")
	sayCrashedExe   = i18n.T("실행 파일: %[1]s (`coredumpctl list`)", "Program: %[1]s (`coredumpctl list`)", "程序：%[1]s（`coredumpctl list`）")
	sayCrashedLib   = i18n.T("업데이트로 고쳐지는 일이 많아요. 확장 기능이나 드라이버를 최근에 바꿨다면 그것도 의심해 보세요.", "Updates often fix this. If an extension or driver was changed lately, suspect that too.", "更新往往能解决。如果最近更换过扩展或驱动，也请怀疑它们。")
	sayCrashedToo   = i18n.T("최근 2주 동안 비정상 종료된 프로그램: %[1]s (`coredumpctl list`)", "Programs that crashed in the last two weeks: %[1]s (`coredumpctl list`)", "最近两周崩溃的程序：%[1]s（`coredumpctl list`）")
	sayCrashNone    = i18n.T("최근 2주 동안 프로그램이 비정상 종료된 기록이 없어요(`coredumpctl list`).", "No program crash is on record for the last two weeks (`coredumpctl list`).", "最近两周没有程序崩溃的记录（`coredumpctl list`）。")
	sayCrashNoneOf  = i18n.T("최근 2주 동안 %[1]s{이/가} 비정상 종료된 기록이 없어요(`coredumpctl list`).", "No crash of %[1]s is on record for the last two weeks (`coredumpctl list`).", "最近两周没有 %[1]s 崩溃的记录（`coredumpctl list`）。")
	sayCrashBlind   = i18n.T("비정상 종료 기록을 읽지 못했어요(`coredumpctl list`).", "The record of crashes could not be read (`coredumpctl list`).", "无法读取崩溃记录（`coredumpctl list`）。")
	sayOOMKilled    = i18n.T("메모리가 모자라서 커널이 강제로 끝낸 프로그램이 있어요: %[1]s (`journalctl -k`).", "Memory ran out and the kernel killed: %[1]s (`journalctl -k`).", "内存不足，内核强制结束了：%[1]s（`journalctl -k`）。")
	sayLastOrderly  = i18n.T("지난번에는 정상적인 절차로 꺼졌어요. 마지막 기록은 %[1]s(`journalctl -b -1`).", "Last time it shut down in an orderly way; the log ends on %[1]s (`journalctl -b -1`).", "上次是正常关机的，日志结束于 %[1]s（`journalctl -b -1`）。")
	sayLastAbrupt   = i18n.T("지난번에는 로그가 %[1]s에 갑자기 끊겼어요(`journalctl -b -1`). 전원이 나갔거나, 멈춰서 강제로 꺼졌거나, 너무 뜨거웠을 수 있어요. 마지막 줄:", "Last time the log broke off on %[1]s (`journalctl -b -1`): power was lost, it froze and was switched off, or it got too hot. The last lines:", "上次日志在 %[1]s 突然中断（`journalctl -b -1`）：可能是断电、死机后强制关机或过热。最后几行：")
	sayLastHot      = i18n.T("지난번에는 너무 뜨거워서 꺼졌어요. 로그에 한계 온도에 이르렀다고 적혀 있어요(`journalctl -b -1`):", "Last time it went down because of heat: the log says that a critical temperature was reached (`journalctl -b -1`):", "上次是因过热而关机：日志记录达到了临界温度（`journalctl -b -1`）：")
	sayLastUnknown  = i18n.T("지난번 부팅의 로그를 읽지 못해서 어떻게 꺼졌는지 알 수 없어요(`journalctl -b -1`).", "The log of the last boot could not be read, so how it went down is not known (`journalctl -b -1`).", "无法读取上次启动的日志，不知道是如何关机的（`journalctl -b -1`）。")
	askUpdatesNow   = i18n.T("업데이트가 있는지 확인해 볼까요?", "Shall I check for updates?", "要检查更新吗？")
	askTempNow      = i18n.T("지금 온도를 볼까요?", "Shall I look at the temperature now?", "要查看当前温度吗？")
	sigSegv         = i18n.T("SIGSEGV, 잘못된 메모리 접근", "SIGSEGV, bad memory access", "SIGSEGV，非法内存访问")
	sigAbort        = i18n.T("SIGABRT, 스스로 문제를 발견하고 멈춤", "SIGABRT, it found a fault and stopped itself", "SIGABRT，程序自行中止")
	sigTrap         = i18n.T("SIGTRAP, 스스로 문제를 발견하고 멈춤", "SIGTRAP, it found a fault and stopped itself", "SIGTRAP，程序自行中止")
	sigIll          = i18n.T("SIGILL, CPU가 모르는 명령", "SIGILL, an instruction the CPU does not know", "SIGILL，CPU 不支持的指令")
	sigBus          = i18n.T("SIGBUS, 메모리나 디스크를 읽지 못함", "SIGBUS, memory or disk could not be read", "SIGBUS，无法读取内存或磁盘")
)

var signals = map[string]i18n.Text{"SIGSEGV": sigSegv, "SIGABRT": sigAbort, "SIGTRAP": sigTrap, "SIGILL": sigIll, "SIGBUS": sigBus}

// crash is one row of coredumpctl list.
type crash struct{ when, pid, signal, exe string }

func (c crash) program() string { return path.Base(c.exe) }

type crashPatterns struct{ row, killed, frame *regexp.Regexp }

var crashForms = sync.OnceValue(func() crashPatterns {
	return crashPatterns{
		row:    regexp.MustCompile(`(\d{4}-\d\d-\d\d \d\d:\d\d):\d\d(?: \S+)?\s+(\d+)\s+\d+\s+\d+\s+(SIG\w+|\d+|-)\s+\S+\s+(/.*?|-)(?:\s+[\d.]+[BKMGT]|\s+-)?$`),
		killed: regexp.MustCompile(`Killed process \d+ \(([^)]+)\)`),
		frame:  regexp.MustCompile(`^\s*#\d+\s+0x[0-9a-f]+ (\S+) \(([^ )]+)`),
	}
})

// parseCrashes parses coredumpctl list (coredumpctl(1)), latest last.
func parseCrashes(text string) []crash {
	var out []crash
	for _, line := range outputLines(text) {
		if m := crashForms().row.FindStringSubmatch(line); m != nil {
			out = append(out, crash{m[1], m[2], m[3], m[4]})
		}
	}
	return out
}

// crashSite returns the first function of coredumpctl info's stack trace that is not part of the C library's
// abort path.
func crashSite(text string) string {
	for _, line := range outputLines(text) {
		m := crashForms().frame.FindStringSubmatch(line)
		if m == nil || hasAnyPrefix(m[2], "libc.so", "libpthread", "ld-linux") || containsAny(m[1], "raise", "abort", "pthread_kill") {
			continue
		}
		if m[1] == "n/a" {
			return m[2]
		}
		return m[1] + " (" + m[2] + ")"
	}
	return ""
}

var (
	coreList    = command("coredumpctl list --no-pager --since -14days")
	killedByOOM = command("journalctl -b -k --no-pager -n 50 -g 'Killed process'")
	lastBoot    = command("journalctl -b -1 --no-pager -n 30")
)

// crash reports what crashed and where. If the whole machine went down, it reports how the last log ended.
func (q *inquiry) crash() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	machine := q.isAboutMachine()
	looks := []intent.Step{coreList, killedByOOM}
	if machine {
		looks = append(looks, lastBoot)
	}
	if !q.collect(looks...) {
		return Reply{}
	}
	list := q.output(coreList, "")
	if list == nil && !machine {
		return q.noCrash(false)
	}
	var all []crash
	if list != nil {
		all = parseCrashes(list.Stdout)
	}
	wanted := q.crashesOfProgram(all)
	if machine {
		return q.lastShutdown(all)
	}
	if len(wanted) == 0 {
		return q.noCrash(list.Exit <= 1 && (strings.Contains(list.Stderr, "No coredumps found") || len(all) > 0))
	}
	return q.lastCrash(wanted, all)
}

// isAboutMachine reports whether the question is about the computer going down, not about a program.
func (q *inquiry) isAboutMachine() bool {
	if q.programName() != "" || q.asksAbout("app", "process", "failed", "who") {
		return false
	}
	return q.asksAbout("shutdown", "@restart", "@stop", "whole", "boot", "why")
}

// programName returns the program asked about, "" for any.
func (q *inquiry) programName() string {
	for _, key := range []string{"grep", "name"} {
		if s, _ := q.first.Input[key].(string); s != "" {
			return s
		}
	}
	return ""
}

func (q *inquiry) crashesOfProgram(all []crash) []crash {
	name := strings.ToLower(q.programName())
	return slices.DeleteFunc(slices.Clone(all), func(c crash) bool { return !strings.Contains(strings.ToLower(c.program()), name) })
}

// lastCrash reports the program that crashed last.
func (q *inquiry) lastCrash(wanted, all []crash) Reply {
	last := wanted[len(wanted)-1]
	info := command("coredumpctl info --no-pager " + last.pid)
	if !q.collect(info) {
		return Reply{}
	}
	count := 0
	for _, c := range wanted {
		if c.exe == last.exe {
			count++
		}
	}
	signal := last.signal
	if text, known := signals[signal]; known {
		signal = q.say(text)
	}
	facts := []string{q.say(sayCrashedExe, last.exe)}
	if s := q.output(info, ""); s != nil {
		facts = append(facts, nonEmpty(q.resultOf(q.first).fact(sayCrashedIn, crashSite(s.Stdout)))...)
	}
	if others := otherCrashes(all, last.exe); len(others) > 0 {
		facts = append(facts, q.say(sayCrashedOther, strings.Join(others, ", ")))
	}
	step := intent.Call("check_updates")
	f := finding{verdict: q.say(sayCrashed, last.program(), count, last.when, signal), evidence: facts, meaning: joinBlocks(q.oomKilled(), q.say(sayCrashedLib)), fix: &step, question: q.say(askUpdatesNow)}
	return f.reply()
}

// otherCrashes counts the crashes of at most four other programs.
func otherCrashes(all []crash, but string) []string {
	counts := map[string]int{}
	var order []string
	for _, c := range slices.Backward(all) {
		if c.exe == but {
			continue
		}
		if counts[c.program()] == 0 {
			order = append(order, c.program())
		}
		counts[c.program()]++
	}
	var out []string
	for _, name := range order[:min(4, len(order))] {
		out = append(out, name+" ×"+itoa(counts[name]))
	}
	return out
}

// oomKilled names the programs that the kernel killed for lack of memory, "" for none.
func (q *inquiry) oomKilled() string {
	var names []string
	if s := q.output(killedByOOM, ""); s != nil {
		for _, m := range crashForms().killed.FindAllStringSubmatch(s.Stdout, 50) {
			if name := cleanLine(m[1]); strings.Contains(strings.ToLower(name), strings.ToLower(q.programName())) && !slices.Contains(names, name) && len(names) < 5 {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return q.say(sayOOMKilled, strings.Join(names, ", "))
}

func (q *inquiry) noCrash(known bool) Reply {
	verdict := q.say(sayCrashBlind)
	if name := q.programName(); known && name != "" {
		verdict = q.say(sayCrashNoneOf, name)
	} else if known {
		verdict = q.say(sayCrashNone)
	}
	if killed := q.oomKilled(); killed != "" {
		step := memoryStep
		return finding{verdict: killed, evidence: []string{verdict}, fix: &step, question: q.say(askMemoryNow)}.reply()
	}
	first := q.toolReply(q.first)
	return Reply{Text: paragraphs(verdict, first.Text), Offer: first.Offer}
}

// shutdownMessages are log lines at the end of a deliberate shutdown.
var shutdownMessages = []string{"Journal stopped", "systemd-shutdown", "System Power Off", "System Reboot", "Powering off", "Power off", "Rebooting", "Shutting down", "Reached target Late Shutdown"}

// lastShutdown reports how the last boot ended.
func (q *inquiry) lastShutdown(all []crash) Reply {
	s := q.output(lastBoot, "")
	var lines []string
	if s != nil && s.Exit == 0 {
		lines = journalLines(s.Stdout)
	}
	others := ""
	if list := otherCrashes(all, ""); len(list) > 0 {
		others = q.say(sayCrashedToo, strings.Join(list, ", "))
	}
	also := bullets(nonEmpty(q.oomKilled(), others))
	if len(lines) == 0 {
		return Reply{Text: joinBlocks(q.say(sayLastUnknown), also)}
	}
	end := lines[len(lines)-1]
	when := timestampOf(end)
	if when == "" {
		when = "?"
	}
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "critical temperature reached") }); i >= 0 {
		step := heatStep
		return finding{verdict: joinBlocks(q.say(sayLastHot), quote(lines[i])), meaning: q.say(saySlowHotFix), fix: &step, question: q.say(askTempNow)}.reply()
	}
	if containsAny(strings.Join(lines, "\n"), shutdownMessages...) {
		return Reply{Text: joinBlocks(q.say(sayLastOrderly, when), also)}
	}
	if !isFullyRead(s) || when == "?" {
		return Reply{Text: joinBlocks(q.say(sayLastUnknown), also)} // the end of the log may be missing
	}
	return q.abruptEnd(lines, when, nonEmpty(q.oomKilled(), others)).reply()
}

// abruptEnd reports a log without a proper end: its last lines, and the next step that they or the most common
// cause suggest.
func (q *inquiry) abruptEnd(lines []string, when string, also []string) finding {
	tail := lines[max(0, len(lines)-3):]
	f := finding{verdict: joinBlocks(q.say(sayLastAbrupt, when), quote(strings.Join(tail, "\n"))), evidence: also, meaning: q.resultOf(q.first).meanings(groupLines(tail, 1))}
	if containsAny(strings.ToLower(strings.Join(tail, "\n")), "gpu hang", "gpu reset", "ring gfx", "ring sdma", "nvrm: xid") {
		f.propose(intent.Call("check_updates"), q.say(askUpdatesNow))
		return f
	}
	f.propose(heatStep, q.say(askTempNow))
	return f
}
