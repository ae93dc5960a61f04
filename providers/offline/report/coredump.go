package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var signals = map[string]i18n.Text{"SIGSEGV": i18n.HelperCoredumpSigSegv, "SIGABRT": i18n.HelperCoredumpSigAbort, "SIGTRAP": i18n.HelperCoredumpSigTrap, "SIGILL": i18n.HelperCoredumpSigIll, "SIGBUS": i18n.HelperCoredumpSigBus}

var (
	coreList    = command(machine.CrashesProbe.String())
	killedByOOM = command("journalctl -b -k --no-pager -n 50 -g 'Killed process'")
	lastBoot    = command(machine.LastBootProbe.String())
)

// crash reports what crashed and where. If the whole machine went down, it reports how the last log ended.
func (q *inquiry) crash() Reply {
	whole := q.isAboutMachine()
	looks := []intent.Step{coreList, killedByOOM}
	if whole {
		looks = append(looks, lastBoot)
	}
	if !q.collect(looks...) {
		return Reply{}
	}
	list := q.output(coreList, "")
	if list == nil && !whole {
		return q.noCrash(false)
	}
	var all []machine.Crash
	if list != nil {
		all = read(machine.ParseCrashes, list.Stdout)
	}
	wanted := q.crashesOfProgram(all)
	if whole {
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

func (q *inquiry) crashesOfProgram(all []machine.Crash) []machine.Crash {
	name := strings.ToLower(q.programName())
	return slices.DeleteFunc(slices.Clone(all), func(c machine.Crash) bool { return !strings.Contains(strings.ToLower(c.Program()), name) })
}

// lastCrash reports the program that crashed last.
func (q *inquiry) lastCrash(wanted, all []machine.Crash) Reply {
	last := wanted[len(wanted)-1]
	info := command("coredumpctl info --no-pager " + last.PID)
	if !q.collect(info) {
		return Reply{}
	}
	count := 0
	for _, c := range wanted {
		if c.Exe == last.Exe {
			count++
		}
	}
	signal := last.Signal
	if text, known := signals[signal]; known {
		signal = q.say(text)
	}
	facts := []string{q.say(i18n.HelperCoredumpCrashedExe(last.Exe))}
	if s := q.output(info, ""); s != nil {
		facts = append(facts, nonEmpty(q.resultOf(q.first).fact(i18n.HelperCoredumpCrashedIn, read(machine.ParseCrashSite, s.Stdout)))...)
	}
	if others := otherCrashes(all, last.Exe); len(others) > 0 {
		facts = append(facts, q.say(i18n.HelperCoredumpCrashedOther(strings.Join(others, ", "))))
	}
	step := intent.Call("check_updates")
	f := &finding{verdict: q.say(i18n.HelperCoredumpCrashed(last.Program(), count, last.When, signal)), evidence: facts, meaning: joinBlocks(q.oomKilled(), q.say(i18n.HelperCoredumpCrashedLib)), fix: &step, question: q.say(i18n.HelperCoredumpAskUpdatesNow)}
	return f.reply()
}

// otherCrashes counts the crashes of at most four other programs.
func otherCrashes(all []machine.Crash, but string) []string {
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
	return each(order[:min(4, len(order))], func(name string) string { return name + " ×" + itoa(counts[name]) })
}

var killedForm = pattern(`Killed process \d+ \(([^)]+)\)`)

// oomKilled names the programs that the kernel killed for lack of memory, "" for none.
func (q *inquiry) oomKilled() string {
	var names []string
	if s := q.output(killedByOOM, ""); s != nil {
		for _, m := range killedForm().FindAllStringSubmatch(s.Stdout, 50) {
			if name := machine.CleanLine(m[1]); strings.Contains(strings.ToLower(name), strings.ToLower(q.programName())) && !slices.Contains(names, name) && len(names) < 5 {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return q.say(i18n.HelperCoredumpOomKilled(strings.Join(names, ", ")))
}

func (q *inquiry) noCrash(known bool) Reply {
	verdict := q.say(i18n.HelperCoredumpCrashBlind)
	if name := q.programName(); known && name != "" {
		verdict = q.say(i18n.HelperCoredumpCrashNoneOf(name))
	} else if known {
		verdict = q.say(i18n.HelperCoredumpCrashNone)
	}
	if killed := q.oomKilled(); killed != "" {
		step := memoryStep
		return (&finding{verdict: killed, evidence: []string{verdict}, fix: &step, question: q.say(i18n.HelperErrorsAskMemoryNow)}).reply()
	}
	first := q.toolReply(q.first)
	return Reply{Text: paragraphs(verdict, first.Text), Offer: first.Offer}
}

// shutdownMessages are log lines at the end of a deliberate shutdown.
var shutdownMessages = []string{"Journal stopped", "systemd-shutdown", "System Power Off", "System Reboot", "Powering off", "Power off", "Rebooting", "Shutting down", "Reached target Late Shutdown"}

// lastShutdown reports how the last boot ended.
func (q *inquiry) lastShutdown(all []machine.Crash) Reply {
	s := q.output(lastBoot, "")
	var lines []string
	if s != nil && s.Exit == 0 {
		lines = logLines(s.Stdout)
	}
	others := ""
	if list := otherCrashes(all, ""); len(list) > 0 {
		others = q.say(i18n.HelperCoredumpCrashedToo(strings.Join(list, ", ")))
	}
	also := bullets(nonEmpty(q.oomKilled(), others))
	if len(lines) == 0 {
		return Reply{Text: joinBlocks(q.say(i18n.HelperCoredumpLastUnknown), also)}
	}
	when := cmp.Or(timestampOf(lines[len(lines)-1]), "?")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "critical temperature reached") }); i >= 0 {
		step := heatStep
		return (&finding{verdict: joinBlocks(q.say(i18n.HelperCoredumpLastHot), quote(lines[i])), meaning: q.say(i18n.HelperSlowHotFix), fix: &step, question: q.say(i18n.HelperCoredumpAskTempNow)}).reply()
	}
	if containsAny(strings.Join(lines, "\n"), shutdownMessages...) {
		return Reply{Text: joinBlocks(q.say(i18n.HelperCoredumpLastOrderly(when)), also)}
	}
	if !isFullyRead(s) || when == "?" {
		return Reply{Text: joinBlocks(q.say(i18n.HelperCoredumpLastUnknown), also)} // the end of the log may be missing
	}
	return q.abruptEnd(lines, when, nonEmpty(q.oomKilled(), others)).reply()
}

// abruptEnd reports a log without a proper end: its last lines, and the next step that they or the most common
// cause suggest.
func (q *inquiry) abruptEnd(lines []string, when string, also []string) *finding {
	tail := lines[max(0, len(lines)-3):]
	f := &finding{verdict: joinBlocks(q.say(i18n.HelperCoredumpLastAbrupt(when)), quote(strings.Join(tail, "\n"))), evidence: also, meaning: q.resultOf(q.first).meanings(groupLines(tail, 1))}
	if containsAny(strings.ToLower(strings.Join(tail, "\n")), "gpu hang", "gpu reset", "ring gfx", "ring sdma", "nvrm: xid") {
		f.propose(intent.Call("check_updates"), q.say(i18n.HelperCoredumpAskUpdatesNow))
		return f
	}
	f.propose(heatStep, q.say(i18n.HelperCoredumpAskTempNow))
	return f
}
