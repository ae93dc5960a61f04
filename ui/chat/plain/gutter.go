package plain

import (
	"io"
	"strings"

	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// indent is the left margin of external text.
const indent = "  "

// gutter writes text that arrives in pieces, and indents each of its rows. It wraps rows itself,
// because the terminal would continue a row at the left edge, where only the chat may write.
type gutter struct {
	w       io.Writer
	columns func() int // nil disables layout
	at      int        // used cells of this row, including the indent; 0 if it is empty
	word    strings.Builder
	blanks  int // before the word
	wrote   strings.Builder
	clean   ipc.Cleaner
}

func newGutter(w io.Writer, columns func() int) *gutter { return &gutter{w: w, columns: columns} }

func (g *gutter) write(text string) {
	for _, r := range g.clean.Next(text) {
		switch r {
		case '\n':
			g.flush()
			g.appendRaw("\n")
			g.at, g.blanks = 0, 0
		case ' ', '\t':
			g.flush()
			if r == '\t' {
				g.blanks += 3
			}
			g.blanks++
		default:
			g.word.WriteRune(r)
			if term.Width(string(r)) > 1 { // wide characters allow a break after them
				g.flush()
			}
		}
	}
	g.send()
}

// close ends an unfinished row.
func (g *gutter) close() {
	g.flush()
	if g.at > 0 {
		g.appendRaw("\n")
	}
	g.at, g.blanks = 0, 0
	g.send()
}

// flush writes the pending word and the blanks before it.
func (g *gutter) flush() {
	word := g.word.String()
	if word == "" {
		return
	}
	g.word.Reset()
	blanks := g.blanks
	g.blanks = 0
	if g.columns == nil {
		g.appendRaw(strings.Repeat(" ", blanks) + word)
		g.at = 1
		return
	}
	room := max(g.columns()-1, len(indent)+8)
	switch width := term.Width(word); {
	case g.at > 0 && g.at+blanks+width > room:
		g.appendRaw("\n")
		g.at = 0
	case max(g.at, len(indent))+blanks < room:
		g.begin()
		g.appendRaw(strings.Repeat(" ", blanks))
		g.at += blanks
	}
	for _, r := range word {
		width := term.Width(string(r))
		if g.at > len(indent) && g.at+width > room {
			g.appendRaw("\n")
			g.at = 0
		}
		g.begin()
		g.appendRaw(string(r))
		g.at += width
	}
}

// begin writes the indent of a row.
func (g *gutter) begin() {
	if g.at == 0 {
		g.appendRaw(indent)
		g.at = len(indent)
	}
}

func (g *gutter) appendRaw(s string) { g.wrote.WriteString(s) }

// send passes on the formatted text in one write.
func (g *gutter) send() {
	if g.wrote.Len() == 0 {
		return
	}
	_, _ = io.WriteString(g.w, g.wrote.String())
	g.wrote.Reset()
}
