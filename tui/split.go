package tui

import (
	"strings"
	"unicode/utf8"
)

// How a long text is cut into blocks, in bytes: behind a paragraph once it has
// shortBlock, behind any line from longBlock on, and anywhere at mostBlock.
const (
	shortBlock = 1 << 10
	longBlock  = 8 << 10
	mostBlock  = 16 << 10
)

// cut takes the first block off a text that begins inside the code fence named,
// "" for none. It returns where to cut, 0 when the text is one block so far, and
// the fence the rest begins in.
func cut(text, fence string) (at int, rest string) {
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
		fence = fenced(fence, l)
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

// fenced is the code fence that is open behind a line (CommonMark 0.31, section
// 4.5: three backticks or tildes at least, closed by as many of the same).
func fenced(open, line string) string {
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
