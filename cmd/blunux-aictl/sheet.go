package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/cells"
	"github.com/nidoit/blunux-ai/confirm"
	"github.com/nidoit/blunux-ai/i18n"
)

// sheet writes names and values in two columns. On a terminal long values go
// on below themselves; elsewhere a value is one line, for whoever searches it.
type sheet struct {
	out     io.Writer
	lang    i18n.Lang
	columns int // of the terminal; 0 where there is none
	names   int // width of the names' column
}

// nameColumn is the narrowest column of names, and narrow the widest terminal
// where values stand below their names.
const (
	nameColumn = 11
	narrow     = 40
)

// newSheet returns a sheet whose names' column fits the names of status in
// that language.
func newSheet(out io.Writer, lang i18n.Lang, columns int) sheet {
	return sheet{out, lang, columns, i18n.Column(lang, nameColumn, i18n.StatusNames...)}
}

func (s sheet) t(text i18n.Text, args ...any) string { return text.In(s.lang, args...) }

// row writes a name and its value.
func (s sheet) row(name i18n.Text, value string) {
	if s.columns > 0 && s.columns < narrow {
		s.line(2, s.t(name))
		s.line(4, value)
		return
	}
	s.hang("  "+cells.Pad(s.t(name), s.names)+" ", value)
}

// more writes another value below a row's.
func (s sheet) more(value string) {
	if s.columns > 0 && s.columns < narrow {
		s.line(4, value)
		return
	}
	s.hang(strings.Repeat(" ", s.names+3), value)
}

// section begins a list of n lines.
func (s sheet) section(name i18n.Text, n int) {
	if n > 0 {
		s.line(2, s.t(name))
	}
}

// lines writes a list of lines as they are.
func (s sheet) lines(name i18n.Text, lines []string) {
	s.section(name, len(lines))
	for _, l := range lines {
		s.line(4, l)
	}
}

// line writes a line behind some blanks.
func (s sheet) line(indent int, text string) { s.hang(strings.Repeat(" ", indent), text) }

// hang writes text behind a beginning, and what does not fit the terminal
// below itself. Another program's words are cleaned here.
func (s sheet) hang(begin, text string) { fmt.Fprint(s.out, cells.Hang(begin, text, s.columns)) }

// columnsOf is how wide a terminal is; 0 for what is none.
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

// span is a duration in its two largest units.
func span(d time.Duration) string { return i18n.Span(d) }

// size is a number of bytes in the largest unit that leaves a whole number.
func size(bytes int64) string { return i18n.Size(bytes) }
