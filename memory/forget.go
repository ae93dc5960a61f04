package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

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
