// Package markup turns the Markdown that models write into what messengers
// show, and cuts it into messages.
//
// Nothing in a text gets out of it: what the messenger would take for markup of
// its own is escaped, or written so that it is none. The result is well-formed
// whatever went in.
package markup

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// reader reads Markdown as models write it: with tables, strikethrough, and
// bold words with a particle behind them. It is safe for concurrent use and
// never changed.
var reader = sync.OnceValue(func() parser.Parser {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(particles{}, beforeEmphasis))),
	).Parser()
})

func parse(markdown string) (ast.Node, []byte) {
	source := []byte(markdown)
	return reader().Parse(text.NewReader(source)), source
}

// beforeEmphasis is before goldmark's own parser of emphasis, which is at 500.
const beforeEmphasis = 499

// particles reads the asterisks of **41%**만 and 그는**"네"**라고: CommonMark takes
// words to be parted by blanks, and a run between a sign and a letter to look away
// from the sign. Where letters need no blanks between words it may look there too.
// Single asterisks are left, which multiply: 값*(수*율).
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
	case util.IsPunctRune(before) && unblanked(after):
		run.CanClose = true
	case unblanked(before) && util.IsPunctRune(after):
		run.CanOpen = true
	default:
		return nil
	}
	run.Segment = segment.WithStop(segment.Start + run.OriginalLength)
	block.Advance(run.OriginalLength)
	pc.PushDelimiter(run)
	return run
}

// unblanked reports whether a letter is of a script whose words stand without blanks
// between them, or have particles behind them.
func unblanked(r rune) bool {
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
