package recall

import (
	"context"
	"database/sql"
	"math"
	"sync"
)

// frequencies remembers in how many notes an expression is found that is in
// many: counting costs most there, and a few more change little.
type frequencies struct {
	mu   sync.Mutex
	seen map[string]int
}

// span is a range of ids.
type span struct{ from, to int64 }

const (
	maxSeen    = 4096 // expressions that are remembered
	maxRare    = 64   // notes: what is in fewer is counted anew
	maxCounted = 4000 // notes that are counted: what is in more is in too many
)

func (f *frequencies) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = nil
}

// all returns how many notes there are in a span.
func (f *frequencies) all(ctx context.Context, tx *sql.Tx, s span) (n int, err error) {
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max(id) - min(id) + 1, 0) FROM notes WHERE id >= ? AND id < ?", s.from, s.to).Scan(&n)
	return n, err
}

// of returns in how many notes of a span an expression is found, at most
// maxCounted.
func (f *frequencies) of(ctx context.Context, count *sql.Stmt, s span, match string) (n int, err error) {
	key := match
	if s.from > 0 {
		key = "t" + key
	}
	f.mu.Lock()
	n, ok := f.seen[key]
	f.mu.Unlock()
	if ok {
		return n, nil
	}
	if err = count.QueryRowContext(ctx, match, s.from, s.to, maxCounted).Scan(&n); err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if n < maxRare {
		return n, nil
	}
	if f.seen == nil || len(f.seen) >= maxSeen {
		f.seen = map[string]int{}
	}
	f.seen[key] = n
	return n, nil
}

// idf is how much a term says that is found in df of n notes. It is never
// nothing: a word that is everywhere still is what was asked for.
func idf(df, n int) float64 {
	return max(math.Log((float64(n)+1)/(float64(df)+0.5)), 0.1)
}
