package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// table writes rows in columns that fit their widest cell. A cell is one line; control characters from other
// programs are made visible.
type table struct {
	out  io.Writer
	left []bool
	rows [][]string
}

// newTable returns a table with a heading. text marks the columns aligned left; the others are aligned right.
func newTable(out io.Writer, text []bool, heading ...string) *table {
	return &table{out: out, left: text, rows: [][]string{heading}}
}

// row adds a row with one cell per column.
func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = ipc.VisibleProse(c)
	}
	t.rows = append(t.rows, cells)
}

// write writes the table. margin precedes every row.
func (t *table) write(margin string) {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], displaywidth.String(c))
		}
	}
	for _, row := range t.rows {
		var b strings.Builder
		b.WriteString(margin)
		for i, c := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			if t.left[i] {
				b.WriteString(term.Pad(c, widths[i]))
			} else {
				b.WriteString(strings.Repeat(" ", max(widths[i]-displaywidth.String(c), 0)) + c)
			}
		}
		fmt.Fprintln(t.out, strings.TrimRight(b.String(), " "))
	}
}
