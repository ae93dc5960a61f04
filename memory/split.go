package memory

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Bounds of parsed notes, in bytes.
const (
	maxText    = 64 << 10 // of one note; the rest is ignored
	maxHeading = 256
)

// Split parses a Markdown file into notes. A list item with the lines indented below it is a note, and so is a
// paragraph, a code fence, and a row of a table. Headings and the headers of tables only give notes their place.
// HTML comments and rules are ignored. Every other line that is not blank belongs to exactly one note.
//
// file is the path below the notes' directory, with slashes: it determines the category and, below daily/, the
// day. modified is the file's modification time: the time of every note that has no other. Days are in its time
// zone. A note's text is valid UTF-8 without control characters except line ends, at most 64 KiB.
//
//   - **nas-address**: 192.168.0.20 (2026-02-20)     key, text, day
//   - 09:15 · disk full? · df -h · 42% is free      in daily/2026-02-20.md
func Split(file, text string, modified time.Time) []Note {
	lines := linesOf(text)
	var notes []Note
	for _, p := range locateBlocks(file, lines, parseBlocks(lines)) {
		if p.kind.isNote() {
			notes = append(notes, p.note(file, lines, modified))
		}
	}
	return notes
}

// linesOf returns a text's lines without line ends and byte order mark.
func linesOf(text string) []string {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// note parses a block's lines as a note.
func (p place) note(file string, lines []string, modified time.Time) Note {
	n := Note{Category: p.category, Heading: p.heading, Source: file, Line: p.first + 1, Created: modified, Updated: modified}
	if day, err := time.ParseInLocation(time.DateOnly, p.day, modified.Location()); err == nil {
		n.Created, n.Updated = day, day
	}
	switch p.kind {
	case item:
		p.readItem(&n, lines)
	case row:
		n.Text = plainText(strings.Join(cells(lines[p.first]), " | "))
	default:
		n.Text = plainText(strings.Join(lines[p.first:p.past], "\n"))
	}
	n.Text = truncate(n.Text, maxText)
	if n.Key == "" {
		n.Key = hashKey(n)
	}
	return n
}

var (
	label       = lazyregexp.New(`^\*\*([^*]+?)(?:\*\*[ \t]*[:：]|[:：]\*\*)[ \t]*(.*)$`)
	datePattern = lazyregexp.New(`\((\d{4}-\d{2}-\d{2})\)$`)
	timePattern = lazyregexp.New(`^([01]\d|2[0-3]):([0-5]\d)[ \t]*(·[ \t]*)?(.+)$`)
)

// matchLabel, matchDay and matchTime check a cheap condition before the expression, because most lines do not match.
func matchLabel(text string) []string {
	if !strings.HasPrefix(text, "**") {
		return nil
	}
	return label.FindStringSubmatch(text)
}

func matchDay(text string) []string {
	if !strings.HasSuffix(text, ")") {
		return nil
	}
	return datePattern.FindStringSubmatch(text[max(0, len(text)-len(" (2006-01-02)")):])
}

func matchTime(text string) []string {
	if text == "" || text[0] < '0' || text[0] > '2' {
		return nil
	}
	return timePattern.FindStringSubmatch(text)
}

func firstText(lines []string, b block) string {
	_, text := splitIndent(lines[b.first])
	return strings.TrimSpace(text[len(marker.FindString(text)):])
}

// readItem parses an item's first line: a key and a day, or in a daily note the time.
func (p place) readItem(n *Note, lines []string) {
	first, more := firstText(lines, p.block), p.continuation(lines)
	if m := matchLabel(first); m != nil && (m[2] != "" || len(more) > 0) {
		first = m[2]
		n.Key = Slug(m[1])
		if m[1] != n.Key { // a label in a person's words is part of the text
			first = m[1] + ": " + first
		}
		if d := matchDay(first); d != nil && n.Key != "" {
			if day, err := time.ParseInLocation(time.DateOnly, d[1], n.Created.Location()); err == nil {
				first, n.Created, n.Updated = strings.TrimRight(strings.TrimSuffix(first, "("+d[1]+")"), " \t"), day, day
			}
		}
	} else if m := matchTime(first); m != nil && p.day != "" {
		at, err := time.ParseInLocation(time.DateOnly+" 15:04", p.day+" "+m[1]+":"+m[2], n.Created.Location())
		if err == nil {
			n.Created, n.Updated = at, at
			if m[3] != "" { // the program's format; a person's "10:30 dentist" keeps its time
				first = m[4]
			}
		}
	}
	n.Text = plainText(strings.Join(append([]string{first}, more...), "\n"))
}

// continuation returns an item's other lines without the item's indentation and without the escapes of [formatNote].
func (p place) continuation(lines []string) []string {
	_, text := splitIndent(lines[p.first])
	column := p.indent + len(marker.FindString(text))
	var out []string
	for _, l := range lines[p.first+1 : p.past] {
		in, rest := splitIndent(l)
		out = append(out, strings.Repeat(" ", max(0, in-column))+unescapeLine(rest))
	}
	return out
}

// plainText returns s as valid text without control characters except line ends, and without surrounding white space.
func plainText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.TrimSpace(s)
}

// truncate returns at most n bytes of a text, in whole characters.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// mergeText merges a text into a file. SYSTEM.md is rewritten at every start, so it is imported only if there is none.
func (m *Memory) mergeText(f importedText, done *ImportResult) error {
	switch {
	case len(f.text) > maxFile:
		done.refuse(f.sourceLine(0), errTooLarge.Error())
		return nil
	case f.line == 0 && !utf8.ValidString(f.text):
		done.refuse(f.sourceLine(0), "not UTF-8")
		return nil
	}
	old, err := m.readWhole(f.name)
	if err != nil {
		return err
	}
	came := newPage(f.name, content{text: strings.ReplaceAll(f.text, "\x00", ""), modified: m.o.Now()})
	switch {
	case old.text == f.text, f.name == systemFile && old.file != nil:
		done.Same += len(came.notes)
		return nil
	case isBlank(old.text) && (f.line > 0 || f.lines == nil && len(f.text) <= maxKept):
		if err := m.replace(f.name, f.text); err != nil {
			return err
		}
		done.Added += len(came.notes)
		return nil
	}
	g := merge{page: newPage(f.name, old), imported: came, sourceLine: f.sourceLine, size: len(old.text), seen: map[string]bool{}, keys: map[string]bool{}}
	return m.writeMerge(&g, old, done)
}

func (m *Memory) writeMerge(g *merge, old content, done *ImportResult) error {
	g.mergeNotes()
	if g.done.Added+g.done.Replaced > 0 {
		text, err := g.page.render(g.added...)
		if err == nil && g.done.Replaced > 0 {
			err = m.backUp(g.page.name, old.text)
		}
		if err == nil {
			err = m.replace(g.page.name, text)
		}
		if err != nil {
			return fault("write", m.path(g.page.name), g.page.name, err)
		}
	}
	done.Added += g.done.Added
	done.Replaced += g.done.Replaced
	done.Same += g.done.Same
	done.Refused = append(done.Refused, g.done.Refused...)
	return nil
}

// merge adds the notes of one page to another.
type merge struct {
	page, imported *page
	sourceLine     func(line int) int
	size           int
	seen           map[string]bool // texts of notes, normalized for comparison
	keys           map[string]bool // keys of imported notes
	headings       []place         // headings above the next note, not yet written
	table          []string        // header of the next note's table, not yet written
	tail           []string
	added          []Note
	done           ImportResult
}

func (g *merge) mergeNotes() {
	keys := map[string]int{}
	for i, n := range g.page.notes {
		g.seen[norm.NFC.String(n.Text)] = true
		keys[n.Key] = i
	}
	note := 0
	for _, b := range g.imported.all {
		if !b.kind.isNote() {
			g.noteHeading(b)
			continue
		}
		n := g.imported.notes[note]
		text := norm.NFC.String(n.Text)
		i, known := keys[n.Key]
		switch {
		case g.seen[text]:
			g.done.Same++
		case known && g.page.isKeyed(i) && g.imported.isKeyed(note):
			g.replaceOlder(i, note)
		case g.imported.isKeyed(note) && g.keys[n.Key]:
			g.done.refuse(g.sourceLine(b.first), "another note of this import has the same key")
		default:
			g.add(b, n)
		}
		g.seen[text], g.keys[n.Key] = true, true
		note++
	}
	if at := len(g.page.plain) - 1; len(g.tail) > 0 {
		g.page.put[at] = append(g.page.put[at], g.tail...)
	}
}

// noteHeading remembers a heading until a note below it is written.
func (g *merge) noteHeading(b place) {
	raw := g.imported.plain[b.first:b.past]
	switch {
	case b.kind == heading && b.level > 0:
		for len(g.headings) > 0 && g.headings[len(g.headings)-1].level >= b.level {
			g.headings = g.headings[:len(g.headings)-1]
		}
		g.headings = append(g.headings, b)
		g.table = nil
	case b.kind == heading:
		g.table = append([]string{""}, raw...)
	case len(g.table) == 2:
		g.table = append(g.table, raw...)
	}
}

// replaceOlder replaces a note by one with the same key, unless that one is older.
func (g *merge) replaceOlder(i, note int) {
	n := g.imported.notes[note]
	if n.Created.Before(g.page.notes[i].Created) || g.page.cut[g.page.places[i].first] {
		g.done.Same++
		return
	}
	g.page.replace(i, g.imported.linesOf(note))
	g.added = append(g.added, n)
	g.done.Replaced++
}

// add writes a note at the end, below its headings and its table's header.
func (g *merge) add(b place, n Note) {
	raw := g.imported.plain[b.first:b.past]
	if g.size += len(strings.Join(raw, "\n")) + 1; g.size > maxKept && b.category != Daily {
		g.done.refuse(g.sourceLine(b.first), g.page.name+" is full")
		return
	}
	if len(g.tail) == 0 && len(g.page.all) > 0 {
		g.tail = append(g.tail, "")
	}
	for i, h := range g.headings {
		if h.kind == heading { // not yet written
			g.tail = append(g.tail, g.imported.plain[h.first:h.past]...)
			g.headings[i].kind = comment
		}
	}
	switch {
	case b.kind == row:
		g.tail = append(g.tail, g.table...)
		g.table = nil
	case b.kind != item && raw[0] != strings.TrimLeft(raw[0], " \t"):
		g.tail = append(g.tail, "<!-- -->") // ends an item above
	case b.kind != item:
		g.tail = append(g.tail, "")
	}
	g.tail = append(g.tail, raw...)
	g.added = append(g.added, n)
	g.done.Added++
}
