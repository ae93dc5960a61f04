package i18n

import (
	"fmt"
	"strconv"
	"time"
)

// Count writes a number with a comma between thousands, as all three languages
// do.
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

// Dollars writes an amount of US dollars: to the cent from a hundred dollars on,
// and to the hundredth of a cent below, since single questions cost that.
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

// Cost writes what requests cost of which some have no price that is known: at
// least so much, or a question mark where none has one.
func Cost(usd float64, requests, unpriced int64) string {
	switch {
	case unpriced == 0:
		return Dollars(usd)
	case unpriced >= requests:
		return "?"
	}
	return "≥" + Dollars(usd)
}

// Size writes a number of bytes in the largest unit that leaves a whole number.
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

// Span writes a duration in its two largest units.
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
