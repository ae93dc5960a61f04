package markup

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/nidoit/blunux-ai/internal/commonmark"
	"github.com/nidoit/blunux-ai/ipc"
)

// dialect is a messenger's markup. Its input is already escaped, except for code, which it escapes itself.
type dialect interface {
	escape(text string) string
	mark(kind kind, text string) string
	code(text string) string
	block(text, language string) string
	quote(text string) string
	link(text, address string) string
	// marksInWords reports whether marks work inside words.
	marksInWords() bool
}

type kind int

const (
	bold kind = iota
	italic
	struck
)

// Limits of the width of a table in columns, in cells, and of the nesting depth.
const (
	maxTableWidth = 48
	maxDepth      = 24
)

// writer renders one text.
type writer struct {
	d      dialect
	source []byte
	open   [3]bool // the open marks
	noCode int     // nesting depth of quotes and marks, which cannot contain code
	depth  int
}

func render(d dialect, markdown string) string {
	root, source := commonmark.Parse(ipc.Clean(markdown))
	w := &writer{d: d, source: source}
	return signReplacer.Replace(strings.TrimSpace(w.blocks(root, "\n\n")))
}

// signReplacer replaces the characters that only confirmations use. A character reference can bring
// them past the daemon's filter. Confirmations themselves are not rendered here.
var signReplacer = strings.NewReplacer(ipc.ApprovalSign, "|", ipc.ApprovalEnd, "+")

// blocks renders the child blocks of a node, separated by between.
func (w *writer) blocks(n ast.Node, between string) string {
	if w.depth >= maxDepth {
		return w.d.escape(commonmark.Text(n, w.source))
	}
	w.depth++
	defer func() { w.depth-- }()
	var all []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if s := w.block(c); s != "" {
			all = append(all, s)
		}
	}
	return strings.Join(all, between)
}

func (w *writer) block(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Heading:
		return w.renderMarked(bold, n)
	case *ast.FencedCodeBlock:
		return w.codeBlock(commonmark.Lines(n, w.source), string(n.Language(w.source)))
	case *ast.CodeBlock:
		return w.codeBlock(commonmark.Lines(n, w.source), "")
	case *ast.HTMLBlock:
		return w.d.escape(strings.TrimRight(commonmark.Lines(n, w.source), "\n"))
	case *ast.ThematicBreak:
		return "———"
	case *ast.Blockquote:
		w.noCode++
		defer func() { w.noCode-- }()
		text := w.blocks(n, "\n\n")
		if w.noCode > 1 {
			return text // nested quotes are merged
		}
		return w.d.quote(text)
	case *ast.List:
		return w.list(n)
	case *extast.Table:
		return w.table(n)
	default:
		if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
			return w.blocks(n, "\n\n")
		}
		return strings.TrimSpace(w.inlines(n))
	}
}

func (w *writer) codeBlock(text, language string) string {
	text = strings.TrimRight(text, "\n")
	if w.noCode > 0 {
		return w.d.escape(text)
	}
	return w.d.block(text, language)
}

func (w *writer) list(n *ast.List) string {
	var rows []string
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		sign := "• "
		if n.IsOrdered() {
			sign = strconv.Itoa(number) + ". "
			number++
		}
		rows = append(rows, sign+strings.TrimSpace(w.item(c)))
	}
	return strings.Join(rows, "\n")
}

// item renders a list item, with its inner lists indented.
func (w *writer) item(n ast.Node) string {
	if w.depth >= maxDepth {
		return w.d.escape(commonmark.Text(n, w.source))
	}
	w.depth++
	defer func() { w.depth-- }()
	var parts []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		s := w.block(c)
		if _, is := c.(*ast.List); is {
			s = "  " + strings.ReplaceAll(s, "\n", "\n  ")
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

// renderMarked renders the inlines of a node within a mark.
func (w *writer) renderMarked(k kind, n ast.Node) string {
	if w.open[k] {
		return w.inlines(n)
	}
	w.open[k] = true
	w.noCode++
	text := w.inlines(n)
	w.open[k] = false
	w.noCode--
	inner := strings.TrimSpace(text)
	if inner == "" {
		return text
	}
	lead, rest, _ := strings.Cut(text, inner)
	rows := strings.Split(inner, "\n")
	for i, row := range rows {
		if strings.TrimSpace(row) != "" {
			rows[i] = w.d.mark(k, row)
		}
	}
	return lead + strings.Join(rows, "\n") + rest
}

// inlines renders the inlines of a node. It omits marks inside words if the dialect does not support them.
func (w *writer) inlines(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if k, ok := markOf(c); ok && !w.d.marksInWords() && w.isInWord(c) {
			w.open[k], ok = true, w.open[k]
			b.WriteString(w.inlines(c))
			w.open[k] = ok
			continue
		}
		b.WriteString(w.inline(c))
	}
	return b.String()
}

func markOf(n ast.Node) (kind, bool) {
	switch n := n.(type) {
	case *ast.Emphasis:
		if n.Level >= 2 {
			return bold, true
		}
		return italic, true
	case *extast.Strikethrough:
		return struck, true
	}
	return 0, false
}

// isInWord reports whether a letter or digit is directly before or after a node.
func (w *writer) isInWord(n ast.Node) bool {
	before, after := rune(' '), rune(' ')
	if p, ok := n.PreviousSibling().(*ast.Text); ok && !p.SoftLineBreak() && !p.HardLineBreak() {
		before, _ = utf8.DecodeLastRune(p.Segment.Value(w.source))
	}
	if s, ok := n.NextSibling().(*ast.Text); ok {
		after, _ = utf8.DecodeRune(s.Segment.Value(w.source))
	}
	return isWordRune(before) || isWordRune(after)
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r))
}

func (w *writer) inline(n ast.Node) string {
	if k, ok := markOf(n); ok {
		return w.renderMarked(k, n)
	}
	switch n := n.(type) {
	case *ast.Text:
		s := w.d.escape(resolveEscapes(n, w.source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			s += "\n"
		}
		return s
	case *ast.String:
		return w.d.escape(string(n.Value))
	case *ast.CodeSpan:
		text := strings.ReplaceAll(commonmark.Text(n, w.source), "\n", " ")
		if w.noCode > 0 || strings.TrimSpace(text) == "" {
			return w.d.escape(text)
		}
		return w.d.code(text)
	case *ast.Link:
		return w.link(w.inlines(n), string(n.Destination))
	case *ast.AutoLink:
		return w.d.escape(string(n.URL(w.source)))
	case *ast.Image:
		return w.link(w.inlines(n), string(n.Destination))
	case *ast.RawHTML:
		return w.d.escape(commonmark.HTML(n, w.source))
	case *extast.TaskCheckBox:
		if n.IsChecked {
			return "☑ "
		}
		return "☐ "
	}
	return w.inlines(n)
}

// link renders a link, with the address if it differs from the text.
func (w *writer) link(text, address string) string {
	address = ipc.Clean(address)
	if strings.TrimSpace(text) == "" || text == w.d.escape(address) {
		return w.d.escape(address)
	}
	if w.noCode == 0 && (strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")) {
		return w.d.link(text, address)
	}
	return text + " (" + w.d.escape(address) + ")"
}

// table renders a table in columns, or row by row if it is too wide.
func (w *writer) table(n *extast.Table) string {
	var rows [][]string
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, strings.TrimSpace(strings.ReplaceAll(commonmark.Text(c, w.source), "\n", " ")))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return ""
	}
	widths := make([]int, len(rows[0]))
	total := 0
	for i := range widths {
		for _, row := range rows {
			if i < len(row) {
				widths[i] = max(widths[i], displaywidth.String(row[i]))
			}
		}
		total += widths[i] + 2
	}
	if total > maxTableWidth || w.noCode > 0 {
		return w.d.escape(renderByRow(rows))
	}
	return w.d.block(renderAligned(rows, widths), "")
}

func renderAligned(rows [][]string, widths []int) string {
	var out []string
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			b.WriteString(cell)
			if j < len(row)-1 {
				b.WriteString(strings.Repeat(" ", max(0, widths[j]-displaywidth.String(cell))+2))
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
		if i == 0 {
			rule := 0
			for _, width := range widths {
				rule += width + 2
			}
			out = append(out, strings.Repeat("-", max(rule-2, 1)))
		}
	}
	return strings.Join(out, "\n")
}

// renderByRow renders a table that is too wide for columns: each cell follows its header.
func renderByRow(rows [][]string) string {
	if len(rows) == 1 {
		return strings.Join(rows[0], " · ")
	}
	var out []string
	for _, row := range rows[1:] {
		var b []string
		for i, cell := range row {
			if i < len(rows[0]) && rows[0][i] != "" {
				cell = rows[0][i] + ": " + cell
			}
			b = append(b, cell)
		}
		out = append(out, strings.Join(b, "\n"))
	}
	return strings.Join(out, "\n\n")
}
