package recall

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The letters of the Korean keyboard (KS X 5002, two sets), in the order in which Unicode composes syllables
// (The Unicode Standard, section 3.12), and the keys that type each.
var (
	initialKeys = strings.Fields("r R s e E f a q Q t T d w W c z x v g")
	vowelKeys   = strings.Fields("k o i O j p u P h hk ho hl y n nj np nl b m ml l")
	finalKeys   = append([]string{""}, strings.Fields("r R rt s sw sg e f fr fa fq ft fx fv fg a q qt t T d w c z x v g")...)
	// loneKeys are the keys of single letters, from U+3131 on.
	loneKeys = strings.Fields("r R rt s sw sg e E f fr fa fq ft fx fv fg a q Q qt t T d w W c z x v g k o i O j p u P h hk ho hl y n nj np nl b m ml l")
)

// weightKeyboard is the weight of a word that was typed with the other keyboard.
const weightKeyboard = 0.8

// typedInKorean returns the Hangul word that the keys of a Latin word type on the Korean keyboard, "" if they type no whole
// syllables, or only one: wptk types 제사.
func typedInKorean(keys string) string {
	var b strings.Builder
	for len(keys) > 0 {
		initial, n := longestKey(initialKeys, keys)
		vowel, m := longestKey(vowelKeys, keys[n:])
		if n == 0 || m == 0 {
			return ""
		}
		keys = keys[n+m:]
		final, n := longestKey(finalKeys, keys)
		// A consonant before a vowel begins the next syllable.
		for n > 0 {
			if _, next := longestKey(vowelKeys, keys[n:]); next == 0 {
				break
			}
			n--
			final = max(0, slices.Index(finalKeys, keys[:n]))
		}
		keys = keys[n:]
		b.WriteRune(syllable{initial, vowel, final}.rune())
	}
	if utf8.RuneCountInString(b.String()) < 2 {
		return ""
	}
	return b.String()
}

// longestKey returns the letter that the longest beginning of keys types, and the length of that, 0 for none.
func longestKey(letters []string, keys string) (letter, length int) {
	for i, k := range letters {
		if len(k) > length && strings.HasPrefix(keys, k) {
			letter, length = i, len(k)
		}
	}
	return letter, length
}

// typedInLatin returns the keys that type a Hangul word, "" if it is one that is written so: a Latin word typed on the
// Korean keyboard leaves single letters, as ㅔㅛ쇄ㅜ does for python.
func typedInLatin(w string) string {
	if !strings.ContainsFunc(w, func(r rune) bool { return !isSyllable(r) }) || areInitials(w) {
		return ""
	}
	return strings.ToLower(keysOf(w))
}

// keysOf returns the keys that type a Hangul word.
func keysOf(w string) string {
	var b strings.Builder
	for _, r := range w {
		if isSyllable(r) {
			s := split(r)
			b.WriteString(initialKeys[s.initial] + vowelKeys[s.vowel] + finalKeys[s.final])
			continue
		}
		b.WriteString(loneKeys[r-0x3131]) // isHangul permits no other
	}
	return b.String()
}

// lastConsonant is the last of the single consonants, which begin at U+3131.
const lastConsonant = 'ㅎ'

// areInitials reports whether a word consists of at least two single consonants, as people shorten words: ㄱㅈ for 공주.
func areInitials(w string) bool {
	return utf8.RuneCountInString(w) > 1 && !strings.ContainsFunc(w, func(r rune) bool { return r < 0x3131 || r > lastConsonant })
}

// initialsOf returns the first letters of a Hangul word of at least two syllables, or "".
func initialsOf(w string) string {
	if utf8.RuneCountInString(w) < 2 || strings.ContainsFunc(w, func(r rune) bool { return !isSyllable(r) }) {
		return ""
	}
	return strings.Map(func(r rune) rune {
		return rune(0x3131 + slices.Index(loneKeys, initialKeys[split(r).initial]))
	}, w)
}
