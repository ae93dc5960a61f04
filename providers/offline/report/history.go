package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

var (
	sayHistory       = i18n.T("%[1]s 바뀐 패키지는 %[2]d개예요(`/var/log/pacman.log`):", "Packages changed %[1]s: %[2]d (`/var/log/pacman.log`):", "%[1]s有 %[2]d 个软件包发生变化（`/var/log/pacman.log`）：")
	sayHistoryNone   = i18n.T("%[1]s 바뀐 패키지가 없어요(`/var/log/pacman.log`).", "No package was changed %[1]s (`/var/log/pacman.log`).", "%[1]s没有软件包发生变化（`/var/log/pacman.log`）。")
	sayHistoryUnread = i18n.T("`/var/log/pacman.log`를 읽지 못해서 무엇이 바뀌었는지 말할 수 없어요.", "`/var/log/pacman.log` could not be read, so I cannot tell what was changed.", "无法读取 `/var/log/pacman.log`，因此不知道有哪些变化。")
	sayHistoryLast   = i18n.T("마지막으로 바뀐 것은 %[1]s{이에요/예요}.", "The last change was on %[1]s.", "最近一次变化是 %[1]s。")
	sayHistoryKind   = i18n.T("%[1]s: %[2]s", "%[1]s: %[2]s", "%[1]s：%[2]s")
	sayHistoryMore   = i18n.T("%[1]s 외 %[2]d개", "%[1]s and %[2]d more", "%[1]s 等另外 %[2]d 个")
	sayWasInstalled  = i18n.T("%[1]s 설치", "%[1]s installed", "%[1]s 安装")
	sayWasUpgraded   = i18n.T("%[1]s 업데이트", "%[1]s updated", "%[1]s 更新")
	sayWasRemoved    = i18n.T("%[1]s 삭제", "%[1]s removed", "%[1]s 卸载")
	sayWasDowngraded = i18n.T("%[1]s 이전 버전으로", "%[1]s downgraded", "%[1]s 降级")
	sayWasAgain      = i18n.T("%[1]s 다시 설치", "%[1]s reinstalled", "%[1]s 重新安装")
	sayUndoCannot    = i18n.T("되돌리는 일은 아직 자동으로 할 수 없어서 아무것도 바꾸지 않았어요.", "I cannot undo changes automatically yet, so I changed nothing.", "我还不能自动撤销更改，所以什么都没改。")
	sayUndoByHand    = i18n.T("지난 버전이 패키지 캐시(`/var/cache/pacman/pkg`)에 남아 있으면 `sudo pacman -U /var/cache/pacman/pkg/파일이름`으로 직접 되돌릴 수 있어요. 함께 바뀐 패키지는 함께 되돌려야 해요.", "If the earlier version is still in the package cache (`/var/cache/pacman/pkg`), you can go back by hand: `sudo pacman -U /var/cache/pacman/pkg/FILE`. Packages that were updated together must go back together.", "如果旧版本还在软件包缓存（`/var/cache/pacman/pkg`）中，可以手动恢复：`sudo pacman -U /var/cache/pacman/pkg/文件名`。一起更新的软件包需要一起恢复。")
	sayUndoWaiting   = i18n.T("승인을 기다리는 일을 취소하려면: `blunux-aictl approvals`", "To cancel what waits for your approval: `blunux-aictl approvals`", "要取消等待批准的操作：`blunux-aictl approvals`")
	spanToday        = i18n.T("오늘", "today", "今天")
	spanYesterday    = i18n.T("어제", "yesterday", "昨天")
	spanWeek         = i18n.T("지난 7일 동안", "in the last 7 days", "最近 7 天")
	spanSince        = i18n.T("%[1]s부터", "since %[1]s", "自 %[1]s 起")
	spanLately       = i18n.T("최근에", "lately", "最近")
)

// packageChange is one line of pacman's log.
type packageChange struct {
	at         time.Time
	verb, name string
	from, to   string
}

// pacmanLine matches "[2026-11-20T09:12:33+0900] [ALPM] upgraded linux (6.1 -> 6.2)".
var pacmanLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[([^\]]+)\] \[ALPM\] (installed|upgraded|removed|downgraded|reinstalled) (\S+) \((?:(\S+) -> )?([^)]*)\)$`)
})

func parsePackageLog(text string) []packageChange {
	var out []packageChange
	for _, line := range outputLines(text) {
		m := pacmanLine().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, layout := range []string{"2006-01-02T15:04:05-0700", "2006-01-02 15:04"} {
			if at, err := time.Parse(layout, m[1]); err == nil {
				out = append(out, packageChange{at: at, verb: m[2], name: m[3], from: m[4], to: m[5]})
				break
			}
		}
	}
	return out
}

// history reports pacman's recent changes. If the user wants to undo one, it first says that nothing was
// undone, and then how to do it by hand.
func (q *inquiry) history() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	undo := q.Request != nil && q.Request.RequestsUndo()
	r := q.resultOf(q.first)
	if r == nil || r.out == nil || r.out.Refusal != "" {
		rep := q.firstReply()
		if undo {
			rep.Text = paragraphs(q.say(sayUndoCannot), rep.Text)
		}
		return rep
	}
	all := parsePackageLog(r.steps[0].Stdout)
	text := q.say(sayHistoryUnread)
	if s := r.steps[0]; len(all) > 0 || wasEmpty(&s) {
		text = q.changes(all, r.str("since"), undo)
	}
	if undo {
		text = paragraphs(q.say(sayUndoCannot), text, q.say(sayUndoByHand), q.say(sayUndoWaiting))
	}
	return Reply{Text: text}
}

// wasEmpty reports whether a command completed without output.
func wasEmpty(s *providers.Step) bool {
	return s.Exit >= 0 && s.Exit <= 1 && !s.TimedOut && s.MissingProgram == "" && strings.TrimSpace(s.Stdout) == "" && strings.TrimSpace(s.Stderr) == ""
}

// changes reports the changes in a time span, grouped by kind.
func (q *inquiry) changes(all []packageChange, since string, undo bool) string {
	from, to, span := q.spanOf(since, all)
	verbs := q.changesAsked()
	var list []packageChange
	for _, c := range all {
		if !c.at.Before(from) && c.at.Before(to) && (len(verbs) == 0 || slices.Contains(verbs, c.verb)) {
			list = append(list, c)
		}
	}
	if n := q.namedPackage(); n != "" {
		list = slices.DeleteFunc(list, func(c packageChange) bool { return c.name != n })
	}
	if len(list) == 0 && undo && since != "" {
		return q.changes(all, "", undo) // fall back to the latest changes
	}
	if len(list) == 0 {
		text := q.say(sayHistoryNone, span)
		if len(all) > 0 {
			text = joinBlocks(text, q.say(sayHistoryLast, all[len(all)-1].at.Format("2006-01-02 15:04")))
		}
		return text
	}
	return joinBlocks(q.say(sayHistory, span, len(list)), bullets(q.changeLines(list)))
}

// shownChanges is the maximum number of packages on a line.
const shownChanges = 8

// changeLines formats the changes by day and kind, latest first.
func (q *inquiry) changeLines(list []packageChange) []string {
	type group struct {
		day, verb string
		names     []string
	}
	var groups []*group
	for _, c := range slices.Backward(list) {
		day := c.at.Format("2006-01-02")
		name := c.name + " " + c.to
		if c.from != "" {
			name = c.name + " " + c.from + " → " + c.to
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.day == day && g.verb == c.verb })
		if i < 0 {
			groups = append(groups, &group{day: day, verb: c.verb})
			i = len(groups) - 1
		}
		groups[i].names = append(groups[i].names, name)
	}
	kinds := map[string]i18n.Text{"installed": sayWasInstalled, "upgraded": sayWasUpgraded, "removed": sayWasRemoved, "downgraded": sayWasDowngraded, "reinstalled": sayWasAgain}
	var out []string
	for _, g := range groups[:min(8, len(groups))] {
		names := strings.Join(g.names[:min(shownChanges, len(g.names))], ", ")
		if more := len(g.names) - shownChanges; more > 0 {
			names = q.say(sayHistoryMore, names, more)
		}
		out = append(out, q.say(sayHistoryKind, q.say(kinds[g.verb], g.day), names))
	}
	return out
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

// namedPackage returns the package that a question is about, "" for all.
func (q *inquiry) namedPackage() string {
	if q.Request == nil {
		return ""
	}
	if n := q.Request.Name(); n != nil && n.Package != "pacman" {
		return n.Package
	}
	return ""
}

// spanOf returns the time span of a question: a day, the time since then, or by default the last day with
// changes.
func (q *inquiry) spanOf(since string, all []packageChange) (from, to time.Time, name string) {
	now := q.now()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	end := now.AddDate(1, 0, 0)
	switch since {
	case "today", "10 minutes ago", "1 hour ago", "boot": // also what "just now" means
		return midnight, end, q.say(spanToday)
	case "yesterday":
		return midnight.AddDate(0, 0, -1), midnight, q.say(spanYesterday)
	case "2 days ago":
		day := midnight.AddDate(0, 0, -2)
		return day, day.AddDate(0, 0, 1), day.Format("2006-01-02")
	case "7 days ago":
		return midnight.AddDate(0, 0, -7), end, q.say(spanWeek)
	}
	if at, err := time.ParseInLocation("2006-01-02", since, now.Location()); err == nil {
		return at, end, q.say(spanSince, since)
	}
	if at, ok := timeAgo(now, midnight, since); ok {
		return at, end, q.say(spanSince, at.Format("2006-01-02 15:04"))
	}
	if len(all) == 0 {
		return midnight, end, q.say(spanLately)
	}
	last := all[len(all)-1].at.In(now.Location())
	return time.Date(last.Year(), last.Month(), last.Day(), 0, 0, 0, 0, now.Location()), end, q.say(spanLately)
}

var agoPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+) (minute|hour|day|week|month)s? ago$`) })

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
	if err != nil || n > 10_000 {
		return time.Time{}, false
	}
	switch m[2] {
	case "minute":
		return now.Add(-time.Duration(n) * time.Minute), true
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "week":
		return midnight.AddDate(0, 0, -7*n), true
	case "month":
		return midnight.AddDate(0, -n, 0), true
	}
	return midnight.AddDate(0, 0, -n), true
}

func (q *inquiry) now() time.Time {
	if q.Now == nil {
		return time.Now()
	}
	return q.Now()
}
