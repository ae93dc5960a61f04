package recall

// syllable is a Hangul syllable as letter indices of the Unicode Standard's table (section 3.12). final is 0 if
// there is none.
type syllable struct{ initial, vowel, final int }

// Letters that identify endings and contractions.
const (
	initialR, initialNone, initialH    = 5, 11, 18
	vowelA, vowelAE, vowelEO, vowelE   = 0, 1, 4, 5
	vowelYEO, vowelO, vowelWA          = 6, 8, 9
	vowelWAE, vowelOE, vowelU, vowelWO = 10, 11, 13, 14
	vowelEU, vowelI                    = 18, 20
	finalN, finalD, finalL             = 4, 7, 8
	finalM, finalB, finalSS            = 16, 17, 20
)

func split(r rune) syllable {
	n := int(r - 0xac00)
	return syllable{n / 588, n % 588 / 28, n % 28}
}

func (s syllable) rune() rune { return rune(0xac00 + s.initial*588 + s.vowel*28 + s.final) }
