package memory

import (
	"crypto/sha256"
	"encoding/base32"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of what is read out of a file, in bytes.
const (
	maxText    = 64 << 10 // of one note; the rest of it is not looked at
	maxHeading = 256
)

// Split cuts a Markdown file into notes: a list item with the lines indented
// below it is one, and so is a paragraph, a code fence, a row of a table.
// Headings and the headers of tables are not notes but say where notes stand; HTML
// comments and rules are nothing. Every other line that is not blank belongs to
// exactly one note.
//
// file is the path below the notes' directory, with slashes: it gives the
// category and, below daily/, the day. modified is when the file was last
// written: the time of every note that says no other, in whose time zone days
// are taken. A note's text is valid UTF-8 without control characters but line
// ends, at most 64 KiB.
//
//   - **nas-address**: 192.168.0.20 (2026-02-20)     key, text, day
//   - 09:15 · disk full? · df -h · 42% is free      in daily/2026-02-20.md
func Split(file, text string, modified time.Time) []Note {
	lines := linesOf(text)
	var notes []Note
	for _, p := range placed(file, lines, blocksOf(lines)) {
		if p.kind.isNote() {
			notes = append(notes, p.note(file, lines, modified))
		}
	}
	return notes
}

// linesOf returns a text's lines without their ends and without a byte order
// mark.
func linesOf(text string) []string {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// place is a block and where it stands.
type place struct {
	block
	heading  string
	category Category
	day      string // YYYY-MM-DD, of daily notes
}

var (
	dayName  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	dayStart = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}\b`)
)

// placed says of every block under which headings it stands, and what those
// make of it.
func placed(file string, lines []string, blocks []block) []place {
	var (
		out    []place
		trail  [7]string // by level; 0 is a table's header
		parent []block   // the items this one stands in
		daily  = path.Dir(file) == "daily"
		base   = place{category: Core}
	)
	if daily {
		base.category = Daily
		if name := strings.TrimSuffix(path.Base(file), ".md"); dayName.MatchString(name) {
			base.day = name
		}
	}
	now := base
	for _, b := range blocks {
		if b.kind == heading {
			b.text = cut(plain(b.text), maxHeading)
			if b.level > 0 {
				clear(trail[b.level:])
			}
			trail[0] = ""
			trail[b.level], parent = b.text, nil
			if b.level == 1 || b.level == 2 {
				now = below(base, file, b)
			}
		}
		switch b.kind {
		case item:
			trail[0] = ""
			for len(parent) > 0 && parent[len(parent)-1].indent >= b.indent {
				parent = parent[:len(parent)-1]
			}
		case paragraph, fence:
			trail[0], parent = "", nil
		}
		p := now
		p.block, p.heading = b, joined(trail, parent, lines)
		out = append(out, p)
		if b.kind == item {
			parent = append(parent, b)
		}
	}
	return out
}

// below is what a heading of the first two levels makes of what follows: in
// MEMORY.md the second level names the category, in a daily file a day.
func below(base place, file string, b block) place {
	p := base
	switch {
	case b.level == 2 && file == "MEMORY.md":
		if c := Slug(b.text); c != "" {
			p.category = Category(c)
		}
	case p.category == Daily && dayStart.MatchString(b.text):
		p.day = b.text[:len(time.DateOnly)]
	}
	return p
}

// joined returns the headings above a block, the outermost first, then the
// items it stands in, then the header of its table.
func joined(trail [7]string, parent []block, lines []string) string {
	var all []string
	for _, h := range trail[1:] {
		if h != "" {
			all = append(all, h)
		}
	}
	for _, p := range parent {
		all = append(all, cut(plain(strings.TrimRight(firstText(lines, p), ":： ")), maxHeading/2))
	}
	if trail[0] != "" {
		all = append(all, trail[0])
	}
	return cut(strings.Join(all, " / "), 2*maxHeading)
}

// note reads a block's lines as a note.
func (p place) note(file string, lines []string, modified time.Time) Note {
	n := Note{Category: p.category, Heading: p.heading, Source: file, Line: p.first + 1, Created: modified, Updated: modified}
	if day, err := time.ParseInLocation(time.DateOnly, p.day, modified.Location()); err == nil {
		n.Created, n.Updated = day, day
	}
	switch p.kind {
	case item:
		p.readItem(&n, lines)
	case row:
		n.Text = plain(strings.Join(cells(lines[p.first]), " | "))
	default:
		n.Text = plain(strings.Join(lines[p.first:p.past], "\n"))
	}
	n.Text = cut(n.Text, maxText)
	if n.Key == "" {
		n.Key = hashKey(n)
	}
	return n
}

var (
	label = regexp.MustCompile(`^\*\*([^*]+?)(?:\*\*[ \t]*[:：]|[:：]\*\*)[ \t]*(.*)$`)
	dated = regexp.MustCompile(`^(.*?)[ \t]*\((\d{4}-\d{2}-\d{2})\)$`)
	timed = regexp.MustCompile(`^([01]\d|2[0-3]):([0-5]\d)[ \t]*(·[ \t]*)?(.+)$`)
)

func firstText(lines []string, b block) string {
	_, text := indented(lines[b.first])
	return strings.TrimSpace(text[len(marker.FindString(text)):])
}

// readItem reads an item's first line for what it says of itself: a key and a
// day, or in a daily note the time.
func (p place) readItem(n *Note, lines []string) {
	first, more := firstText(lines, p.block), p.continuation(lines)
	if m := label.FindStringSubmatch(first); m != nil && (m[2] != "" || len(more) > 0) {
		first = m[2]
		n.Key = Slug(m[1])
		if m[1] != n.Key { // words of a person, which say something
			first = m[1] + ": " + first
		}
		if d := dated.FindStringSubmatch(first); d != nil && n.Key != "" {
			if day, err := time.ParseInLocation(time.DateOnly, d[2], n.Created.Location()); err == nil {
				first, n.Created, n.Updated = d[1], day, day
			}
		}
	} else if m := timed.FindStringSubmatch(first); m != nil && p.day != "" {
		at, err := time.ParseInLocation(time.DateOnly+" 15:04", p.day+" "+m[1]+":"+m[2], n.Created.Location())
		if err == nil {
			n.Created, n.Updated = at, at
			if m[3] != "" { // as the program writes it; a person's own "10:30 dentist" is kept
				first = m[4]
			}
		}
	}
	n.Text = plain(strings.Join(append([]string{first}, more...), "\n"))
}

// continuation returns an item's other lines, as far as they are indented with
// it, and without the escape that [stored] gave them.
func (p place) continuation(lines []string) []string {
	_, text := indented(lines[p.first])
	column := p.indent + len(marker.FindString(text))
	var out []string
	for _, l := range lines[p.first+1 : p.past] {
		in, rest := indented(l)
		out = append(out, strings.Repeat(" ", max(0, in-column))+unescaped(rest))
	}
	return out
}

// hashKey is the key of a note that has none: short, and the same wherever the
// note stands as long as it says the same.
func hashKey(n Note) string {
	text := norm.NFC.String(n.Text)
	if n.Category == Daily {
		text = n.Created.Format("2006-01-02 15:04 ") + text
	}
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}

// plain returns s as valid text without control characters but line ends, and
// without blanks around it.
func plain(s string) string {
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

// cut returns at most n bytes of a text, in whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// maxKey bounds a key, in bytes.
const maxKey = 64

// Slug returns the key that a name stands for: its letters and digits of any
// script in lower case, with a hyphen for whatever is between them, at most 64
// bytes. It is empty for a name without any.
func Slug(name string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToLower(name)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > maxKey+utf8.UTFMax {
			break
		}
	}
	return strings.Trim(cut(b.String(), maxKey), "-")
}
