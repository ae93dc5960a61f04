package session

import (
	"regexp"
	"strings"
)

// marks are what the turn writes around data that comes with a question, so that a
// model takes it for nobody's words.
var marks = regexp.MustCompile(`<data source="[^"\n]*" id="[^"\n]*">\n?|\n?</data [0-9A-Za-z]+>`)

// WithoutMarks returns a text as a person reads it: without the marks around data.
func WithoutMarks(content string) string {
	if !strings.Contains(content, "data ") {
		return content
	}
	return marks.ReplaceAllString(content, "")
}

// ownWords are a person's words without the data that came with them, or the data
// where there are no words.
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
