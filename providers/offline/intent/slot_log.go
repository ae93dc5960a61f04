package intent

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// timePatterns are compiled when the first request mentions time: most never do.
type timePatterns struct {
	agoEnglish, agoKorean, agoChinese, clock, date, lines *regexp.Regexp
}

var sincePatterns = sync.OnceValue(func() timePatterns {
	return timePatterns{
		agoEnglish: regexp.MustCompile(`\b(\d+|an?|one|two|three|five|ten|couple of|few|half an)\s*(minutes?|mins?|hours?|hrs?|hr|h|m|days?|d|weeks?)\b|\b(?:last|past|previous)\s+(?:())(minutes?|hours?|days?|weeks?)\b`),
		agoKorean:  regexp.MustCompile(`(\d+|한|두|세|네|다섯|여섯|열|반|몇|하루|이틀|사흘|일주일)\s*(분|시간|일|주일|주|달)?\s*(?:동안|전|이내|간|사이|치|내)|(?:최근|지난)\s*(\d+|한|두|세|네|다섯|여섯|열|몇)\s*(분|시간|일|주일|주|달)`),
		agoChinese: regexp.MustCompile(`(\d+|一|两|三|半|几)\s*个?\s*(分钟|小时|天|周|星期)`),
		clock:      regexp.MustCompile(`(?:since|after|from)\s+(\d{1,2})(?::(\d{2}))?\s*(am|pm)?\b`),
		date:       regexp.MustCompile(`\b(20\d\d-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?)\b`),
		lines:      regexp.MustCompile(`(?:last|latest|recent|tail|최근|마지막|최신|最近|最后)\s*(\d{1,5})\s*(?:\w+\s+){0,2}(?:lines?|entries|messages|logs?|줄|개|라인|건|行|条)|(\d{1,5})\s*(?:lines?|줄|라인|行|条)`),
	}
})

// findSince returns a time in journalctl's words (systemd.time(7)): "today",
// "yesterday", "boot", "2 hours ago", "09:00"; "" when none is given.
func findSince(u *utterance) string {
	flat, s := string(u.flat), strings.ToLower(u.raw)
	switch {
	case containsAny(flat, "부팅후", "부팅이후", "부팅한이후", "부팅하고", "부팅한뒤", "이번부팅", "켠이후", "켜고나서", "켠뒤", "부팅뒤", "켠후", "개机以来") ||
		containsAny(flat, "开机以来", "启动以来", "开机后", "这次启动") ||
		containsAny(s, "since boot", "since the boot", "since last boot", "since the last boot", "this boot", "since startup", "since i booted", "since reboot", "since the reboot", "since the last reboot", "since last reboot", "current boot", "after boot", "since booting", "since i turned"):
		return "boot"
	case containsAny(flat, "어제", "昨天", "昨晚", "간밤", "어젯밤", "밤새") || containsAny(s, "yesterday", "last night", "overnight"):
		return "yesterday"
	case containsAny(flat, "오늘", "今天", "今日", "오전", "아침부터", "今早") || containsAny(s, "today", "this morning", "since midnight", "this afternoon", "this evening"):
		return "today"
	case containsAny(flat, "이번주", "지난주", "최근일주일", "一周", "这周", "上周") || containsAny(s, "this week", "last week", "past week"):
		return "7 days ago"
	case containsAny(flat, "지난시간", "최근한시간", "한시간") || containsAny(s, "past hour", "last hour"):
		return "1 hour ago"
	case containsAny(flat, "방금", "조금전", "아까", "금방", "刚才", "剛才") || containsAny(s, "just now", "a moment ago", "a minute ago", "moments ago"):
		return "10 minutes ago"
	case strings.Contains(flat, "그제") || strings.Contains(flat, "그저께"):
		return "2 days ago"
	}
	return sinceByNumber(s)
}

func sinceByNumber(s string) string {
	if !strings.ContainsAny(s, "0123456789") && !containsAny(s, "hour", "min", "day", "시간", "분", "전", "동안", "小时", "分钟", "天", "week", "간") {
		return ""
	}
	p := sincePatterns()
	if m := p.date.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	if containsAny(s, "ago", "last", "past", "since", "within", "previous", "recent", "from") {
		if m := p.clock.FindStringSubmatch(s); m != nil && (m[2] != "" || m[3] != "") {
			return clockTime(m[1], m[2], m[3])
		}
		if m := p.agoEnglish.FindStringSubmatch(s); m != nil {
			if m[1] == "half an" {
				return "30 minutes ago"
			}
			return agoText(numberOf(m[1]), m[2]+m[4])
		}
	}
	if m := p.agoKorean.FindStringSubmatch(s); m != nil {
		return koreanAgo(m[1]+m[3], m[2]+m[4])
	}
	if containsAny(s, "前", "最近", "过去", "内") {
		if m := p.agoChinese.FindStringSubmatch(s); m != nil {
			return agoText(numberOf(m[1]), m[2])
		}
	}
	return ""
}

func koreanAgo(number, unit string) string {
	switch number {
	case "하루":
		return "1 day ago"
	case "이틀":
		return "2 days ago"
	case "사흘":
		return "3 days ago"
	case "일주일":
		return "7 days ago"
	}
	switch {
	case unit == "":
		return ""
	case number == "반" && unit == "시간":
		return "30 minutes ago"
	}
	return agoText(numberOf(number), unit)
}

func clockTime(hour, minute, half string) string {
	h, err := strconv.Atoi(hour)
	if err != nil || h > 23 {
		return ""
	}
	if half == "pm" && h < 12 {
		h += 12
	}
	if half == "am" && h == 12 {
		h = 0
	}
	if minute == "" {
		minute = "00"
	}
	return twoDigits(h) + ":" + minute
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// numberOf reads a number in digits or small number words; 1 when there is none.
func numberOf(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	switch strings.TrimSpace(s) {
	case "two", "couple of", "두", "两", "이":
		return 2
	case "three", "few", "세", "몇", "三", "几":
		return 3
	case "네", "四":
		return 4
	case "five", "다섯", "五":
		return 5
	case "여섯", "六":
		return 6
	case "일곱", "七":
		return 7
	case "여덟", "八":
		return 8
	case "아홉", "九":
		return 9
	case "ten", "열", "十":
		return 10
	case "열한", "十一":
		return 11
	case "열두", "十二":
		return 12
	}
	return 1
}

// agoText writes "N units ago" in English, as journalctl reads it.
func agoText(n int, unit string) string {
	name, factor := "hour", 1
	switch {
	case hasAnyPrefix(unit, "min", "분", "分钟") || unit == "m":
		name = "minute"
	case hasAnyPrefix(unit, "day", "일") && unit != "일주일" || unit == "d" || unit == "天":
		name = "day"
	case hasAnyPrefix(unit, "week", "주", "周", "星期"):
		name, factor = "day", 7
	case unit == "달":
		name, factor = "day", 30
	}
	n *= factor
	if n != 1 {
		name += "s"
	}
	return strconv.Itoa(n) + " " + name + " ago"
}

// findPriority returns the journal priority a request asks for, as journalctl's
// -p wants it.
func findPriority(r *Reading) string {
	switch {
	case r.has["critical"]:
		return "crit"
	case r.has["error"] || r.has["crash"] && !r.has["@name"]:
		return "err"
	case r.has["warning"]:
		return "warning"
	}
	return ""
}

// findLines returns how many lines a request asks for, 0 when it does not say.
func findLines(u *utterance) int {
	if !strings.ContainsAny(u.raw, "0123456789") {
		return 0
	}
	m := sincePatterns().lines.FindStringSubmatch(strings.ToLower(u.raw))
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if err != nil || n < 1 || n > 5000 {
		return 0
	}
	return n
}
