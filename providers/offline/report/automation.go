package report

import (
	"cmp"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// automationLine is an automation as its tools print it (package tools, automationaction.go).
type automationLine struct {
	name, schedule, when, state, task, check, say, next, last string
}

var automationForm = pattern(`^(?:(?:added|changed|goes on|paused): )?(.+?) \[([^\]]*)\] ?(.*)$`)

// parseAutomationLine parses a line. ok is false if it is not an automation.
func parseAutomationLine(line string) (f automationLine, ok bool) {
	parts := strings.Split(strings.TrimRight(line, "\n"), " · ")
	m := automationForm().FindStringSubmatch(parts[0])
	if m == nil || len(parts) < 2 {
		return f, false
	}
	f = automationLine{name: m[1], schedule: m[2], when: m[3], state: parts[1]}
	fields := map[string]*string{"do": &f.task, "check": &f.check, "say": &f.say, "next": &f.next, "last": &f.last}
	for _, p := range parts[2:] {
		if key, value, _ := strings.Cut(p, " "); fields[key] != nil {
			*fields[key] = value
		}
	}
	return f, true
}

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
	if s, err := automation.ParseSchedule(f.schedule); err == nil {
		return s.Words(r.lang)
	}
	if e, err := automation.ParseEvent(f.schedule); err == nil {
		return e.Words(r.lang)
	}
	if at, err := time.Parse(time.RFC3339, f.schedule); err == nil {
		return automation.When(r.lang, r.now, at, at.Location())
	}
	return cmp.Or(f.when, f.schedule)
}

// maxAutomations is the maximum number of automations in an answer.
const maxAutomations = 20

func (r *result) automations() Reply {
	last, list := r.lastStep(), r.parseAutomations()
	if r.ask != nil && r.ask.AsksForReminders() && last.Exit == 0 {
		return r.reminders(list)
	}
	switch {
	case last.Exit != 0:
		return r.automationFailure()
	case len(list) == 0:
		return r.noneReply(last, !strings.HasPrefix(last.Stdout, "there are no automations"), i18n.HelperAutomationNoRules)
	}
	lines := each(list[:min(len(list), maxAutomations)], r.automationText)
	return Reply{Text: r.say(i18n.HelperAutomationRules(len(list))) + "\n" + bullets(lines)}
}

// reminders lists the reminders, and says how many other automations there are.
func (r *result) reminders(all []automationLine) Reply {
	list := filter(all, func(f automationLine) bool { return f.say != "" })
	others := ""
	if n := len(all) - len(list); n > 0 {
		others = r.say(i18n.HelperReminderOthers(n))
	}
	if len(list) == 0 {
		return Reply{Text: joinBlocks(r.say(i18n.HelperReminderNone), others)}
	}
	lines := each(list[:min(len(list), maxAutomations)], r.automationText)
	return Reply{Text: joinBlocks(r.say(i18n.HelperReminderList(len(list)))+"\n"+bullets(lines), others)}
}

func (r *result) automationText(f automationLine) string {
	if e, err := automation.ParseEvent(f.schedule); err == nil && e.Kind.Waits() {
		return f.name + ": " + r.scheduleText(f)
	}
	if f.say != "" {
		return f.say + ": " + r.scheduleText(f)
	}
	if strings.EqualFold(f.task, f.name) {
		f.task = ""
	}
	state := ""
	if until, silent := strings.CutPrefix(f.state, "silent until "); silent {
		state = r.say(i18n.HelperAutomationRuleQuiet(until))
	}
	if f.state == "paused" {
		state = r.say(i18n.HelperAutomationRuleOff)
	}
	parts := nonEmpty(r.fact(i18n.HelperAutomationRuleTask, f.task), r.fact(i18n.HelperAutomationRuleCheck, f.check),
		state, r.fact(i18n.HelperAutomationRuleNext, f.next), r.fact(i18n.HelperAutomationRuleLast, f.last))
	return i18n.RuleName(f.name, r.lang) + ": " + strings.Join(append([]string{r.scheduleText(f)}, parts...), ", ")
}

// automationFailure reports why a change of an automation failed.
func (r *result) automationFailure() Reply {
	if !strings.HasPrefix(r.lastStep().Stdout, "not done: ") {
		return r.unreadableReply(r.lastStep())
	}
	return Reply{Text: r.say(i18n.HelperAutomationNotSet(strings.TrimPrefix(essentialLines(r.lastStep().Stdout, 2), "not done: ")))}
}

func (r *result) scheduleReply() Reply {
	list := r.parseAutomations()
	if len(list) == 0 || list[0].say == "" || r.lastStep().Exit != 0 {
		return r.automationStateReply(i18n.HelperAutomationScheduled)
	}
	if e, err := automation.ParseEvent(list[0].schedule); err == nil && e.Kind.Waits() {
		return Reply{Text: r.say(i18n.HelperReminderWaits(e.Words(r.lang), list[0].name))}
	}
	return Reply{Text: r.say(i18n.HelperReminderSet(list[0].say, r.scheduleText(list[0]), list[0].name))}
}

func (r *result) automationStateReply(say func(name, schedule string) i18n.Text) Reply {
	list := r.parseAutomations()
	switch {
	case r.lastStep().Exit != 0:
		return r.automationFailure()
	case len(list) == 0:
		return r.unreadableReply(r.lastStep())
	}
	text := r.say(say(i18n.RuleName(list[0].name, r.lang), r.scheduleText(list[0])))
	if list[0].next != "" {
		text += " " + r.say(i18n.HelperAutomationNextDue(list[0].next))
	}
	return Reply{Text: text}
}

func (r *result) changeAutomationReply() Reply {
	kind, rest, _ := strings.Cut(strings.TrimSpace(r.lastStep().Stdout), ": ")
	until, silent := strings.CutPrefix(kind, "silent until ")
	switch {
	case r.lastStep().Exit != 0:
		return r.automationFailure()
	case silent:
		return Reply{Text: r.say(i18n.HelperAutomationSilent(i18n.RuleName(rest, r.lang), until))}
	case kind == "told again":
		return Reply{Text: r.say(i18n.HelperAutomationTellsAgain(i18n.RuleName(rest, r.lang)))}
	case kind == "paused":
		return r.automationStateReply(i18n.HelperAutomationPaused)
	case kind == "goes on":
		return r.automationStateReply(i18n.HelperAutomationGoesOn)
	}
	return r.automationStateReply(i18n.HelperAutomationRuleChanged)
}

func (r *result) removeAutomationReply() Reply {
	name, ok := strings.CutPrefix(strings.TrimSpace(r.lastStep().Stdout), "removed: ")
	if r.lastStep().Exit != 0 || !ok {
		return r.automationFailure()
	}
	return Reply{Text: r.say(i18n.HelperAutomationRuleGone(i18n.RuleName(name, r.lang)))}
}

// automation reports a change of an automation. If the request did not identify one, it lists them.
func (q *inquiry) automation() Reply {
	if r := q.resultOf(q.first); r == nil || r.out == nil || r.out.Refusal != "bad_input" {
		return q.firstReply()
	}
	list := intent.Call("list_automations")
	if !q.collect(list) {
		return Reply{}
	}
	if there := q.toolReply(list).Text; there != "" {
		return Reply{Text: joinBlocks(q.say(i18n.HelperAutomationWhichRule), there)}
	}
	return q.firstReply()
}
