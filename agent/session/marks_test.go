package session

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestU12ATitleIsAPersonsWordsWithoutTheMarksOfData(t *testing.T) {
	const data = "<data source=\"standard input\" id=\"876f5c3c89cf13c5\">\nhello world\n</data 876f5c3c89cf13c5>"
	for content, want := range map[string]string{
		"disk full?":               "disk full?",
		"what is this?\n\n" + data: "what is this?",
		"\n\n" + data:              "hello world",
		"<data source=\"file a.txt\" id=\"ab\">\ncut short": "cut short",
		"what does <data source> mean in HTML?":             "what does <data source> mean in HTML?",
		"two files\n\n" + data + "\n\n" + data:              "two files",
	} {
		require.Equal(t, want, Entry{Type: TypeUser, Content: content}.title(), "%q", content)
	}
	require.Equal(t, "what is this?\n\nhello world", WithoutMarks("what is this?\n\n"+data))
}
