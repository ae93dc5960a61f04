package report

import (
	"cmp"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// noiseMessages lists messages that healthy machines also log as errors.
var noiseMessages = []string{"acpi bios error", "acpi error", "acpi warning", "gkr-pam: unable to locate daemon control file", "sgx disabled", "ucsi_acpi", "couldn't get size: 0x800000000000000e", "hci0: unexpected", "hci0: reading supported features failed", "opcode 0x", "failed to find module", "unable to find a matching profile", "spurious native interrupt", "couldn't parse drirc", "no matching profile", "watchdog did not stop"}

var (
	errorUnit    = pattern(`\b([\w@.\\-]+\.(?:service|mount|socket|timer))\b`)
	errorDisk    = pattern(`\b(?:dev |\[?)(sd[a-z]|nvme\d+n\d+|nvme\d+|mmcblk\d+)\b`)
	errorCrashed = pattern(`Process (\d+) \(([^)]+)\) of user`)
)

// errors reports what went wrong since boot, worst first: source, count and time, and the meaning of known messages.
func (q *inquiry) errors() Reply {
	s := q.output(q.first, "")
	if s == nil || len(logLines(s.Stdout)) == 0 {
		return q.toolReply(q.first)
	}
	source, lines, head := s.Command, logLines(s.Stdout), i18n.HelperErrorsFound
	since := q.input("since")
	switch {
	case since == "boot":
		head = i18n.HelperErrorsBoot
	case since == "":
		look := intent.Call("read_logs", "since", "boot", "priority", cmp.Or(q.input("priority"), "err"), "lines", 500)
		if !q.collect(look) {
			return Reply{}
		}
		if b := q.output(look, ""); b != nil && b.Exit <= 1 && len(journalTrouble(b)) == 0 {
			head = i18n.HelperErrorsBefore
			if now := logLines(b.Stdout); len(now) > 0 {
				s, source, lines, head = b, b.Command, now, i18n.HelperErrorsBoot
			}
		}
	}
	r := q.resultOf(q.first)
	groups := groupLines(lines, 0)
	sorting.Stably(groups, func(a, b logGroup) int { return noiseRank(a) - noiseRank(b) })
	f := q.errorStep(groups)
	f.verdict = joinBlocks(q.say(head(len(lines), r.kinds(len(lines), len(groups)), source)), q.errorLines(groups, lines),
		r.meanings(groups), q.noiseNote(groups), r.logsNote(s, journalTrouble(s)))
	return f.reply()
}

// noiseRank sorts messages that healthy machines also log after the others.
func noiseRank(g logGroup) int {
	if containsAny(strings.ToLower(g.text), noiseMessages...) {
		return 1
	}
	return 0
}

func (q *inquiry) errorLines(groups []logGroup, lines []string) string {
	var out []string
	for _, g := range groups[:min(shownGroups, len(groups))] {
		text := cutRunes(g.text, 150)
		if g.source != "" {
			text = strings.TrimRight(g.source, "]") + ": " + text
		}
		first, last := machine.LogTime(lines[g.first]), machine.LogTime(lines[g.last])
		switch {
		case g.count > 1 && first != "" && last != "" && first != last:
			text = q.say(i18n.HelperErrorsErrorTimes(text, g.count, first, stripSameDay(last, first)))
		case g.count > 1 && last != "":
			text = q.say(i18n.HelperErrorsErrorAt(text, g.count, last))
		case g.count > 1:
			text = q.say(i18n.HelperErrorsErrorCount(text, g.count))
		case last != "":
			text = q.say(i18n.HelperErrorsErrorOnce(text, last))
		}
		out = append(out, text)
	}
	return joinBlocks(bullets(out), q.result(Result{}).moreGroups(len(groups)-len(out)))
}

// stripSameDay removes the date from a time on the same day as another.
func stripSameDay(stamp, other string) string {
	if i := strings.LastIndexByte(stamp, ' '); i > 0 && strings.HasPrefix(other, stamp[:i+1]) {
		return stamp[i+1:]
	}
	return stamp
}

func (q *inquiry) noiseNote(groups []logGroup) string {
	quiet := 0
	for _, g := range groups {
		quiet += noiseRank(g)
	}
	switch quiet {
	case 0:
		return ""
	case len(groups):
		return q.say(i18n.HelperErrorsNoise)
	}
	return q.say(i18n.HelperErrorsFew)
}

// errorStep returns the next step for the worst message that has one.
func (q *inquiry) errorStep(groups []logGroup) *finding {
	for _, g := range groups[:min(shownGroups, len(groups))] {
		if f := q.stepFor(g.text); f.fix != nil {
			return f
		}
	}
	return &finding{}
}

func (q *inquiry) stepFor(text string) *finding {
	low := strings.ToLower(text)
	offer := func(s intent.Step, ask i18n.Text) *finding { return (&finding{}).propose(s, q.say(ask)) }
	disk, unit := errorDisk().FindStringSubmatch(text), errorUnit().FindStringSubmatch(text)
	crashed := errorCrashed().FindStringSubmatch(text)
	switch {
	case disk != nil && containsAny(low, "i/o error", "medium error", "uncorrect", "timeout"):
		return offer(command(asRoot+machine.SmartProbe("/dev/"+disk[1], "").String()), i18n.HelperErrorsAskSmart(asRoot+machine.SmartProbe("/dev/"+disk[1], "").String()))
	case containsAny(low, "no space left"):
		return offer(diskStep, i18n.HelperSlowAskWhatFills)
	case containsAny(low, "out of memory", "oom-kill"):
		return offer(memoryStep, i18n.HelperErrorsAskMemoryNow)
	case crashed != nil:
		info := "coredumpctl info --no-pager " + crashed[1]
		return offer(command(info), i18n.HelperErrorsAskCrashOf(crashed[2], info))
	case unit != nil && containsAny(low, "failed", "exited", "timed out"):
		name := strings.TrimSuffix(unit[1], ".service")
		return offer(intent.Call("read_logs", "unit", name, "since", "boot"), i18n.HelperErrorsAskLogOfUnit(name))
	}
	return &finding{}
}
