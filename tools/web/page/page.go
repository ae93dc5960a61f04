// Package page turns a web page into text for a model: what a person sees of it, as Markdown. Scripts, comments and
// hidden text are left out, because only a model would read them.
package page

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is the readable part of a page.
type Page struct {
	Title string
	Text  string // Markdown
	Cut   bool   // it was longer than the limit
}

// leastMain is how long the part that a page marks as its main one must be, in bytes; otherwise all of the page counts.
const leastMain = 200

// Read reads a page of an address, at most that many bytes of text.
func Read(source, address string, most int) (Page, error) {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return Page{}, fmt.Errorf("cannot read the page: %w", err)
	}
	base, err := url.Parse(address)
	if err != nil {
		return Page{}, err
	}
	r := renderer{base: base, hiding: hidingOf(root), most: most, hasBlocks: map[*html.Node]bool{}}
	body := r.survey(root)
	p := Page{Title: firstText(r.title)}
	for _, part := range []*html.Node{r.main, body} {
		if part == nil {
			continue
		}
		r.whole, r.size, r.cut = part == r.main, 0, false
		p.Text, p.Cut = r.render(part), r.cut
		if len(p.Text) >= leastMain {
			break
		}
	}
	if r.hiding.isExhausted() {
		return Page{}, errors.New("the page has too many style rules to know what people see of it")
	}
	return p, nil
}

// maxTitle bounds a title in characters.
const maxTitle = 300

func firstText(n *html.Node) string {
	if n == nil || n.FirstChild == nil {
		return ""
	}
	title := []rune(strings.Join(strings.Fields(visible(n.FirstChild.Data)), " "))
	return string(title[:min(len(title), maxTitle)])
}

// blockTags are the elements that begin a new line.
var blockTags = tags(`address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
	header hgroup hr html legend li main menu nav ol p pre section summary table tbody td tfoot th thead tr ul caption`)

// droppedTags are the elements without text that people read.
var droppedTags = tags(`script style noscript template head svg math iframe object embed canvas audio video picture img map button select input textarea
	datalist dialog frameset noframes meter progress`)

// asideTags are the elements around the content of a page.
var asideTags = tags("footer aside header")

var asideRoles = map[string]bool{"banner": true, "contentinfo": true, "complementary": true, "dialog": true}

func tags(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// maxNesting bounds how deep lists and quotes are indented.
const maxNesting = 6

// renderer writes a page as Markdown.
type renderer struct {
	base   *url.URL
	hiding *hiding
	most   int

	title, main *html.Node
	hasBlocks   map[*html.Node]bool // elements with an element in them that begins a new line

	whole   bool // what is around the content is written too
	size    int
	cut     bool
	nesting int
}

// survey finds the title, the main part and the body, and notes which elements hold blocks.
func (r *renderer) survey(root *html.Node) (body *html.Node) {
	articles := 0
	var article *html.Node
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Namespace != "" {
			continue
		}
		if blockTags[n.Data] {
			for up := n.Parent; up != nil && !r.hasBlocks[up]; up = up.Parent {
				r.hasBlocks[up] = true
			}
		}
		switch {
		case n.DataAtom == atom.Title && r.title == nil:
			r.title = n
		case n.DataAtom == atom.Body && body == nil:
			body = n
		case n.DataAtom == atom.Main || attr(n, "role") == "main":
			if r.main == nil {
				r.main = n
			}
		case n.DataAtom == atom.Article:
			articles, article = articles+1, n
		}
	}
	if r.main == nil && articles == 1 {
		r.main = article
	}
	if r.main != nil && r.isInHidden(r.main) {
		r.main = nil
	}
	if body == nil {
		return root
	}
	return body
}

func (r *renderer) isInHidden(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Type == html.ElementNode && r.hiding.isHidden(n) {
			return true
		}
	}
	return false
}

func (r *renderer) render(n *html.Node) string {
	var blocks []string
	r.children(n, &blocks)
	return strings.TrimSpace(strings.Join(blocks, "\n\n"))
}

// skips reports whether an element is left out.
func (r *renderer) skips(n *html.Node) bool {
	switch {
	case n.Type == html.CommentNode || n.Type == html.DoctypeNode:
		return true
	case n.Type != html.ElementNode:
		return false
	case droppedTags[n.Data] || n.Namespace != "" || r.hiding.isHidden(n):
		return true
	case n.Data == "nav" || attr(n, "role") == "navigation" || attr(n, "role") == "search":
		return true
	}
	return !r.whole && (asideTags[n.Data] || asideRoles[attr(n, "role")])
}

// take counts text and reports whether there is room for it.
func (r *renderer) take(text string) bool {
	if r.size += len(text); r.size > r.most {
		r.cut = true
	}
	return !r.cut
}

// children writes what is in an element, as blocks.
func (r *renderer) children(n *html.Node, out *[]string) {
	var line strings.Builder
	flush := func() {
		if text := collapse(line.String()); text != "" {
			*out = append(*out, text)
		}
		line.Reset()
	}
	for c := n.FirstChild; c != nil && !r.cut; c = c.NextSibling {
		switch {
		case r.skips(c):
		case c.Type == html.ElementNode && (blockTags[c.Data] || r.hasBlocks[c]):
			flush()
			r.block(c, out)
		default:
			r.inline(c, &line)
		}
	}
	flush()
}

// block writes one element as blocks.
func (r *renderer) block(n *html.Node, out *[]string) {
	add := func(text string) {
		if text != "" {
			*out = append(*out, text)
		}
	}
	switch n.Data {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if text := r.line(n); text != "" {
			add(strings.Repeat("#", int(n.Data[1]-'0')) + " " + text)
		}
	case "pre":
		add(r.preformatted(n))
	case "ul", "ol", "menu", "dir":
		add(r.list(n))
	case "blockquote":
		add(r.indented(n, "> ", "> "))
	case "dt":
		if text := r.line(n); text != "" {
			add("**" + text + "**")
		}
	case "dd":
		add(r.indented(n, ": ", "  "))
	case "hr":
		add("---")
	case "table":
		r.table(n, out)
	default:
		r.children(n, out)
	}
}

// line returns the text of an element as one line.
func (r *renderer) line(n *html.Node) string {
	var line strings.Builder
	r.inlines(n, &line)
	return strings.ReplaceAll(collapse(line.String()), "\n", " ")
}

func (r *renderer) inlines(n *html.Node, line *strings.Builder) {
	for c := n.FirstChild; c != nil && !r.cut; c = c.NextSibling {
		if !r.skips(c) {
			r.inline(c, line)
		}
	}
}

// lineBreak represents a line break until blanks are collapsed.
const lineBreak = "\x00"

// inline writes one node within a line.
func (r *renderer) inline(n *html.Node, line *strings.Builder) {
	if n.Type == html.TextNode {
		if text := strings.ReplaceAll(visible(n.Data), lineBreak, ""); r.take(text) {
			line.WriteString(text)
		}
		return
	}
	around := func(mark string) {
		if text := r.line(n); text != "" {
			line.WriteString(mark + text + mark)
		}
	}
	switch n.Data {
	case "br":
		if r.take("\n") {
			line.WriteString(lineBreak)
		}
	case "b", "strong":
		around("**")
	case "i", "em", "cite":
		around("*")
	case "del", "s", "strike":
		around("~~")
	case "code", "kbd", "samp", "tt":
		around("`")
	case "a":
		r.link(n, line)
	default:
		if blockTags[n.Data] {
			line.WriteByte(' ')
		}
		r.inlines(n, line)
		if blockTags[n.Data] {
			line.WriteByte(' ')
		}
	}
}

// maxLink bounds the address of a link in bytes.
const maxLink = 500

// withoutBrackets escapes what would end an address in Markdown.
var withoutBrackets = strings.NewReplacer("(", "%28", ")", "%29")

func (r *renderer) link(n *html.Node, line *strings.Builder) {
	text, to := r.line(n), attr(n, "href")
	u, err := r.base.Parse(strings.TrimSpace(to))
	if text == "" || to == "" || strings.HasPrefix(to, "#") || err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		line.WriteString(text)
		return
	}
	target := withoutBrackets.Replace(u.String())
	if len(target) > maxLink || !r.take(target) {
		line.WriteString(text)
		return
	}
	line.WriteString("[" + text + "](" + target + ")")
}

// collapse makes one blank of each run of blanks, and lines of line breaks.
func collapse(text string) string {
	lines := strings.Split(text, lineBreak)
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// preformatted writes text as it is, in a fence that is longer than any in it.
func (r *renderer) preformatted(n *html.Node) string {
	var text strings.Builder
	r.verbatim(n, &text)
	code := strings.Trim(text.String(), "\n")
	if strings.TrimSpace(code) == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(code, fence) && len(fence) < 64 {
		fence += "`"
	}
	return fence + "\n" + code + "\n" + fence
}

func (r *renderer) verbatim(n *html.Node, text *strings.Builder) {
	for c := n.FirstChild; c != nil && !r.cut; c = c.NextSibling {
		switch {
		case r.skips(c):
		case c.Type == html.TextNode:
			if code := visible(c.Data); r.take(code) {
				text.WriteString(code)
			}
		case c.Data == "br" && r.take("\n"):
			text.WriteByte('\n')
		default:
			r.verbatim(c, text)
		}
	}
}

// indented writes an element with a mark before its first line and another before the others.
func (r *renderer) indented(n *html.Node, first, others string) string {
	if r.nesting >= maxNesting {
		first, others = "", ""
	}
	r.nesting++
	defer func() { r.nesting-- }()
	var blocks []string
	r.children(n, &blocks)
	gap := "\n\n"
	if others == "  " || strings.TrimSpace(others) == "" {
		gap = "\n"
	}
	text := strings.TrimSpace(strings.Join(blocks, gap))
	if text == "" {
		return ""
	}
	return first + strings.ReplaceAll(text, "\n", "\n"+others)
}

func (r *renderer) list(n *html.Node) string {
	var items []string
	number, err := strconv.Atoi(attr(n, "start"))
	if err != nil {
		number = 1
	}
	for c := n.FirstChild; c != nil && !r.cut; c = c.NextSibling {
		if c.Type != html.ElementNode || r.skips(c) {
			continue
		}
		mark := "- "
		if n.Data == "ol" {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		if c.Data != "li" { // a list right inside a list
			mark = "  "
		}
		if text := r.indented(c, mark, strings.Repeat(" ", len(mark))); text != "" {
			items = append(items, text)
		}
	}
	return strings.Join(items, "\n")
}

// table writes a table of one-line cells. One that only lays out the page is written as its parts.
func (r *renderer) table(n *html.Node, out *[]string) {
	var rows []*html.Node
	for d := range n.Descendants() {
		if d.Type != html.ElementNode {
			continue
		}
		switch d.Data {
		case "table":
			r.children(n, out)
			return
		case "tr":
			rows = append(rows, d)
		}
	}
	if attr(n, "role") == "presentation" {
		r.children(n, out)
		return
	}
	var lines []string
	for _, row := range rows {
		if r.cut || r.isInHiddenRow(row, n) {
			continue
		}
		var cells []string
		for c := row.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode && (c.Data == "td" || c.Data == "th") && !r.skips(c) {
				cells = append(cells, strings.ReplaceAll(r.line(c), "|", `\|`))
			}
		}
		if len(cells) == 0 {
			continue
		}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
		if len(lines) == 1 {
			lines = append(lines, strings.Repeat("|---", len(cells))+"|")
		}
	}
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && c.Data == "caption" && !r.skips(c) {
			if text := r.line(c); text != "" {
				*out = append(*out, text)
			}
		}
	}
	if len(lines) > 0 {
		*out = append(*out, strings.Join(lines, "\n"))
	}
}

// isInHiddenRow reports whether a row, or the part of the table around it, is left out.
func (r *renderer) isInHiddenRow(row, table *html.Node) bool {
	for n := row; n != nil && n != table; n = n.Parent {
		if r.skips(n) {
			return true
		}
	}
	return false
}
