package report

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// history reports pacman's recent changes.
func (q *inquiry) history() Reply { return q.packageHistory(q.first, false) }

// packageHistory reports pacman's recent changes. For a request to undo, it adds how to do it by hand.
func (q *inquiry) packageHistory(look intent.Step, undo bool) Reply {
	r := q.resultOf(look)
	if r == nil || r.out == nil || r.out.Refusal != "" {
		return q.firstReply()
	}
	all := read(machine.ParsePackageLog, r.steps[0].Stdout)
	text := q.say(i18n.HelperHistoryUnread)
	if s := r.steps[0]; len(all) > 0 || wasEmpty(&s) {
		text = q.changes(all, r.str("since"), undo)
	}
	if undo {
		text = paragraphs(text, q.say(i18n.HelperHistoryUndoByHand), q.say(i18n.HelperHistoryUndoWaiting))
	}
	return Reply{Text: text}
}

// wasEmpty reports whether a command completed without output.
func wasEmpty(s *providers.Step) bool {
	return s.Exit >= 0 && s.Exit <= 1 && !s.TimedOut && s.MissingProgram == "" && strings.TrimSpace(s.Stdout) == "" && strings.TrimSpace(s.Stderr) == ""
}

// changes reports the changes in a time span, grouped by kind.
func (q *inquiry) changes(all []machine.PackageChange, since string, undo bool) string {
	from, to, span := q.spanOf(since, all)
	verbs, name := q.changesAsked(), q.namedPackage()
	list := filter(all, func(c machine.PackageChange) bool {
		return !c.At.Before(from) && c.At.Before(to) && (len(verbs) == 0 || slices.Contains(verbs, c.Verb)) &&
			(name == "" || c.Name == name)
	})
	if len(list) == 0 && undo && since != "" {
		return q.changes(all, "", undo) // fall back to the latest changes
	}
	if len(list) == 0 {
		text := q.say(i18n.HelperHistoryNone(span))
		if len(all) > 0 {
			text = joinBlocks(text, q.say(i18n.HelperHistoryLast(all[len(all)-1].At.Format("2006-01-02 15:04"))))
		}
		return text
	}
	return joinBlocks(q.say(i18n.HelperHistoryHistory(span, len(list))), bullets(q.changeLines(list)))
}

// shownChanges is the maximum number of packages on a line.
const shownChanges = 8

// changeLines formats the changes by day and kind, latest first.
func (q *inquiry) changeLines(list []machine.PackageChange) []string {
	type group struct {
		day, verb string
		names     []string
	}
	var groups []*group
	for _, c := range slices.Backward(list) {
		day := c.At.Format("2006-01-02")
		name := c.Name + " " + c.To
		if c.From != "" {
			name = c.Name + " " + c.From + " → " + c.To
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.day == day && g.verb == c.Verb })
		if i < 0 {
			groups = append(groups, &group{day: day, verb: c.Verb})
			i = len(groups) - 1
		}
		groups[i].names = append(groups[i].names, name)
	}
	kinds := map[string]func(day string) i18n.Text{
		"installed": i18n.HelperHistoryWasInstalled, "upgraded": i18n.HelperHistoryWasUpgraded,
		"removed": i18n.HelperHistoryWasRemoved, "downgraded": i18n.HelperHistoryWasDowngraded,
		"reinstalled": i18n.HelperHistoryWasAgain,
	}
	return each(groups[:min(8, len(groups))], func(g *group) string {
		names := firstOf(g.names, shownChanges)
		if more := len(g.names) - shownChanges; more > 0 {
			names = q.say(i18n.HelperHistoryMore(names, more))
		}
		return q.say(i18n.HelperHistoryKind(q.say(kinds[g.verb](g.day)), names))
	})
}

// changesAsked returns the kinds of changes that a question names; none means all.
func (q *inquiry) changesAsked() []string {
	if q.Request == nil || q.Request.RequestsUndo() {
		return nil
	}
	var out []string
	if q.asksAbout("@install", "installed") {
		out = append(out, "installed", "reinstalled")
	}
	if q.asksAbout("@remove") {
		out = append(out, "removed")
	}
	if q.asksAbout("@update", "update") {
		out = append(out, "upgraded", "downgraded")
	}
	return out
}

func (q *inquiry) namedPackage() string {
	if q.Request == nil {
		return ""
	}
	if n := q.Request.Name(); n != nil && n.Package != "pacman" {
		return n.Package
	}
	return ""
}

// spanOf returns the time span of a question: a day, the time since then, or by default the last day with changes.
func (q *inquiry) spanOf(since string, all []machine.PackageChange) (from, to time.Time, name string) {
	now := q.now()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	end := now.AddDate(1, 0, 0)
	switch since {
	case "today", "10 minutes ago", "1 hour ago", "boot": // also what "just now" means
		return midnight, end, q.say(i18n.HelperHistorySpanToday)
	case "yesterday":
		return midnight.AddDate(0, 0, -1), midnight, q.say(i18n.HelperHistorySpanYesterday)
	case "2 days ago":
		day := midnight.AddDate(0, 0, -2)
		return day, day.AddDate(0, 0, 1), day.Format("2006-01-02")
	case "7 days ago":
		return midnight.AddDate(0, 0, -7), end, q.say(i18n.HelperHistorySpanWeek)
	}
	if at, err := time.ParseInLocation("2006-01-02", since, now.Location()); err == nil {
		return at, end, q.say(i18n.HelperHistorySpanSince(since))
	}
	if at, ok := timeAgo(now, midnight, since); ok {
		return at, end, q.say(i18n.HelperHistorySpanSince(at.Format("2006-01-02 15:04")))
	}
	if len(all) == 0 {
		return midnight, end, q.say(i18n.HelperHistorySpanLately)
	}
	last := all[len(all)-1].At.In(now.Location())
	return time.Date(last.Year(), last.Month(), last.Day(), 0, 0, 0, 0, now.Location()), end, q.say(i18n.HelperHistorySpanLately)
}

var agoPattern = pattern(`^(\d+) (minute|hour|day|week|month)s? ago$`)

// timeAgo parses "3 days ago" and a time of today. Days, weeks and months begin at midnight.
func timeAgo(now, midnight time.Time, since string) (time.Time, bool) {
	if at, err := time.ParseInLocation("15:04", since, now.Location()); err == nil {
		return midnight.Add(time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute), true
	}
	m := agoPattern().FindStringSubmatch(since)
	if m == nil {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(m[1])
	ok := err == nil && n <= 10_000
	switch m[2] {
	case "minute":
		return now.Add(-time.Duration(n) * time.Minute), ok
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour), ok
	case "week":
		return midnight.AddDate(0, 0, -7*n), ok
	case "month":
		return midnight.AddDate(0, -n, 0), ok
	}
	return midnight.AddDate(0, 0, -n), ok
}
