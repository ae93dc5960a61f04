package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/ipc"
)

// maxText bounds the words of a search field, in bytes. The daemon has the same limit; longer text was pasted.
const maxText = 300

// clean returns the words of a search field on one line without characters that a terminal acts on, or "" if they are too long.
func clean(text string) string {
	if len(text) > maxText {
		return ""
	}
	return strings.Join(strings.Fields(ipc.Clean(text)), " ")
}

// The least letters of a question: a Korean or Chinese character says more than a Latin letter.
const (
	minLetters    = 3
	minCharacters = 2
)

// endings are those of Korean questions and requests.
var endings = []string{"요", "까", "나", "니", "냐", "지", "줘", "해", "어", "아", "래", "데"}

// chineseWord is the length of Chinese words without blanks that may be a question: shorter ones are names.
const chineseWord = 4

// mayAsk reports whether words may be a question or a request. Most of what is typed in a search field is the name of a
// program or file, which must not start the daemon. KRunner does not even call for them: X-Plasma-Runner-Match-Regex in
// packaging/desktop/org.blunux.ai.Search.desktop says the same.
func mayAsk(words string) bool {
	letters, characters, chinese := 0, 0, 0
	for _, r := range words {
		switch {
		case unicode.Is(unicode.Han, r):
			chinese++
			characters++
		case unicode.Is(unicode.Hangul, r):
			characters++
		case unicode.IsLetter(r):
			letters++
		}
	}
	if letters < minLetters && characters < minCharacters {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(words)
	return last == '?' || last == '？' || strings.Contains(words, " ") || chinese >= chineseWord ||
		characters > minCharacters && slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(words, e) })
}
