package memory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// page is a file for editing by lines. Lines that are not edited stay as they are, byte for byte.
type page struct {
	name   string
	old    content
	lines  []string // with their line ends
	plain  []string // without line ends
	places []place  // of the notes
	notes  []Note
	all    []place
	// cut marks removed lines. put holds the lines to insert after a line.
	cut map[int]bool
	put map[int][]string
	// gap replaces a removed note if the notes around it would otherwise merge into one.
	gap []string
}

func newPage(name string, old content) *page {
	p := &page{name: name, old: old, plain: linesOf(old.text), cut: map[int]bool{}, put: map[int][]string{}}
	p.lines = strings.SplitAfter(old.text, "\n")
	p.all = locateBlocks(name, p.plain, parseBlocks(p.plain))
	for _, at := range p.all {
		if at.kind.isNote() {
			p.places = append(p.places, at)
			p.notes = append(p.notes, at.note(name, p.plain, old.modified))
		}
	}
	return p
}

func (p *page) linesOf(i int) []string { return p.plain[p.places[i].first:p.places[i].past] }

// isKeyed reports whether a note has a written key, as opposed to one made from its text.
func (p *page) isKeyed(i int) bool {
	return p.places[i].kind == item && matchLabel(firstText(p.plain, p.places[i].block)) != nil
}

func (p *page) remove(i int) {
	for l := p.places[i].first; l < p.places[i].past; l++ {
		p.cut[l] = true
	}
}

// replace replaces a note by lines with the same indentation.
func (p *page) replace(i int, lines []string) {
	p.remove(i)
	in := ""
	if p.places[i].kind == item {
		in, _ = indentOf(p.plain[p.places[i].first])
	}
	for _, l := range lines {
		p.put[p.places[i].past-1] = append(p.put[p.places[i].past-1], in+l)
	}
}

// add appends lines to a category's section, and creates the section if it is missing.
func (p *page) add(c Category, lines []string) {
	at, found := p.section(c)
	switch {
	case len(p.all) == 0:
		lines = append([]string{"# Memory", "", "## " + title(c), ""}, lines...)
		at = len(p.plain) - 1
	case !found:
		at = p.all[len(p.all)-1].past - 1
		lines = append([]string{"", "## " + title(c), ""}, lines...)
	case p.needsBlank(at):
		lines = append([]string{""}, lines...)
	}
	p.put[at] = append(p.put[at], lines...)
}

// needsBlank reports whether a blank line is needed between a line and an item below it. Items follow one another
// without.
func (p *page) needsBlank(at int) bool {
	for _, b := range p.all {
		if b.first <= at && at < b.past {
			return b.kind != item
		}
	}
	return false
}

// section returns the last line of a category's section that is not blank, before its first heading of a lower
// level. A file without category headings is all core.
func (p *page) section(c Category) (at int, found bool) {
	in := c == Core && !slices.ContainsFunc(p.all, func(b place) bool { return b.kind == heading && b.level == 2 }) &&
		len(p.all) > 0 && p.all[len(p.all)-1].category == Core && p.headings() < 2
	at = -1
	for _, b := range p.all {
		if b.kind == heading && b.level > 0 {
			is := b.level == 2 && Category(Slug(b.text)) == c
			if found && !is && !in {
				break
			}
			found = in || is
		} else if in {
			found = true
		}
		if found {
			at = b.past - 1
		}
	}
	return at, found
}

func (p *page) headings() int {
	n := 0
	for _, b := range p.all {
		if b.kind == heading && b.level > 0 {
			n++
		}
	}
	return n
}

func title(c Category) string {
	r, n := utf8.DecodeRuneInString(string(c))
	if t := string(unicode.ToUpper(r)) + string(c)[n:]; Slug(t) == string(c) {
		return t
	}
	return string(c)
}

// text returns the page with its changes. It uses the line end of the file's first line, and keeps a missing line
// end at the end of the file.
func (p *page) text() string {
	var b strings.Builder
	end := "\n"
	if strings.HasSuffix(p.lines[0], "\r\n") {
		end = "\r\n"
	}
	put := func(lines []string) {
		for _, l := range lines {
			if s := b.String(); s != "" && s != "\ufeff" && s[len(s)-1] != '\n' {
				b.WriteString(end)
			}
			b.WriteString(l + end)
		}
	}
	for i, l := range p.lines {
		switch {
		case !p.cut[i]:
			b.WriteString(l)
		case i == 0 && strings.HasPrefix(l, "\ufeff"):
			b.WriteString("\ufeff")
		}
		if p.cut[i] && !p.cut[i+1] && len(p.put[i]) == 0 {
			put(p.gap)
		}
		put(p.put[i])
	}
	text := b.String()
	if p.old.text != "" && !strings.HasSuffix(p.old.text, "\n") {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

// errShape reports that an unclosed comment or fence in the file would swallow a new note.
var errShape = errors.New("a comment (<!--) or a code fence in it is not closed")

// render returns the page with its changes. It verifies that all other notes are unchanged and that the added
// ones parse as intended.
func (p *page) render(added ...Note) (string, error) {
	var want []string
	for i, n := range p.notes {
		if !p.cut[p.places[i].first] {
			want = append(want, n.Text)
		}
	}
	for _, n := range added {
		want = append(want, n.Text)
	}
	slices.Sort(want)
	for _, gap := range [][]string{nil, {""}, {"<!-- -->"}} {
		p.gap = gap
		text := p.text()
		var got []string
		for _, n := range Split(p.name, text, p.old.modified) {
			got = append(got, n.Text)
		}
		if slices.Sort(got); slices.Equal(got, want) {
			return text, nil
		}
	}
	return "", errShape
}

// readTail returns at most n bytes from the end of a file as valid UTF-8, beginning at the start of a line if
// possible, and whether the text was cut.
func (m *Memory) readTail(name string, n int64) (text string, isCut bool, err error) {
	f, err := m.open(name, os.O_RDONLY)
	if err != nil {
		return "", false, fault("read", m.path(name), name, err)
	}
	defer f.Close()
	data, isCut, err := readEnd(f, n)
	if err == nil && bytes.IndexByte(data, 0) >= 0 && !utf8.Valid(data) {
		data, err = nil, errNotText
	}
	return strings.ToValidUTF8(string(data), "\ufffd"), isCut, fault("read", m.path(name), name, err)
}

func readEnd(f *os.File, n int64) ([]byte, bool, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	isCut := fi.Size() > n
	if isCut {
		if _, err := f.Seek(-n, io.SeekEnd); err != nil {
			return nil, false, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, n))
	if err == nil && isCut {
		data = fromLineStart(data)
	}
	return data, isCut, err
}

// fromLineStart drops the incomplete first line. If there is no other line, it drops only an incomplete first
// character.
func fromLineStart(data []byte) []byte {
	if _, after, ok := bytes.Cut(data, []byte{'\n'}); ok && len(bytes.TrimSpace(after)) > 0 {
		return after
	}
	for i := 0; i < min(utf8.UTFMax, len(data)); i++ {
		if utf8.RuneStart(data[i]) {
			return data[i:]
		}
	}
	return data
}

// Bounds of a query.
const (
	defaultLimit = 10
	maxLimit     = 200
	maxWords     = 64
)

// Recall finds notes by their meaning, the best first, through [Options.Recaller]. Without one, or if it fails,
// it searches for notes that contain every word of the query. The error lists files that could not be read.
func (m *Memory) Recall(ctx context.Context, q Query) ([]Hit, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	if q.Words == Everything {
		return m.latest(ctx, q)
	}
	if m.o.Recaller != nil {
		if hits, err := m.o.Recaller.Recall(ctx, q); err == nil || ctx.Err() != nil {
			return hits, err
		}
	}
	return m.scan(ctx, q)
}

// latest returns what was stored on purpose, the latest first.
func (m *Memory) latest(ctx context.Context, q Query) ([]Hit, error) {
	notes, err := m.Notes(ctx)
	var hits []Hit
	for _, n := range notes {
		if q.Includes(n.Category) && n.Category != Daily && n.Source != systemFile {
			hits = append(hits, Hit{n, 1})
		}
	}
	sorting.Stably(hits, func(a, b Hit) int { return b.Updated.Compare(a.Updated) })
	return hits[:min(q.Limit, len(hits))], err
}

func (m *Memory) scan(ctx context.Context, q Query) ([]Hit, error) {
	words := wordsOf(q.Words)
	if len(words) == 0 {
		return nil, nil
	}
	notes, err := m.Notes(ctx)
	var hits []Hit
	for _, n := range notes {
		if !q.Includes(n.Category) {
			continue
		}
		if score := scoreNote(words, n); score > 0 {
			hits = append(hits, Hit{n, score})
		}
	}
	sorting.Stably(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Updated.Compare(a.Updated))
	})
	return hits[:min(q.Limit, len(hits))], err
}

// wordsOf returns a query's words, normalized for comparison.
func wordsOf(s string) []string {
	words := strings.FieldsFunc(foldCase(truncate(s, 4<<10)), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	slices.Sort(words)
	words = slices.Compact(words)
	return words[:min(maxWords, len(words))]
}

func foldCase(s string) string { return norm.NFC.String(strings.ToLower(s)) }

// scoreNote scores a note that contains every word. Words in the text count more than words in its headings, and
// words that are a large part of the text count more.
func scoreNote(words []string, n Note) float64 {
	text, around := foldCase(n.Text), foldCase(n.Heading+" "+n.Key)
	said, size := 0.0, 0
	for _, w := range words {
		switch {
		case strings.Contains(text, w):
			said++
		case strings.Contains(around, w):
			said += 0.5
		default:
			return 0
		}
		size += len(w)
	}
	return 0.5*said/float64(len(words)) + 0.5*min(1, float64(size)/float64(max(1, len(text))))
}
