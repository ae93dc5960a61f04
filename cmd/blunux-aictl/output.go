package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// output is standard output. It keeps the first write error, so that the program does not report success for an answer
// that was not written. If a reader closes the pipe early (head -1), SIGPIPE ends the program silently before that.
//
// It also escapes control characters as JSON does (\u009b), as the last protection of the terminal. In JSON
// that is the same value. In text, which is cleaned before, such an escape shows a mistake of ours.
type output struct {
	w   io.Writer
	err error
}

// outputError is an error of writing to standard output.
type outputError struct{ error }

// Unwrap returns the system's error.
func (e outputError) Unwrap() error { return e.error }

// Write writes to the underlying stream. After a failure it returns the same error again.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if _, err := o.w.Write(printableJSON(p)); err != nil {
		o.err = outputError{err}
		return 0, o.err
	}
	return len(p), nil
}

// printableJSON escapes unprintable characters except newline and tab as \uXXXX (RFC 8259, section 7), and
// replaces invalid UTF-8 with the replacement character.
func printableJSON(p []byte) []byte {
	var out []byte // nil until something has to be changed
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRune(p[i:])
		as := p[i : i+size]
		if r == utf8.RuneError && size == 1 || r != '\n' && r != '\t' && ipc.Unprintable(r) {
			if out == nil {
				out = append(make([]byte, 0, len(p)+16), p[:i]...)
			}
			as = escapeJSON(r)
		}
		if out != nil {
			out = append(out, as...)
		}
		i += size
	}
	if out == nil {
		return p
	}
	return out
}

func escapeJSON(r rune) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune{r}) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// invocation is a command as it was called.
type invocation struct {
	*cobra.Command
	args []string
	json bool
}

// jsonCommand returns a command with the flag --json.
func (a *app) jsonCommand(
	use string, short i18n.Text, args cobra.PositionalArgs, run func(invocation) error,
) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short.In(a.lang), Args: args,
		RunE: func(cmd *cobra.Command, args []string) error { return run(invocation{cmd, args, asJSON}) },
	}
	a.jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, i18n.FlagJson.In(a.lang))
}

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

// sheet is a sheet in a language.
type sheet struct {
	term.Sheet
	lang i18n.Lang
}

// newSheet returns a sheet whose name column fits the names of status in the given language.
func newSheet(out io.Writer, lang i18n.Lang, columns int) sheet {
	names := i18n.Column(lang, term.LeastNames, i18n.StatusNames...)
	return sheet{term.Sheet{Out: out, Columns: columns, Names: names}, lang}
}

func (s sheet) t(text i18n.Text) string { return text.In(s.lang) }

func (s sheet) row(name i18n.Text, value string) { s.Row(s.t(name), value) }

// section writes the heading of a list with n lines.
func (s sheet) section(name i18n.Text, n int) {
	if n > 0 {
		s.Line(2, s.t(name))
	}
}

// lines writes a list of lines, which are not changed.
func (s sheet) lines(name i18n.Text, lines []string) {
	s.section(name, len(lines))
	for _, l := range lines {
		s.Line(4, l)
	}
}

// span formats a duration in its two largest units.
func span(d time.Duration) string { return i18n.Span(d) }

// size formats a number of bytes in the largest fitting unit.
func size(bytes int64) string { return i18n.Size(bytes) }
