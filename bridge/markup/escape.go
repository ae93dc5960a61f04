package markup

import (
	"bytes"
	"strings"
	"unicode/utf16"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/nidoit/blunux-ai/ipc"
)

// Units is how long a text is in UTF-16 code units, as messengers count.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// unescaped is the text of a node with backslashes and character references
// taken for what they stand for, but for what changes how others show.
func unescaped(n *ast.Text, source []byte) string {
	value := n.Segment.Value(source)
	if n.IsRaw() {
		return string(value)
	}
	var b strings.Builder
	for at := 0; at < len(value); {
		part := value[at : at+1]
		switch end := reference(value[at:]); {
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

// longestReference is how long the name of a character is at most.
const longestReference = 40

// reference is how long the character reference is that a text begins with, 0
// where there is none.
func reference(text []byte) int {
	if len(text) == 0 || text[0] != '&' {
		return 0
	}
	return bytes.IndexByte(text[:min(len(text), longestReference)], ';') + 1
}

// Escape is Markdown that shows a text as it is, blanks at the beginning of its
// lines included.
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
