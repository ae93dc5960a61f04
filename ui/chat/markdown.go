package chat

import (
	"strings"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/ansi"
	"charm.land/glamour/v2/styles"
	"charm.land/lipgloss/v2"
	xansi "github.com/charmbracelet/x/ansi"

	"github.com/nidoit/blunux-ai/ipc"
)

// markdown renders a model's text. It caches the renderers for one width.
type markdown struct {
	colour   bool
	width    int
	renderer *glamour.TermRenderer
}

// amp replaces ampersands while text is rendered. It is a private-use character that [ipc.Clean] removes from the
// input. It prevents the renderer from decoding references such as "&#27;", which Clean saw as plain letters.
const amp = "\ue000"

// rows renders cleaned text in rows of at most width cells. The rows contain no control sequences except for colours.
func (m *markdown) rows(text string, width int) []string {
	if m.renderer == nil || m.width != width {
		r, err := glamour.NewTermRenderer(glamour.WithStyles(markdownStyle(m.colour)), glamour.WithWordWrap(width), glamour.WithTableWrap(true))
		if err != nil {
			return plainRows(text, width)
		}
		m.renderer, m.width = r, width
	}
	out, err := m.renderer.Render(strings.ReplaceAll(text, "&", amp))
	if err != nil {
		return plainRows(text, width)
	}
	out = strings.NewReplacer(amp, "&", "%EE%80%80", "&", "\t", "    ").Replace(paintOnly(out))
	if !m.colour {
		out = xansi.Strip(out)
	}
	lines := strings.Split(strings.Trim(out, "\n"), "\n")
	rows := make([]string, 0, len(lines))
	for _, line := range lines {
		line = trimRight(line)
		if cells(line) <= width {
			rows = append(rows, line)
			continue
		}
		rows = append(rows, strings.Split(lipgloss.Wrap(line, width, ""), "\n")...)
	}
	for i, r := range rows {
		rows[i] = fit(r, width)
	}
	return rows
}

// paintOnly removes all controls and control sequences except SGR, which selects colours (ECMA-48 section 8.3.117).
func paintOnly(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	var state byte
	for len(s) > 0 {
		seq, width, n, next := xansi.DecodeSequence(s, state, nil)
		switch {
		case width > 0, seq == "\n", seq == "\t", strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			b.WriteString(seq)
		case seq != "" && seq[0] >= 0x20 && seq[0] != 0x7f && (seq[0] < 0x80 || seq[0] >= 0xc3):
			b.WriteString(seq) // a mark without a width
		}
		s, state = s[n:], next
	}
	return b.String()
}

// trimRight removes the padding of a row.
func trimRight(line string) string {
	width := cells(strings.TrimRight(xansi.Strip(line), " "))
	if width == cells(line) {
		return line
	}
	return xansi.Truncate(line, width, "")
}

// plainRows breaks text into rows of at most width cells, and keeps its newlines.
func plainRows(text string, width int) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\t", "    "), "\r", "")
	var rows []string
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		for _, r := range strings.Split(xansi.Wrap(line, width, ""), "\n") {
			rows = append(rows, fit(r, width))
		}
	}
	return rows
}

// commandRow is a row of a command. goesOn reports that it continues the line of the previous row.
type commandRow struct {
	text      string
	continued bool
}

// visibleRows breaks a command into rows so that every character is visible. A blank at the end of
// a wrapped row gets a visible sign.
func visibleRows(text string, width int) []commandRow {
	var rows []commandRow
	for line := range strings.SplitSeq(ipc.Visible(text), "\n") {
		parts := strings.Split(xansi.Hardwrap(line, width, true), "\n")
		for i, p := range parts {
			if i > 0 && strings.HasPrefix(p, " ") {
				p = "␣" + p[1:]
			}
			if i < len(parts)-1 && strings.HasSuffix(p, " ") {
				p = p[:len(p)-1] + "␣"
			}
			rows = append(rows, commandRow{p, i > 0})
		}
	}
	return rows
}

// cells returns the width of text on a terminal, without control sequences.
func cells(s string) int { return xansi.StringWidth(s) }

func fit(row string, width int) string {
	if cells(row) <= width {
		return row
	}
	return xansi.Truncate(row, width, "")
}

func markdownStyle(colour bool) ansi.StyleConfig {
	s := styles.ASCIIStyleConfig
	none, level := uint(0), uint(2)
	s.Document.Margin, s.Document.BlockPrefix, s.Document.BlockSuffix = &none, "", ""
	s.CodeBlock.Margin = &level
	s.List.LevelIndent = 2
	if !colour {
		return s
	}
	bold, italic, underline := true, true, true
	code, head, faint := "6", "4", true
	s.Strong = ansi.StylePrimitive{Bold: &bold}
	s.Emph = ansi.StylePrimitive{Italic: &italic}
	s.Code = ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: &code}}
	s.CodeBlock.Color = &code
	s.Heading.Bold, s.Heading.Color = &bold, &head
	s.Link = ansi.StylePrimitive{Underline: &underline}
	s.BlockQuote.Faint = &faint
	return s
}
