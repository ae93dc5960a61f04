package i18n

import (
	"fmt"
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
