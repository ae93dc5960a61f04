package chat

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/nidoit/blunux-ai/internal/commonmark"
)

// markdown lays out a model's text. Without colour, marks show emphasis.
type markdown struct {
	colour bool
}

// The selections of SGR that answers use (ECMA-48 section 8.3.117). Colours are the terminal's own, see [look].
const (
	sgrBold      = "1"
	sgrFaint     = "2"
	sgrItalic    = "3"
	sgrUnderline = "4"
	sgrBlue      = "34"
	sgrCyan      = "36"
)

// minInner is the least width inside a list or quote, in cells. Deeper nesting is shown as plain text.
const minInner = 8

// minColumn is the least width of a column of a table, in cells. If there is less, a table is shown row by row.
const minColumn = 6

// codeIndent is how far code is indented, in cells.
const codeIndent = 2

// rows lays out cleaned text in rows of at most width cells. The rows contain no control sequences except for SGR.
// Tags of HTML and character references such as "&#27;" are shown as they are.
func (m *markdown) rows(text string, width int) []string {
	root, source := commonmark.Parse(text)
	p := page{colour: m.colour, source: source}
	rows := p.blocks(root, width, true)
	if len(rows) == 0 { // only definitions of links, or nothing
		return plainRows(text, width)
	}
	for i, r := range rows {
		rows[i] = fit(r, width)
	}
	return rows
}

// page lays out one text.
type page struct {
	colour bool
	source []byte
	style  string // SGR of the text around the current block
}

// blocks lays out the child blocks of a node, with blank rows between them if spaced. A list follows the text of its item
// without one.
func (p *page) blocks(n ast.Node, width int, spaced bool) []string {
	var rows []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		part := p.block(c, width)
		if spaced && len(rows) > 0 && len(part) > 0 && !isInnerList(c) {
			rows = append(rows, "")
		}
		rows = append(rows, part...)
	}
	return rows
}

func isInnerList(n ast.Node) bool {
	return n.Kind() == ast.KindList && n.Parent().Kind() == ast.KindListItem
}

func (p *page) block(n ast.Node, width int) []string {
	if width < minInner {
		return plainRows(commonmark.Text(n, p.source), max(width, 1))
	}
	switch n := n.(type) {
	case *ast.Heading:
		style := addSGR(addSGR(p.style, sgrBold), sgrBlue)
		row := styled{colour: p.colour}
		row.write(style, strings.Repeat("#", n.Level)+" ")
		p.inlines(&row, n, style)
		return p.wrap(row.String(), width)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return p.code(commonmark.Lines(n, p.source), width)
	case *ast.HTMLBlock:
		return plainRows(commonmark.Lines(n, p.source), width)
	case *ast.ThematicBreak:
		return []string{strings.Repeat("-", minInner)}
	case *ast.Blockquote:
		return p.quote(n, width)
	case *ast.List:
		return p.list(n, width)
	case *extast.Table:
		return p.table(n, width)
	}
	if first := n.FirstChild(); first != nil && first.Type() == ast.TypeBlock {
		return p.blocks(n, width, true)
	}
	return p.wrap(p.text(n), width)
}

// code lays out a code block. Rows that are too long are broken between any characters, so that none is lost.
func (p *page) code(text string, width int) []string {
	text = strings.ReplaceAll(strings.Trim(text, "\n"), "\t", "    ")
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		for part := range strings.SplitSeq(xansi.Hardwrap(line, width-codeIndent, true), "\n") {
			if strings.TrimSpace(part) == "" {
				rows = append(rows, "")
				continue
			}
			row := styled{colour: p.colour}
			row.write("", strings.Repeat(" ", codeIndent))
			row.write(addSGR(p.style, sgrCyan), part)
			rows = append(rows, row.String())
		}
	}
	return rows
}

func (p *page) quote(n ast.Node, width int) []string {
	const mark = "| "
	if width-len(mark) < minInner {
		return plainRows(commonmark.Text(n, p.source), width)
	}
	before := p.style
	p.style = addSGR(before, sgrFaint)
	rows := p.blocks(n, width-len(mark), true)
	p.style = before
	for i, r := range rows {
		rows[i] = strings.TrimRight(mark+r, " ")
	}
	return rows
}

// list lays out a list. Its items hang: further rows begin where the text of the first begins.
func (p *page) list(n *ast.List, width int) []string {
	var rows []string
	spaced := !n.IsTight && hasLongItem(n)
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(rune(n.Marker)) + " "
			number++
		}
		if box := checkBox(item); box != nil {
			mark = "[ ] "
			if box.IsChecked {
				mark = "[x] "
			}
		}
		if spaced && len(rows) > 0 {
			rows = append(rows, "")
		}
		rows = append(rows, p.item(item, mark, width, spaced)...)
	}
	return rows
}

func (p *page) item(n ast.Node, mark string, width int, spaced bool) []string {
	inner := width - cells(mark)
	if inner < minInner {
		return plainRows(mark+commonmark.Text(n, p.source), width)
	}
	rows := p.blocks(n, inner, spaced)
	if len(rows) == 0 {
		return []string{strings.TrimRight(mark, " ")}
	}
	for i, r := range rows {
		switch {
		case i == 0:
			rows[i] = mark + r
		case r != "":
			rows[i] = strings.Repeat(" ", cells(mark)) + r
		}
	}
	return rows
}

// hasLongItem reports whether an item has several blocks, not counting lists.
func hasLongItem(n *ast.List) bool {
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		blocks := 0
		for c := item.FirstChild(); c != nil; c = c.NextSibling() {
			if !isInnerList(c) {
				blocks++
			}
		}
		if blocks > 1 {
			return true
		}
	}
	return false
}

// checkBox returns the box that an item of a task list begins with, or nil.
func checkBox(item ast.Node) *extast.TaskCheckBox {
	if item.FirstChild() == nil {
		return nil
	}
	box, _ := item.FirstChild().FirstChild().(*extast.TaskCheckBox) // nil for another node
	return box
}

// table lays out a table in columns, or row by row if they would be too narrow.
func (p *page) table(n *extast.Table, width int) []string {
	var cellRows [][]string
	columns := 0
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, p.text(c))
		}
		columns = max(columns, len(row))
		cellRows = append(cellRows, row)
	}
	if len(cellRows) == 0 || columns == 0 {
		return nil
	}
	if width < columns*(minColumn+3) && tableWidth(cellRows, columns) > width {
		return p.tableByRow(cellRows, width)
	}
	t := table.New().Headers(cellRows[0]...).Rows(cellRows[1:]...).Wrap(true).
		Border(lipgloss.Border{Top: "-", Left: "|", Middle: "|"}).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		StyleFunc(func(_, column int) lipgloss.Style {
			style := lipgloss.NewStyle().Padding(0, 1)
			if column == 0 {
				style = style.PaddingLeft(0)
			}
			if column < len(n.Alignments) {
				style = style.Align(positionOf(n.Alignments[column]))
			}
			return style
		})
	if tableWidth(cellRows, columns) > width {
		t.Width(width)
	}
	rows := strings.Split(t.String(), "\n")
	for i, r := range rows {
		rows[i] = trimRight(r)
	}
	return rows
}

// tableWidth returns the width of a table whose cells are not wrapped.
func tableWidth(cellRows [][]string, columns int) int {
	total := 3 * (columns - 1)
	for i := range columns {
		widest := 0
		for _, row := range cellRows {
			if i < len(row) {
				widest = max(widest, lipgloss.Width(row[i]))
			}
		}
		total += widest
	}
	return total
}

func positionOf(a extast.Alignment) lipgloss.Position {
	switch a {
	case extast.AlignRight:
		return lipgloss.Right
	case extast.AlignCenter:
		return lipgloss.Center
	}
	return lipgloss.Left
}

// tableByRow lays out each cell in separate rows, after its column's title.
func (p *page) tableByRow(cellRows [][]string, width int) []string {
	var rows []string
	titles := cellRows[0]
	if len(cellRows) == 1 {
		return p.wrap(strings.Join(titles, " | "), width)
	}
	for i, row := range cellRows[1:] {
		if i > 0 {
			rows = append(rows, "")
		}
		for j, cell := range row {
			if j < len(titles) && titles[j] != "" {
				cell = titles[j] + ": " + cell
			}
			rows = append(rows, p.wrap(cell, width)...)
		}
	}
	return rows
}

// wrap breaks text between words into rows of at most width cells. Words that are too long are broken too.
func (p *page) wrap(text string, width int) []string {
	if text == "" {
		return nil
	}
	if p.colour {
		return strings.Split(lipgloss.Wrap(text, width, ""), "\n") // repeats the style in each row
	}
	return strings.Split(xansi.Wrap(text, width, ""), "\n")
}

// text returns the inlines of a node.
func (p *page) text(n ast.Node) string {
	row := styled{colour: p.colour}
	p.inlines(&row, n, p.style)
	return strings.TrimSpace(row.String())
}

// inlines writes the inlines of a node.
func (p *page) inlines(out *styled, n ast.Node, style string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.inline(out, c, style)
	}
}

func (p *page) inline(out *styled, n ast.Node, style string) {
	switch n := n.(type) {
	case *ast.Text:
		out.write(style, literal(n, p.source))
		switch {
		case n.HardLineBreak():
			out.write(style, "\n")
		case n.SoftLineBreak():
			out.write(style, " ")
		}
	case *ast.String:
		out.write(style, string(n.Value))
	case *ast.CodeSpan:
		text := strings.ReplaceAll(commonmark.Text(n, p.source), "\n", " ")
		out.write(addSGR(style, sgrCyan), text)
	case *ast.Emphasis:
		if n.Level >= 2 {
			p.marked(out, n, style, "**", sgrBold)
		} else {
			p.marked(out, n, style, "*", sgrItalic)
		}
	case *extast.Strikethrough:
		p.marked(out, n, style, "~~", "")
	case *ast.Link:
		p.link(out, n, string(n.Destination), style)
	case *ast.Image:
		p.link(out, n, string(n.Destination), style)
	case *ast.AutoLink:
		out.write(addSGR(style, sgrUnderline), string(n.Label(p.source)))
	case *ast.RawHTML:
		out.write(style, breakOr(commonmark.HTML(n, p.source)))
	case *extast.TaskCheckBox: // the mark of the item
	default:
		p.inlines(out, n, style)
	}
}

// marked writes the inlines of a node in an SGR, or between marks if there is none or no colour.
func (p *page) marked(out *styled, n ast.Node, style, mark, sgr string) {
	if p.colour && sgr != "" {
		p.inlines(out, n, addSGR(style, sgr))
		return
	}
	out.write(style, mark)
	p.inlines(out, n, style)
	out.write(style, mark)
}

// link writes the text of a link, and its address if that differs.
func (p *page) link(out *styled, n ast.Node, address, style string) {
	if label := commonmark.Text(n, p.source); label != "" && label != address {
		p.inlines(out, n, style)
		out.write(style, " ")
	}
	out.write(addSGR(style, sgrUnderline), address)
}

// literal returns the text of a node without backslash escapes.
func literal(n *ast.Text, source []byte) string {
	value := n.Segment.Value(source)
	if !n.IsRaw() {
		value = util.UnescapePunctuations(value)
	}
	return string(value)
}

// breakOr returns a newline for the tag <br>, and other tags as they are.
func breakOr(tag string) string {
	switch strings.ToLower(strings.ReplaceAll(tag, " ", "")) {
	case "<br>", "<br/>":
		return "\n"
	}
	return tag
}

// styled collects text in different styles.
type styled struct {
	colour bool
	b      strings.Builder
	style  string
}

// write appends text in a style of SGR selections, "" for none.
func (s *styled) write(style, text string) {
	if text == "" {
		return
	}
	s.use(style)
	s.b.WriteString(strings.ReplaceAll(text, "\t", "    "))
}

func (s *styled) use(style string) {
	if !s.colour || style == s.style {
		return
	}
	if s.style != "" {
		s.b.WriteString("\x1b[m")
	}
	if style != "" {
		s.b.WriteString("\x1b[" + style + "m")
	}
	s.style = style
}

// String ends the style and returns everything written.
func (s *styled) String() string {
	s.use("")
	return s.b.String()
}

// addSGR returns a style with one more selection.
func addSGR(style, sgr string) string {
	if style == "" {
		return sgr
	}
	if slices.Contains(strings.Split(style, ";"), sgr) {
		return style
	}
	return style + ";" + sgr
}
