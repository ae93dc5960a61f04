package offline

import "strings"

// finalSound is what the reading of a word ends in, as far as particles care.
type finalSound uint8

const (
	soundVowel finalSound = iota
	soundConsonant
	soundRieul // ㄹ: a consonant, but 로 and not 으로
)

// josaPairs are the markers of phrases and the particles they stand for: after
// a consonant, after a vowel.
var josaPairs = map[string][2]string{
	"은": {"은", "는"}, "이": {"이", "가"}, "을": {"을", "를"}, "과": {"과", "와"}, "로": {"으로", "로"}, "이라": {"이라", "라"}, "이에요": {"이에요", "예요"},
}

// withJosa replaces markers such as "{을}" by the particle that the reading of
// the text before them wants: 커널을, docker를, 7로, 서울로.
func withJosa(s string) string {
	if !strings.Contains(s, "{") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			break
		}
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			break
		}
		b.WriteString(s[:i])
		if pair, ok := josaPairs[s[i+1:i+j]]; ok {
			b.WriteString(particle(b.String(), s[i+1:i+j], pair))
		} else {
			b.WriteString(s[i : i+j+1])
		}
		s = s[i+j+1:]
	}
	return b.String() + s
}

func particle(before, marker string, pair [2]string) string {
	sound := soundOf(before)
	if sound == soundVowel || marker == "로" && sound == soundRieul {
		return pair[1]
	}
	return pair[0]
}

// soundOf tells how a text ends when read aloud in Korean. Closing quotes and
// brackets are not read.
func soundOf(s string) finalSound {
	if open := strings.LastIndexByte(s, '('); open > 0 && strings.HasSuffix(s, ")") {
		s = s[:open]
	}
	rs := []rune(strings.TrimRight(s, "`'\")]} *"))
	if len(rs) == 0 {
		return soundVowel
	}
	switch r := rs[len(rs)-1]; {
	case isHangul(r):
		return soundOfTail(tailOf(r))
	case r >= '0' && r <= '9':
		return soundOfDigit(rs)
	case r < 0x80:
		return soundOfLatin(lastWord(rs))
	}
	return soundVowel
}

func soundOfTail(tail int) finalSound {
	switch tail {
	case 0:
		return soundVowel
	case tailRieul:
		return soundRieul
	}
	return soundConsonant
}

// soundOfDigit reads 0 영 1 일 3 삼 6 육 7 칠 8 팔, and round numbers 십, 백, 천, 만.
func soundOfDigit(rs []rune) finalSound {
	switch rs[len(rs)-1] {
	case '1', '7', '8':
		return soundRieul
	case '0', '3', '6':
		return soundConsonant
	}
	return soundVowel
}

// lastWord is the run of Latin letters and digits at the end.
func lastWord(rs []rune) string {
	i := len(rs)
	for i > 0 && (rs[i-1] >= 'a' && rs[i-1] <= 'z' || rs[i-1] >= 'A' && rs[i-1] <= 'Z' || rs[i-1] >= '0' && rs[i-1] <= '9') {
		i--
	}
	return string(rs[i:])
}

// soundOfLatin guesses the Korean reading of an English word's end: 크롬, 구글,
// 깃 close with a consonant, 도커, 파이어폭스, 디스코드 with a vowel. Abbreviations
// are read letter by letter, units by their name (15G is 15기가).
func soundOfLatin(w string) finalSound {
	low := strings.ToLower(w)
	if sizeUnits[w] {
		return soundVowel
	}
	if low == "" || low[0] >= '0' && low[0] <= '9' {
		return soundVowel
	}
	last := low[len(low)-1]
	if !strings.ContainsAny(low, "aeiouy") || w == strings.ToUpper(w) {
		return soundOfLetter(last)
	}
	switch {
	case strings.HasSuffix(low, "le") || last == 'l':
		return soundRieul
	case strings.HasSuffix(low, "me") || strings.HasSuffix(low, "ne") || last == 'm' || last == 'n' || strings.HasSuffix(low, "ng"):
		return soundConsonant
	case strings.IndexByte("ptkcb", last) >= 0 && len(low) > 1 && strings.IndexByte("aeiou", low[len(low)-2]) >= 0:
		return soundConsonant
	case strings.HasSuffix(low, "ck"):
		return soundConsonant
	}
	return soundVowel
}

// sizeUnits are read in full: 기비바이트, 메가, 기가.
var sizeUnits = set("B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "Ki", "Mi", "Gi", "Ti", "K", "M", "G", "T")

// soundOfLetter reads a letter's name: 엘, 알 end in ㄹ, 엠, 엔 in a consonant.
func soundOfLetter(c byte) finalSound {
	switch c {
	case 'l', 'r':
		return soundRieul
	case 'm', 'n':
		return soundConsonant
	}
	return soundVowel
}
