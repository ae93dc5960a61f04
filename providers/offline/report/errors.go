package report

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayErrorsBoot   = i18n.T("이번에 켠 뒤로 오류 로그가 %[1]d줄%[2]s 있어요(`%[3]s`).", "Lines of errors since this boot: %[1]d%[2]s, `%[3]s`.", "本次启动以来有 %[1]d 行错误日志%[2]s（`%[3]s`）。")
	sayErrorsFound  = i18n.T("오류 로그가 %[1]d줄%[2]s 있어요(`%[3]s`).", "Lines of errors: %[1]d%[2]s, `%[3]s`.", "有 %[1]d 行错误日志%[2]s（`%[3]s`）。")
	sayErrorsBefore = i18n.T("이번에 켠 뒤로는 오류가 없어요. 그 전에 기록된 것은 %[1]d줄%[2]s{이에요/예요}(`%[3]s`).", "No error since this boot. Lines logged before it: %[1]d%[2]s, `%[3]s`.", "本次启动以来没有错误。此前记录了 %[1]d 行%[2]s（`%[3]s`）。")
	sayErrorsNoise  = i18n.T("모두 다른 컴퓨터에서도 흔히 보이는 메시지라서, 불편한 점이 없다면 그냥 두어도 돼요.", "All of them are common on healthy machines too; without symptoms they can be left alone.", "这些在正常的电脑上也很常见，没有异常现象可以不管。")
	sayErrorsFew    = i18n.T("아래쪽의 흔한 메시지는 무시해도 돼요. 위의 것부터 보세요.", "The common ones at the end can be ignored; start at the top.", "末尾的常见消息可以忽略，请从最上面看起。")
	sayErrorOnce    = i18n.T("%[1]s (%[2]s)", "%[1]s (%[2]s)", "%[1]s（%[2]s）")
	sayErrorTimes   = i18n.T("%[1]s (%[2]d번, %[3]s ~ %[4]s)", "%[1]s (%[2]d×, %[3]s – %[4]s)", "%[1]s（%[2]d 次，%[3]s ~ %[4]s）")
	sayErrorAt      = i18n.T("%[1]s (%[2]d번, %[3]s)", "%[1]s (%[2]d×, %[3]s)", "%[1]s（%[2]d 次，%[3]s）")
	sayErrorCount   = i18n.T("%[1]s (%[2]d번)", "%[1]s (%[2]d×)", "%[1]s（%[2]d 次）")
	askLogOfUnit    = i18n.T("%[1]s의 로그를 자세히 볼까요?", "Shall I look closer at the log of %[1]s?", "要详细查看 %[1]s 的日志吗？")
	askSmart        = i18n.T("디스크가 스스로 진단한 상태를 볼까요? (`%[1]s`)", "Shall I ask the disk for its own verdict? (`%[1]s`)", "要查看磁盘的自检结果吗？（`%[1]s`）")
	askMemoryNow    = i18n.T("지금 메모리 상태를 볼까요?", "Shall I look at the memory now?", "要查看当前的内存状态吗？")
	askCrashOf      = i18n.T("%[1]s{이/가} 왜 죽었는지 자세히 볼까요? (`%[2]s`)", "Shall I look into the crash of %[1]s? (`%[2]s`)", "要查看 %[1]s 崩溃的详情吗？（`%[2]s`）")
)

// noiseMessages lists messages that healthy machines also log as errors.
var noiseMessages = []string{"acpi bios error", "acpi error", "acpi warning", "gkr-pam: unable to locate daemon control file", "sgx disabled", "ucsi_acpi", "couldn't get size: 0x800000000000000e", "hci0: unexpected", "hci0: reading supported features failed", "opcode 0x", "failed to find module", "unable to find a matching profile", "spurious native interrupt", "couldn't parse drirc", "no matching profile", "watchdog did not stop"}

func isNoise(text string) bool { return containsAny(strings.ToLower(text), noiseMessages...) }

type errorPatterns struct{ stamp, unit, disk, crashed *regexp.Regexp }

var errorForms = sync.OnceValue(func() errorPatterns {
	return errorPatterns{
		stamp:   regexp.MustCompile(`^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d|\d+월 [ \d]\d \d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d)`),
		unit:    regexp.MustCompile(`\b([\w@.\\-]+\.(?:service|mount|socket|timer))\b`),
		disk:    regexp.MustCompile(`\b(?:dev |\[?)(sd[a-z]|nvme\d+n\d+|nvme\d+|mmcblk\d+)\b`),
		crashed: regexp.MustCompile(`Process (\d+) \(([^)]+)\) of user`),
	}
})

// errors reports what went wrong since boot, worst first: source, count and time, and the meaning of known
// messages.
func (q *inquiry) errors() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	s := q.output(q.first, "")
	if s == nil || len(journalLines(s.Stdout)) == 0 {
		return q.toolReply(q.first)
	}
	source, lines, head := s.Command, journalLines(s.Stdout), sayErrorsFound
	since, _ := q.first.Input["since"].(string)
	switch {
	case since == "boot":
		head = sayErrorsBoot
	case since == "":
		look := q.sinceBoot()
		if !q.collect(look) {
			return Reply{}
		}
		if b := q.output(look, ""); b != nil && b.Exit <= 1 && len(journalTrouble(b)) == 0 {
			head = sayErrorsBefore
			if now := journalLines(b.Stdout); len(now) > 0 {
				s, source, lines, head = b, b.Command, now, sayErrorsBoot
			}
		}
	}
	r := q.resultOf(q.first)
	groups := groupLines(lines, 0)
	slices.SortStableFunc(groups, func(a, b logGroup) int { return noiseRank(a) - noiseRank(b) })
	text := joinBlocks(q.say(head, len(lines), r.kinds(len(lines), len(groups)), source), q.errorLines(groups, lines), r.meanings(groups), q.noiseNote(groups), r.logsNote(s, journalTrouble(s)))
	f := q.errorStep(groups)
	f.verdict = text
	return f.reply()
}

// sinceBoot returns the same step, limited to this boot.
func (q *inquiry) sinceBoot() intent.Step {
	priority, _ := q.first.Input["priority"].(string)
	if priority == "" {
		priority = "err"
	}
	return intent.Call("read_logs", "since", "boot", "priority", priority, "lines", 500)
}

func noiseRank(g logGroup) int {
	if isNoise(g.text) {
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
		first, last := timestampOf(lines[g.first]), timestampOf(lines[g.last])
		switch {
		case g.count > 1 && first != "" && last != "" && first != last:
			text = q.say(sayErrorTimes, text, g.count, first, stripSameDay(last, first))
		case g.count > 1 && last != "":
			text = q.say(sayErrorAt, text, g.count, last)
		case g.count > 1:
			text = q.say(sayErrorCount, text, g.count)
		case last != "":
			text = q.say(sayErrorOnce, text, last)
		}
		out = append(out, text)
	}
	more := ""
	if n := len(groups) - len(out); n > 0 {
		more = q.say(sayLogsMore, n)
	}
	return joinBlocks(bullets(out), more)
}

// timestampOf returns the time at the beginning of a journal line, to the minute.
func timestampOf(line string) string {
	if m := errorForms().stamp.FindStringSubmatch(line); m != nil {
		return strings.Replace(m[1], "T", " ", 1)
	}
	return ""
}

// stripSameDay removes the date from a time on the same day as another.
func stripSameDay(stamp, other string) string {
	i := strings.LastIndexByte(stamp, ' ')
	if i > 0 && strings.HasPrefix(other, stamp[:i+1]) {
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
		return q.say(sayErrorsNoise)
	}
	return q.say(sayErrorsFew)
}

// errorStep returns the next step for the worst message that has one.
func (q *inquiry) errorStep(groups []logGroup) finding {
	for _, g := range groups[:min(shownGroups, len(groups))] {
		if f := q.stepFor(g.text); f.fix != nil {
			return f
		}
	}
	return finding{}
}

func (q *inquiry) stepFor(text string) finding {
	low, re := strings.ToLower(text), errorForms()
	offer := func(s intent.Step, ask i18n.Text, args ...any) finding {
		return finding{fix: &s, question: q.say(ask, args...)}
	}
	disk, unit, crashed := re.disk.FindStringSubmatch(text), re.unit.FindStringSubmatch(text), re.crashed.FindStringSubmatch(text)
	switch {
	case disk != nil && containsAny(low, "i/o error", "medium error", "uncorrect", "timeout"):
		return offer(smartStep(disk[1]), askSmart, smartCommand(disk[1]))
	case containsAny(low, "no space left"):
		return offer(diskStep, askWhatFills)
	case containsAny(low, "out of memory", "oom-kill"):
		return offer(memoryStep, askMemoryNow)
	case crashed != nil:
		info := "coredumpctl info --no-pager " + crashed[1]
		return offer(command(info), askCrashOf, crashed[2], info)
	case unit != nil && containsAny(low, "failed", "exited", "timed out"):
		name := strings.TrimSuffix(unit[1], ".service")
		return offer(intent.Call("read_logs", "unit", name, "since", "boot"), askLogOfUnit, name)
	}
	return finding{}
}
