package report

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// Answers about automations.
var (
	sayScheduled   = i18n.T("네, 등록했어요: %[1]s, %[2]s. 무언가 바꿔야 하면 그때 여쭤볼게요.", "All right, that is set up: %[1]s, %[2]s. Whatever it would change, I ask about then.", "好的，已设置：%[1]s，%[2]s。需要更改什么时会先询问。")
	sayNextDue     = i18n.T("다음 실행은 %[1]s{이에요/예요}.", "It is next due on %[1]s.", "下次执行时间：%[1]s。")
	sayNotSet      = i18n.T("그렇게 하지 못했어요: %[1]s", "I could not do that: %[1]s", "没能完成：%[1]s")
	sayRules       = i18n.T("저절로 실행되는 일은 %[1]d개예요:", "This happens by itself (%[1]d):", "自动执行的事有 %[1]d 个：")
	sayNoRules     = i18n.T("저절로 실행되도록 정해 둔 일이 없어요. \"매일 아침 9시에 디스크 확인해줘\"처럼 말씀해 주시면 등록해요.", "Nothing is set up to happen by itself. Say for example \"check the disk every day at 9am\".", "还没有自动执行的事。可以说“每天早上九点检查磁盘”。")
	sayPaused      = i18n.T("네, %[1]s{을/를} 멈췄어요. 다시 켜기 전까지는 알림도 없어요.", "All right, %[1]s is paused, and tells nothing until it is resumed.", "好的，已暂停 %[1]s，恢复之前不会有通知。")
	sayGoesOn      = i18n.T("네, %[1]s{을/를} 다시 켰어요.", "All right, %[1]s goes on.", "好的，%[1]s 已恢复。")
	sayRuleChanged = i18n.T("네, 바꿨어요: %[1]s, %[2]s.", "All right, it is changed: %[1]s, %[2]s.", "好的，已更改：%[1]s，%[2]s。")
	sayRuleGone    = i18n.T("네, %[1]s{을/를} 지웠어요.", "All right, %[1]s is gone.", "好的，已删除 %[1]s。")
	saySilent      = i18n.T("네, %[2]s까지 %[1]s{은/는} 조용히 있을게요.", "All right, %[1]s is silent until %[2]s.", "好的，%[1]s 在 %[2]s 之前保持安静。")
	sayTellsAgain  = i18n.T("네, %[1]s{이/가} 다시 알려 드려요.", "All right, %[1]s tells you again.", "好的，%[1]s 会重新通知。")
	sayWhichRule   = i18n.T("어느 것을 말씀하시는지 분명하지 않아요.", "It is not clear which one you mean.", "不清楚你指的是哪一个。")

	sayRuleOff   = i18n.T("멈춤", "paused", "已暂停")
	sayRuleQuiet = i18n.T("%[1]s까지 조용히", "silent until %[1]s", "安静至 %[1]s")
	sayRuleNext  = i18n.T("다음 %[1]s", "next %[1]s", "下次 %[1]s")
	sayRuleLast  = i18n.T("지난번 %[1]s", "last %[1]s", "上次 %[1]s")
	sayRuleTask  = i18n.T("할 일: %[1]s", "does: %[1]s", "任务：%[1]s")
	sayRuleCheck = i18n.T("살펴보는 것: %[1]s", "watches: %[1]s", "监视：%[1]s")

	sayEachDay     = i18n.T("매일 %[1]s", "every day at %[1]s", "每天 %[1]s")
	sayWorkdays    = i18n.T("평일 %[1]s", "on weekdays at %[1]s", "工作日 %[1]s")
	sayWeekends    = i18n.T("주말 %[1]s", "on weekends at %[1]s", "周末 %[1]s")
	sayOnDays      = i18n.T("매주 %[2]s %[1]s", "every %[2]s at %[1]s", "每周%[2]s %[1]s")
	sayMonthDay    = i18n.T("매달 %[2]s일 %[1]s", "on day %[2]s of each month at %[1]s", "每月 %[2]s 日 %[1]s")
	sayEachMinutes = i18n.T("%[1]d분마다", "every %[1]d {minute|minutes}", "每 %[1]d 分钟")
	sayEachMinute  = i18n.T("1분마다", "every minute", "每分钟")
	sayEachHours   = i18n.T("%[1]d시간마다", "every %[1]d {hour|hours}", "每 %[1]d 小时")
	sayEachHour    = i18n.T("매시 %[1]d분", "%[1]d {minute|minutes} past each hour", "每小时第 %[1]d 分")
	sayOnTheHour   = i18n.T("매시 정각", "every hour on the hour", "每小时整点")
)

// weekdays are the days in cron's numbering.
var weekdays = []i18n.Text{
	i18n.T("일요일", "Sunday", "日"), i18n.T("월요일", "Monday", "一"), i18n.T("화요일", "Tuesday", "二"), i18n.T("수요일", "Wednesday", "三"),
	i18n.T("목요일", "Thursday", "四"), i18n.T("금요일", "Friday", "五"), i18n.T("토요일", "Saturday", "六"),
}

// automationLine is an automation as its tools print it (package tools, automationrunner.go).
type automationLine struct {
	name, schedule, when, state, task, check, next, last string
}

var automationForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:added|changed|goes on|paused): )?(.+?) \[([^\]]*)\] ?(.*)$`)
})

// parseAutomationLine parses a line. ok is false if it is not an automation.
func parseAutomationLine(line string) (f automationLine, ok bool) {
	parts := strings.Split(strings.TrimRight(line, "\n"), " · ")
	m := automationForm().FindStringSubmatch(parts[0])
	if m == nil || len(parts) < 2 {
		return f, false
	}
	f = automationLine{name: m[1], schedule: m[2], when: m[3], state: parts[1]}
	for _, p := range parts[2:] {
		key, value, _ := strings.Cut(p, " ")
		switch key {
		case "do":
			f.task = value
		case "check":
			f.check = value
		case "next":
			f.next = value
		case "last":
			f.last = value
		}
	}
	return f, true
}

// parseAutomations returns the automations that a call printed.
func (r *result) parseAutomations() []automationLine {
	var list []automationLine
	for line := range strings.Lines(r.lastStep().Stdout) {
		if f, ok := parseAutomationLine(line); ok {
			list = append(list, f)
		}
	}
	return list
}

// scheduleText returns a schedule in words of the answer's language, or as printed.
func (r *result) scheduleText(f automationLine) string {
	if words := cronWords(f.schedule, r.lang); words != "" {
		return words
	}
	if f.when != "" {
		return f.when
	}
	return f.schedule
}

// maxAutomations is the maximum number of automations in an answer.
const maxAutomations = 20

// automations lists the automations.
func (r *result) automations() Reply {
	if last := r.lastStep(); last.Exit != 0 {
		return r.automationFailure()
	}
	list := r.parseAutomations()
	switch {
	case len(list) > 0:
	case strings.HasPrefix(r.lastStep().Stdout, "there are no automations"):
		return Reply{Text: r.say(sayNoRules)}
	default:
		return r.unreadableReply(r.lastStep())
	}
	var lines []string
	for _, f := range list[:min(len(list), maxAutomations)] {
		lines = append(lines, r.automationText(f))
	}
	return Reply{Text: r.say(sayRules, len(list)) + "\n" + bullets(lines)}
}

// automationText formats an automation on one line.
func (r *result) automationText(f automationLine) string {
	parts := []string{r.scheduleText(f)}
	if f.task != "" && !strings.EqualFold(f.task, f.name) {
		parts = append(parts, r.say(sayRuleTask, f.task))
	}
	if f.check != "" {
		parts = append(parts, r.say(sayRuleCheck, f.check))
	}
	until, silent := strings.CutPrefix(f.state, "silent until ")
	switch {
	case f.state == "paused":
		parts = append(parts, r.say(sayRuleOff))
	case silent:
		parts = append(parts, r.say(sayRuleQuiet, until))
	}
	if f.next != "" {
		parts = append(parts, r.say(sayRuleNext, f.next))
	}
	if f.last != "" {
		parts = append(parts, r.say(sayRuleLast, f.last))
	}
	return f.name + ": " + strings.Join(parts, ", ")
}

// automationFailure reports why a change of an automation failed.
func (r *result) automationFailure() Reply {
	if !strings.HasPrefix(r.lastStep().Stdout, "not done: ") {
		return r.unreadableReply(r.lastStep())
	}
	return Reply{Text: r.say(sayNotSet, strings.TrimPrefix(essentialLines(r.lastStep().Stdout, 2), "not done: "))}
}

// scheduleReply reports a new automation.
func (r *result) scheduleReply() Reply { return r.automationStateReply(sayScheduled) }

// automationStateReply reports the new state of an automation.
func (r *result) automationStateReply(say i18n.Text) Reply {
	if r.lastStep().Exit != 0 {
		return r.automationFailure()
	}
	list := r.parseAutomations()
	if len(list) == 0 {
		return r.unreadableReply(r.lastStep())
	}
	text := r.say(say, list[0].name, r.scheduleText(list[0]))
	if list[0].next != "" {
		text += " " + r.say(sayNextDue, list[0].next)
	}
	return Reply{Text: text}
}

// changeAutomationReply reports what was changed in an automation.
func (r *result) changeAutomationReply() Reply {
	output := strings.TrimSpace(r.lastStep().Stdout)
	if r.lastStep().Exit != 0 {
		return r.automationFailure()
	}
	if rest, ok := strings.CutPrefix(output, "silent until "); ok {
		until, name, _ := strings.Cut(rest, ": ")
		return Reply{Text: r.say(saySilent, name, until)}
	}
	if name, ok := strings.CutPrefix(output, "told again: "); ok {
		return Reply{Text: r.say(sayTellsAgain, name)}
	}
	switch {
	case strings.HasPrefix(output, "paused: "):
		return r.automationStateReply(sayPaused)
	case strings.HasPrefix(output, "goes on: "):
		return r.automationStateReply(sayGoesOn)
	}
	return r.automationStateReply(sayRuleChanged)
}

func (r *result) removeAutomationReply() Reply {
	name, ok := strings.CutPrefix(strings.TrimSpace(r.lastStep().Stdout), "removed: ")
	if r.lastStep().Exit != 0 || !ok {
		return r.automationFailure()
	}
	return Reply{Text: r.say(sayRuleGone, name)}
}

// automation reports a change of an automation. If the request did not identify one, it lists them.
func (q *inquiry) automation() Reply {
	r := q.resultOf(q.first)
	if r == nil || r.out == nil || r.out.Refusal != "bad_input" {
		return q.firstReply()
	}
	list := intent.Call("list_automations")
	if !q.collect(list) {
		return Reply{}
	}
	there := q.toolReply(list)
	if there.Text == "" {
		return q.firstReply()
	}
	return Reply{Text: joinBlocks(q.say(sayWhichRule), there.Text)}
}

// cronWords describes a cron expression of a common form in words. It returns "" for any other.
func cronWords(spec string, lang i18n.Lang) string {
	if clock := clockOf(spec); clock != "" {
		return sayEachDay.In(lang, clock)
	}
	f := strings.Fields(spec)
	if len(f) != 5 || f[3] != "*" {
		return ""
	}
	if words := cronSteps(f, lang); words != "" {
		return words
	}
	clock := clockOf(f[1] + ":" + f[0])
	switch {
	case clock == "":
		return ""
	case f[2] != "*":
		if _, err := strconv.Atoi(f[2]); err != nil || f[4] != "*" {
			return ""
		}
		return sayMonthDay.In(lang, clock, f[2])
	}
	return weekdayText(f[4], clock, lang)
}

// cronSteps describes schedules that run more often than once a day.
func cronSteps(f []string, lang i18n.Lang) string {
	if f[2] != "*" || f[4] != "*" {
		return ""
	}
	minutes, everyMinutes := strings.CutPrefix(f[0], "*/")
	hours, everyHours := strings.CutPrefix(f[1], "*/")
	step := func(s string) int { n, _ := strconv.Atoi(s); return n }
	switch {
	case everyMinutes && f[1] == "*" && step(minutes) > 1:
		return sayEachMinutes.In(lang, step(minutes))
	case f[1] == "*" && (f[0] == "*" || f[0] == "*/1"):
		return sayEachMinute.In(lang)
	case f[1] == "*" && f[0] == "0":
		return sayOnTheHour.In(lang)
	case f[1] == "*" && step(f[0]) > 0:
		return sayEachHour.In(lang, step(f[0]))
	case everyHours && f[0] == "0" && step(hours) > 1:
		return sayEachHours.In(lang, step(hours))
	}
	return ""
}

func weekdayText(days, clock string, lang i18n.Lang) string {
	switch days {
	case "*":
		return sayEachDay.In(lang, clock)
	case "1-5", "1,2,3,4,5":
		return sayWorkdays.In(lang, clock)
	case "0,6", "6,0", "6,7":
		return sayWeekends.In(lang, clock)
	}
	var names []string
	for day := range strings.SplitSeq(days, ",") {
		n, err := strconv.Atoi(day)
		if err != nil || n < 0 || n > 7 {
			return ""
		}
		names = append(names, weekdays[n%7].In(lang))
	}
	between := map[i18n.Lang]string{i18n.Korean: "·", i18n.Chinese: "、"}[lang]
	if between == "" {
		between = ", "
	}
	return sayOnDays.In(lang, clock, strings.Join(names, between))
}

// clockOf formats a time of day with two digits each. It returns "" if s is not one.
func clockOf(s string) string {
	hour, minute, ok := strings.Cut(s, ":")
	h, bad := strconv.Atoi(hour)
	m, worse := strconv.Atoi(minute)
	if !ok || bad != nil || worse != nil || h < 0 || h > 23 || m < 0 || m > 59 {
		return ""
	}
	return twoDigits(h) + ":" + twoDigits(m)
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
