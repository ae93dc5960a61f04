package memory

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// mergeText merges a text into a file. SYSTEM.md is rewritten at every start, so it is imported only if there is
// none.
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

// writeMerge writes the result of a merge.
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
