package intent

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// recurrence is a recurring time found in a request, and the rest of the request as the task.
type recurrence struct {
	cron string // five fields (crontab(5)), local time
	task string
}

type cronPatterns struct {
	interval, clock, weekday, monthDay, phrase *regexp.Regexp
	edges                                      *regexp.Regexp
}

var cronRegexps = sync.OnceValue(func() cronPatterns {
	t := times()
	number := func(sc script) string { return `(\d+|` + t.alternation("number", sc) + `)` }
	unit, part := t.alternation("unit", latin), t.alternation("part", latin)
	enDay, koPart, zhPart := t.alternation("weekday", latin), t.alternation("part", hangul), t.alternation("part", han)
	koDay := `[` + firstRunes(t.value["weekday"]) + `]`
	zhDay := t.alternation("weekday", han)
	repeat := `(` + t.alternation("repeat", latin) + `\b|` + t.alternation("repeat", hangul) + `|` + t.alternation("repeat", han) + `)`
	return cronPatterns{
		interval: regexp.MustCompile(`(?:every|each)\s+(\d+|other|` + t.alternation("number", latin) + `)?\s*(?:an?\s+)?(` + unit + `)\b|` + number(hangul) + `\s*(` + t.alternation("unit", hangul) + `)\s*(?:마다|에\s*한\s*번씩?|에\s*1번|간격으로|간격)|每隔?\s*` + number(han) + `?\s*个?(` + t.alternation("unit", han) + `)|` + repeat),
		clock: regexp.MustCompile(`\b(?:at\s+)?(noon|midnight)\b|(?:\bat\s+|@\s*)(\d{1,2})(?::(\d{2}))?\s*(am|pm|a\.m\.|p\.m\.|o'?clock)?(?:\s+in the (` + part + `)|\s+at (night))?|\b(\d{1,2})(?::(\d{2}))?\s*(am|pm)\b|\b(\d{1,2}):(\d{2})\b|` +
			`(?:(` + koPart + `)\s*(?:에\s*)?)?` + number(hangul) + `\s*시(?:\s*(\d{1,2})\s*분|\s*(반))?(?:에|쯤|마다|정각)?|(정오|자정)(?:에|마다)?|(` + zhPart + `)?\s*` + number(han) + `\s*[点點](?:钟|整)?(?:(\d{1,2})分?|(半))?|(午夜)`),
		weekday:  regexp.MustCompile(`\b(?:every|each|on)\s+(` + enDay + `(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)` + enDay + `)*)\b|(?:매주\s*)?(` + koDay + `(?:요일)?(?:\s*(?:,|과|와|이랑|랑|하고)?\s*` + koDay + `요일)*)(?:요일)?\s*(?:마다|에)?|每(?:周|星期|週|礼拜)(` + zhDay + `(?:[、和,]?` + zhDay + `)*)`),
		monthDay: regexp.MustCompile(`(?:every|each)\s+month\s+on\s+the\s+(\d{1,2})(?:st|nd|rd|th)?|on\s+the\s+(first|1st|\d{1,2}(?:st|nd|rd|th))\s+(?:day\s+)?of\s+(?:every|each|the)\s+month|(?:the\s+)?(first|\d{1,2}(?:st|nd|rd|th))\s+(?:day\s+)?of\s+(?:every|each)\s+month|(?:매달|매월)\s*(\d{1,2})\s*일(?:에|마다)?|每月\s*(\d{1,2})\s*[号日]`),
		phrase: regexp.MustCompile(`\b(?:every|each)\s+(` + part + `|` + t.alternation("days", latin) + `|day)s?\b|\b(?:on\s+)?(` + t.alternation("days", latin) + `)\b|(?:매일\s*)?(` + koPart + `)\s*마다|매일\s*(` + koPart + `)|(` + t.alternation("days", hangul) + `)(?:마다|에는|에)?|(?:하루에?|매일)\s*(?:한|두|1|2)\s*번씩?|` +
			`\b(?:once|twice)\s+(?:a|per)\s+(?:day|week|hour|month)|(?:일주일|한\s*달|한\s*시간)에\s*한\s*번씩?|每天(` + zhPart + `)?|每(早|晚)|(` + t.alternation("days", han) + `)`),
		edges: regexp.MustCompile(`^(?:[\s,.:;]|에는|에|마다|and\b|please\b|to\b|with\b)+|[\s,.:;]+(?:please|pls|at|on|and|에|마다|once|so)?[\s,.:;!?]*$`),
	}
})

func firstRunes(words map[string]string) string {
	var out []rune
	for w := range words {
		if r := []rune(w); isHangul(r[0]) {
			out = append(out, r[0])
		}
	}
	slices.Sort(out)
	return string(slices.Compact(out))
}

// findRecurrence parses a recurring time ("every monday at 10:00", "매주 금요일 오후 6시에") and returns it in cron
// syntax with the rest of the request as the task. ok is false if there is none.
func findRecurrence(text string) (rec recurrence, ok bool) {
	s := rewriteTimes(strings.ToLower(text))
	if !containsAny(s, "every", "each ", "daily", "weekly", "hourly", "monthly", "nightly", "매", "마다", "씩", "每", "a day", "per day", "평일", "주말", "weekday", "weekend", "간격", "한 번", "한번", "격일", "工作日", "周末", "a week", "an hour", "once a", "on the", "past the hour") {
		return rec, false
	}
	c := cronParse{text: s, minute: -1, hour: -1}
	c.minuteOfEveryHour()
	c.monthDay()
	c.weekday()
	c.interval()
	c.phrase()
	if !c.dayNamed {
		c.weekday()
	}
	c.clock()
	if c.repeats && !c.dayNamed && c.days == "" && c.weekdays == "" {
		c.weekday() // 일요일 저녁 9시마다
	}
	if !c.repeats {
		return rec, false
	}
	return recurrence{cron: c.fields(), task: c.taskText(text)}, true
}

type rewrite struct {
	re *regexp.Regexp
	to string
}

// recurrenceRewrites rewrite less common forms of recurring times to those that the patterns above match.
var recurrenceRewrites = sync.OnceValue(func() []rewrite {
	day := `(mon|tues|wednes|thurs|fri|satur|sun)`
	return []rewrite{
		{regexp.MustCompile(`([월화수목금토일])욜`), "${1}요일"},
		{regexp.MustCompile(`(?:월요일부터\s*금요일까지|월\s*[~-]\s*금(?:요일)?)(?:에)?`), "평일"},
		{regexp.MustCompile(`(?:토요일이랑 일요일|토일|토,\s*일)(?:에)?\s`), "주말 "},
		{regexp.MustCompile(`^([월화수목금토일]요일)(이랑|과|하고|,)\s*([월화수목금토일]요일)`), "매주 $1$2 $3"},
		{regexp.MustCompile(`(?:(?:every|from)\s+)?mon(?:day)?s?\s*(?:to|through|till|until|-)\s*fri(?:day)?s?`), "every weekday"},
		{regexp.MustCompile(`(?:\bon\s+|\bevery\s+)?\b` + day + `days\b(?:\s+and\s+` + day + `days\b)?`), "every ${1}day and ${2}day"},
		{regexp.MustCompile(` and day\b`), ""},
		{regexp.MustCompile(`\b(?:each|every)\s+(?:single|other)?\s*day\b`), "every day"},
		{regexp.MustCompile(`\b(?:every|each)\s+night\s+at\b`), "every day at"},
		{regexp.MustCompile(`每?逢`), "每"},
		{regexp.MustCompile(`每个(周|星期|礼拜|月|小时)`), "每$1"},
		{regexp.MustCompile(`(?:每?周一(?:到|至)周五|每?星期一(?:到|至)(?:星期)?五)`), "工作日"},
	}
})

func rewriteTimes(s string) string {
	for _, o := range recurrenceRewrites() {
		s = o.re.ReplaceAllString(s, o.to)
	}
	return s
}

var minuteOfHour = pattern(`매시(?:간)?(?:마다)?\s*(\d{1,2})\s*분(?:마다|에)?|\b(?:at\s+)?(\d{1,2}|half|(?:a\s+)?quarter|ten|five|twenty)\s*(?:minutes?\s+|mins?\s+)?(?:past|after)\s+(?:the\s+|every\s+|each\s+)+hour|每小时的?第?\s*(\d{1,2})\s*分钟?`)

// minuteOfEveryHour parses a minute of every hour: 매시 15분, "half past every hour".
func (c *cronParse) minuteOfEveryHour() {
	c.take(minuteOfHour(), func(m []string) bool {
		word := m[1] + m[2] + m[3]
		n, err := strconv.Atoi(word)
		switch {
		case err == nil:
		case strings.Contains(word, "half"):
			n = 30
		case strings.Contains(word, "quarter"):
			n = 15
		case word == "twenty":
			n = 20
		default:
			n = numberOf(word)
		}
		if n > 59 {
			return false
		}
		c.minutes, c.repeats = strconv.Itoa(n), true
		return true
	})
}

// cronParse collects the parts of a recurring time and blanks them out in text.
type cronParse struct {
	text                                      string
	minute, hour                              int
	minutes, hours, days, weekdays            string // steps or lists, "" when plain
	half                                      string // am, pm or a part of the day
	repeats, everyMinute, everyHour, dayNamed bool
	cuts                                      [][2]int
	afterVerb                                 string // what follows the verb of a reminder
}

func (c *cronParse) take(re *regexp.Regexp, use func(m []string) bool) {
	loc := re.FindStringSubmatchIndex(c.text)
	if loc == nil {
		return
	}
	m := make([]string, len(loc)/2)
	for i := range m {
		if loc[2*i] >= 0 {
			m[i] = c.text[loc[2*i]:loc[2*i+1]]
		}
	}
	if !use(m) {
		return
	}
	c.cuts = append(c.cuts, [2]int{loc[0], loc[1]})
	c.text = c.text[:loc[0]] + strings.Repeat("\x00", loc[1]-loc[0]) + c.text[loc[1]:]
}

func (c *cronParse) monthDay() {
	c.take(cronRegexps().monthDay, func(m []string) bool {
		day := strings.Join(m[1:], "")
		day = strings.TrimRight(day, "stndrh")
		if strings.HasPrefix(day, "fi") {
			day = "1"
		}
		n, err := strconv.Atoi(day)
		if err != nil || n < 1 || n > 31 {
			return false
		}
		c.days, c.repeats = strconv.Itoa(n), true
		return true
	})
}

func (c *cronParse) interval() {
	if c.repeats {
		return
	}
	c.take(cronRegexps().interval, func(m []string) bool {
		number, unit := m[1]+m[3]+m[5], m[2]+m[4]+m[6]
		if m[7] != "" {
			number, unit = "", m[7]
		}
		n := numberOf(number)
		switch number {
		case "other":
			n = 2
		case "half", "반", "半": // of an hour
			n, unit = 30, "minutes"
		}
		return c.every(n, unit)
	})
}

// every sets a step of n units. It returns false if the unit cannot repeat in such steps.
func (c *cronParse) every(n int, word string) bool {
	unit := times().valueOf("unit", word)
	if again := times().valueOf("repeat", word); again != "" {
		unit = again
		if number, u, two := strings.Cut(again, " "); two {
			n, unit = numberOf(number), u
		}
	}
	if n < 1 || n > 59 {
		return false
	}
	c.repeats = true
	step := "*/" + strconv.Itoa(n)
	switch unit {
	case "minute":
		c.minutes, c.everyMinute = step, n == 1
	case "hour":
		c.hours, c.everyHour = step, n == 1
	case "day":
		if n > 1 {
			c.days = step
		}
	case "week":
		c.weekdays = "1"
	case "month":
		c.days = "1"
	case "night":
		c.half = "night"
	}
	return true
}

func (c *cronParse) phrase() {
	c.take(cronRegexps().phrase, func(m []string) bool {
		word := strings.Join(m[1:], "")
		days := times().valueOf("days", word)
		switch {
		case days != "":
			c.weekdays = days
		case strings.HasPrefix(m[0], "twice"), containsAny(m[0], "두 번", "두번", "2번"):
			c.hours = "9,21"
		case containsAny(m[0], "week", "일주일"):
			c.weekdays = "1"
		case containsAny(m[0], "month", "달"):
			c.days = "1"
		case containsAny(m[0], "hour", "시간"):
			c.hours, c.everyHour = "*/1", true
		default:
			c.half = word
		}
		c.repeats = true
		return true
	})
}

func (c *cronParse) weekday() {
	c.take(cronRegexps().weekday, func(m []string) bool {
		days := weekdaysOf(m[1] + m[2] + m[3])
		if days == "" || m[2] != "" && !strings.Contains(m[2], "요일") {
			return false
		}
		// "on monday" or "월요일에" alone happens once.
		if !c.repeats && strings.HasPrefix(m[0], "on ") || m[2] != "" && !c.repeats && !containsAny(m[0], "마다", "매주") {
			return false
		}
		c.weekdays, c.repeats, c.dayNamed = days, true, true
		return true
	})
}

// weekdaysOf returns the days of the week named in s as cron numbers.
func weekdaysOf(s string) string {
	s = strings.ReplaceAll(s, "요일", "")
	var days []string
	for word, day := range times().value["weekday"] {
		if strings.Contains(s, strings.TrimSuffix(word, "요일")) && !slices.Contains(days, day) {
			days = append(days, day)
		}
	}
	slices.Sort(days)
	return strings.Join(days, ",")
}

func (c *cronParse) clock() {
	c.take(cronRegexps().clock, func(m []string) bool {
		hour, minute, half := m[2]+m[7]+m[10]+m[13]+m[18], m[3]+m[8]+m[11]+m[14]+m[19], m[4]+m[5]+m[6]+m[9]+m[12]+m[17]
		switch {
		case m[1] == "noon", m[16] == "정오":
			hour = "12"
		case m[1] == "midnight", m[16] == "자정", m[21] != "":
			hour, half = "0", ""
		case m[15] != "", m[20] != "":
			minute = "30"
		}
		h := numberOf(hour)
		if h > 23 || hour == "" {
			return false
		}
		half = cmp.Or(half, c.half)
		c.hour, c.minute = to24Hours(h, half), 0
		c.repeats = c.repeats || strings.HasSuffix(m[0], "마다")
		if n, err := strconv.Atoi(minute); err == nil && n < 60 {
			c.minute = n
		}
		return true
	})
}

// to24Hours converts an hour on a 12-hour clock to a 24-hour clock.
func to24Hours(h int, half string) int {
	part := times().valueOf("part", half)
	switch {
	case strings.HasPrefix(half, "a") && part != "pm", part == "am", part == "night" && h < 5 || part == "night" && h == 12:
		if h == 12 {
			return 0
		}
	case h < 12 && (strings.HasPrefix(half, "p") || part == "pm" || part == "night" || part == "noon" && h < 11):
		return h + 12
	}
	return h
}

// fields returns the five cron fields. A day without an hour means 9:00, an evening 21:00.
func (c *cronParse) fields() string {
	minute, hour, day, week := "0", "9", "*", "*"
	if part := times().valueOf("part", c.half); part == "night" || part == "pm" && !containsAny(c.half, "afternoon", "오후", "下午") {
		hour = "21"
	}
	if c.hour >= 0 {
		minute, hour = strconv.Itoa(c.minute), strconv.Itoa(c.hour)
	}
	if c.days != "" {
		day = c.days
	}
	if c.weekdays != "" {
		week = c.weekdays
	}
	switch {
	case c.everyMinute:
		minute, hour = "*", "*"
	case c.minutes != "":
		minute, hour = c.minutes, "*"
	case c.everyHour:
		minute, hour = "0", "*"
	case c.hours != "":
		minute, hour = "0", c.hours
	}
	return strings.Join([]string{minute, hour, day, "*", week}, " ")
}

// taskText returns the request without its time, in the user's words.
func (c *cronParse) taskText(original string) string {
	if len(original) != len(c.text) { // lower-casing changed the length: use the lower-case text
		original = c.text
	}
	b := []byte(original)
	for _, cut := range c.cuts {
		for i := cut[0]; i < cut[1] && i < len(b); i++ {
			b[i] = ' '
		}
	}
	s := strings.Join(strings.Fields(string(b)), " ")
	edges := cronRegexps().edges
	for range 3 {
		s = strings.TrimSpace(edges.ReplaceAllString(s, ""))
	}
	return s
}
