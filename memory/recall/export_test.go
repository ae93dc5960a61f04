package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/names"
	"github.com/nidoit/blunux-ai/memory"
)

// Rows returns the whole content of the index except ids and stamps. Indices of the same files have equal rows.
func (x *Index) Rows(ctx context.Context) (rows []string, err error) {
	err = x.use(ctx, func(h *handle) error {
		rows = nil
		for _, query := range []string{
			`SELECT f.source, f.name, f.mark, n.line, n.key, n.text, n.category, n.heading, n.source, n.created, n.updated, n.hash, n.terms
				FROM files f LEFT JOIN notes n ON n.file = f.id`,
			`SELECT term, doc, cnt, '', '', '', '', '', '', '', '', '', '' FROM vocabulary`,
			`SELECT count(*), (SELECT count(*) FROM words), '', '', '', '', '', '', '', '', '', '', '' FROM notes`,
		} {
			if _, err := h.db.ExecContext(ctx, "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(words, row)"); err != nil {
				return err
			}
			found, err := h.db.QueryContext(ctx, query)
			if err != nil {
				return err
			}
			defer found.Close()
			for found.Next() {
				cells := make([]any, 13)
				for i := range cells {
					cells[i] = new(any)
				}
				if err := found.Scan(cells...); err != nil {
					return err
				}
				var b strings.Builder
				for _, c := range cells {
					fmt.Fprintf(&b, "%v|", *c.(*any))
				}
				rows = append(rows, b.String())
			}
			if err := found.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	slices.Sort(rows)
	return rows, err
}

// Count returns the number of indexed notes, including conversations.
func (x *Index) Count(ctx context.Context) (n int, err error) {
	if err := x.refresh(ctx, memory.Query{Conversations: true}); err != nil {
		return 0, fmt.Errorf("cannot count the notes: %w", err)
	}
	err = x.use(ctx, func(h *handle) error {
		return h.db.QueryRowContext(ctx, "SELECT count(*) FROM notes").Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("cannot count the notes: %w", err)
	}
	return n, nil
}

// Terms returns the indexed terms of a text. Parse returns the number of parts of a query. Both are for fuzzing.
func Terms(text string) (grams, terms string) {
	r := rowOf(text)
	return r.grams, r.terms
}

func Parse(words string) int { return len(builtin().parse(words)) }

// Stem and Noun expose the analysis of a Korean word.
func Stem(w string) string { return stem(w) }

func Noun(w string) string { return noun(w, 2) }

func Sounds(korean, latin string) (string, string) { return sound(korean), latinSound(latin) }

// IsOpen reports whether the database is open.
func (x *Index) IsOpen() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.handle != nil
}

// SetVersion changes the version of the index.
func (x *Index) SetVersion(ctx context.Context, n int) error {
	return x.use(ctx, func(h *handle) error {
		_, err := h.db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", n))
		return err
	})
}

// UnknownThings returns the things of kinds.tsv that are in no other table.
func UnknownThings() (unknown []string) {
	for f := range names.Rows(kindsTable) {
		for _, thing := range strings.Split(f[1], ", ") {
			if builtin().byWord[compact(american(fold(thing)))] == nil {
				unknown = append(unknown, thing)
			}
		}
	}
	return unknown
}

// Sync is [Index.SyncText] from sources, or from those of the options if none are given, with vectors.
func (x *Index) Sync(ctx context.Context, sources ...Source) error {
	if len(sources) == 0 {
		sources = x.o.Sources
	}
	if err := x.syncLocked(ctx, sources); err != nil {
		return err
	}
	return x.EmbedAll(ctx)
}

// The conversions between the keyboards.
var (
	TypedInKorean = typedInKorean
	TypedInLatin  = typedInLatin
	InitialsOf    = initialsOf
	Keys          = keysOf
)
