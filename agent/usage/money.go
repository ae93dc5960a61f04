package usage

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Money is an amount in billionths of a US dollar. It is an integer, so that a sum does not depend on the order
// of additions.
type Money int64

// Dollar is one US dollar, and maxMoney the maximum cost of one request.
const (
	Dollar   Money = 1e9
	maxMoney       = 1e6 * Dollar
)

// USD converts dollars to an amount between 0 and a million dollars. Values outside that range are clamped, and
// NaN is 0.
func USD(dollars float64) Money {
	if math.IsNaN(dollars) {
		return 0
	}
	return Money(math.Round(min(max(dollars, 0), float64(maxMoney/Dollar)) * float64(Dollar)))
}

// USD returns the amount in dollars.
func (m Money) USD() float64 { return float64(m) / float64(Dollar) }

// String returns the exact amount in dollars without a currency sign.
func (m Money) String() string {
	text := fmt.Sprintf("%d.%09d", m/Dollar, m%Dollar)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// MarshalJSON encodes the exact amount as a number of dollars.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalJSON parses a number of dollars that is not negative.
func (m *Money) UnmarshalJSON(text []byte) error {
	whole, fraction, _ := strings.Cut(string(text), ".")
	if len(fraction) > 9 {
		return fmt.Errorf("%s has more than nine decimal places", text)
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", 9-len(fraction)), 10, 63)
	if err != nil {
		return fmt.Errorf("%s is not an amount of money: %w", text, err)
	}
	*m = Money(n)
	return nil
}
