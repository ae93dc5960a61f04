package i18n

import (
	"fmt"
	"strings"
	"time"
)

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
	}
	return EventTexts.In(kind, lang)
}

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
