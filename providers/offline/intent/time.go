package intent

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

type timeWords struct {
	value map[string]map[string]string // kind → word → value
	since []sinceWords                 // in the file's order
}

type sinceWords struct {
	value string
	words []string
}

var times = sync.OnceValue(func() timeWords {
	t := timeWords{value: map[string]map[string]string{}}
	rows("time.tsv", func(f []string) {
		words := fieldWords(f[2])
		if f[0] == "since" {
			t.since = append(t.since, sinceWords{f[1], words})
			return
		}
		if t.value[f[0]] == nil {
			t.value[f[0]] = map[string]string{}
		}
		for _, w := range words {
			t.value[f[0]][w] = f[1]
		}
	})
	return t
})

// valueOf returns the value of a word, "" when the kind does not have it.
func (t timeWords) valueOf(kind, word string) string { return t.value[kind][strings.TrimSpace(word)] }

// alternation returns a regular expression for the words of a kind in one script, longest first.
func (t timeWords) alternation(kind string, sc script) string {
	var words []string
	for w := range t.value[kind] {
		if s, ok := scriptOf([]rune(w)[0]); ok && s == sc {
			words = append(words, regexp.QuoteMeta(w))
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(-cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return "(?:" + strings.Join(words, "|") + ")"
}

// numberOf parses digits or number words. It returns 1 if s has none.
func numberOf(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, err := strconv.Atoi(times().valueOf("number", s)); err == nil {
		return n
	}
	return 1
}

// timePatterns are compiled when a request first mentions a time, because most requests do not.
type timePatterns struct {
	agoEnglish, agoKorean, agoChinese, clock, date, lines *regexp.Regexp
}

var sincePatterns = sync.OnceValue(func() timePatterns {
	return timePatterns{
		agoEnglish: regexp.MustCompile(`\b(\d+|half an|` + times().alternation("number", latin) + `)\s*(minutes?|mins?|hours?|hrs?|hr|h|m|days?|d|weeks?)\b|\b(?:last|past|previous)\s+(?:())(minutes?|hours?|days?|weeks?)\b`),
		agoKorean:  regexp.MustCompile(`(\d+|하루|이틀|사흘|일주일|` + times().alternation("number", hangul) + `)\s*(` + times().alternation("unit", hangul) + `)?\s*(?:동안|전|이내|간|사이|치|내)|(?:최근|지난)\s*(\d+|` + times().alternation("number", hangul) + `)\s*(` + times().alternation("unit", hangul) + `)`),
		agoChinese: regexp.MustCompile(`(\d+|` + times().alternation("number", han) + `)\s*个?\s*(` + times().alternation("unit", han) + `)`),
		clock:      regexp.MustCompile(`(?:since|after|from)\s+(\d{1,2})(?::(\d{2}))?\s*(am|pm)?\b`),
		date:       regexp.MustCompile(`\b(20\d\d-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?)\b`),
		lines:      regexp.MustCompile(`(?:last|latest|recent|tail|최근|마지막|최신|最近|最后)\s*(\d{1,5})\s*(?:\w+\s+){0,2}(?:lines?|entries|messages|logs?|줄|개|라인|건|行|条)|(\d{1,5})\s*(?:lines?|줄|라인|行|条)`),
	}
})

// findSince returns a time in journalctl's format (systemd.time(7)): "today", "yesterday", "boot", "2 hours
// ago", "09:00"; "" when none is given.
func findSince(u *utterance) string {
	flat, s := string(u.flat), strings.ToLower(u.raw)
	for _, w := range times().since {
		for _, word := range w.words {
			if isLatin(word) && strings.Contains(s, word) || !isLatin(word) && strings.Contains(flat, word) {
				return w.value
			}
		}
	}
	return sinceByNumber(s)
}

func isLatin(word string) bool { return word[0] < 0x80 }

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

// koreanAgos are Korean words for spans of days.
var koreanAgos = map[string]string{"하루": "1 day ago", "이틀": "2 days ago", "사흘": "3 days ago", "일주일": "7 days ago"}

func koreanAgo(number, unit string) string {
	switch ago, known := koreanAgos[number]; {
	case known:
		return ago
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
	return fmt.Sprintf("%02d:%s", to24Hours(h, half), cmp.Or(minute, "00"))
}

// agoText returns "N units ago" in English for journalctl.
func agoText(n int, unit string) string {
	name, factor := times().valueOf("unit", unit), 1
	switch {
	case unit == "m":
		name = "minute"
	case unit == "d":
		name = "day"
	case name == "week":
		name, factor = "day", 7
	case name == "month":
		name, factor = "day", 30
	case name == "":
		name = "hour"
	}
	n *= factor
	if n != 1 {
		name += "s"
	}
	return strconv.Itoa(n) + " " + name + " ago"
}

// findPriority returns the requested journal priority in the format of journalctl -p.
func findPriority(r *Reading) string {
	switch {
	case r.has["critical"]:
		return "crit"
	case r.has["warning"] && (containsAny(string(r.u.flat), "이상", "부터", "以上") || containsAny(strings.ToLower(r.u.raw), "and up", "or worse", "or above", "and above", "or higher", "and worse")):
		return "warning" // 이상 is "or worse" here
	case r.has["error"] || r.hasAny("crash", "shutdown") && !r.has["@name"]:
		return "err"
	case r.has["warning"]:
		return "warning"
	}
	return ""
}

// findLines returns the requested number of lines, or 0 if the request does not give one.
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
