package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// maxNote bounds the text of a note that is remembered, in bytes.
const maxNote = 4 << 10

// Errors of [Memory.Remember].
var (
	ErrEmptyNote = errors.New("the note is empty")
	ErrLongNote  = errors.New("a note can have at most 4 KiB; put longer texts into a file")
)

// Remember stores a note in MEMORY.md under the heading of its category, with today's date. It replaces a note
// with the same key or the same text. A note without a key gets one from its first words.
//
// The text can have several lines. Control characters and blank lines are removed, and the text cannot begin a
// heading or another note. No other line of the file changes. Errors: [ErrEmptyNote], [ErrLongNote], a [Fault].
func (m *Memory) Remember(ctx context.Context, n Note) (Change, error) {
	n, err := m.prepareNote(n)
	if err != nil {
		return Change{}, err
	}
	var change Change
	err = m.edit(ctx, memoryFile, maxKept, func(old content) (string, error) {
		p := newPage(memoryFile, old)
		if change = p.remember(n); len(change.Added) == 0 {
			return old.text, nil
		}
		return p.render(change.Note)
	})
	if err != nil {
		return Change{}, fault("write", m.path(memoryFile), memoryFile, err)
	}
	return change, nil
}

// prepareNote validates a note and returns it as it will be stored.
func (m *Memory) prepareNote(n Note) (Note, error) {
	n.Text = cleanText(n.Text)
	switch {
	case n.Text == "":
		return n, ErrEmptyNote
	case len(n.Text) > maxNote:
		return n, fmt.Errorf("%w (this one has %d bytes)", ErrLongNote, len(n.Text))
	}
	n.Key, n.Category, n.Source = Slug(n.Key), Category(Slug(string(n.Category))), memoryFile
	now := m.o.Now()
	if n.Created.IsZero() || n.Created.After(now) {
		n.Created = now
	}
	return n, nil
}

// remember puts a note on the page. The change is empty if the page has it already.
func (p *page) remember(n Note) Change {
	same := p.sameAs(n)
	if len(same) > 0 && n.Category == "" {
		n.Category = p.notes[same[0]].Category
	}
	n.Category = cmp.Or(n.Category, Core)
	if len(same) == 1 && p.saysSame(same[0], n) {
		return Change{File: p.name, Note: p.notes[same[0]]}
	}
	if n.Key == "" && len(same) > 0 && p.isKeyed(same[0]) {
		n.Key = p.notes[same[0]].Key
	}
	if n.Key == "" {
		n.Key = p.newKey(n.Text)
	}
	change := Change{File: p.name, Added: strings.Split(formatNote(n), "\n"), Note: n}
	kept := -1
	for _, i := range same {
		change.Removed = append(change.Removed, p.linesOf(i)...)
		p.remove(i)
		if kept < 0 && p.notes[i].Category == n.Category && p.places[i].kind != row {
			kept = i
		}
	}
	if kept >= 0 {
		p.replace(kept, change.Added)
	} else {
		p.add(n.Category, change.Added)
	}
	return change
}

// sameAs returns the notes with the same key, then those with the same text.
func (p *page) sameAs(n Note) []int {
	var same, text []int
	for i, old := range p.notes {
		switch {
		case n.Key != "" && old.Key == n.Key:
			same = append(same, i)
		case norm.NFC.String(old.Text) == norm.NFC.String(n.Text):
			text = append(text, i)
		}
	}
	return append(same, text...)
}

// saysSame reports whether note i equals n, including its key and its day if it has a written key.
func (p *page) saysSame(i int, n Note) bool {
	old := p.notes[i]
	if n.Key != "" && old.Key != n.Key || old.Text != n.Text || old.Category != n.Category {
		return false
	}
	return !p.isKeyed(i) || old.Created.Format(time.DateOnly) == n.Created.Format(time.DateOnly)
}

// newKey makes an unused key from a text's first words.
func (p *page) newKey(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(first)
	key := Slug(strings.Join(words[:min(3, len(words))], " "))
	if key = strings.Trim(truncate(key, maxKey*5/8), "-"); key == "" {
		return hashKey(Note{Text: text})
	}
	free := func(k string) bool {
		return !slices.ContainsFunc(p.notes, func(n Note) bool { return n.Key == k })
	}
	for i, k := 2, key; ; i++ {
		if free(k) {
			return k
		}
		k = key + "-" + strconv.Itoa(i)
	}
}

// Errors of [Memory.Find] and [Memory.Forget].
var (
	ErrNoNote    = errors.New("there is no such note")
	ErrAmbiguous = errors.New("more than one note matches")
	ErrSystem    = errors.New("SYSTEM.md is rewritten at every start")
)

// AmbiguousError lists the notes that match a key.
type AmbiguousError struct {
	Key   string
	Notes []Note
}

func (e *AmbiguousError) Error() string {
	var all []string
	for _, n := range e.Notes[:min(5, len(e.Notes))] {
		all = append(all, fmt.Sprintf("%s:%d %s", n.Source, n.Line, truncate(oneLine(n.Text), 80)))
	}
	if more := len(e.Notes) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%q: %v: %s", e.Key, ErrAmbiguous, strings.Join(all, "; "))
}

func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// Forget removes the note with this key, else with exactly this text. A key of the form "MEMORY.md:12" removes
// the note at that line only. Otherwise Forget also removes the notes that repeat it ([Memory.Echoes]) from every
// file. Errors: [ErrNoNote], [AmbiguousError], [ErrSystem], a [Fault].
func (m *Memory) Forget(ctx context.Context, key string) (Change, error) {
	found, err := m.Find(ctx, key)
	if err != nil {
		return Change{}, err
	}
	var change Change
	err = m.edit(ctx, found.Source, maxFile, func(old content) (string, error) {
		p := newPage(found.Source, old)
		change = Change{File: p.name, Note: found}
		for i, n := range p.notes {
			if n.Key == found.Key && n.Text == found.Text {
				change.Removed = append(change.Removed, p.linesOf(i)...)
				p.remove(i)
			}
		}
		if len(change.Removed) == 0 {
			return "", fmt.Errorf("%q: %w", key, ErrNoNote) // removed meanwhile
		}
		return p.render()
	})
	if err != nil {
		return Change{}, fault("write", m.path(found.Source), found.Source, err)
	}
	if !isAt(found, key) {
		m.forgetEchoes(ctx, found, &change)
	}
	return change, nil
}

// Find returns the note that [Memory.Forget] would remove, with the same errors.
func (m *Memory) Find(ctx context.Context, key string) (Note, error) {
	notes, unread := m.Notes(ctx)
	meant := notesByKey(notes, key)
	switch {
	case len(meant) == 0:
		return Note{}, errors.Join(fmt.Errorf("%q: %w", truncate(oneLine(key), 200), ErrNoNote), unread)
	case !sameText(meant):
		return Note{}, &AmbiguousError{Key: key, Notes: meant}
	case meant[0].Source == systemFile:
		return Note{}, ErrSystem
	}
	return meant[0], nil
}

// sameText reports whether all notes have the same text. Notes of SYSTEM.md never count as the same.
func sameText(notes []Note) bool {
	return !slices.ContainsFunc(notes, func(n Note) bool { return n.Text != notes[0].Text || n.Source == systemFile && len(notes) > 1 })
}

// isAt reports whether a key names a note's place: FILE:LINE.
func isAt(n Note, key string) bool {
	return strings.TrimSpace(key) == n.Source+":"+strconv.Itoa(n.Line)
}

// notesByKey returns the notes that a key matches, without duplicates: by place, else by key, else by text.
func notesByKey(notes []Note, key string) []Note {
	key = strings.TrimSpace(key)
	slug, text := Slug(key), norm.NFC.String(cleanText(key))
	for _, is := range []func(Note) bool{
		func(n Note) bool { return isAt(n, key) },
		func(n Note) bool { return n.Key == key || n.Key == slug },
		func(n Note) bool { return text != "" && norm.NFC.String(n.Text) == text },
		func(n Note) bool { return text != "" && norm.NFC.String(n.Created.Format("15:04 · ")+n.Text) == text },
	} {
		var meant []Note
		for _, n := range notes {
			twice := func(o Note) bool { return o.Source == n.Source && o.Key == n.Key && o.Text == n.Text }
			if is(n) && !slices.ContainsFunc(meant, twice) {
				meant = append(meant, n)
			}
		}
		if len(meant) > 0 {
			return meant
		}
	}
	return nil
}
