package intent

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// recurrence is a repeating time found in a request and the request without it.
type recurrence struct {
	cron string // five fields (crontab(5)), local time
	task string
}

type cronPatterns struct {
	interval, clock, weekday, monthDay, phrase *regexp.Regexp
	edges                                      *regexp.Regexp
}

const (
	enDay = `(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?`
	koNum = `(?:열두|열한|열|아홉|여덟|일곱|여섯|다섯|네|세|두|한)`
	zhNum = `(?:十二|十一|十|九|八|七|六|五|四|三|二|两|一)`
)

var cronRegexps = sync.OnceValue(func() cronPatterns {
	return cronPatterns{
		interval: regexp.MustCompile(`(?:every|each)\s+(\d+|two|three|five|ten|other|half)?\s*(?:an?\s+)?(minutes?|mins?|hours?|hrs?|hr|days?|weeks?|months?)\b|(\d+|` + koNum + `|반)\s*(분|시간|일)\s*(?:마다|에\s*한\s*번씩?|에\s*1번|간격으로|간격)|每隔?\s*(\d+|` + zhNum + `|半)?\s*个?(分钟|小时|天|周|星期|月)|(매시간|매시|매분|매일|날마다|매주|매달|매월|hourly|daily|nightly|weekly|monthly|격일)`),
		clock:    regexp.MustCompile(`\b(?:at\s+)?(noon|midnight)\b|(?:\bat\s+|@\s*)(\d{1,2})(?::(\d{2}))?\s*(am|pm|a\.m\.|p\.m\.|o'?clock)?(?:\s+in the (morning|afternoon|evening)|\s+at (night))?|\b(\d{1,2})(?::(\d{2}))?\s*(am|pm)\b|\b(\d{1,2}):(\d{2})\b|(?:(오전|오후|아침|저녁|밤|새벽|낮|점심)\s*(?:에\s*)?)?(\d{1,2}|` + koNum + `)\s*시(?:\s*(\d{1,2})\s*분|\s*(반))?(?:에|쯤|마다|정각)?|(정오|자정)(?:에|마다)?|(早上|上午|下午|晚上|凌晨|中午|傍晚)?\s*(\d{1,2}|` + zhNum + `)\s*[点點](?:钟|整)?(?:(\d{1,2})分?|(半))?|(午夜)`),
		weekday:  regexp.MustCompile(`\b(?:every|each|on)\s+(` + enDay + `(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)` + enDay + `)*)\b|(?:매주\s*)?([월화수목금토일](?:요일)?(?:\s*(?:,|과|와|이랑|랑|하고)?\s*[월화수목금토일]요일)*)(?:요일)?\s*(?:마다|에)?|每(?:周|星期|週|礼拜)([一二三四五六日天](?:[、和,]?[一二三四五六日天])*)`),
		monthDay: regexp.MustCompile(`(?:every|each)\s+month\s+on\s+the\s+(\d{1,2})(?:st|nd|rd|th)?|on\s+the\s+(first|1st|\d{1,2}(?:st|nd|rd|th))\s+(?:day\s+)?of\s+(?:every|each|the)\s+month|(?:the\s+)?(first|\d{1,2}(?:st|nd|rd|th))\s+(?:day\s+)?of\s+(?:every|each)\s+month|(?:매달|매월)\s*(\d{1,2})\s*일(?:에|마다)?|每月\s*(\d{1,2})\s*[号日]`),
		phrase:   regexp.MustCompile(`\b(?:every|each)\s+(morning|evening|night|afternoon|weekday|weekend|day|lunch)s?\b|\b(?:on\s+)?(weekday|weekend)s?\b|(?:매일\s*)?(아침|저녁|밤|새벽|점심|낮)\s*마다|매일\s*(아침|저녁|밤|새벽|점심|낮)|(평일|주말)(?:마다|에는|에)?|(?:하루에?|매일)\s*(?:한|두|1|2)\s*번씩?|\b(?:once|twice)\s+(?:a|per)\s+(?:day|week|hour|month)|(?:일주일|한\s*달|한\s*시간)에\s*한\s*번씩?|每天(早上|晚上|上午|下午|凌晨|中午)?|每(早|晚)|(工作日|周末)`),
		edges:    regexp.MustCompile(`^(?:[\s,.:;]|에는|에|마다|and\b|please\b|to\b|with\b)+|[\s,.:;]+(?:please|pls|at|on|and|에|마다|once|so)?[\s,.:;!?]*$`),
	}
})

// findRecurrence understands a repeating time ("every monday at 10:00", "매주
// 금요일 오후 6시에") and returns it as cron with what remains as the task. ok is
// false when the request has none.
func findRecurrence(text string) (rec recurrence, ok bool) {
	s := strings.ToLower(text)
	if !containsAny(s, "every", "each ", "daily", "weekly", "hourly", "monthly", "nightly", "매", "마다", "씩", "每", "a day", "per day", "평일", "주말", "weekday", "weekend", "간격", "한 번", "한번", "격일", "工作日", "周末", "a week", "an hour", "once a", "on the") {
		return rec, false
	}
	c := cronParse{text: s, minute: -1, hour: -1}
	c.monthDay()
	c.weekday()
	c.interval()
	c.phrase()
	if !c.dayNamed {
		c.weekday()
	}
	c.clock()
	if !c.repeats {
		return rec, false
	}
	return recurrence{cron: c.fields(), task: c.rest(text)}, true
}

// cronParse collects the parts of a repeating time and blanks them out of text.
type cronParse struct {
	text                                      string
	minute, hour                              int
	minutes, hours, days, weekdays            string // steps or lists, "" when plain
	half                                      string // am, pm or a part of the day
	repeats, everyMinute, everyHour, dayNamed bool
	cuts                                      [][2]int
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
		case "half", "반", "半":
			n, unit = 30, "min"
		}
		return c.every(n, unit)
	})
}

// every sets a step of n units; false when the unit cannot repeat so.
func (c *cronParse) every(n int, unit string) bool {
	if n < 1 || n > 59 {
		return false
	}
	c.repeats = true
	step := "*/" + strconv.Itoa(n)
	switch {
	case hasAnyPrefix(unit, "min", "분", "分钟", "매분"):
		c.minutes, c.everyMinute = step, n == 1
	case hasAnyPrefix(unit, "hour", "hr", "시간", "小时", "매시"):
		c.hours, c.everyHour = step, n == 1
	case unit == "격일":
		c.days = "*/2"
	case hasAnyPrefix(unit, "day", "일", "天"):
		if n > 1 {
			c.days = step
		}
	case hasAnyPrefix(unit, "week", "매주", "周", "星期"):
		c.weekdays = "1"
	case hasAnyPrefix(unit, "month", "매달", "매월", "月"):
		c.days = "1"
	case unit == "nightly":
		c.half = "night"
	}
	return true
}

func (c *cronParse) phrase() {
	c.take(cronRegexps().phrase, func(m []string) bool {
		word := strings.Join(m[1:], "")
		switch {
		case hasAnyPrefix(word, "weekday", "평일", "工作日"):
			c.weekdays = "1-5"
		case hasAnyPrefix(word, "weekend", "주말", "周末"):
			c.weekdays = "0,6"
		case strings.HasPrefix(m[0], "twice"):
			c.hours = "9,21"
		case containsAny(m[0], "두 번", "두번", "2번"):
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

var weekdayNames = [][]string{{"sun", "일", "日", "天"}, {"mon", "월", "一"}, {"tue", "화", "二"}, {"wed", "수", "三"}, {"thu", "목", "四"}, {"fri", "금", "五"}, {"sat", "토", "六"}}

// weekdaysOf lists the days of the week named in s as cron numbers.
func weekdaysOf(s string) string {
	s = strings.ReplaceAll(s, "요일", "")
	var days []string
	for n, names := range weekdayNames {
		if containsAny(s, names...) {
			days = append(days, strconv.Itoa(n))
		}
	}
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
		if half == "" {
			half = c.half
		}
		c.hour, c.minute = in24(h, half), 0
		if n, err := strconv.Atoi(minute); err == nil && n < 60 {
			c.minute = n
		}
		return true
	})
}

// in24 turns an hour on a 12-hour clock into one of 24.
func in24(h int, half string) int {
	switch {
	case containsAny(half, "pm", "p.m", "오후", "저녁", "afternoon", "evening", "下午", "晚", "傍晚"), containsAny(half, "night", "밤") && h >= 5, containsAny(half, "낮", "점심", "中午") && h < 11:
		if h < 12 {
			return h + 12
		}
		if containsAny(half, "밤", "night", "晚") {
			return 0
		}
	case containsAny(half, "am", "a.m", "오전", "새벽", "凌晨", "上午", "早"), containsAny(half, "night", "밤"):
		if h == 12 {
			return 0
		}
	}
	return h
}

// fields writes the five cron fields. A day without an hour is asked for at
// nine in the morning, an evening at nine at night.
func (c *cronParse) fields() string {
	minute, hour, day, week := "0", "9", "*", "*"
	if containsAny(c.half, "evening", "night", "저녁", "밤", "晚") {
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

// rest is the request without its time, in the words of the person.
func (c *cronParse) rest(original string) string {
	if len(original) != len(c.text) { // lower-casing changed a length: keep the lower-case text
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
