package i18n

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// josaPair matches a particle pair written {을/를} after an argument. The
// form after a final consonant stands first.
var josaPair = regexp.MustCompile(`\{(\p{Hangul}+)/(\p{Hangul}+)\}`)

// Josa resolves particle pairs such as {을/를}, {이/가}, {은/는}, {과/와} and
// {으로/로} by the sound the text before them ends with. {으로/로} takes 로
// also after a final ㄹ. Latin letters and digits are read as Koreans read
// them aloud (vim이, docker를, 3을, 2를); closing quotes and brackets are
// passed over.
func Josa(s string) string {
	if !strings.Contains(s, "{") {
		return s
	}
	var b strings.Builder
	rest := s
	for {
		at := josaPair.FindStringSubmatchIndex(rest)
		if at == nil {
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(rest[:at[0]])
		closed, open := rest[at[2]:at[3]], rest[at[4]:at[5]]
		final, rieul := finalSound(b.String())
		if final && !(rieul && closed == "으로") {
			b.WriteString(closed)
		} else {
			b.WriteString(open)
		}
		rest = rest[at[1]:]
	}
}

// finalSound reports whether s, read aloud in Korean, ends with a consonant,
// and whether that is ㄹ.
func finalSound(s string) (final, rieul bool) {
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		switch {
		case r >= '가' && r <= '힣':
			jong := (r - '가') % 28
			return jong != 0, jong == 8
		case r >= '0' && r <= '9':
			return digitSound(r)
		case unicode.IsLetter(r):
			return latinSound(strings.ToLower(s))
		}
		s = s[:len(s)-size]
	}
	return false, false
}

// digitSound: 영 일 이 삼 사 오 육 칠 팔 구.
func digitSound(r rune) (final, rieul bool) {
	return strings.ContainsRune("013678", r), strings.ContainsRune("178", r)
}

// latinSound approximates how an English word or a single letter is read: a
// word that ends in l, m, n or ng sound has a final consonant, and so have
// short words that end in a stop (disk is 디스크, but up is 업, top is 톱,
// git is 깃).
func latinSound(s string) (final, rieul bool) {
	start := strings.LastIndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) }) + 1
	word := s[min(start, len(s)):]
	if word == "" {
		return false, false
	}
	last := word[len(word)-1]
	switch last {
	case 'l':
		return true, true
	case 'm', 'n':
		return true, false
	case 'r': // the letter r is 알; a word's r is not heard (docker, 도커)
		return len(word) == 1, len(word) == 1
	case 'g':
		return strings.HasSuffix(word, "ng"), false
	case 'p', 'k', 't', 'b', 'c':
		return len(word) >= 2 && len(word) <= 4 && strings.ContainsRune("aeiou", rune(word[len(word)-2])), false
	}
	return false, false
}
