package memory

import (
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

type blockKind int

const (
	paragraph blockKind = iota
	item
	fence
	row     // of a table
	heading // also the header of a table
	comment // also rules: ---, |---|---|
)

// isNote reports whether blocks of the kind are notes. The others only structure the file.
func (k blockKind) isNote() bool { return k < heading }

// block is a run of consecutive lines that belong together. Every line that is not blank belongs to exactly one block.
type block struct {
	kind        blockKind
	first, past int // lines, counted from 0; past is the line after the last
	indent      int // columns before an item's marker
	level       int // of a heading; 0 for the header of a table
	text        string
}

var (
	marker  = lazyregexp.New(`^([-*+]|(\d{1,9})[.)])([ \t]+|$)`)
	opening = lazyregexp.New("^(`{3,}|~{3,})([^`]*)$")
	atx     = lazyregexp.New(`^(#{1,6})(?:[ \t]+|$)`)
	rule    = lazyregexp.New(`^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	under   = lazyregexp.New(`^=+[ \t]*$`)
)

// scanner cuts lines into blocks.
type scanner struct {
	lines  []string
	pos    int
	blocks []block
	// lastEnd is the last line with an end of a comment. unclosed holds the lengths of fences that are never
	// closed, by fence character.
	lastEnd  int
	unclosed map[byte]int
}

// parseBlocks returns the blocks of a file's lines. A fence or a comment that is never closed is ordinary text: a
// typo must not hide the rest of the file.
func parseBlocks(lines []string) []block {
	s := &scanner{lines: lines, lastEnd: -1, unclosed: map[byte]int{}}
	for i, l := range lines {
		if strings.Contains(l, "-->") {
			s.lastEnd = i
		}
	}
	for s.pos < len(s.lines) {
		if isBlank(s.lines[s.pos]) {
			s.pos++
			continue
		}
		s.next()
	}
	return s.blocks
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// splitIndent returns the number of columns before a line's text, and the text.
func splitIndent(line string) (int, string) {
	n := 0
	for i, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n, line[i:]
		}
	}
	return n, ""
}

// next adds the block that begins at the current line.
func (s *scanner) next() {
	indent, text := splitIndent(s.lines[s.pos])
	if end, ok := s.commentEnd(text); ok {
		s.add(block{kind: comment}, end+1)
		return
	}
	if end, ok := s.fenceEnd(indent, text); ok {
		s.add(block{kind: fence}, end+1)
		return
	}
	switch m := atx.FindStringSubmatch(text); {
	case m != nil && indent < 4:
		s.add(block{kind: heading, level: len(m[1]), text: headingText(text[len(m[0]):])}, s.pos+1)
	case isRule(text):
		s.add(block{kind: comment}, s.pos+1)
	case marker.MatchString(text):
		s.item(indent, text)
	case s.beginsTable(s.pos):
		s.table()
	default:
		s.paragraph()
	}
}

// isRule reports whether text is a horizontal rule. The checks before the expression reject most lines cheaply.
func isRule(text string) bool {
	return len(text) > 2 && strings.Trim(text, text[:1]+" \t") == "" && rule.MatchString(text)
}

func (s *scanner) add(b block, past int) {
	b.first, b.past = s.pos, past
	s.blocks = append(s.blocks, b)
	s.pos = past
}

func headingText(text string) string {
	text = strings.TrimSpace(text)
	if cut := strings.TrimRight(text, "#"); cut == "" || strings.HasSuffix(cut, " ") {
		text = strings.TrimSpace(cut)
	}
	return text
}

// commentEnd returns the last line of an HTML comment that begins here.
func (s *scanner) commentEnd(text string) (int, bool) {
	if !strings.HasPrefix(text, "<!--") || s.pos > s.lastEnd {
		return 0, false
	}
	for i := s.pos; ; i++ {
		if strings.Contains(s.lines[i], "-->") {
			return i, true
		}
	}
}

// fenceEnd returns the line that closes a code fence that begins here.
func (s *scanner) fenceEnd(indent int, text string) (int, bool) {
	m := opening.FindStringSubmatch(text)
	if m == nil || indent > 3 {
		return 0, false
	}
	c, n := m[1][0], len(m[1])
	if least, known := s.unclosed[c]; known && n >= least {
		return 0, false
	}
	for i := s.pos + 1; i < len(s.lines); i++ {
		if closesFence(s.lines[i], c, n) {
			return i, true
		}
	}
	s.unclosed[c] = n
	return 0, false
}

func closesFence(line string, c byte, n int) bool {
	line = strings.TrimSpace(line)
	return len(line) >= n && strings.Trim(line, string(c)) == ""
}

// item adds a list item with the lines below it that are indented further. A nested item is a separate block.
func (s *scanner) item(indent int, text string) {
	past := s.pos + 1
	unclosed := map[byte]int{}
	for i := past; i < len(s.lines); i++ {
		if isBlank(s.lines[i]) {
			continue
		}
		in, rest := splitIndent(s.lines[i])
		least := indent + 1
		if i > past { // below a blank line, two more columns are required
			least = indent + 2
		}
		if in < least || marker.MatchString(rest) && !isRule(rest) {
			break
		}
		past = s.fenceWithin(i, indent+1, rest, unclosed) + 1
		i = past - 1
	}
	s.add(block{kind: item, indent: indent}, past)
}

// fenceWithin returns the last line of a code fence inside an item. For any other line it returns that line.
// unclosed holds the lengths of the item's unclosed fences.
func (s *scanner) fenceWithin(at, least int, text string, unclosed map[byte]int) int {
	m := opening.FindStringSubmatch(text)
	if m == nil {
		return at
	}
	c, n := m[1][0], len(m[1])
	if known, ok := unclosed[c]; ok && n >= known {
		return at
	}
	for i := at + 1; i < len(s.lines); i++ {
		if in, _ := splitIndent(s.lines[i]); in < least && !isBlank(s.lines[i]) {
			break
		}
		if closesFence(s.lines[i], c, n) {
			return i
		}
	}
	unclosed[c] = n
	return at
}

// paragraph adds the lines up to a blank one or the next block. A single line followed by === is a heading.
func (s *scanner) paragraph() {
	past := s.pos + 1
	for past < len(s.lines) && !isBlank(s.lines[past]) && !s.interrupts(past) {
		if past == s.pos+1 && under.MatchString(strings.TrimSpace(s.lines[past])) {
			s.add(block{kind: heading, level: 1, text: headingText(s.lines[s.pos])}, past+1)
			return
		}
		past++
	}
	s.add(block{kind: paragraph}, past)
}

// interrupts reports whether a new block begins at a line that follows text. A number begins a list only if it is
// 1, so that a year at the start of a line stays text.
func (s *scanner) interrupts(at int) bool {
	indent, text := splitIndent(s.lines[at])
	if m := marker.FindStringSubmatch(text); m != nil && (m[2] == "" || m[2] == "1") {
		return true
	}
	here := *s
	here.pos = at
	if _, ok := here.commentEnd(text); ok {
		return true
	}
	if _, ok := here.fenceEnd(indent, text); ok {
		return true
	}
	return indent < 4 && atx.MatchString(text) || isRule(text) || s.beginsTable(at)
}

// Line starts that Markdown would take for structure, and line starts that look escaped already.
var (
	structural = lazyregexp.New("^(?:\\\\[-#`~<*+=_\\\\]|#|```|~~~|<!--|[-*+](?:[ \\t]|$)|(?:--+|=+|\\*\\*+|__+)[ \\t]*$)")
	numbered   = lazyregexp.New(`^(\d{1,9})(\\*[.)](?:[ \t]|$))`)
	backslash  = lazyregexp.New("^\\\\[-#`~<*+=_\\\\]")
	unnumbered = lazyregexp.New(`^(\d{1,9})\\(\\*[.)](?:[ \t]|$))`)
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

var tableBar = lazyregexp.New(`^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)

// beginsTable reports whether a line is a table's header: a line of dashes follows it.
func (s *scanner) beginsTable(at int) bool {
	if at+1 >= len(s.lines) || !strings.Contains(s.lines[at], "|") {
		return false
	}
	_, bar := splitIndent(s.lines[at+1])
	return strings.Contains(bar, "|") && tableBar.MatchString(bar)
}

func (s *scanner) table() {
	header := strings.Join(cells(s.lines[s.pos]), " | ")
	s.add(block{kind: heading, text: header}, s.pos+1)
	s.add(block{kind: comment}, s.pos+1)
	for s.pos < len(s.lines) && strings.Contains(s.lines[s.pos], "|") && !s.interrupts(s.pos) {
		s.add(block{kind: row}, s.pos+1)
	}
}

func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	var out []string
	for _, c := range strings.Split(line, "|") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}
