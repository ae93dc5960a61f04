package i18n

import (
	"fmt"
	"math"
	"strconv"
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
