package secret

import (
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// cardShape matches the digits of a payment card, in groups of four or in one piece, and a Korean resident registration number.
var cardShape = lazyregexp.New(`\b(?:[3-6]\d{3}(?:[ -]\d{4}){2}[ -]\d{1,7}|[3-6]\d{12,18}|3\d{3}[ -]\d{6}[ -]\d{5}|\d{6}-[1-4]\d{6})\b`)

// cardNumbers returns the numbers of payment cards (ISO/IEC 7812, with the check digit) and of identity cards in a person's
// text.
func cardNumbers(text string) (list []string) {
	if strings.Count(text, "-")+strings.Count(text, " ") == 0 && len(text) < 13 {
		return nil
	}
	for _, m := range cardShape.FindAllString(text, -1) {
		digits := strings.NewReplacer(" ", "", "-", "").Replace(m)
		if len(digits) == 13 && len(m) == 14 && m[6] == '-' || hasCheckDigit(digits) {
			list = append(list, m)
		}
	}
	return list
}

// hasCheckDigit reports whether the last digit is the check digit of the others (Luhn).
func hasCheckDigit(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
