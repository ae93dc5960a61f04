package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/nidoit/blunux-ai/internal/names"
)

// fold normalizes a text for comparison: composed (NFC), full-width letters as normal ones, lower case, Chinese
// in simplified characters.
func fold(s string) string { return strings.ToLower(compose(s)) }

// compose is fold without lower case, because upper case shows the parts of names like NetworkManager.
func compose(s string) string {
	if isPlain(s) {
		return s
	}
	s = width.Fold.String(norm.NFC.String(strings.ToValidUTF8(s, " ")))
	if strings.ContainsFunc(s, isHan) {
		s = names.Simplified(s)
	}
	return s
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// class is a kind of letter.
type class uint8

const (
	other class = iota // white space and punctuation
	latin              // letters of any script that separates words by spaces
	digit
	hangul
	han // and kana: written without spaces
	symbol
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case r >= '0' && r <= '9':
			return digit
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			return latin
		}
		return other
	case isHangul(r):
		return hangul
	case isHan(r) || unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return han
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return latin
	case unicode.Is(unicode.So, r):
		return symbol
	}
	return other
}

func isHan(r rune) bool { return r >= 0x2e80 && unicode.Is(unicode.Han, r) }

// isHangul reports whether r is a syllable or a single letter (ㅋ).
func isHangul(r rune) bool { return r >= 0xac00 && r <= 0xd7a3 || r >= 0x3131 && r <= 0x3163 }

func isSyllable(r rune) bool { return r >= 0xac00 && r <= 0xd7a3 }
