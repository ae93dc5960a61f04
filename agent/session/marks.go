package session

import (
	"regexp"
	"strings"
)

// fenceMarks matches the marks that a turn puts around data that comes with a question.
var fenceMarks = regexp.MustCompile(`<data source="[^"\n]*" id="[^"\n]*">\n?|\n?</data [0-9A-Za-z]+>`)

// WithoutMarks returns a text for people, without the marks around data.
func WithoutMarks(content string) string {
	if !strings.Contains(content, "data ") {
		return content
	}
	return fenceMarks.ReplaceAllString(content, "")
}

// ownText returns a user's message without the data that came with it, or the data if there is no message.
func ownText(content string) string {
	words := content
	if at := fenceMarks.FindStringIndex(content); at != nil {
		words = content[:at[0]]
	}
	if strings.TrimSpace(words) == "" {
		return WithoutMarks(content)
	}
	return words
}
