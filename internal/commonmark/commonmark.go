// Package commonmark parses Markdown as models write it: CommonMark with tables, strikethrough, task lists, and bold words
// followed by a particle.
package commonmark

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// reader is immutable and safe for concurrent use. It is made without goldmark.New, which brings the writer of HTML.
var reader = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(particles{}, beforeEmphasis),
			util.Prioritized(extension.NewStrikethroughParser(), 500))...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
})

// Parse returns the document in a text, and the text that its nodes refer to. It decodes neither character references
// nor backslash escapes.
func Parse(markdown string) (ast.Node, []byte) {
	source := []byte(markdown)
	return reader().Parse(text.NewReader(source)), source
}

// Lines returns the lines of a code or HTML block.
func Lines(n ast.Node, source []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(source))
	}
	if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
		b.Write(html.ClosureLine.Value(source))
	}
	return b.String()
}

// Text returns the text of a node and its children without marks.
func Text(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if c.Type() == ast.TypeBlock {
				b.WriteByte('\n')
			}
			return ast.WalkContinue, nil
		}
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(source))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte('\n')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.RawHTML:
			b.WriteString(HTML(c, source))
		case *ast.AutoLink:
			b.Write(c.Label(source))
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			b.WriteString(Lines(c, source))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimRight(b.String(), "\n")
}

// HTML returns a tag as it was written.
func HTML(n *ast.RawHTML, source []byte) string {
	var b strings.Builder
	for i := range n.Segments.Len() {
		s := n.Segments.At(i)
		b.Write(s.Value(source))
	}
	return b.String()
}

// beforeEmphasis is a priority before goldmark's own emphasis parser, which has 500.
const beforeEmphasis = 499

// particles parses the asterisks of **41%**만 and 그는**"네"**라고. In CommonMark, a run of asterisks between punctuation and
// a letter can only open or close emphasis on the letter's side. In scripts that write words without blanks, particles
// allows the other side too. It ignores single asterisks, which can mean multiplication: 값*(수*율).
type particles struct{}

// Trigger implements [parser.InlineParser].
func (particles) Trigger() []byte { return []byte{'*'} }

// Parse implements [parser.InlineParser].
func (p particles) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	run := parser.ScanDelimiter(line, before, 2, p)
	if run == nil {
		return nil
	}
	after, _ := utf8.DecodeRune(line[run.OriginalLength:])
	switch {
	case util.IsPunctRune(before) && isUnspaced(after):
		run.CanClose = true
	case isUnspaced(before) && util.IsPunctRune(after):
		run.CanOpen = true
	default:
		return nil
	}
	run.Segment = segment.WithStop(segment.Start + run.OriginalLength)
	block.Advance(run.OriginalLength)
	pc.PushDelimiter(run)
	return run
}

// isUnspaced reports whether r belongs to a script that writes words without blanks, or with particles attached.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// IsDelimiter implements [parser.DelimiterProcessor].
func (particles) IsDelimiter(b byte) bool { return b == '*' }

// CanOpenCloser implements [parser.DelimiterProcessor].
func (particles) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements [parser.DelimiterProcessor].
func (particles) OnMatch(consumes int) ast.Node { return ast.NewEmphasis(consumes) }
