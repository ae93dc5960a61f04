package intent

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// moment is a single time as a request gives it. It becomes a time once the present is known.
type moment struct {
	after time.Duration // from now; 0 if day and time of day are given
	day   string        // "" for the next time of that day, +N days, "weekday N", "next weekday N", MM-DD, YYYY-MM-DD
	hour  int           // -1 if only the day is given
	// minute of the hour. vague reports an hour that can be before or after noon.
	minute int
	vague  bool
}

// clock returns the time of day in the form that the tools match: 06:00, or 6:00 if it can be 18:00 too.
func (m moment) clock() string {
	if m.vague {
		return fmt.Sprintf("%d:%02d", m.hour, m.minute)
	}
	return fmt.Sprintf("%02d:%02d", m.hour, m.minute)
}

// String describes the moment without knowing the present, as the tools read it where they can.
func (m moment) String() string {
	switch {
	case m.after > 0:
		return strconv.Itoa(int(m.after/time.Minute)) + "m"
	case m.day == "":
		return fmt.Sprintf("%02d:%02d", m.hour, m.minute)
	}
	return fmt.Sprintf("%s %02d:%02d", m.day, m.hour, m.minute)
}

// MarshalText makes a moment that is not resolved readable.
func (m moment) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// defaultHour is the time of day of a reminder that names only a day.
const defaultHour = 9

// resolve returns the time in RFC 3339, or the topic of the question back: reminder_past, reminder_date.
func (m moment) resolve(now time.Time) (at, topic string) {
	if now.IsZero() {
		return m.String(), ""
	}
	if m.after > 0 {
		return now.Add(m.after).Truncate(time.Second).Format(time.RFC3339), ""
	}
	date, topic := m.date(now)
	if topic != "" {
		return "", topic
	}
	hour := m.hour
	if hour < 0 {
		hour = defaultHour
	}
	due := onDay(date, hour, m.minute)
	if m.vague && !due.After(now) && onDay(date, hour+12, m.minute).After(now) {
		due = onDay(date, hour+12, m.minute)
	}
	if m.vague && !isSameDay(date, now) && m.hour < 7 && m.day != "" { // "tomorrow at 3" is not in the night
		due = onDay(date, hour+12, m.minute)
	}
	switch {
	case due.After(now):
	case m.day == "":
		due = onDay(date.AddDate(0, 0, 1), hour, m.minute)
	case strings.HasPrefix(m.day, "weekday"):
		due = onDay(date.AddDate(0, 0, 7), hour, m.minute)
	case len(m.day) == len("01-02"):
		due = onDay(date.AddDate(1, 0, 0), hour, m.minute)
	default:
		return "", "reminder_past"
	}
	return due.Format(time.RFC3339), ""
}

func onDay(date time.Time, hour, minute int) time.Time {
	return time.Date(date.Year(), date.Month(), date.Day(), hour, minute, 0, 0, date.Location())
}

func isSameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// date returns the day of the moment.
func (m moment) date(now time.Time) (date time.Time, topic string) {
	kind, word, _ := strings.Cut(m.day, " ")
	if kind == "next" {
		_, word, _ = strings.Cut(word, " ")
	}
	n, _ := strconv.Atoi(word)
	switch {
	case m.day == "":
		return now, ""
	case strings.HasPrefix(m.day, "+"):
		days, _ := strconv.Atoi(m.day[1:])
		return now.AddDate(0, 0, days), ""
	case kind == "weekday":
		return now.AddDate(0, 0, (n-int(now.Weekday())+7)%7), ""
	case kind == "next": // of the next week, which begins on Monday
		monday := now.AddDate(0, 0, 7-(int(now.Weekday())+6)%7)
		return monday.AddDate(0, 0, (n+6)%7), ""
	case kind == "day": // of this month or the next
		if n < now.Day() {
			now = time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, now.Location())
		}
		return dateIn(now, fmt.Sprintf("%d-%02d-%02d", now.Year(), now.Month(), n))
	case len(m.day) == len("01-02"):
		return dateIn(now, fmt.Sprintf("%d-%s", now.Year(), m.day))
	}
	return dateIn(now, m.day)
}

func dateIn(now time.Time, text string) (time.Time, string) {
	date, err := time.ParseInLocation(time.DateOnly, text, now.Location())
	if err != nil {
		return date, "reminder_date"
	}
	return date, ""
}

// momentPatterns are compiled when a request first mentions a reminder.
type momentPatterns struct {
	after, half, timer            *regexp.Regexp
	iso, month, dayOnly           *regexp.Regexp
	weekday, days, part, past, on *regexp.Regexp
}

var momentRegexps = sync.OnceValue(func() momentPatterns {
	t := times()
	en := `(\d+(?:\.5)?|` + t.alternation("number", latin) + `|(?:twenty|thirty|forty|fifty)(?:[ -]?(?:one|two|three|four|five|six|seven|eight|nine))?)`
	enUnit := `(` + t.alternation("unit", latin) + `|m|h)`
	ko := `(\d+|하루|이틀|사흘|나흘|일주일|보름|` + t.alternation("number", hangul) + `|[일이삼사오육칠팔구]?십[일이삼사오육칠팔구]?)`
	koUnit := `(` + t.alternation("unit", hangul) + `)?`
	zh := `(\d+|[一二两三四五六七八九十半]+)`
	zhUnit := `(` + t.alternation("unit", han) + `)`
	months := `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`
	enDay, koDay := t.alternation("weekday", latin), `([월화수목금토일])(?:요일|욜)`
	return momentPatterns{
		half: regexp.MustCompile(`\b(?:in |after )?(?:(half an|a half)[ -]hour|an hour and a half|(one|two|three|four|five|\d+) and a half hours)(?: from now)?\b|` +
			`(한|두|세|네|\d+)\s*시간\s*반\s*(?:뒤|후|있다가?|이따가?|지나서|만\s*있다가)(?:에)?|(반)\s*시간\s*(?:뒤|후|있다가?|이따가?|지나서|만\s*있다가)(?:에)?|` +
			`(?:过)?(一|两|二|三|\d+)个半(?:小时|钟头)(?:后|以后|之后)?|(?:过)?(半)个?(?:小时|钟头)(?:后|以后|之后)?`),
		after: regexp.MustCompile(`\b(?:in|after) (?:about |around |like )?(?:a )?` + en + `(?: more)? ?` + enUnit + `\b(?: from now)?|\b` + en + ` ?` + enUnit + ` (?:from now|later)\b|` +
			ko + `\s*` + koUnit + `\s*(?:뒤|후|있다가?|이따가?|지나서|지나면|만\s*있다가)(?:에|쯤)*|` +
			`(?:过)?` + zh + `个?` + zhUnit + `(?:后|以后|之后|过后)`),
		timer: regexp.MustCompile(`\b(?:for )?(?:a )?` + en + `[ -]?` + enUnit + `\b|` + ko + `\s*` + `(` + t.alternation("unit", hangul) + `)` + `(?:짜리|만)?|` + zh + `个?` + zhUnit),
		iso:   regexp.MustCompile(`(?:\bon )?(20\d\d)[-./](\d{1,2})[-./](\d{1,2})(?:t|\b)`),
		month: regexp.MustCompile(`\b(?:on )?(?:the )?` + months + `\.? (\d{1,2})(?:st|nd|rd|th)?\b|\b(?:on )?(?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: of)? ` + months + `\b|` +
			`(\d{1,2})\s*월\s*(\d{1,2})\s*일(?:에|날)?|(\d{1,2})月(\d{1,2})[号日]?|(?:^|\s)(\d{1,2})/(\d{1,2})(?:\s|$|에)`),
		dayOnly: regexp.MustCompile(`\bon the (\d{1,2})(?:st|nd|rd|th)\b|(?:^|\s)(?:이번\s*달\s*)?(\d{1,2})\s*일(?:에|날)|(?:本月|这个月)?(\d{1,2})[号日]`),
		weekday: regexp.MustCompile(`\b(next|on|this|this coming) (` + enDay + `)\b|\b((?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|(다음\s*주|담주)?(?:이번\s*주\s*)?\s*` + koDay + `(?:에|날)?|(下)?(?:个)?(?:周|星期|礼拜)([一二三四五六日天])`),
		days: regexp.MustCompile(`\b(day after tomorrow|the day after tomorrow|tomorrow|tmrw|tmr|tonight|today|this (?:morning|afternoon|evening)|next week)\b|` +
			`(내일\s*모레|모레|내일|낼|글피|오늘|다음\s*주|담주)(?:에)?|(大后天|后天|明天|明早|明晚|明日|今晚|今天|今早|下周|下星期)`),
		part: regexp.MustCompile(`\b(?:in the |at |this )?(morning|afternoon|evening|night|tonight|lunch ?time|noon|midnight)\b|(아침|점심|저녁|밤|새벽|오전|오후|정오|자정)(?:에|때)?|(早上|上午|中午|下午|傍晚|晚上|夜里|半夜|明早|明晚|今晚|今早)`),
		past: regexp.MustCompile(`\b(?:at |@ ?)?(?:(half|quarter) (past|to)|(\d{1,2}|five|ten|twenty) (?:minutes? )?(past|to)) (\d{1,2}|` + t.alternation("number", latin) + `)\b(?:\s*(am|pm|in the morning|in the afternoon|in the evening|at night|this (?:morning|afternoon|evening)))?`),
		on:   regexp.MustCompile(`\b(?:by|around|about|before) ?(\d{1,2}(?::\d\d)? ?(?:am|pm|o'?clock)?)\b`),
	}
})

// moment parses and cuts a single time. ok is false if there is none.
func (c *cronParse) moment() (m moment, ok bool) {
	p := momentRegexps()
	m.hour = -1
	if c.after(&m, p) {
		return m, true
	}
	dated := c.date(&m, p)
	c.timeOfDay(&m, p)
	if m.hour < 0 && !dated && containsAny(c.text, "timer", "타이머", "定时器", "倒计时", "计时器", "alarm for", "reminder for", "알람", "闹钟") {
		return m, c.take1(p.timer, func(g []string) bool { return m.setAfter(g) })
	}
	return m, dated && m.day != "+0" || m.hour >= 0
}

// take1 is take that reports whether the form was used.
func (c *cronParse) take1(re *regexp.Regexp, use func(m []string) bool) (used bool) {
	c.take(re, func(m []string) bool {
		used = use(m)
		return used
	})
	return used
}

// after parses a span from now.
func (c *cronParse) after(m *moment, p momentPatterns) bool {
	if c.take1(p.half, func(g []string) bool {
		whole := g[2] + g[3] + g[5]
		m.after = 30 * time.Minute
		switch {
		case strings.Contains(g[0], "an hour and a half"):
			m.after += time.Hour
		case whole != "":
			m.after += time.Duration(numeral(whole)) * time.Hour
		}
		return true
	}) {
		return true
	}
	return c.take1(p.after, func(g []string) bool { return m.setAfter(g) })
}

// koreanDays are Korean words for spans of days.
var koreanDays = map[string]int{"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "일주일": 7, "보름": 15}

// setAfter sets the span of the first number in the groups of a form, with the unit after it.
func (m *moment) setAfter(g []string) bool {
	for i := 1; i+1 < len(g); i += 2 {
		number, word := g[i], g[i+1]
		if number == "" {
			continue
		}
		if days, known := koreanDays[number]; known {
			m.after = time.Duration(days) * 24 * time.Hour
			return true
		}
		unit := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour}[cmp.Or(
			map[string]string{"m": "minute", "h": "hour"}[word], times().valueOf("unit", word))]
		if number == "반" || number == "半" || number == "half" {
			m.after = unit / 2
			return unit > 0
		}
		number, halves := strings.CutSuffix(number, ".5")
		m.after = time.Duration(numeral(number)) * unit
		if halves {
			m.after += unit / 2
		}
		return unit > 0 && m.after > 0 && m.after <= 366*24*time.Hour
	}
	return false
}

// numeral parses a number in digits or words: 25, twenty-five, 이십오, 二十五. It returns 0 for other words.
func numeral(s string) int {
	s = strings.TrimSpace(s)
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, err := strconv.Atoi(times().valueOf("number", s)); err == nil {
		return n
	}
	for tens, value := range map[string]int{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50} {
		if rest, ok := strings.CutPrefix(s, tens); ok {
			return value + numeral(strings.Trim(rest, " -"))
		}
	}
	tens, ones, ok := strings.Cut(s, "십")
	if !ok {
		tens, ones, ok = strings.Cut(s, "十")
	}
	if !ok {
		return map[string]int{"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9, "二": 2}[s]
	}
	return 10*max(1, numeral(tens)) + numeral(ones)
}

// date parses the day of a moment.
func (c *cronParse) date(m *moment, p momentPatterns) bool {
	day := func(format string, parts ...any) bool { m.day = fmt.Sprintf(format, parts...); return true }
	return c.take1(p.iso, func(g []string) bool { return day("%s-%02d-%02d", g[1], numeral(g[2]), numeral(g[3])) }) ||
		c.take1(p.month, func(g []string) bool {
			month, date := g[5]+g[7]+g[9], g[2]+g[3]+g[6]+g[8]+g[10]
			if name := g[1] + g[4]; name != "" {
				at, err := time.Parse("Jan", strings.ToUpper(name[:1])+name[1:3])
				return err == nil && day("%02d-%02d", at.Month(), numeral(date))
			}
			return day("%02d-%02d", numeral(month), numeral(date))
		}) ||
		c.take1(p.dayOnly, func(g []string) bool { return day("day %d", numeral(g[1]+g[2]+g[3])) }) ||
		c.take1(p.weekday, func(g []string) bool {
			n := times().valueOf("weekday", g[2]+g[3]+g[7])
			if g[5] != "" {
				n = times().valueOf("weekday", g[5]+"요일")
			}
			if n == "" {
				return false
			}
			if g[1] == "next" || g[4] != "" || g[6] != "" {
				return day("next weekday %s", n)
			}
			return day("weekday %s", n)
		}) ||
		c.take1(p.days, func(g []string) bool { return c.dayWord(m, strings.Join(strings.Fields(g[1]+g[2]+g[3]), " ")) })
}

// dayWord sets the day of a word such as tomorrow. Words that name a part of the day too set its hour.
func (c *cronParse) dayWord(m *moment, word string) bool {
	plain := strings.ReplaceAll(word, " ", "")
	switch {
	case strings.Contains(plain, "dayaftertomorrow"), plain == "내일모레", plain == "모레", plain == "后天":
		m.day = "+2"
	case plain == "글피", plain == "大后天":
		m.day = "+3"
	case strings.HasPrefix(plain, "tom"), strings.HasPrefix(plain, "tm"), plain == "내일", plain == "낼", strings.HasPrefix(plain, "明"):
		m.day = "+1"
	case plain == "nextweek", plain == "다음주", plain == "담주", strings.HasPrefix(plain, "下"):
		m.day = "next weekday 1"
	default:
		m.day = "+0"
	}
	for part, word := range map[string]string{"morning": "morning", "早": "早上", "afternoon": "afternoon", "evening": "evening", "night": "night", "晚": "晚上"} {
		if strings.Contains(plain, part) {
			c.half = word
		}
	}
	return true
}

// partHours are the hours of parts of the day that are named without a time.
var partHours = map[string]int{
	"morning": 9, "afternoon": 15, "evening": 18, "night": 21, "tonight": 20, "lunchtime": 12, "lunch time": 12, "noon": 12, "midnight": 0,
	"아침": 9, "점심": 12, "저녁": 18, "밤": 21, "새벽": 5, "오전": 9, "오후": 15, "정오": 12, "자정": 0,
	"早上": 9, "上午": 9, "中午": 12, "下午": 15, "傍晚": 18, "晚上": 20, "夜里": 22, "半夜": 0,
}

// timeOfDay parses the time of day of a moment.
func (c *cronParse) timeOfDay(m *moment, p momentPatterns) {
	if c.take1(p.past, func(g []string) bool { return m.setPast(g, c.half) }) {
		return
	}
	if loc := p.on.FindStringSubmatchIndex(c.text); loc != nil { // by 6: at 6
		lead := c.text[loc[0]:loc[2]]
		c.text = c.text[:loc[0]] + "at" + strings.Repeat(" ", len(lead)-2) + c.text[loc[2]:]
		c.cuts = append(c.cuts, [2]int{loc[0], loc[2]})
	}
	text, before, dayPart := c.text, len(c.cuts), c.half
	c.text = strings.ReplaceAll(c.text, "시간", strings.Repeat("\x01", len("시간"))) // "3시간" is no time of day
	c.clock()
	c.text = strings.ReplaceAll(c.text, strings.Repeat("\x01", len("시간")), "시간")
	switch {
	case len(c.cuts) > before:
		cut := c.cuts[before]
		m.hour, m.minute = c.hour, c.minute
		m.vague = m.hour > 0 && m.hour < 12 && dayPart == "" && !definiteClock().MatchString(text[cut[0]:cut[1]])
		if m.vague {
			c.take1(p.part, func(g []string) bool {
				m.hour, m.vague = to24Hours(m.hour, g[1]+g[2]+g[3]), false
				return true
			})
		}
	case dayPart != "":
		m.hour = partHours[dayPart]
	default:
		c.take1(p.part, func(g []string) (known bool) {
			hour, known := partHours[g[1]+g[2]+g[3]]
			if known {
				m.hour = hour
			}
			return known
		})
	}
}

// definiteClock matches a time of day that is not on a 12-hour clock without its half.
var definiteClock = pattern(`(?i)\d\s*(?:am|pm|a\.m|p\.m)|morning|afternoon|evening|night|noon|\b0\d:|오전|오후|아침|점심|저녁|밤|새벽|낮|정오|자정|早|上午|下午|中午|晚|夜|凌晨|傍晚`)

// setPast sets a time such as "half past two" or "ten to six".
func (m *moment) setPast(g []string, part string) bool {
	hour, minutes := numeral(g[5]), 30
	if g[1] == "quarter" {
		minutes = 15
	}
	if g[3] != "" {
		minutes = numeral(g[3])
	}
	half := strings.TrimSpace(g[6])
	if at := strings.LastIndexByte(half, ' '); at >= 0 {
		half = half[at+1:]
	}
	if hour < 1 || hour > 12 || minutes > 59 || g[1] == "half" && g[2] == "to" {
		return false
	}
	if g[2]+g[4] == "to" {
		hour, minutes = (hour+10)%12+1, 60-minutes
	}
	half = cmp.Or(half, part)
	m.hour, m.minute, m.vague = to24Hours(hour, half), minutes, half == "" && hour < 12
	return true
}
