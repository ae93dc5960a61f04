package intent

import "strings"

// Hangul syllables are composed arithmetically (The Unicode Standard, section
// 3.12): 0xAC00 + (lead*21 + vowel)*28 + tail.
const (
	hangulFirst  = 0xAC00
	hangulLast   = 0xD7A3
	hangulVowels = 21
	hangulTails  = 28
	tailSsang    = 20 // ㅆ
	tailSiot     = 19 // ㅅ
	tailRieul    = 8  // ㄹ
)

func isHangul(r rune) bool { return r >= hangulFirst && r <= hangulLast }

// isJamo reports whether r is a lone letter such as ㅋ or ㅠ.
func isJamo(r rune) bool { return r >= 0x3131 && r <= 0x318E }

func isHan(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0xF900 && r <= 0xFAFF
}

// tailOf returns the index of a syllable's final consonant, 0 for none.
func tailOf(r rune) int { return int(r-hangulFirst) % hangulTails }

// jamoOf splits Hangul syllables into letters, so that an edit distance counts single keystrokes. Other runes
// are unchanged.
func jamoOf(s []rune) []rune {
	out := make([]rune, 0, 3*len(s))
	for _, r := range s {
		if !isHangul(r) {
			out = append(out, r)
			continue
		}
		n := int(r - hangulFirst)
		out = append(out, 0x1100+rune(n/(hangulVowels*hangulTails)), 0x1161+rune(n/hangulTails%hangulVowels))
		if tail := n % hangulTails; tail != 0 {
			out = append(out, 0x11A7+rune(tail))
		}
	}
	return out
}

// fixSlips corrects common phonetic spellings of Korean endings (잇나요, 남앗어, 꺼조): a final ㅅ before an ending that
// only follows ㅆ, and the chat spellings of 줘. It affects matching, never displayed text.
func fixSlips(s []rune) []rune {
	out := make([]rune, len(s))
	copy(out, s)
	for i, r := range out {
		if i+1 < len(out) && isHangul(r) && tailOf(r) == tailSiot && wantsSsang(r, out[i+1]) {
			out[i] = r + (tailSsang - tailSiot)
		}
		if i > 0 && i == len(out)-1 && isPolitePlea(r) && endsLikeConnective(out[i-1]) {
			out[i] = '줘'
		}
		switch {
		case r == '됬':
			out[i] = '됐'
		case r == '헤' && i > 0 && (i+1 == len(out) || strings.ContainsRune("줘주봐라", out[i+1])):
			out[i] = '해'
		}
	}
	return out
}

// wantsSsang reports whether syllable r with final ㅅ is a misspelt past or existential stem, judged by the
// ending that follows.
func wantsSsang(r, next rune) bool {
	switch r {
	case '잇', '앗', '엇', '햇', '됫', '겟', '갓', '왓', '낫', '낮', '렷', '켯', '깟', '랏', '챗', '찻', '썻', '웟', '졋', '첫', '텃', '섯', '엿', '껏':
	default:
		return false
	}
	switch next {
	case '어', '나', '는', '습', '음', '냐', '니', '을', '던', '지', '다', '구', '죠', '네', '고', '으':
		return r != '첫' || next != '는'
	}
	return false
}

// isPolitePlea reports whether r is a chat spelling of 줘 or of the first syllable of 주세요 at the end of a word.
func isPolitePlea(r rune) bool {
	switch r {
	case '조', '죠', '쥬', '줭':
		return true
	}
	return false
}

// endsLikeConnective reports whether r can precede 줘 (해줘, 꺼줘, 깔아줘).
func endsLikeConnective(r rune) bool {
	switch r {
	case '해', '꺼', '켜', '아', '어', '워', '려', '여', '쳐', '봐', '와', '혀', '내', '퍼', '줘', '겨', '라', '빼', '애', '러', '춰':
		return true
	}
	return false
}
