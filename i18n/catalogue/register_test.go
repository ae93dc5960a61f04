package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// quotation matches quoted text and commands, whose style is not ours.
var quotation = regexp.MustCompile("'[^']*'|\"[^\"]*\"|“[^”]*”|「[^」]*」|`[^`]*`|(?m)blunux-ai(ctl)? .*$")

// plainEnding matches the end of a Korean sentence in the plain form: "…다", "…냐", "…자", "…라" before
// punctuation, or 다 at the end of the text. "…니다" is polite.
var plainEnding = regexp.MustCompile(`(\p{Hangul}?)(다|냐|니|자|라|해|어|아)([.!?。])(\s|$|\))`)

// impoliteSentences returns the sentences of a Korean text that do not end in 해요체 or 합니다체. Text without a verb at the
// end (headings, names) is accepted.
func impoliteSentences(text string) []string {
	var found []string
	for _, m := range plainEnding.FindAllStringSubmatch(quotation.ReplaceAllString(text, "''"), -1) {
		if m[1]+m[2] != "니다" {
			found = append(found, m[0])
		}
	}
	return found
}

func TestThePlainFormIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		"파일을 읽을 수 없다.":           true,
		"다시 해.":                  true,
		"읽을 수 있냐?":               true,
		"파일을 읽을 수 없어요.":          false,
		"파일을 읽을 수 없습니다.":         false,
		"'그만둔다.' 라고 말해 주세요.":     false,
		"blunux-ai가 합니다. 확인할까요?": false,
	} {
		require.Equal(t, want, len(impoliteSentences(text)) > 0, text)
	}
}

func TestKoreanIsPolite(t *testing.T) {
	sentences(t, func(key, ko, _, _ string) {
		// The guide contains examples of what users write.
		if !strings.HasPrefix(key, "helper.guide.") && !strings.HasPrefix(key, "helper.words.") {
			require.Empty(t, impoliteSentences(ko), "%s: %s", key, ko)
		}
	})
	pages, err := filepath.Glob("../../docs/man/*.ko.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Empty(t, impoliteSentences(string(text)), page)
	}
}
