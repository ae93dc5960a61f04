package manual

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// wrap breaks a text into lines, the first at most first cells wide, the others rest. It breaks at blanks and
// between Chinese characters, but not before closing or after opening punctuation (a part of the line breaking
// rules of JLREQ and CLREQ). It cuts words that are longer than a line. It returns at least one line.
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
				head := fittingPrefix(piece, room)
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

// fittingPrefix returns the longest prefix of s that fits into width cells, but at least one character.
func fittingPrefix(s string, width int) string {
	used, end := 0, 0
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		if used += g.Width(); used > width && end > 0 {
			break
		}
		end += len(g.Value())
	}
	return s[:end]
}

// pieces splits a text where lines may end. Blanks belong to the piece before them.
func pieces(text string) []string {
	var list []string
	begin := 0
	var before rune
	for i, r := range text {
		if i > begin && isBreakable(before, r) {
			list = append(list, text[begin:i])
			begin = i
		}
		before = r
	}
	return append(list, text[begin:])
}

// isBreakable reports whether a line may end between a and b.
func isBreakable(a, b rune) bool {
	switch {
	case b == ' ':
		return false
	case a == ' ':
		return true
	case strings.ContainsRune("，。、；：！？）》」』”’…,.;:!?)]}", b), strings.ContainsRune("（《「『“‘([{", a):
		return false
	}
	return isHan(a) || isHan(b)
}

// isHan reports whether lines may break next to a character: Chinese characters and punctuation.
func isHan(r rune) bool {
	return unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60
}

// joinLines joins two lines of a paragraph: with a blank, but without one between Chinese characters.
func joinLines(a, b string) string {
	last, first := []rune(a), []rune(b)
	if len(last) > 0 && len(first) > 0 && isHan(last[len(last)-1]) && isHan(first[0]) {
		return a + b
	}
	return a + " " + b
}

// breakCommand breaks a command line into lines of at most width cells that a shell reads as the same command: at
// blanks outside of quotes, with a backslash at the end. A comment continues as a comment. A word that is wider stays
// whole.
func breakCommand(line string, width int) []string {
	if displaywidth.String(line) <= width {
		return []string{line}
	}
	if strings.HasPrefix(line, "# ") {
		lines := wrap(line[2:], width-2, width-2)
		for i := range lines {
			lines[i] = "# " + lines[i]
		}
		return lines
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var lines []string
	current := ""
	for _, word := range shellWords(line) {
		switch {
		case current == "":
			current = margin + word
		case displaywidth.String(current+" "+word+` \`) <= width:
			current += " " + word
		default:
			lines = append(lines, current+` \`)
			current = margin + "    " + word
		}
	}
	return append(lines, current)
}

// shellWords splits a command line at blanks outside of quotes. Quotes and backslashes are kept.
func shellWords(line string) []string {
	var words []string
	word, quote, escaped := "", rune(0), false
	for _, r := range line + " " {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == 0 && r == ' ':
			if word != "" {
				words = append(words, word)
			}
			word = ""
			continue
		}
		word += string(r)
	}
	if word != "" { // in quotes that do not end
		words = append(words, strings.TrimSuffix(word, " "))
	}
	return words
}
