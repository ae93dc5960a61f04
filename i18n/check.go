package i18n

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

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
