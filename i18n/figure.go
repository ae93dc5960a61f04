package i18n

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Count formats a number with commas between thousands, as usual in all three languages.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Dollars formats an amount of US dollars: with two decimals from 100 dollars, and with four below, because a
// question can cost less than a cent.
func Dollars(usd float64) string {
	switch {
	case usd >= 99.99995:
		cents := int64(usd*100 + 0.5)
		return fmt.Sprintf("$%s.%02d", Count(cents/100), cents%100)
	case usd > 0 && usd < 0.00005:
		return "<$0.0001"
	}
	return fmt.Sprintf("$%.4f", usd)
}

// Cost formats the cost of requests. If some prices are unknown it is a lower bound; if all are, it is "?".
func Cost(usd float64, requests, unpriced int64) string {
	switch {
	case unpriced == 0:
		return Dollars(usd)
	case unpriced >= requests:
		return "?"
	}
	return "≥" + Dollars(usd)
}

// Size formats a number of bytes in the largest fitting unit, with one decimal.
func Size(bytes int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= u.bytes {
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(u.bytes), u.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// Span formats a duration in its two largest units.
func Span(d time.Duration) string {
	d = max(d, 0)
	days, rest := int(d/(24*time.Hour)), d%(24*time.Hour)
	hours, minutes, seconds := int(rest.Hours()), int(rest.Minutes())%60, int(rest.Seconds())%60
	for _, u := range []struct {
		n, m int
		a, b string
	}{{days, hours, "d", "h"}, {hours, minutes, "h", "m"}, {minutes, seconds, "m", "s"}} {
		switch {
		case u.n > 0 && u.m > 0:
			return fmt.Sprintf("%d%s %d%s", u.n, u.a, u.m, u.b)
		case u.n > 0:
			return fmt.Sprintf("%d%s", u.n, u.a)
		}
	}
	return fmt.Sprintf("%ds", seconds)
}

// BudgetAmounts formats a limit and the amount used of it, in dollars or tokens.
func BudgetAmounts(lang Lang, limit, used float64, tokens bool) (most, spent string) {
	if tokens {
		return BudgetTokens(Count(int64(limit))).In(lang), Count(int64(used))
	}
	return Dollars(limit), Dollars(used)
}

// Budget formats today's budget. share is the used part of the limit, 1 for all of it.
func Budget(lang Lang, limit, used float64, tokens bool, share float64) string {
	most, spent := BudgetAmounts(lang, limit, used, tokens)
	return BudgetLine(most, spent, int(share*100)).In(lang)
}

// CheckTitle returns the name of a condition. ok is false for an unknown one.
func CheckTitle(lang Lang, name string) (title string, ok bool) {
	x, ok := CheckTitles()[name]
	return x.In(lang), ok
}

// CheckNumber formats a number with at most one decimal and commas between thousands.
func CheckNumber(v float64) string {
	tenths := math.Round(v * 10)
	if math.IsNaN(tenths) || math.Abs(tenths) > 1e15 {
		return "?"
	}
	whole := int64(tenths) / 10
	if rest := int64(math.Abs(tenths)) % 10; rest != 0 {
		sign := ""
		if tenths < 0 && whole == 0 {
			sign = "-"
		}
		return fmt.Sprintf("%s%s.%d", sign, Count(whole), rest)
	}
	return Count(whole)
}

// CheckPercent formats a percentage without decimals. It never rounds up to 100 %.
func CheckPercent(v float64) string {
	n := math.Round(v)
	if n >= 100 && v < 100 {
		n = 99
	}
	return strconv.FormatFloat(n, 'f', 0, 64) + "%"
}

// CheckSize formats bytes in the largest fitting power of 1024.
func CheckSize(n int64) string {
	units, v, i := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}, float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	if v >= 10 {
		v = math.Round(v)
	}
	return CheckNumber(v) + " " + units[i]
}

// CheckSpan formats a duration in its largest whole unit, at most days.
func CheckSpan(lang Lang, d time.Duration) string {
	count := func(one, many func(string) Text, n int64) string {
		if n == 1 {
			many = one
		}
		return many(Count(n)).In(lang)
	}
	switch {
	case d >= 24*time.Hour && (d%(24*time.Hour) == 0 || d >= 48*time.Hour):
		return count(CheckOneDay, CheckDays, int64(d/(24*time.Hour)))
	case d >= time.Hour:
		return count(CheckOneHour, CheckHours, int64(d/time.Hour))
	}
	return count(CheckOneMinute, CheckMinutes, max(1, int64(d/time.Minute)))
}

// CheckMoment formats a time relative to now: today, yesterday, or with its date.
func CheckMoment(lang Lang, at, now time.Time) string {
	clock := fmt.Sprintf("%d:%02d", at.Hour(), at.Minute())
	year, month, dom := at.Date()
	y, m, d := now.Date()
	days := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(time.Date(year, month, dom, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour)
	switch days {
	case 0:
		return CheckToday(clock).In(lang)
	case 1:
		return CheckYesterday(clock).In(lang)
	}
	return CheckOnDay(monthOf(lang, month), strconv.Itoa(dom), clock).In(lang)
}

// CheckDate formats a date.
func CheckDate(lang Lang, at time.Time) string {
	year, month, dom := at.Date()
	return CheckFullDate(strconv.Itoa(year), monthOf(lang, month), strconv.Itoa(dom)).In(lang)
}

// monthOf returns the number of a month, for languages whose dates do not name it.
func monthOf(lang Lang, month time.Month) string {
	if lang == Korean || lang.Base() == Chinese {
		return strconv.Itoa(int(month))
	}
	return month.String()[:3]
}

// ScheduleError says why a text is not a schedule.
func ScheduleError(lang Lang, code, part string) string {
	return ScheduleFaults.fill(lang, code, part)
}

// EventError says why a text is not an event, and suggests similar ones.
func EventError(lang Lang, code, part, near string) string {
	text := EventFaults.fill(lang, code, part)
	if near != "" {
		text += "; " + ScheduleDidYouMean(near).In(lang)
	}
	return text
}

var (
	weekdayKorean  = [7]string{"일", "월", "화", "수", "목", "금", "토"}
	weekdayChinese = [7]string{"日", "一", "二", "三", "四", "五", "六"}
)

// Every formats an interval: "30분마다".
func Every(lang Lang, d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == time.Minute:
		return ScheduleEveryMinute.In(lang)
	case d == time.Hour:
		return ScheduleEveryHour.In(lang)
	case d == day:
		return ScheduleDaysAll.In(lang)
	case d%day == 0:
		return ScheduleEveryDays(int(d / day)).In(lang)
	case d%time.Hour == 0:
		return ScheduleEveryHours(int(d / time.Hour)).In(lang)
	case d%time.Minute == 0 && d < 2*time.Hour:
		return ScheduleEveryMinutes(int(d / time.Minute)).In(lang)
	}
	return ScheduleEverySpan(spanParts(lang, d)).In(lang)
}

var spanTexts = [4]func(int) Text{ScheduleSpanTextsD, ScheduleSpanTextsH, ScheduleSpanTextsMin, ScheduleSpanTextsS}

// spanParts writes out a duration: "1시간 30분".
func spanParts(lang Lang, d time.Duration) string {
	var parts []string
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if n := int(d / unit); n > 0 {
			parts = append(parts, spanTexts[i](n).In(lang))
		}
		d %= unit
	}
	return strings.Join(parts, " ")
}

// EveryHours formats an interval in hours with the minute of the hour.
func EveryHours(lang Lang, hours, minute int) string {
	switch {
	case hours == 1 && minute == 0:
		return ScheduleHourSharp.In(lang)
	case hours == 1:
		return ScheduleHourPast(minute).In(lang)
	case minute == 0:
		return ScheduleHoursSharp(hours).In(lang)
	}
	return ScheduleHoursPast(hours, minute).In(lang)
}

// Clock formats a time of day: "오전 9시", "오후 6시 30분", "09:00".
func Clock(lang Lang, hour, minute int) string {
	if lang != Korean {
		return fmt.Sprintf("%02d:%02d", hour, minute)
	}
	switch {
	case hour == 0 && minute == 0:
		return "자정"
	case hour == 12 && minute == 0:
		return "정오"
	}
	half, shown := "오전", hour
	if hour >= 12 {
		half, shown = "오후", (hour+11)%12+1
	}
	if minute == 0 {
		return fmt.Sprintf("%s %d시", half, shown)
	}
	return fmt.Sprintf("%s %d시 %d분", half, shown, minute)
}

// AtTimes joins days and times of day.
func AtTimes(lang Lang, days string, times []string) string {
	return ScheduleAtTimes(days, joined(lang, times)).In(lang)
}

func joined(lang Lang, list []string) string {
	if lang.Base() == Chinese {
		return strings.Join(list, "、")
	}
	if lang == English && len(list) > 1 {
		return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
	}
	return strings.Join(list, ", ")
}

// DaysAll says every day.
func DaysAll(lang Lang) string { return ScheduleDaysAll.In(lang) }

// DaysOfWeek lists days of the week; 0 is Sunday.
func DaysOfWeek(lang Lang, days []int) string {
	switch fmt.Sprint(days) {
	case "[1 2 3 4 5]":
		return ScheduleDaysWork.In(lang)
	case "[0 6]":
		return ScheduleDaysWeekend.In(lang)
	}
	var list []string
	for _, d := range days {
		switch lang.Base() {
		case Korean:
			list = append(list, weekdayKorean[d])
		case Chinese:
			list = append(list, weekdayChinese[d])
		default:
			list = append(list, time.Weekday(d).String())
		}
	}
	return ScheduleDaysWeek(joined(lang, list)).In(lang)
}

// DaysOfMonth lists days of the month.
func DaysOfMonth(lang Lang, days []int) string {
	var list []string
	for _, d := range days {
		switch lang.Base() {
		case Korean:
			list = append(list, fmt.Sprintf("%d일", d))
		case Chinese:
			list = append(list, fmt.Sprintf("%d日", d))
		default:
			list = append(list, fmt.Sprint(d))
		}
	}
	return ScheduleDaysMonth(joined(lang, list)).In(lang)
}

// DayOfYear names a day of the year.
func DayOfYear(lang Lang, month, day int) string {
	if lang == English {
		return fmt.Sprintf("every year on %d %s", day, time.Month(month))
	}
	return ScheduleDayYear(month, day).In(lang)
}

// EventText says when an event happens. argument is the unit or the file.
func EventText(lang Lang, kind, argument string) string {
	switch {
	case kind == "unit_failed" && argument != "":
		return EventUnit(argument).In(lang)
	case kind == "file":
		return EventFile(argument).In(lang)
	case argument != "":
		return WaitTexts.fill(lang, kind, argument)
	}
	return EventTexts.In(kind, lang)
}

// WaitSays says that what a reminder waited for has happened.
func WaitSays(lang Lang, kind, argument string) string { return WaitSaid.fill(lang, kind, argument) }

// WhenNow says that something is due.
func WhenNow(lang Lang) string { return ScheduleWhenNow.In(lang) }

// WhenIn says in how many minutes something is due.
func WhenIn(lang Lang, minutes int) string {
	if minutes == 1 {
		return ScheduleWhenInOne.In(lang)
	}
	return ScheduleWhenIn(minutes).In(lang)
}

// WhenAt says on which day (days from now) and at what time something is due.
func WhenAt(lang Lang, days int, sameYear bool, due time.Time) string {
	clock := Clock(lang, due.Hour(), due.Minute())
	switch days {
	case 0:
		return ScheduleWhenToday(clock).In(lang)
	case 1:
		return ScheduleWhenTomorrow(clock).In(lang)
	}
	return ScheduleWhenDate(date(lang, sameYear, due), clock).In(lang)
}

func date(lang Lang, sameYear bool, t time.Time) string {
	year, month, day := t.Date()
	switch lang.Base() {
	case Korean:
		text := fmt.Sprintf("%d월 %d일(%s)", month, day, weekdayKorean[t.Weekday()])
		if !sameYear {
			return fmt.Sprintf("%d년 %s", year, text)
		}
		return text
	case Chinese:
		text := lang.script(fmt.Sprintf("%d月%d日（周%s）", month, day, weekdayChinese[t.Weekday()]))
		if !sameYear {
			return fmt.Sprintf("%d年%s", year, text)
		}
		return text
	}
	text := fmt.Sprintf("%.3s %d %s", t.Weekday(), day, month)
	if !sameYear {
		return fmt.Sprintf("%s %d", text, year)
	}
	return text
}

// RuleProblem describes a problem of a file of rules.
func RuleProblem(lang Lang, code string, stale bool, args ...any) string {
	text := RuleProblems.fill(lang, code, args...)
	if stale {
		text += "; " + RuleStale.In(lang)
	}
	return text
}
