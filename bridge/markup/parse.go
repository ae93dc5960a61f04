// Package markup converts the Markdown that models write to the markup of messengers, and splits it into messages.
//
// The text cannot inject markup: characters with a meaning in the messenger's markup are escaped or
// replaced. The result is well-formed for any input.
package markup

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/nidoit/blunux-ai/ipc"
)

// reader parses Markdown as models write it: with tables, strikethrough, and bold words followed by
// a particle. It is immutable and safe for concurrent use.
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

// Units returns the length of text in UTF-16 code units, as messengers count.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// resolveEscapes returns a text node with backslash escapes and character references resolved, but
// without characters that change how others are displayed.
func resolveEscapes(n *ast.Text, source []byte) string {
	value := n.Segment.Value(source)
	if n.IsRaw() {
		return string(value)
	}
	var b strings.Builder
	for at := 0; at < len(value); {
		part := value[at : at+1]
		switch end := referenceLength(value[at:]); {
		case value[at] == '\\' && at+1 < len(value) && util.IsPunct(value[at+1]):
			part = value[at+1 : at+2]
			at++
		case end > 0:
			b.Write(util.ResolveEntityNames(util.ResolveNumericReferences(value[at : at+end])))
			at += end
			continue
		}
		b.Write(part)
		at++
	}
	return ipc.Clean(b.String())
}

// maxReferenceLength is the maximum length of a character reference in bytes.
const maxReferenceLength = 40

// referenceLength returns the length of the character reference at the start of text, or 0.
func referenceLength(text []byte) int {
	if len(text) == 0 || text[0] != '&' {
		return 0
	}
	return bytes.IndexByte(text[:min(len(text), maxReferenceLength)], ';') + 1
}

// Escape returns Markdown that displays text literally, including leading blanks of its lines.
func Escape(text string) string {
	var b strings.Builder
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		bare := strings.TrimLeft(row, " \t")
		b.WriteString(strings.Repeat("\u00a0", len(row)-len(bare)))
		for _, r := range bare {
			if r < 0x80 && util.IsPunct(byte(r)) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		if i < len(rows)-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
