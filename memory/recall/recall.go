// Package recall finds notes by their meaning, in Korean, Chinese and English, through a full-text index
// (SQLite's FTS5) of the Markdown notes and the conversations. The index is only a cache: it is updated from the
// files before it answers, and rebuilt if it is missing, damaged or of another version.
//
// FTS5 finds candidates. Text in scripts that have no spaces or attach particles to words is indexed as
// overlapping pairs of letters, with derived terms for stems, identifiers and sounds (grams.go). The best
// candidates are then scored against the query (match.go, rank.go).
package recall

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/names"
	"github.com/nidoit/blunux-ai/memory"
)

// Warning is a problem that a person may want to know about. The index keeps working.
type Warning struct {
	// Code is index-damaged (the index is rebuilt; File is the old one's new name), index-in-memory (the disk
	// does not take the index), index-busy (another program has locked it; answers may lack the latest notes),
	// file-unreadable, file-cut (only the file's end is indexed) or no-vectors (the search uses words only).
	Code string
	File string
	Err  error
}

// Options configures an [Index].
type Options struct {
	// Sources are indexed.
	Sources []Source
	// Names are a person's own names of programs.
	Names []names.Name
	// Embedder adds search by vectors. It may be nil.
	Embedder Embedder
	// Idle is how long an unused database stays open. The default is a minute.
	Idle time.Duration
	Now  func() time.Time
	// Warn is called once for each problem. It may be nil. It must not call the index.
	Warn func(Warning)
}

// Index finds notes. It is safe for concurrent use, and several processes can use one file.
type Index struct {
	file    string
	o       Options
	lexicon *lexicon

	syncing   sync.Mutex    // held during an update of the index
	embedding chan struct{} // semaphore for making vectors
	checked   bool          // guarded by syncing

	mu     sync.Mutex
	handle *handle
	users  int
	timer  *time.Timer
	closed bool
	warned map[Warning]bool
	freqs  frequencies
}

// Open returns the index in a file. The file is opened on first use. Open fails only if file is empty.
func Open(file string, o Options) (*Index, error) {
	if file == "" {
		return nil, errors.New("cannot open the index: no file given")
	}
	o.Idle = cmp.Or(o.Idle, time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(Warning) {}
	}
	l := builtin()
	if len(o.Names) > 0 {
		l = newLexicon(o.Names)
	}
	return &Index{file: file, o: o, lexicon: l, embedding: make(chan struct{}, 1), warned: map[Warning]bool{}}, nil
}

// ErrClosed is returned by a closed index.
var ErrClosed = errors.New("the index is closed")

const (
	defaultLimit = 10
	maxLimit     = 200
)

// Recall updates the index and returns the notes that match a query best. It is a [memory.Recaller]. A query
// without words finds nothing.
func (x *Index) Recall(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	parts := x.lexicon.parse(q.Words)
	if len(parts) == 0 {
		return nil, nil
	}
	if err := x.refresh(ctx, q); err != nil {
		return nil, fmt.Errorf("cannot search the notes: %w", err)
	}
	vector, stop := x.queryVector(ctx, q.Words)
	defer stop()
	var hits []memory.Hit
	err := x.use(ctx, func(h *handle) error {
		return h.read(ctx, func(tx *sql.Tx) error {
			var err error
			if hits, err = x.rank(ctx, tx, q, parts); err == nil {
				hits, err = x.fuse(ctx, tx, q, hits, vector())
			}
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("cannot search the notes: %w", err)
	}
	return hits[:min(q.Limit, len(hits))], nil
}

// read calls f with a consistent snapshot of the database.
func (h *handle) read(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := h.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return f(tx)
}
