package offline

import "fmt"

// phrase is one sentence in the three languages. The only way to make one is
// [m], so a missing translation does not compile.
type phrase struct{ ko, en, zh string }

// m makes a phrase. Arguments are written %[1]s, %[2]d, …; a Korean particle
// after one is written {은}, {이}, {을}, {과}, {로} and chosen by withJosa.
func m(ko, en, zh string) phrase { return phrase{ko, en, zh} }

// in formats a phrase in a language; any language but ko and zh is English.
func (p phrase) in(lang string, args ...any) string {
	s := p.en
	switch lang {
	case "ko":
		s = p.ko
	case "zh":
		s = p.zh
	}
	s = fmt.Sprintf(s, args...)
	if lang == "ko" {
		s = withJosa(s)
	}
	return s
}
