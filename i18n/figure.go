package i18n

import (
	"fmt"
	"strconv"
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
