package intent

import (
	"regexp"
	"slices"
	"strings"
)

// laterMarks matches a time in a request that can be later than now. Durations and figures such as 16:9 are none.
var laterMarks = pattern(`(?i)\b(?:in|after) (?:about |around |like )?(?:\d+|an?|half an|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|fifty|sixty|a few|a couple of) ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?)\b` +
	`|\b(?:at|by|before|until|till|around|@) ?(?:about |around )?(?:\d{1,2}(?::\d\d)?(?:\s|$|[.,!?]|am|pm|h\b|o'?clock)|noon|midnight|midday|night|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|half past|quarter)` +
	`|\b\d{1,2}(?::\d\d)? ?(?:am|pm|a\.m|p\.m|o'?clock)\b|\b(?:half|quarter) (?:past|to) |\b(?:noon|midnight|midday|tomorrow|tmrw|tonight|later|from now)\b|\bnext (?:week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b` +
	`|\b(?:on|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b` +
	`|시\s*(?:\d{1,2}\s*분|반|정각)?\s*(?:에|쯤|까지|되면|부터)|(?:초|분|시간|일|주|달|하루|이틀|사흘|나흘|일주일)\s*(?:쯤\s*|정도\s*)?(?:뒤|후|있다|이따|지나)|(?:자정|정오)에|내일|낼\s|모레|글피|이따|나중에|오늘\s*(?:밤|저녁|오후|새벽)|다음\s*주|담주|[월화수목금토일]요일에?` +
	`|[\d二三四五六七八九十两]\s*[点點]|(?:上|晚|午|晨|夜|天)一[点點]|(?:秒|分钟|分鐘|小时|小時|钟头|天|周|星期|个月)\s*(?:之|以|过)?[后後]|明天|明早|明晚|今晚|[后後]天|下周|下星期|下个月|(?:周|星期|礼拜)[一二三四五六日天]|午夜|半夜|凌晨|稍[后後]|晚点|待会|等会|一会儿?[后後再]`)

// spanMarks matches for how long something is wished: no step of a plan ends by itself.
var spanMarks = pattern(`(?i)\bfor (?:about |around |the next |like )?(?:\d+|an?|half an|one|two|three|four|five|ten|fifteen|twenty|thirty|a few|a couple of) ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b` +
	`|(?:초|분|시간)\s*(?:동안|간|만)(?:\s|$)|[\d一二三四五六七八九十两半]\s*个?(?:秒|分钟|分鐘|小时|小時|钟头)(?:吧|[。！!.]|$)`)

// dayParts matches a part of a day. It is no time for a change where a request gives a reason: "my eyes hurt at night, …".
var dayParts = pattern(`(?i)\b(?:this|in the) (?:morning|afternoon|evening)\b|(?:새벽|아침|점심|저녁|밤|오전|오후)에\s|早上|晚上|中午|下午|上午`)

// ownReason matches a clause with which a person explains a request.
var ownReason = pattern(`(?i)([,;.!]\s*)(?:(?:because|since|as|cause) )?(?:i|i'm|i'll|we|my|it'?s)\b[^,;.!]*$`)

// quotedText matches text that a request only hands on, and names of files: "touch later.txt".
var quotedText = pattern(`(?:^|\s)[~/]\S*|\p{L}[\p{L}\d_-]+\.[A-Za-z]\w{0,4}\b` + "|`[^`\n]*`" + `|"[^"\n]*"|'[^'\n]{2,}'|“[^”\n]*”|‘[^’\n]*’|「[^」\n]*」|『[^』\n]*』`)

var (
	nowWords = pattern(`(?i)\bnow\b|\bimmediately\b|\bright away\b|지금|당장|바로\s|现在|現在|马上|立刻`)
	// untilWords match the end of a duration, which is no time to begin.
	untilWords = pattern(`(?i)\b(?:until|till)\b|까지|直到|为止`)
	// pastEvents match what has happened: the time can be of that.
	pastEvents = pattern(`(?i)\b(?:did|was|were|had|happened|stopped|died|went|started|installed|crashed|failed|changed|rebooted|broke|since|ago|yesterday|last (?:night|week|month))\b|(?:했|됐|았|었|였|졌|났|갔|왔)(?:는데|어|다|네|지만|으니|고|던|길래)|[멈죽꺼깨]\S*(?:진|은|는데)|어제|아까|昨天|昨晚|刚才|之前|以前|[停挂坏崩死装败错]了`)
	// ofNight matches the part of a day whose first hours are those of the next day: "오늘 밤 12시".
	ofNight = pattern(`(?i)\b(?:tonight|at night|this evening)\b|밤|저녁|今晚|明晚|晚上|夜`)
)

// maxLater bounds a request that becomes a task, in bytes.
const maxLater = 600

// later plans a change at the time that a request names: a task that runs once and asks then. A change whose plan drops that
// time is never made now.
func (l *Lexicon) later(before Context, p Plan, u *utterance) Plan {
	raw := u.raw
	if p.grant == grantAnswered && before.Previous != "" {
		raw = before.Previous + "\n" + raw // "install it tonight": "what?"
	}
	if !p.canWait() {
		return p
	}
	if u.lang == "zh" {
		raw = simplified(raw)
	}
	raw = quotedText().ReplaceAllStringFunc(raw, func(s string) string { return strings.Repeat("\x00", len(s)) })
	marked := ownReason().ReplaceAllString(raw, "$1")
	changes := p.Kind == KindCall && slices.ContainsFunc(p.Steps, Step.changesNow)
	if spanMarks().MatchString(marked) && (changes || p.Topic == "stop") {
		return declinePlan("later", "").because("the plan drops for how long")
	}
	if changes && waitsForEvent(marked) {
		return declinePlan("condition", "").because("the plan drops the condition")
	}
	reason := len(clauseEnds().Split(strings.TrimRight(raw, " .!?~。！？"), 2)) > 1
	if !laterMarks().MatchString(marked) && (reason || !dayParts().MatchString(marked)) {
		return p
	}
	if task, m, ok := l.laterTask(u, raw); ok && u.data == "" && len(raw) <= maxLater {
		return callPlan(sureScore, Call("schedule", "at", m, "task", task)).because("asks for %q at a later time", task)
	}
	if changes {
		return declinePlan("later", "").because("the plan drops the time")
	}
	return p
}

// canWait reports whether a plan has no own time and refuses nothing.
func (p Plan) canWait() bool {
	switch p.Kind {
	case KindCall:
		return !slices.ContainsFunc(p.Steps, Step.hasTime)
	case KindAsk:
		return !strings.HasPrefix(p.Topic, "reminder") && p.Topic != "schedule"
	case KindNone:
		return p.Topic != "unwatched" && p.Topic != "left"
	}
	return false
}

// hasTime reports whether a step uses the time of the request, or is about a time that is over.
func (s Step) hasTime() bool {
	switch s.Tool {
	case "schedule", "change_automation", "remove_automation", "remember", "undo":
		return true
	}
	if s.Tool != "desktop" || s.Input["verb"] == "clipboard" { // a copied text can name a time
		return s.Tool == "desktop"
	}
	switch s.Input["verb"] {
	case "session", "blank":
		return s.Input["amount"] != nil || s.Input["act"] == "cancel"
	}
	return s.Input["verb"] == "autostart"
}

// changesNow reports whether a step changes something after a yes.
func (s Step) changesNow() bool {
	if s.Tool != "desktop" {
		return !s.IsReadOnly()
	}
	return !slices.ContainsFunc(wishes(), func(w wish) bool {
		return w.mode == "ask" && w.verb == s.Input["verb"] && w.act == s.Input["act"]
	})
}

// laterTask returns the only change of a request without its time, in the person's words, and the time. masked is the
// request with blanks in the place of quoted text.
func (l *Lexicon) laterTask(u *utterance, masked string) (task string, m moment, ok bool) {
	if strings.Contains(masked, "\n") || len(masked) != len(u.raw) || asksToRemind().MatchString(masked) || recurringWords().MatchString(masked) {
		return "", m, false
	}
	for _, other := range []func() *regexp.Regexp{nowWords, untilWords, pastEvents} {
		if other().MatchString(masked) {
			return "", m, false
		}
	}
	c := cronParse{text: strings.ToLower(masked), minute: -1, hour: -1}
	m, ok = c.moment()
	if !ok || len(c.text) != len(u.raw) {
		return "", m, false
	}
	if day, named := map[string]string{"+0": "+1", "+1": "+2"}[m.day]; named && m.hour >= 0 && m.hour < 5 && ofNight().MatchString(masked) {
		m.day, m.vague = day, false
	}
	task = reminderText(c.taskText(u.raw))
	if u.question {
		task += "?"
	}
	if task == "" || laterMarks().MatchString(quotedText().ReplaceAllString(task, "")) || len(splitRequests(task)) > 1 {
		return "", m, false // a second time or request: which belongs to which is not known
	}
	p := l.Understand(task, Context{})
	return task, m, p.Kind == KindCall && !slices.ContainsFunc(p.Steps, func(s Step) bool { return !s.changesNow() || s.hasTime() })
}
