package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// shownFailures is the maximum number of failed units to examine.
const shownFailures = 3

// failures examines the failed units: since when, why, and their last log lines.
func (q *inquiry) failures() Reply {
	user, _ := q.first.Input["user"].(bool)
	step := q.output(q.first, "")
	if step == nil {
		return q.toolReply(q.first)
	}
	all := read(machine.ParseUnits, step.Stdout)
	var shown []machine.Unit
	for _, u := range all {
		if len(shown) < shownFailures && quoteWord(u.Name) == u.Name {
			shown = append(shown, u)
		}
	}
	if len(shown) == 0 {
		return q.toolReply(q.first)
	}
	return q.examineUnits(shown, len(all), user)
}

func (q *inquiry) examineUnits(shown []machine.Unit, count int, user bool) Reply {
	subjects := each(shown, func(u machine.Unit) subject { return newSubject(u.Name, user) })
	details := unitDetails(user, each(subjects, func(s subject) string { return s.fullName() })...)
	q.collect(details)
	for _, s := range subjects {
		q.collect(s.log)
	}
	if len(q.needed) > 0 {
		return Reply{}
	}
	if q.output(details, "") == nil {
		return q.toolReply(q.first)
	}
	return q.failedUnitsReply(subjects, shown, count, read(machine.ParseUnitProperties, q.stdout(details)))
}

// fullName returns the unit with its suffix, as in systemctl show's Id.
func (s subject) fullName() string {
	if strings.Contains(s.unit, ".") {
		return s.unit
	}
	return s.unit + ".service"
}

func (q *inquiry) failedUnitsReply(subjects []subject, shown []machine.Unit, count int, details []map[string]string) Reply {
	var blocks []string
	first := &finding{}
	for i, s := range subjects {
		d := map[string]string{}
		for _, known := range details {
			if known["Id"] == s.fullName() {
				d = known
			}
		}
		lines := q.ownLines(s)
		blocks = append(blocks, q.failedUnitText(shown[i], d, lines))
		if first.fix == nil {
			q.remedy(first, s, d, lines)
			first.meaning = ""
		}
	}
	if n := count - len(subjects); n > 0 {
		blocks = append(blocks, q.say(i18n.HelperFailuresFailureMore(n)))
	}
	first.verdict = joinBlocks(q.say(i18n.HelperServiceFailedUnits(count)), strings.Join(blocks, "\n"))
	return first.reply()
}

func (q *inquiry) failedUnitText(row machine.Unit, d map[string]string, lines []string) string {
	head := q.say(i18n.HelperFailuresFailureRow(row.Name, row.Description))
	if d["Result"] != "" && d["InactiveEnterTimestamp"] != "" {
		head = q.say(i18n.HelperFailuresFailureSince(row.Name, q.outcome(d), d["InactiveEnterTimestamp"]))
	}
	log := ""
	if len(lines) > 0 {
		log = quote(strings.Join(lines, "\n"))
	}
	meaning := q.meaningOf(lines)
	if meaning == "" && brokenConfig(strings.ToLower(strings.Join(lines, "\n"))) {
		meaning = q.say(i18n.HelperUnitConfigWrong)
	}
	return joinBlocks("- "+head, log, q.indent(meaning))
}

func (q *inquiry) indent(text string) string {
	if text == "" {
		return ""
	}
	return "  → " + text
}
