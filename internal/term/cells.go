// Package term measures text in terminal cells, breaks it into rows that no terminal wraps again, and asks terminals
// for their size.
package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/nidoit/blunux-ai/ipc"
)

// Row is one row of a terminal. Bytes is how many bytes of the original text it shows.
type Row struct {
	Text  string
	Bytes int
}

// Width measures text as the terminal that needs the most room would show it, so that a row never wraps. Ambiguous
// characters (East Asian Ambiguous, UAX 11) count two cells, and characters that other terminals join are counted
// separately.
func Width(s string) int {
	wide := displaywidth.Options{EastAsianWidth: true}
	n := 0
	for _, r := range s {
		n += wide.Rune(r)
	}
	return n
}

// Lines splits visible text at its newlines. The result has at least one line.
func Lines(text string) [][]ipc.Glyph {
	lines := [][]ipc.Glyph{{}}
	for g := range ipc.Glyphs(text) {
		last := len(lines) - 1
		lines[last] = append(lines[last], g)
		if g.Text == "\n" {
			lines = append(lines, nil)
		}
	}
	return lines
}

// Wrap breaks a line into rows of at most width cells, after a blank if that leaves at least a quarter of the row
// filled. A blank at a break is shown as atBreak, because it would be invisible at the end of a row. The result
// has at least one row.
func Wrap(line []ipc.Glyph, width int, atBreak string) []Row {
	line = split(line, width)
	var rows []Row
	for {
		n := fittingCount(line, width)
		if n == len(line) {
			return append(rows, rowOf(line))
		}
		if n+1 < len(line) && line[n].Text == " " && Width(rowOf(line[:n]).Text)+Width(atBreak) <= width {
			n++
		}
		for _, i := range []int{n - 1, n} {
			if line[i].Text == " " {
				line[i].Text = atBreak
			}
		}
		rows, line = append(rows, rowOf(line[:n])), line[n:]
	}
}

// split splits glyphs that are wider than a row into their characters.
func split(line []ipc.Glyph, width int) []ipc.Glyph {
	var out []ipc.Glyph
	for _, g := range line {
		if Width(g.Text) <= width {
			out = append(out, g)
			continue
		}
		bytes := g.Bytes
		for _, r := range g.Text {
			out = append(out, ipc.Glyph{Text: string(r), Bytes: bytes})
			bytes = 0 // counted once
		}
	}
	return out
}

// fittingCount returns how many glyphs fit on the first row: all, or those before the break, at least one.
func fittingCount(line []ipc.Glyph, width int) int {
	used, blank := 0, 0
	for i, g := range line {
		used += Width(g.Text)
		if used > width {
			if blank > 0 {
				return blank
			}
			return max(i, 1)
		}
		if g.Text == " " && used > width/4 {
			blank = i + 1
		}
	}
	return len(line)
}

func rowOf(line []ipc.Glyph) Row {
	var b strings.Builder
	r := Row{}
	for _, g := range line {
		if g.Text != "\n" {
			b.WriteString(g.Text)
		}
		r.Bytes += g.Bytes
	}
	r.Text = b.String()
	return r
}

// Pad appends blanks to s up to a width in terminal cells.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-displaywidth.String(s), 0))
}

// HangingIndent writes text on one line after begin. On a terminal with this many columns it wraps with a hanging indent. 0
// columns means no wrapping. begin is printed unchanged, text is cleaned.
func HangingIndent(begin, text string, columns int) string {
	text = strings.ReplaceAll(ipc.Clean(text), "\n", " ")
	if columns == 0 {
		return strings.TrimRight(begin+text, " ") + "\n"
	}
	indent := displaywidth.Options{ControlSequences: true}.String(begin)
	var b strings.Builder
	for i, r := range Wrap(Lines(text)[0], max(columns-indent, 1), " ") {
		if i > 0 {
			begin = strings.Repeat(" ", indent)
		}
		b.WriteString(strings.TrimRight(begin+r.Text, " ") + "\n")
	}
	return b.String()
}

// Sheet writes names and values in two columns. On a terminal it wraps long values in their column; elsewhere a value
// is one line, for grep. On a narrow terminal, values go below their names.
type Sheet struct {
	Out     io.Writer
	Columns int // of the terminal; 0 without one
	Names   int // width of the names' column
}

// Narrow is the least number of columns of a terminal on which a value is next to its name, and LeastNames the least
// width of the names' column.
const (
	Narrow     = 40
	LeastNames = 11
)

// Row writes a name and its value.
func (s Sheet) Row(name, value string) {
	if s.isNarrow() {
		s.Line(2, name)
		s.Line(4, value)
		return
	}
	fmt.Fprint(s.Out, HangingIndent("  "+Pad(name, s.Names)+" ", value, s.Columns))
}

// Extra writes another value below a row's.
func (s Sheet) Extra(value string) {
	if s.isNarrow() {
		s.Line(4, value)
		return
	}
	s.Line(s.Names+3, value)
}

// Line writes an indented text.
func (s Sheet) Line(indent int, text string) {
	fmt.Fprint(s.Out, HangingIndent(strings.Repeat(" ", indent), text, s.Columns))
}

func (s Sheet) isNarrow() bool { return s.Columns > 0 && s.Columns < Narrow }

// FileLink returns a text that terminals open as the file with an absolute path on a host (OSC 8).
func FileLink(host, path, text string) string {
	var uri strings.Builder
	for _, b := range []byte(path) {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("/-._~", b) >= 0 {
			uri.WriteByte(b)
			continue
		}
		fmt.Fprintf(&uri, "%%%02X", b)
	}
	return "\x1b]8;;file://" + host + uri.String() + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}
