package search

import (
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// The limits of the rows of an answer.
const (
	maxRows = 5
	maxRow  = 160 // characters
)

// row is one line of an answer. Its id contains the words, because the program may have ended, and started again, before the
// person chooses the row.
type row struct{ id, text, words, kind string }

// rowsOf returns the rows of an answer: the first paragraph line by line, or what a choice does.
func rowsOf(words string, a ipc.QuickAnswer, lang i18n.Lang) (rows []row) {
	if l, ok := i18n.Parse(a.Lang); ok {
		lang = l
	}
	switch a.Kind {
	case ipc.QuickRead:
		for _, line := range linesOf(a.Text) {
			rows = append(rows, row{idOf(len(rows), words), line, words, a.Kind})
		}
	case ipc.QuickConfirm:
		rows = []row{{idOf(0, words), i18n.SearchConfirm.In(lang), words, a.Kind}}
	case ipc.QuickOpen:
		rows = []row{{idOf(0, words), i18n.SearchOpen.In(lang), words, a.Kind}}
	}
	return rows
}

// linesOf returns the lines of an answer's first paragraph. What follows are proposals, which belong into the chat.
func linesOf(text string) (lines []string) {
	for line := range strings.Lines(strings.TrimSpace(ipc.Clean(text))) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
		line = strings.Join(strings.Fields(strings.NewReplacer("`", "", "**", "").Replace(line)), " ")
		if line == "" || len(lines) == maxRows {
			break
		}
		lines = append(lines, shorten(line))
	}
	return lines
}

// shorten cuts a line that is too long for a row.
func shorten(line string) string {
	if runes := []rune(line); len(runes) > maxRow {
		return string(runes[:maxRow-1]) + "…"
	}
	return line
}

func idOf(number int, words string) string { return strconv.Itoa(number) + " " + words }

// parseID returns the number of a row and its words. Any program can send any id.
func parseID(id string) (number int, words string, ok bool) {
	first, words, ok := strings.Cut(id, " ")
	number, err := strconv.Atoi(first)
	words = clean(words)
	return number, words, ok && err == nil && number >= 0 && words != ""
}
