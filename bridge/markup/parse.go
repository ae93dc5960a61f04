// Package markup converts the Markdown that models write to the markup of messengers, and splits it into messages.
//
// The text cannot inject markup: characters with a meaning in the messenger's markup are escaped or
// replaced. The result is well-formed for any input.
package markup

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
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

// Split splits Markdown into pieces that render to at most limit UTF-16 code units each. It splits between paragraphs
// if possible, else between lines, words or characters. A code block is split only if it is too long for one piece.
// Then it is split between lines, and each piece is a code block. There is always at least one piece.
func Split(markdown string, limit int, render func(string) string) []string {
	return splitter{limit, render}.pieces(paragraphs(markdown), "\n\n")
}

// SplitPlain splits text that is not Markdown in the same way.
func SplitPlain(text string, limit int, render func(string) string) []string {
	return splitter{limit, render}.pieces(strings.Split(text, "\n\n"), "\n\n")
}

type splitter struct {
	limit  int
	render func(string) string
}

func (c splitter) fits(text string) bool { return Units(c.render(text)) <= c.limit }

// pieces joins parts as long as they fit, and cuts parts that do not fit.
func (c splitter) pieces(parts []string, between string) []string {
	var done []string
	for parts = slices.Clone(parts); len(parts) > 0; {
		if n := c.countFitting(parts, between); n > 0 {
			done = append(done, strings.Join(parts[:n], between))
			parts = parts[n:]
			continue
		}
		smaller := c.cut(parts[0], between)
		last := len(smaller) - 1
		done = append(done, smaller[:last]...)
		parts[0] = smaller[last] // following parts may fit into the same piece
		if len(parts) == 1 || !c.fits(parts[0]) {
			done, parts = append(done, smaller[last]), parts[1:]
		}
	}
	if len(done) == 0 {
		return []string{""}
	}
	return done
}

// countFitting returns how many parts fit into one piece. It searches by bisection, because rendering is expensive.
func (c splitter) countFitting(parts []string, between string) int {
	fits := func(n int) bool { return c.fits(strings.Join(parts[:n], between)) }
	low, high := 0, 1
	for high <= len(parts) && fits(high) {
		low, high = high, high*2
	}
	for high = min(high, len(parts)+1); high-low > 1; {
		if middle := (low + high) / 2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

func (c splitter) cut(part, between string) []string {
	switch between {
	case "\n\n":
		if open, body, end, ok := splitFence(part); ok {
			return c.code(open, body, end)
		}
		return c.pieces(strings.Split(part, "\n"), "\n")
	case "\n":
		return c.pieces(strings.Split(part, " "), " ")
	case " ":
		var letters []string
		for g := displaywidth.StringGraphemes(part); g.Next(); {
			letters = append(letters, g.Value())
		}
		return c.pieces(letters, "")
	}
	return c.runes(part)
}

// runes splits a single grapheme cluster that is too long.
func (c splitter) runes(part string) []string {
	var done []string
	start := 0
	for at := 0; at < len(part); {
		_, size := utf8.DecodeRuneInString(part[at:])
		if at > start && !c.fits(part[start:at+size]) {
			done = append(done, part[start:at])
			start = at
		}
		at += size
	}
	return append(done, part[start:])
}

// code splits a code block into several code blocks.
func (c splitter) code(open string, body []string, end string) []string {
	whole := splitter{c.limit, func(text string) string { return c.render(open + "\n" + text + "\n" + end) }}
	pieces := whole.pieces(body, "\n")
	for i := range pieces {
		pieces[i] = open + "\n" + pieces[i] + "\n" + end
	}
	return pieces
}

// paragraphs splits Markdown at empty lines. A code block is one part.
func paragraphs(markdown string) []string {
	var all, now []string
	flush := func() {
		if len(now) > 0 {
			all = append(all, strings.Join(now, "\n"))
			now = nil
		}
	}
	fence := ""
	for _, line := range strings.Split(markdown, "\n") {
		switch mark := openingFence(line); {
		case fence != "":
			now = append(now, line)
			if isClosingFence(line, fence) {
				fence = ""
				flush()
			}
		case mark != "":
			flush()
			fence = mark
			now = append(now, line)
		case strings.TrimSpace(line) == "":
			flush()
		default:
			now = append(now, line)
		}
	}
	flush()
	return all
}

// openingFence returns the fence that opens a code block, or "".
func openingFence(line string) string {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return ""
	}
	for _, sign := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, sign)
		if n := len(text) - len(rest); n >= 3 && !(sign == "`" && strings.Contains(rest, "`")) {
			return text[:n]
		}
	}
	return ""
}

func isClosingFence(line, fence string) bool {
	text := strings.TrimLeft(line, " ")
	rest := strings.TrimLeft(text, fence[:1])
	return len(line)-len(text) <= 3 && len(text)-len(rest) >= len(fence) && strings.TrimSpace(rest) == ""
}

// splitFence splits a code block into its opening fence line, its body and its closing fence.
func splitFence(part string) (open string, body []string, end string, ok bool) {
	rows := strings.Split(part, "\n")
	fence := openingFence(rows[0])
	if fence == "" {
		return "", nil, "", false
	}
	body = rows[1:]
	if n := len(body); n > 0 && isClosingFence(body[n-1], fence) {
		body = body[:n-1]
	}
	if len(rows[0]) > 64 { // too long for a language name
		return fence, append([]string{strings.TrimLeft(rows[0], fence[:1]+" ")}, body...), fence, true
	}
	return rows[0], body, fence, true
}
