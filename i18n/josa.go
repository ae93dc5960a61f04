package i18n

import (
	"regexp"
	"strings"
)

// chooseParticle returns the form of a particle, such as 을 or 를, for the final sound of the text before it. 로 also
// follows a final ㄹ. Latin letters and digits are read as in Korean (vim이, chrome을, docker를, 3을, 2를). Closing
// quotes, and brackets with their content, are skipped.
func chooseParticle(before, closed, open string) string {
	if sound := soundOf(before); sound == vowel || sound == rieul && closed == "으로" {
		return open
	}
	return closed
}

// sound is the final sound of a text, as far as it matters for particles.
type sound int

const (
	vowel sound = iota
	consonant
	rieul // ㄹ: a consonant, but takes 로
)

// soundOf returns the final sound of a text read aloud in Korean.
func soundOf(s string) sound {
	if open := strings.LastIndexByte(s, '('); open > 0 && strings.HasSuffix(s, ")") {
		s = s[:open]
	}
	s = strings.TrimRight(s, "`'\")]} *”’")
	if at := clockEnd.FindStringSubmatch(s); at != nil {
		return soundOfClock(at[1], at[2])
	}
	if dateEnd.MatchString(s) {
		return rieul // 일
	}
	rs := []rune(s)
	if len(rs) == 0 {
		return vowel
	}
	switch r := rs[len(rs)-1]; {
	case r >= '가' && r <= '힣':
		return soundOfSyllable(r)
	case r >= '0' && r <= '9':
		return soundOfDigit(r)
	case isLatin(r):
		return soundOfLatin(lastWord(rs))
	}
	return vowel
}

var (
	clockEnd = regexp.MustCompile(`(?:^|[^\d.:])\d{1,2}:(\d\d)(?::(\d\d))?$`)
	dateEnd  = regexp.MustCompile(`(?:^|\D)(?:\d{4}-)?\d{1,2}[-/]\d{1,2}$`)
)

// soundOfClock reads a time of day: 두 시 오십팔 분, 세 시, 두 시 삼 분 이십 초.
func soundOfClock(minute, second string) sound {
	if second != "" && second != "00" {
		return vowel // 초
	}
	if minute == "00" {
		return vowel // 시
	}
	return consonant // 분
}

// soundOfSyllable returns the final of a precomposed syllable (Unicode 3.12, "Conjoining Jamo Behavior": 28
// finals, the 8th is ㄹ).
func soundOfSyllable(r rune) sound {
	switch (r - '가') % 28 {
	case 0:
		return vowel
	case 8:
		return rieul
	}
	return consonant
}

// soundOfDigit reads 영 일 이 삼 사 오 육 칠 팔 구; round numbers end in 십, 백, 천, 만.
func soundOfDigit(r rune) sound {
	switch r {
	case '1', '7', '8':
		return rieul
	case '0', '3', '6':
		return consonant
	}
	return vowel
}

func isLatin(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// lastWord returns the Latin letters and digits at the end.
func lastWord(rs []rune) string {
	i := len(rs)
	for i > 0 && (isLatin(rs[i-1]) || '0' <= rs[i-1] && rs[i-1] <= '9') {
		i--
	}
	return string(rs[i:])
}

// sizeUnits are read as full words: 메가, 기비바이트.
const sizeUnits = " B KB MB GB TB KiB MiB GiB TiB Ki Mi Gi Ti K M G T "

// soundOfLatin guesses the final sound of an English word in Korean: 크롬, 구글, 깃 end in a consonant, 도커, 파이어폭스,
// 디스코드 in a vowel. Abbreviations are read letter by letter, units by their name (15G is 15기가).
func soundOfLatin(w string) sound {
	if strings.Contains(sizeUnits, " "+strings.TrimLeft(w, "0123456789")+" ") {
		return vowel
	}
	low := strings.ToLower(w)
	last := low[len(low)-1]
	if len(low) == 1 || !strings.ContainsAny(low, "aeiouy") || w == strings.ToUpper(w) {
		return soundOfLetter(last)
	}
	before := low[len(low)-2]
	switch {
	case strings.HasSuffix(low, "le") || last == 'l':
		return rieul
	case strings.HasSuffix(low, "me"), strings.HasSuffix(low, "ne"), strings.HasSuffix(low, "ng"), strings.HasSuffix(low, "ck"), last == 'm', last == 'n':
		return consonant
	case strings.IndexByte("ptkcb", last) >= 0 && strings.IndexByte("aeiou", before) >= 0:
		return consonant
	}
	return vowel
}

// soundOfLetter reads a letter's name: 엘, 알 end in ㄹ, 엠, 엔 in a consonant.
func soundOfLetter(c byte) sound {
	switch c {
	case 'l', 'r':
		return rieul
	case 'm', 'n':
		return consonant
	}
	return vowel
}
