package memory

import (
	"regexp"
	"strings"
)

// Line starts that Markdown would take for structure, and line starts that look escaped already.
var (
	structural = regexp.MustCompile("^(?:\\\\[-#`~<*+=_\\\\]|#|```|~~~|<!--|[-*+](?:[ \\t]|$)|(?:--+|=+|\\*\\*+|__+)[ \\t]*$)")
	numbered   = regexp.MustCompile(`^(\d{1,9})(\\*[.)](?:[ \t]|$))`)
	backslash  = regexp.MustCompile("^\\\\[-#`~<*+=_\\\\]")
	unnumbered = regexp.MustCompile(`^(\d{1,9})\\(\\*[.)](?:[ \t]|$))`)
)

// escapeLine escapes a continuation line of an item so that Markdown takes it for text. [unescapeLine] reverses it.
func escapeLine(text string) string {
	if structural.MatchString(text) {
		return `\` + text
	}
	return numbered.ReplaceAllString(text, `$1\$2`)
}

func unescapeLine(text string) string {
	if backslash.MatchString(text) {
		return text[1:]
	}
	return unnumbered.ReplaceAllString(text, "$1$2")
}

// indentOf returns the white space before a line's text, and the text.
func indentOf(line string) (string, string) {
	rest := strings.TrimLeft(line, " \t")
	return line[:len(line)-len(rest)], rest
}

// formatNote returns a note in the format of MEMORY.md, which [Split] parses. The note's text must be [cleanText].
func formatNote(n Note) string {
	lines := strings.Split(n.Text, "\n")
	lines[0] = "- **" + n.Key + "**: " + lines[0] + n.Created.Format(" (2006-01-02)")
	for i, l := range lines[1:] {
		in, rest := indentOf(l)
		lines[i+1] = "  " + in + escapeLine(rest)
	}
	return strings.Join(lines, "\n")
}

// cleanText returns text in the form that a note can hold: valid UTF-8, without control and direction characters,
// blank lines, tabs and trailing spaces.
func cleanText(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n", "\t", "    ").Replace(text)
	text = strings.Map(func(r rune) rune {
		if r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\ufeff' {
			return -1
		}
		return r
	}, plainText(text))
	var lines []string
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		if !isBlank(l) {
			lines = append(lines, strings.TrimRight(l, " \t"))
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
