package memory

import (
	"regexp"
	"strings"
)

// blockKind says what a block of a Markdown file is.
type blockKind int

const (
	paragraph blockKind = iota
	item
	fence
	row     // of a table
	heading // also the header of a table
	comment // also rules: ---, |---|---|
)

// isNote tells the blocks that say something from those that only give it a place.
func (k blockKind) isNote() bool { return k < heading }

// block is a run of a file's lines that belong together. Every line that is
// not blank belongs to exactly one block.
type block struct {
	kind        blockKind
	first, past int // lines, counted from 0; past is the one after the last
	indent      int // columns before an item's marker
	level       int // of a heading; 0 for the header of a table
	text        string
}

var (
	marker  = regexp.MustCompile(`^([-*+]|(\d{1,9})[.)])([ \t]+|$)`)
	opening = regexp.MustCompile("^(`{3,}|~{3,})([^`]*)$")
	atx     = regexp.MustCompile(`^(#{1,6})(?:[ \t]+|$)`)
	rule    = regexp.MustCompile(`^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	under   = regexp.MustCompile(`^=+[ \t]*$`)
)

// scanner cuts lines into blocks.
type scanner struct {
	lines  []string
	at     int
	blocks []block
	// lastEnd is the last line with a comment's end; unclosed holds the length
	// of fences that nothing closes, by their character.
	lastEnd  int
	unclosed map[byte]int
}

// blocksOf returns the blocks of a file's lines. What is opened and never
// closed (a fence, a comment) is ordinary text: a slip of the pen must not hide
// everything below it.
func blocksOf(lines []string) []block {
	s := &scanner{lines: lines, lastEnd: -1, unclosed: map[byte]int{}}
	for i, l := range lines {
		if strings.Contains(l, "-->") {
			s.lastEnd = i
		}
	}
	for s.at < len(s.lines) {
		if isBlank(s.lines[s.at]) {
			s.at++
			continue
		}
		s.next()
	}
	return s.blocks
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

// indented returns the columns before a line's text, and the text.
func indented(line string) (int, string) {
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

// next takes the block that begins at the line.
func (s *scanner) next() {
	indent, text := indented(s.lines[s.at])
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
		s.add(block{kind: heading, level: len(m[1]), text: headingText(text[len(m[0]):])}, s.at+1)
	case isRule(text):
		s.add(block{kind: comment}, s.at+1)
	case marker.MatchString(text):
		s.item(indent, text)
	case s.beginsTable(s.at):
		s.table()
	default:
		s.paragraph()
	}
}

// isRule tells a line of dashes; one that says something ends soon.
func isRule(text string) bool {
	return len(text) > 2 && strings.Trim(text, text[:1]+" \t") == "" && rule.MatchString(text)
}

func (s *scanner) add(b block, past int) {
	b.first, b.past = s.at, past
	s.blocks = append(s.blocks, b)
	s.at = past
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
	if !strings.HasPrefix(text, "<!--") || s.at > s.lastEnd {
		return 0, false
	}
	for i := s.at; ; i++ {
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
	for i := s.at + 1; i < len(s.lines); i++ {
		if closes(s.lines[i], c, n) {
			return i, true
		}
	}
	s.unclosed[c] = n
	return 0, false
}

func closes(line string, c byte, n int) bool {
	line = strings.TrimSpace(line)
	return len(line) >= n && strings.Trim(line, string(c)) == ""
}

// item takes a list item with the lines below it that are indented further. An
// item within it is a block of its own.
func (s *scanner) item(indent int, text string) {
	past := s.at + 1
	unclosed := map[byte]int{}
	for i := past; i < len(s.lines); i++ {
		if isBlank(s.lines[i]) {
			continue
		}
		in, rest := indented(s.lines[i])
		least := indent + 1
		if i > past { // below a blank line it takes a real indentation
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

// fenceWithin returns the last line of a code fence inside an item; of any
// other line, the line itself. unclosed is what is known of the item's fences.
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
		if in, _ := indented(s.lines[i]); in < least && !isBlank(s.lines[i]) {
			break
		}
		if closes(s.lines[i], c, n) {
			return i
		}
	}
	unclosed[c] = n
	return at
}

// paragraph takes lines up to a blank one or the next block. A single line with
// === below it is a heading.
func (s *scanner) paragraph() {
	past := s.at + 1
	for past < len(s.lines) && !isBlank(s.lines[past]) && !s.interrupts(past) {
		if past == s.at+1 && under.MatchString(strings.TrimSpace(s.lines[past])) {
			s.add(block{kind: heading, level: 1, text: headingText(s.lines[s.at])}, past+1)
			return
		}
		past++
	}
	s.add(block{kind: paragraph}, past)
}

// interrupts tells whether a block of its own begins at a line that follows
// text. A number does only when it is 1, so that a year that
// came to stand at a line's start stays text.
func (s *scanner) interrupts(at int) bool {
	indent, text := indented(s.lines[at])
	if m := marker.FindStringSubmatch(text); m != nil && (m[2] == "" || m[2] == "1") {
		return true
	}
	here := *s
	here.at = at
	if _, ok := here.commentEnd(text); ok {
		return true
	}
	if _, ok := here.fenceEnd(indent, text); ok {
		return true
	}
	return indent < 4 && atx.MatchString(text) || isRule(text) || s.beginsTable(at)
}
