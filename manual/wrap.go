package manual

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// wrap breaks a text into lines, the first of at most first cells and the others
// of rest: at blanks, and between Chinese characters, but never before
// punctuation that closes or behind punctuation that opens (a part of JLREQ's
// and CLREQ's rules of line breaking). A word that fits no line is cut. There is
// always a line.
func wrap(text string, first, rest int) []string {
	var lines []string
	line, used, room := "", 0, max(first, 2)
	for _, piece := range pieces(text) {
		for piece != "" {
			width := displaywidth.String(strings.TrimRight(piece, " "))
			if used+width <= room {
				line, used = line+piece, used+displaywidth.String(piece)
				break
			}
			if used == 0 { // longer than a line
				head := fitting(piece, room)
				line, piece = line+head, piece[len(head):]
			}
			lines = append(lines, strings.TrimRight(line, " "))
			line, used, room = "", 0, max(rest, 2)
			piece = strings.TrimLeft(piece, " ")
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// fitting is the longest beginning of s of at most width cells, a character at
// least.
func fitting(s string, width int) string {
	used, end := 0, 0
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		if used += g.Width(); used > width && end > 0 {
			break
		}
		end += len(g.Value())
	}
	return s[:end]
}

// pieces cuts a text where a line may end. Blanks belong to the piece before.
func pieces(text string) []string {
	var list []string
	begin := 0
	var before rune
	for i, r := range text {
		if i > begin && breakable(before, r) {
			list = append(list, text[begin:i])
			begin = i
		}
		before = r
	}
	return append(list, text[begin:])
}

// breakable reports whether a line may end between two characters.
func breakable(a, b rune) bool {
	switch {
	case b == ' ':
		return false
	case a == ' ':
		return true
	case strings.ContainsRune("，。、；：！？）》」』”’…,.;:!?)]}", b), strings.ContainsRune("（《「『“‘([{", a):
		return false
	}
	return han(a) || han(b)
}

// han reports whether a line may end beside a character: Chinese ones and their
// punctuation.
func han(r rune) bool {
	return unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60
}

// joined puts two lines of one paragraph together: with a blank, but not between
// Chinese characters.
func joined(a, b string) string {
	last, first := []rune(a), []rune(b)
	if len(last) > 0 && len(first) > 0 && han(last[len(last)-1]) && han(first[0]) {
		return a + b
	}
	return a + " " + b
}
