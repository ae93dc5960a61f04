package markup

import (
	"bytes"
	"strings"
	"unicode/utf16"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/nidoit/blunux-ai/ipc"
)

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
