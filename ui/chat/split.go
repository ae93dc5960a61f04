package chat

import (
	"strings"
	"unicode/utf8"
)

// Limits for splitting a long text into blocks, in bytes: after a paragraph from shortBlock on,
// after any line from longBlock on, and anywhere at mostBlock.
const (
	shortBlock = 1 << 10
	longBlock  = 8 << 10
	mostBlock  = 16 << 10
)

// findBlockEnd finds the end of the first block of a text that starts inside the given code fence ("" for
// none). It returns where to cut, or 0 if the text does not fill a block yet, and the code fence in
// which the rest starts.
func findBlockEnd(text, fence string) (at int, rest string) {
	if len(text) < shortBlock {
		return 0, fence
	}
	paragraph, line, lineFence := 0, 0, fence
	for i := 0; i < len(text) && i < mostBlock; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		l := strings.TrimSpace(text[i : i+n])
		fence = openFence(fence, l)
		i += n + 1
		if i > mostBlock {
			break
		}
		line, lineFence = i, fence
		if l == "" && fence == "" {
			if paragraph = i; i >= shortBlock {
				return i, ""
			}
		}
	}
	switch {
	case len(text) < longBlock:
		return 0, ""
	case paragraph >= shortBlock/2:
		return paragraph, ""
	case line > 0 && (line >= longBlock/2 || len(text) >= mostBlock):
		return line, lineFence
	case len(text) >= mostBlock:
		for at = min(mostBlock, len(text)-1); at > 1 && !utf8.RuneStart(text[at]); {
			at--
		}
		return at, lineFence
	}
	return 0, ""
}

// openFence returns the code fence that is open after a line (CommonMark 0.31, section 4.5: at least
// three backticks or tildes, closed by as many of the same).
func openFence(open, line string) string {
	mark := strings.TrimLeft(line, "`~")
	mark = line[:len(line)-len(mark)]
	if len(mark) < 3 || strings.Trim(mark, mark[:1]) != "" {
		return open
	}
	switch {
	case open == "" && !(mark[0] == '`' && strings.Contains(line[len(mark):], "`")):
		return mark
	case open != "" && mark[0] == open[0] && len(mark) >= len(open) && len(line) == len(mark):
		return ""
	}
	return open
}
