package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

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
	if m.o.Recaller != nil {
		if hits, err := m.o.Recaller.Recall(ctx, q); err == nil || ctx.Err() != nil {
			return hits, err
		}
	}
	return m.scan(ctx, q)
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
	slices.SortStableFunc(hits, func(a, b Hit) int {
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
