package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/memory"
)

// resolveKey returns the note that a key or an exact text refers to. The error lists similar notes.
func (b noteRunner) resolveKey(ctx context.Context, key string) (memory.Note, error) {
	note, err := b.Find(ctx, key)
	var several *memory.AmbiguousError
	switch {
	case errors.As(err, &several):
		return note, fmt.Errorf("%q matches several notes: %s. Ask the person which one, and give its exact text", key, b.list(several.Notes))
	case errors.Is(err, memory.ErrNoNote):
		return note, fmt.Errorf("there is no note %q%s", key, b.nearest(ctx, key))
	}
	return note, err
}

// nearest lists the notes that are most similar to a key.
func (b noteRunner) nearest(ctx context.Context, key string) string {
	hits, err := b.Recall(ctx, memory.Query{Words: strings.ReplaceAll(key, "-", " "), Limit: 3})
	if err != nil || len(hits) == 0 {
		return "; use recall to find the keys"
	}
	var found []memory.Note
	for _, h := range hits {
		found = append(found, h.Note)
	}
	return "; the nearest are: " + b.list(found)
}

// list returns the notes on one line.
func (b noteRunner) list(found []memory.Note) string {
	const most, length = 5, 80
	var names []string
	for _, n := range found[:min(len(found), most)] {
		text := []rune(b.line(n.Text))
		names = append(names, fmt.Sprintf("%s (%s: %s)", n.Key, n.Source, string(text[:min(len(text), length)])))
	}
	return strings.Join(names, "; ")
}

// search writes the notes that match a query, one per line: [DATE] TEXT (FILE, key KEY, score SCORE).
func (b noteRunner) search(ctx context.Context, n noteCall, to io.Writer) error {
	limit := n.limit
	if limit == 0 {
		limit = defaultRecall
	}
	hits, err := b.Recall(ctx, memory.Query{Words: n.text, Limit: 2 * limit})
	hits = slices.DeleteFunc(hits, isLookUp)
	hits = hits[:min(limit, len(hits))]
	if err != nil && len(hits) == 0 { // with hits, only some file could not be read
		fmt.Fprintln(to, "cannot look it up: "+err.Error())
		return err
	}
	for _, h := range hits {
		fmt.Fprintf(to, "[%s] %s (%s, key %s, score %.2f)\n", noteDate(h.Note), b.line(h.Text), h.Source, h.Key, h.Score)
	}
	if len(hits) == 0 {
		fmt.Fprintln(to, "there is no such note")
	}
	return nil
}

// isLookUp reports whether a hit is only the line of an earlier search in a daily note.
func isLookUp(h memory.Hit) bool {
	return h.Category == memory.Daily && strings.Contains(h.Text, " · blunux-ai memory search ")
}

// noteDate returns the date of a note.
func noteDate(n memory.Note) string {
	for _, at := range []time.Time{n.Created, n.Updated} {
		if !at.IsZero() {
			return at.Format(time.DateOnly)
		}
	}
	return "undated"
}

// line returns a note's text on one line, without secrets that were written by hand.
func (b noteRunner) line(text string) string {
	return strings.Join(strings.Fields(b.redactor.RedactStrict(text)), " ")
}
