package session

import (
	"regexp"
	"strings"
)

// marks matches the marks that a turn puts around data that comes with a question.
var marks = regexp.MustCompile(`<data source="[^"\n]*" id="[^"\n]*">\n?|\n?</data [0-9A-Za-z]+>`)

// WithoutMarks returns a text for people, without the marks around data.
func WithoutMarks(content string) string {
	if !strings.Contains(content, "data ") {
		return content
	}
	return marks.ReplaceAllString(content, "")
}

// ownWords returns a user's message without the data that came with it, or the data if there is no message.
func ownWords(content string) string {
	words := content
	if at := marks.FindStringIndex(content); at != nil {
		words = content[:at[0]]
	}
	if strings.TrimSpace(words) == "" {
		return WithoutMarks(content)
	}
	return words
}
