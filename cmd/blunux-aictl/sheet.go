package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ui/confirm"
)

// sheet writes names and values in two columns. On a terminal it wraps long values in their column; elsewhere a
// value is one line, for grep.
type sheet struct {
	out     io.Writer
	lang    i18n.Lang
	columns int // of the terminal; 0 without one
	names   int // width of the names' column
}

// nameColumn is the minimum width of the name column. On terminals up to narrow cells wide, values go below
// their names.
const (
	nameColumn = 11
	narrow     = 40
)

// newSheet returns a sheet whose name column fits the names of status in the given language.
func newSheet(out io.Writer, lang i18n.Lang, columns int) sheet {
	return sheet{out, lang, columns, i18n.Column(lang, nameColumn, i18n.StatusNames...)}
}

func (s sheet) t(text i18n.Text) string { return text.In(s.lang) }

// row writes a name and its value.
func (s sheet) row(name i18n.Text, value string) {
	if s.columns > 0 && s.columns < narrow {
		s.line(2, s.t(name))
		s.line(4, value)
		return
	}
	s.writeWrapped("  "+term.Pad(s.t(name), s.names)+" ", value)
}

// extraValue writes another value below a row's.
func (s sheet) extraValue(value string) {
	if s.columns > 0 && s.columns < narrow {
		s.line(4, value)
		return
	}
	s.writeWrapped(strings.Repeat(" ", s.names+3), value)
}

// section writes the heading of a list with n lines.
func (s sheet) section(name i18n.Text, n int) {
	if n > 0 {
		s.line(2, s.t(name))
	}
}

// lines writes a list of lines, which are not changed.
func (s sheet) lines(name i18n.Text, lines []string) {
	s.section(name, len(lines))
	for _, l := range lines {
		s.line(4, l)
	}
}

// line writes an indented line.
func (s sheet) line(indent int, text string) { s.writeWrapped(strings.Repeat(" ", indent), text) }

// writeWrapped writes begin and text, and wraps the text with a hanging indent. It cleans text from other programs.
func (s sheet) writeWrapped(begin, text string) {
	fmt.Fprint(s.out, term.HangingIndent(begin, text, s.columns))
}

// columnsOf returns the width of a terminal, or 0 if f is not a terminal.
func columnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case size.Col == 0:
		return confirm.UsualColumns
	}
	return int(size.Col)
}

// span formats a duration in its two largest units.
func span(d time.Duration) string { return i18n.Span(d) }

// size formats a number of bytes in the largest fitting unit.
func size(bytes int64) string { return i18n.Size(bytes) }
