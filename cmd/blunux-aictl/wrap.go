package main

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/nidoit/blunux-ai/ipc"
)

// row is one row of a terminal, and how many bytes of the original it shows.
type row struct {
	text  string
	bytes int
}

// cells measures text as the terminal that needs the most room for it would
// show it, so that a row never wraps by itself: what is one cell here and two
// there (East Asian Ambiguous, UAX 11) counts two, and characters that other
// terminals join count each.
func cells(s string) int {
	wide := displaywidth.Options{EastAsianWidth: true}
	n := 0
	for _, r := range s {
		n += wide.Rune(r)
	}
	return n
}

// splitLines cuts visible text at its newlines. There is always a line.
func splitLines(text string) [][]ipc.Glyph {
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

// wrap breaks a line into rows of at most width cells, behind a blank where
// that leaves a quarter of the row full. A blank at a break is shown as atBreak,
// because at the end of a row nobody sees it. There is always a row.
func wrap(line []ipc.Glyph, width int, atBreak string) []row {
	line = split(line, width)
	var rows []row
	for {
		n := fitting(line, width)
		if n == len(line) {
			return append(rows, rowOf(line))
		}
		if n+1 < len(line) && line[n].Text == " " && cells(rowOf(line[:n]).text)+cells(atBreak) <= width {
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

// split cuts what does not fit a row by itself into its characters.
func split(line []ipc.Glyph, width int) []ipc.Glyph {
	var out []ipc.Glyph
	for _, g := range line {
		if cells(g.Text) <= width {
			out = append(out, g)
			continue
		}
		bytes := g.Bytes
		for _, r := range g.Text {
			out = append(out, ipc.Glyph{Text: string(r), Bytes: bytes})
			bytes = 0 // they count once
		}
	}
	return out
}

// fitting is how many glyphs of a line stand on its first row: all, or those
// up to the place to break at, at least one.
func fitting(line []ipc.Glyph, width int) int {
	used, blank := 0, 0
	for i, g := range line {
		used += cells(g.Text)
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

func rowOf(line []ipc.Glyph) row {
	var b strings.Builder
	r := row{}
	for _, g := range line {
		if g.Text != "\n" {
			b.WriteString(g.Text)
		}
		r.bytes += g.Bytes
	}
	r.text = b.String()
	return r
}
