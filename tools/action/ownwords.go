package action

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// ownWords reports whether every word of texts is in the person's words. It ignores order, particles and
// punctuation. Numbers, addresses, paths and anything else with symbols must match exactly. Unclear words do
// not count as the person's.
func ownWords(words string, texts ...string) bool {
	own := splitRuns(words)
	if len(own) == 0 {
		return false
	}
	for _, text := range texts {
		if slices.ContainsFunc(splitRuns(text), func(r textRun) bool { return !r.isIn(own) }) {
			return false
		}
	}
	return true
}

// script determines how a text is split into words.
type script int

const (
	spaced    script = iota // separated by blanks, with numbers and symbols
	hangul                  // separated by blanks, with particles
	ideograph               // no blanks between words
)

// textRun is a part of a text in one script, without blanks and surrounding punctuation.
type textRun struct {
	script script
	text   string
}

func scriptOf(r rune) script {
	switch {
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return ideograph
	}
	return spaced
}

// Punctuation around a word that is ignored.
const (
	openingMarks = "\"'`([{«“‘„「『《〈¿¡"
	closingMarks = "\"'`)]}»”’」』》〉.,:;!?…"
)

// splitRuns splits a text into runs.
func splitRuns(text string) []textRun {
	var runs []textRun
	for _, word := range strings.FieldsFunc(norm.NFC.String(text), isSeparator) {
		start, kind := 0, scriptOf([]rune(word)[0])
		for i, r := range word {
			if next := scriptOf(r); next != kind {
				runs = appendRun(runs, kind, word[start:i])
				start, kind = i, next
			}
		}
		runs = appendRun(runs, kind, word[start:])
	}
	return runs
}

func appendRun(runs []textRun, kind script, text string) []textRun {
	text = strings.TrimRight(strings.TrimLeft(text, openingMarks), closingMarks)
	if text == "" || text == "-" || text == "–" || text == "—" {
		return runs
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		text = strings.ToLower(text) // not paths and addresses, which are case-sensitive
	}
	return append(runs, textRun{kind, text})
}

// isSeparator reports whether a rune separates words in any script.
func isSeparator(r rune) bool {
	// 。，· and emoji; fullwidth forms are punctuation
	return unicode.IsSpace(r) || r > unicode.MaxASCII && unicode.In(r, unicode.Po, unicode.So, unicode.Sk)
}

// isIn reports whether a run is in the person's words.
func (r textRun) isIn(own []textRun) bool {
	switch r.script {
	case hangul:
		return slices.Contains(neutralHangul, r.text) || slices.ContainsFunc(own, func(o textRun) bool { return o.script == hangul && sameStem(r.text, o.text) })
	case ideograph:
		return r.isCoveredBy(own)
	}
	return slices.Contains(neutralWords, r.text) || slices.Contains(own, r)
}

// sameStem reports whether two Korean words only differ in particles.
func sameStem(a, b string) bool {
	if a == b {
		return true
	}
	for i := range a {
		stem, rest := a[:i], a[i:]
		if i > 0 && slices.Contains(neutralHangul, rest) {
			if after, ok := strings.CutPrefix(b, stem); ok && (after == "" || slices.Contains(neutralHangul, after)) {
				return true
			}
		}
	}
	after, ok := strings.CutPrefix(b, a)
	return ok && slices.Contains(neutralHangul, after)
}

// isCoveredBy reports whether a run without blanks consists of pieces of at least two characters that are in the
// person's words.
func (r textRun) isCoveredBy(own []textRun) bool {
	text := []rune(r.text)
	for at := 0; at < len(text); {
		n := 0
		for end := at + 1; end <= len(text) && containsPiece(own, string(text[at:end])); end++ {
			n = end - at
		}
		switch {
		case n >= 2 || len(text) == 1 && slices.Contains(own, r):
			at += n
		case slices.Contains(neutralHan, string(text[at])):
			at++
		default:
			return false
		}
	}
	return true
}

// containsPiece reports whether a piece is part of one of the person's runs.
func containsPiece(own []textRun, piece string) bool {
	return slices.ContainsFunc(own, func(o textRun) bool { return o.script == ideograph && strings.Contains(o.text, piece) })
}

// Words and endings that do not change a statement. Negations are not among them.
var (
	neutralWords  = strings.Fields("a an the is are of")
	neutralHangul = strings.Fields(`
		은 는 이 가 을 를 에 의 도 와 과 로 으로 에서 에게 한테 께 랑 이랑 하고 이고 고 라고 이라고 이며 며
		야 이야 예요 이에요 에요 이다 다 입니다 이에용 임 요 이야요
		해 해요 합니다 함 한다 하다 하는 하고 한 했어 했어요 했다 했음 하네 한다고`)
	neutralHan = strings.Fields("的 了 是 在")
)
