package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/sys/unix"

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
	s := sheet{out, lang, columns, nameColumn}
	for _, name := range i18n.StatusNames {
		s.names = max(s.names, displaywidth.String(name.In(lang)))
	}
	return s
}

func (s sheet) t(text i18n.Text, args ...any) string { return text.In(s.lang, args...) }

// row writes a name and its value.
func (s sheet) row(name i18n.Text, value string) {
	if s.columns > 0 && s.columns < narrow {
		s.line(2, s.t(name))
		s.line(4, value)
		return
	}
	s.hang("  "+pad(s.t(name), s.names)+" ", value)
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
func (s sheet) hang(begin, text string) {
	text = strings.ReplaceAll(clean(text), "\n", " ")
	indent := displaywidth.String(begin)
	if s.columns == 0 {
		fmt.Fprintln(s.out, strings.TrimRight(begin+text, " "))
		return
	}
	for i, r := range wrap(splitLines(text)[0], max(s.columns-indent, 1), " ") {
		if i > 0 {
			begin = strings.Repeat(" ", indent)
		}
		fmt.Fprintln(s.out, strings.TrimRight(begin+r.text, " "))
	}
}

// columnsOf is how wide a terminal is; 0 for what is none.
func columnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case size.Col == 0:
		return usualColumns
	}
	return int(size.Col)
}

// span is a duration in its two largest units.
func span(d time.Duration) string {
	d = max(d, 0)
	days, rest := int(d/(24*time.Hour)), d%(24*time.Hour)
	hours, minutes, seconds := int(rest.Hours()), int(rest.Minutes())%60, int(rest.Seconds())%60
	for _, u := range []struct {
		n, m int
		a, b string
	}{{days, hours, "d", "h"}, {hours, minutes, "h", "m"}, {minutes, seconds, "m", "s"}} {
		switch {
		case u.n > 0 && u.m > 0:
			return fmt.Sprintf("%d%s %d%s", u.n, u.a, u.m, u.b)
		case u.n > 0:
			return fmt.Sprintf("%d%s", u.n, u.a)
		}
	}
	return fmt.Sprintf("%ds", seconds)
}

// size is a number of bytes in the largest unit that leaves a whole number.
func size(bytes int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= u.bytes {
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(u.bytes), u.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}
