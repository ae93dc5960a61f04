package setup

import (
	"errors"
	"strings"

	"golang.org/x/text/width"
)

// Errors of parsing a telephone number.
var (
	ErrNumber  = errors.New("not a telephone number")
	ErrCountry = errors.New("telephone number without a country code")
)

// Number normalizes a telephone number to ITU-T E.164: a plus sign and at most 15 digits that start
// with the country code. It accepts common notations: blanks, dashes, dots, brackets, 00 for the
// plus sign, "(0)", a WhatsApp address. country is the calling code for numbers that start with 0,
// or "" if unknown. Its errors are [ErrNumber] and [ErrCountry].
func Number(text, country string) (string, error) {
	text = strings.TrimSpace(width.Fold.String(text))
	text, _, _ = strings.Cut(text, "@")
	text = strings.Replace(text, "(0)", "", 1)
	digits, err := onlyDigits(text)
	if err != nil {
		return "", err
	}
	international := strings.HasPrefix(text, "+")
	if rest, ok := strings.CutPrefix(digits, "00"); ok && !international {
		digits, international = rest, true
	}
	switch {
	case international:
		if rest, ok := strings.CutPrefix(digits, country+"0"); ok && country != "" { // +82 010-1234-5678
			digits = country + rest
		}
	case country != "" && (strings.HasPrefix(digits, "0") || country == "1" && len(digits) == 10):
		digits = country + strings.TrimPrefix(digits, "0")
	case strings.HasPrefix(digits, "0") || len(digits) < 10:
		return "", ErrCountry
	}
	if len(digits) < 7 || len(digits) > 15 || digits[0] == '0' {
		return "", ErrNumber
	}
	return "+" + digits, nil
}

// onlyDigits removes separators between digits.
func onlyDigits(text string) (string, error) {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '+' && i == 0, strings.ContainsRune(" -.()/\u00a0\u2010\u2011\u2013", r):
		default:
			return "", ErrNumber
		}
	}
	if b.Len() == 0 {
		return "", ErrNumber
	}
	return b.String(), nil
}

// CallingCode returns the calling code of a locale's country (ITU-T E.164, list of assigned codes): 82
// for ko_KR.UTF-8. It returns "" for unknown countries and for those whose numbers keep the leading
// 0.
func CallingCode(locales ...string) string {
	codes := map[string]string{
		"KR": "82", "JP": "81", "CN": "86", "TW": "886", "HK": "852", "SG": "65", "US": "1", "CA": "1", "GB": "44",
		"DE": "49", "FR": "33", "ES": "34", "NL": "31", "IN": "91", "VN": "84", "TH": "66", "AU": "61",
	}
	for _, locale := range locales {
		_, territory, _ := strings.Cut(locale, "_")
		territory, _, _ = strings.Cut(territory, ".")
		if code := codes[territory]; code != "" {
			return code
		}
	}
	return ""
}

// Numbers parses several numbers, separated by commas or semicolons, and removes duplicates. at is
// the text that caused err.
func Numbers(text, country string) (numbers []string, at string, err error) {
	return parseList(text, func(s string) (string, error) { return Number(s, country) })
}

// IDs parses several IDs of a messenger. right reports whether an ID is valid.
func IDs(text string, right func(string) bool) (ids []string, at string, err error) {
	return parseList(text, func(s string) (string, error) {
		if !right(s) {
			return "", ErrNumber
		}
		return s, nil
	})
}

func parseList(text string, one func(string) (string, error)) (all []string, at string, err error) {
	all = []string{}
	seen := map[string]bool{}
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;、，\n", r) }) {
		if piece = strings.TrimSpace(piece); piece == "" {
			continue
		}
		got, err := one(piece)
		if err != nil {
			return nil, piece, err
		}
		if !seen[got] {
			seen[got] = true
			all = append(all, got)
		}
	}
	return all, "", nil
}
