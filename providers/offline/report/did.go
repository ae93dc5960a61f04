package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// shownDone is how many changes an answer lists.
const shownDone = 10

// did reports what was changed through this program on a day, in the last week, or last.
func (q *inquiry) did() Reply {
	r := q.resultOf(q.first)
	if r == nil || r.out == nil || r.out.Refusal != "" || len(r.steps) == 0 {
		return q.firstReply()
	}
	all, counts, complete := parsePastChanges(r.steps[0].Stdout)
	if !complete {
		return q.firstReply()
	}
	kinds := q.changesAsked()
	list := filter(all, func(c pastChange) bool { return len(kinds) == 0 || c.changesPackages(kinds) })
	if len(kinds) > 0 {
		counts.More = 0 // of which kind these are is unknown
	}
	latest := q.Request != nil && q.Request.AsksForLatest()
	var text string
	switch {
	case len(list) > 0 && latest:
		var rest int
		text, rest = q.latestDone(list)
		text = joinBlocks(text, q.sayIf(rest > 0 && q.input("day") == "today", i18n.HelperDidEarlier(rest)))
	case len(list) > 0:
		text = paragraphs(q.doneList(list, counts), q.besides(counts))
	case len(kinds) > 0:
		text = q.say(i18n.HelperDidNoneLikeThat(q.daySpan()))
	case latest && q.input("day") != "":
		return q.noneButBefore(counts)
	default:
		text = joinBlocks(q.say(i18n.HelperDidNone(q.daySpan())), q.besides(counts))
	}
	if len(kinds) > 0 && (len(list) == 0 || !q.Request.AddressesAssistant()) {
		return q.withPackageLog(text)
	}
	return Reply{Text: text}
}

// withPackageLog adds what pacman changed: somebody else may have done what the question means.
func (q *inquiry) withPackageLog(text string) Reply {
	history := intent.Call("read_logs", "log", "packages")
	if since := map[string]string{"week": "7 days ago"}; q.input("day") != "" {
		history.Input["since"] = cmp.Or(since[q.input("day")], q.input("day"))
	}
	if !q.collect(history) {
		return Reply{}
	}
	if q.resultOf(history) != nil {
		text = paragraphs(text, q.packageHistory(history, false).Text)
	}
	return Reply{Text: text}
}

// noneButBefore reports that nothing was changed on the day of the question, and what was changed last before.
func (q *inquiry) noneButBefore(counts pastCounts) Reply {
	whole := intent.Call("recent_changes", "day", "")
	if !q.collect(whole) {
		return Reply{}
	}
	text := joinBlocks(q.say(i18n.HelperDidNone(q.daySpan())), q.besides(counts))
	if r := q.resultOf(whole); r != nil && r.out != nil && len(r.steps) > 0 {
		if list, _, _ := parsePastChanges(r.steps[0].Stdout); len(list) > 0 {
			before, _ := q.latestDone(list)
			text = paragraphs(text, before)
		}
	}
	return Reply{Text: text}
}

// together is how long before the last change others still belong to it.
const together = time.Hour

// latestDone reports the last change, with those shortly before it. rest is how many are left out.
func (q *inquiry) latestDone(list []pastChange) (text string, rest int) {
	last := list[0].at()
	n := slices.IndexFunc(list, func(c pastChange) bool { return last.Sub(c.at()) > together })
	if n < 0 {
		n = len(list)
	}
	shown := list[:min(n, shownDone)]
	rows := each(shown, func(c pastChange) string { return q.doneRow(c, c.Time) })
	return joinBlocks(q.say(i18n.HelperDidLatest), bullets(rows), q.howToUndo(shown)), len(list) - len(shown)
}

// doneList reports changes, grouped by day if they can be of several.
func (q *inquiry) doneList(list []pastChange, counts pastCounts) string {
	shown := list[:min(shownDone, len(list))]
	parts := []string{q.say(i18n.HelperDidDid(q.daySpan(), len(list)+counts.More))}
	day := q.input("day")
	for len(shown) > 0 {
		date, _, _ := strings.Cut(shown[0].Time, " ")
		n := slices.IndexFunc(shown, func(c pastChange) bool { return !strings.HasPrefix(c.Time, date) })
		if n < 0 {
			n = len(shown)
		}
		rows := each(shown[:n], func(c pastChange) string { return q.doneRow(c, strings.TrimPrefix(c.Time, date+" ")) })
		head := q.sayIf(day == "" || day == "week", i18n.HelperDidDay(date))
		parts, shown = append(parts, joinBlocks(head, bullets(rows))), shown[n:]
	}
	if more := len(list) - shownDone + counts.More; more > 0 {
		parts = append(parts, q.say(i18n.HelperDidMore(more)))
	}
	return joinBlocks(append(parts, q.howToUndo(list[:min(shownDone, len(list))]))...)
}

// besides counts the commands that changed nothing. Without a day they are not counted.
func (q *inquiry) besides(counts pastCounts) string {
	switch read, refused := *counts.Read, counts.Refused; {
	case read > 0 && refused > 0:
		return q.say(i18n.HelperDidBesides(read, refused))
	case read > 0:
		return q.say(i18n.HelperDidBesidesRead(read))
	default:
		return q.sayIf(refused > 0, i18n.HelperDidBesidesRefused(refused))
	}
}

// daySpan names the day of the question.
func (q *inquiry) daySpan() string {
	switch day := q.input("day"); day {
	case "":
		return q.say(i18n.HelperHistorySpanLately)
	case "today":
		return q.say(i18n.HelperHistorySpanToday)
	case "yesterday":
		return q.say(i18n.HelperHistorySpanYesterday)
	case "week":
		return q.say(i18n.HelperHistorySpanWeek)
	default:
		return q.say(i18n.HelperDidSpanOn(day))
	}
}

// doneRow reports a change: its id, when, what it was for, what became different and how it ended.
func (q *inquiry) doneRow(c pastChange, at string) string {
	state := []string{q.say(c.state())}
	switch {
	case c.TakenBack != "":
		state = append(state, q.say(i18n.ChangeTakenBack(c.TakenBack)))
	case c.TakesBack != "":
		state = append(state, q.say(i18n.ChangeTakesBack(c.TakesBack)))
	case len(c.Effects) == 0:
		state = append(state, q.say(i18n.ChangeNoWayBack))
	}
	effects := q.effects(c)
	if len(effects) == 0 && c.Goal != "" {
		effects = []string{c.commands(q.Lang)}
	}
	text := i18n.HelperDidRowBare(c.about(q.Lang), strings.Join(state, ", "))
	if len(effects) > 0 {
		text = i18n.HelperDidRow(c.about(q.Lang), strings.Join(effects, ", "), strings.Join(state, ", "))
	}
	return q.say(i18n.HelperRepairChangeLine(c.ID, at, q.say(text)))
}

// state says how a change ended.
func (c pastChange) state() i18n.Text {
	done := c.has(string(plan.StepDone), string(plan.StepUnproved))
	switch {
	case c.has(stateEndUnknown):
		return i18n.HelperDidEndUnknown
	case c.has(string(plan.StepFailed)) && done:
		return i18n.HelperDidPartly
	case c.has(string(plan.StepFailed)):
		return i18n.HelperDidFailed
	case c.has(stateNotRun, string(plan.StepSkipped)):
		return i18n.HelperDidCutShort
	case c.has(string(plan.StepUnproved)):
		return i18n.HelperDidUnproved
	}
	return i18n.HelperDidProved
}

// shownEffects is how many effects of a kind a row names.
const shownEffects = 4

// effects says what a change made different: packages first, those that were asked for before their dependencies.
func (q *inquiry) effects(c pastChange) []string {
	packages := filter(c.Effects, func(e plan.Effect) bool { return e.Kind == plan.KindPackage })
	sorting.Stably(packages, func(a, b plan.Effect) int {
		order := map[bool]int{true: 1}
		return order[a.Dependency] - order[b.Dependency]
	})
	var installed, removed, changed, others []string
	for _, e := range packages {
		name := shownValue(e.Name)
		switch {
		case e.Before == "":
			installed = append(installed, name+" "+shownValue(e.After))
		case e.After == "":
			removed = append(removed, name+" "+shownValue(e.Before))
		default:
			changed = append(changed, q.say(i18n.HelperDidVersion(name, shownValue(e.Before), shownValue(e.After))))
		}
	}
	for _, e := range c.Effects {
		if text := q.effect(c, e); text != "" {
			others = append(others, text)
		}
	}
	var parts []string
	if len(installed) > 0 {
		parts = append(parts, q.say(i18n.HelperDidInstalled(q.someOf(installed))))
	}
	if len(removed) > 0 {
		parts = append(parts, q.say(i18n.HelperDidRemoved(q.someOf(removed))))
	}
	return nonEmpty(append(parts, q.someOf(changed), q.someOf(others))...)
}

// someOf lists the first of many.
func (q *inquiry) someOf(list []string) string {
	text := firstOf(list, shownEffects)
	if more := len(list) - shownEffects; more > 0 {
		return q.say(i18n.HelperHistoryMore(text, more))
	}
	return text
}

// effect says what one effect is that is not of a package. A command that says itself what it did is named only below a
// goal.
func (q *inquiry) effect(c pastChange, e plan.Effect) string {
	name := shownValue(e.Name)
	switch e.Kind {
	case plan.KindFile:
		path := cutRunes((&result{home: q.Home}).tilde(machine.CleanLine(e.Name)), 80)
		switch {
		case e.Before == "":
			return q.say(i18n.HelperDidCreated(path))
		case e.After == "":
			return q.say(i18n.HelperDidRemoved(path))
		}
		return q.say(i18n.HelperDidEdited(path))
	case plan.KindUnit, plan.KindUnitFile:
		if text := unitEffects[e.After]; text != nil && e.Before != "masked" {
			return q.say(text(name))
		}
		if e.Before == "masked" {
			return q.say(i18n.HelperDidUnitUnmasked(name))
		}
		return q.say(i18n.HelperDidBecame(name, shownValue(e.Before), shownValue(e.After)))
	case plan.KindSetting:
		setting, target := plan.CutSetting(name)
		before, after := q.settingValues(e)
		return q.say(i18n.HelperDidBecame(q.say(i18n.SettingName(setting, target)), before, after))
	case plan.KindSnapshot:
		return q.say(i18n.HelperDidSnapshots(shownValue(e.Before), shownValue(e.After)))
	case plan.KindCommand:
		if c.Goal != "" {
			return "`" + strings.ReplaceAll(name, "`", "'") + "`"
		}
	}
	return ""
}

// unitEffects say what became of a unit, by its state afterwards.
var unitEffects = map[string]func(unit string) i18n.Text{
	"active": i18n.HelperDidUnitStarted, "inactive": i18n.HelperDidUnitStopped, "enabled": i18n.HelperDidUnitEnabled,
	"disabled": i18n.HelperDidUnitDisabled, "masked": i18n.HelperDidUnitMasked,
}

// settingWords are the values of settings that are words.
var settingWords = map[string]i18n.Text{
	"on": i18n.HelperDidValueOn, "off": i18n.HelperDidValueOff, "up": i18n.HelperDidValueUp, "down": i18n.HelperDidValueDown,
	"mounted": i18n.HelperDidValueMounted, "unmounted": i18n.HelperDidValueUnmounted, "auto": i18n.HelperDidValueAuto,
	"enabled": i18n.HelperDidValueEnabled, "disabled": i18n.HelperDidValueDisabled, "": i18n.HelperDidValueNone,
}

// settingValues returns the values of a setting before and after. Words are translated only if both are: a computer can
// be called "off".
func (q *inquiry) settingValues(e plan.Effect) (before, after string) {
	was, isWord := settingWords[e.Before]
	is, areWords := settingWords[e.After]
	if isWord && areWords {
		return q.say(was), q.say(is)
	}
	none := q.say(i18n.HelperDidValueNone)
	return cmp.Or(shownValue(e.Before), none), cmp.Or(shownValue(e.After), none)
}

// shownValue is a name or a value in one short line.
func shownValue(s string) string { return cutRunes(machine.CleanLine(s), 60) }

// at returns when a change began, to the minute.
func (c pastChange) at() time.Time {
	at, _ := time.Parse("2006-01-02 15:04", c.Time) // differences to the zero time are large, and mean another change
	return at
}

// changesPackages reports whether a change did to a package what pacman's log calls one of the verbs.
func (c pastChange) changesPackages(verbs []string) bool {
	return slices.ContainsFunc(c.Effects, func(e plan.Effect) bool {
		verb := "upgraded"
		switch {
		case e.Kind != plan.KindPackage:
			return e.Kind == plan.KindFile && e.After == "" && slices.Contains(verbs, "removed")
		case e.Before == "":
			verb = "installed"
		case e.After == "":
			verb = "removed"
		}
		return slices.Contains(verbs, verb)
	})
}
