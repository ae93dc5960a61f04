package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var signals = map[string]i18n.Text{
	"SIGSEGV": i18n.HelperCoredumpSigSegv, "SIGABRT": i18n.HelperCoredumpSigAbort, "SIGTRAP": i18n.HelperCoredumpSigTrap,
	"SIGILL": i18n.HelperCoredumpSigIll, "SIGBUS": i18n.HelperCoredumpSigBus,
}

var (
	coreList    = command(machine.CrashesProbe.String())
	killedByOOM = command("journalctl -b -k --no-pager -n 50 -g 'Killed process'")
	lastBoot    = command(machine.LastBootProbe.String())
)

// crash reports what crashed and where. If the whole machine went down, it reports how the last log ended.
func (q *inquiry) crash() Reply {
	whole := q.isAboutMachine()
	q.collect(coreList, killedByOOM)
	if whole {
		q.collect(lastBoot)
	}
	if len(q.needed) > 0 {
		return Reply{}
	}
	list, all := q.output(coreList, ""), read(machine.ParseCrashes, q.anyStdout(coreList))
	name := strings.ToLower(q.programName())
	wanted := filter(all, func(c machine.Crash) bool { return strings.Contains(strings.ToLower(c.Program()), name) })
	switch {
	case whole:
		return q.lastShutdown(all)
	case len(wanted) > 0:
		return q.lastCrash(wanted, all)
	}
	none := list != nil && list.Exit <= 1 && (strings.Contains(list.Stderr, "No coredumps found") || len(all) > 0)
	return q.noCrash(none)
}

// isAboutMachine reports whether the question is about the computer going down, not about a program.
func (q *inquiry) isAboutMachine() bool {
	return q.programName() == "" && !q.asksAbout("app", "process", "failed", "who") &&
		q.asksAbout("shutdown", "@restart", "@stop", "whole", "boot", "why")
}

// programName returns the program asked about, "" for any.
func (q *inquiry) programName() string { return cmp.Or(q.input("grep"), q.input("name")) }

func (q *inquiry) lastCrash(wanted, all []machine.Crash) Reply {
	last := wanted[len(wanted)-1]
	info := command("coredumpctl info --no-pager " + last.PID)
	if !q.collect(info) {
		return Reply{}
	}
	count := len(filter(wanted, func(c machine.Crash) bool { return c.Exe == last.Exe }))
	f := q.found(i18n.HelperCoredumpCrashed(last.Program(), count, last.When, translate(signals, last.Signal, q.Lang)))
	f.note(q.say(i18n.HelperCoredumpCrashedExe(last.Exe)))
	f.note(q.fact(i18n.HelperCoredumpCrashedIn, read(machine.ParseCrashSite, q.anyStdout(info))))
	f.note(q.fact(i18n.HelperCoredumpCrashedOther, otherCrashes(all, last.Exe)))
	f.meaning = joinBlocks(q.oomKilled(), q.say(i18n.HelperCoredumpCrashedLib))
	return f.propose(intent.Call("check_updates"), q.say(i18n.HelperCoredumpAskUpdatesNow)).reply()
}

// otherCrashes counts the crashes of at most four other programs.
func otherCrashes(all []machine.Crash, but string) string {
	counts := map[string]int{}
	var order []string
	for _, c := range slices.Backward(all) {
		if c.Exe == but {
			continue
		}
		if counts[c.Program()] == 0 {
			order = append(order, c.Program())
		}
		counts[c.Program()]++
	}
	return names(order, 4, func(name string) string { return name + " ×" + itoa(counts[name]) })
}

var killedForm = pattern(`Killed process \d+ \(([^)]+)\)`)

// oomKilled names the programs that the kernel killed for lack of memory, "" for none.
func (q *inquiry) oomKilled() string {
	var killed []string
	for _, m := range killedForm().FindAllStringSubmatch(q.anyStdout(killedByOOM), 50) {
		name := machine.CleanLine(m[1])
		if strings.Contains(strings.ToLower(name), strings.ToLower(q.programName())) && !slices.Contains(killed, name) {
			killed = append(killed, name)
		}
	}
	return q.fact(i18n.HelperCoredumpOomKilled, firstOf(killed, 5))
}

func (q *inquiry) noCrash(known bool) Reply {
	verdict := q.say(i18n.HelperCoredumpCrashBlind)
	if name := q.programName(); known && name != "" {
		verdict = q.say(i18n.HelperCoredumpCrashNoneOf(name))
	} else if known {
		verdict = q.say(i18n.HelperCoredumpCrashNone)
	}
	if killed := q.oomKilled(); killed != "" {
		f := &finding{verdict: killed, evidence: []string{verdict}}
		return f.propose(memoryStep, q.say(i18n.HelperErrorsAskMemoryNow)).reply()
	}
	first := q.toolReply(q.first)
	return Reply{Text: paragraphs(verdict, first.Text), Offer: first.Offer}
}

// shutdownMessages are log lines at the end of a deliberate shutdown.
var shutdownMessages = []string{"Journal stopped", "systemd-shutdown", "System Power Off", "System Reboot", "Powering off", "Power off", "Rebooting", "Shutting down", "Reached target Late Shutdown"}

// lastShutdown reports how the last boot ended.
func (q *inquiry) lastShutdown(all []machine.Crash) Reply {
	lines := logLines(q.stdout(lastBoot))
	also := nonEmpty(q.oomKilled(), q.fact(i18n.HelperCoredumpCrashedToo, otherCrashes(all, "")))
	unknown := Reply{Text: joinBlocks(q.say(i18n.HelperCoredumpLastUnknown), bullets(also))}
	if len(lines) == 0 {
		return unknown
	}
	when := cmp.Or(timestampOf(lines[len(lines)-1]), "?")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "critical temperature reached") }); i >= 0 {
		f := &finding{
			verdict: joinBlocks(q.say(i18n.HelperCoredumpLastHot), quote(lines[i])),
			meaning: q.say(i18n.HelperSlowHotFix),
		}
		return f.propose(heatStep, q.say(i18n.HelperCoredumpAskTempNow)).reply()
	}
	if containsAny(strings.Join(lines, "\n"), shutdownMessages...) {
		return Reply{Text: joinBlocks(q.say(i18n.HelperCoredumpLastOrderly(when)), bullets(also))}
	}
	if !isFullyRead(q.output(lastBoot, "")) || when == "?" {
		return unknown // the end of the log may be missing
	}
	return q.abruptEnd(lines, when, also).reply()
}

// abruptEnd reports a log without a proper end: its last lines, and the next step that they or the most common
// cause suggest.
func (q *inquiry) abruptEnd(lines []string, when string, also []string) *finding {
	tail := lines[max(0, len(lines)-3):]
	text := strings.Join(tail, "\n")
	f := &finding{verdict: joinBlocks(q.say(i18n.HelperCoredumpLastAbrupt(when)), quote(text)), evidence: also}
	f.meaning = q.resultOf(q.first).meanings(groupLines(tail, 1))
	if containsAny(strings.ToLower(text), "gpu hang", "gpu reset", "ring gfx", "ring sdma", "nvrm: xid") {
		return f.propose(intent.Call("check_updates"), q.say(i18n.HelperCoredumpAskUpdatesNow))
	}
	return f.propose(heatStep, q.say(i18n.HelperCoredumpAskTempNow))
}
