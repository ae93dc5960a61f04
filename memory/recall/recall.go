// Package recall finds notes by what they are about, in Korean, Chinese and
// English: a full-text index (SQLite's FTS5) of the Markdown notes and the
// conversations. The index is a cache. The files stay the truth: it is brought
// up to date before it answers, and made anew when it is missing, damaged or of
// another version.
//
// FTS5 brings candidates: rows are written as overlapping pairs of letters where
// a script has no blanks or glues particles to its words, with the stems,
// identifiers and sounds of words beside them (grams.go). The best of them are then weighed
// by what of the query they have (match.go, rank.go).
package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/names"
)

// Warning is something a person may want to know; the index goes on.
type Warning struct {
	// Code is index-damaged (it is made anew; File is where the old one went),
	// index-in-memory (the disk does not take it), index-busy (another program
	// holds it; answers may lack the latest notes), file-unreadable, file-cut
	// (only its end is indexed) or no-vectors (the words alone answer).
	Code string
	File string
	Err  error
}

// Options makes an [Index].
type Options struct {
	// Sources is what is indexed.
	Sources []Source
	// Names are programs the person calls by names of their own.
	Names []names.Name
	// Embedder adds search by meaning; nil for none.
	Embedder Embedder
	// Idle is how long the database stays open without use; default a minute.
	Idle time.Duration
	Now  func() time.Time
	// Warn is told of each trouble; may be nil. It must not call the index.
	Warn func(Warning)
}

// Index finds notes. It is safe for concurrent use, and several programs may use
// one file.
type Index struct {
	file    string
	o       Options
	lexicon *lexicon

	syncing   sync.Mutex    // one brings the index up to date
	embedding chan struct{} // holds a value while one makes vectors
	checked   bool          // guarded by syncing

	mu     sync.Mutex
	handle *handle
	users  int
	timer  *time.Timer
	closed bool
	warned map[Warning]bool
	known  frequencies
}

// Open returns the index kept in a file, which is opened when it is used. It
// fails only when o makes no sense.
func Open(file string, o Options) (*Index, error) {
	if file == "" {
		return nil, errors.New("cannot open the index: it has no file")
	}
	if o.Idle == 0 {
		o.Idle = time.Minute
	}
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

// ErrClosed is what a closed index answers.
var ErrClosed = errors.New("the index is closed")

const (
	defaultLimit = 10
	maxLimit     = 200
)

// Recall returns the notes that answer a query best, after a look whether files
// have changed. It is a [memory.Recaller]. A query of nothing but blanks and
// punctuation finds nothing.
func (x *Index) Recall(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	parts := x.lexicon.parse(q.Words)
	if len(parts) == 0 {
		return nil, nil
	}
	if err := x.fresh(ctx, q); err != nil {
		return nil, fmt.Errorf("cannot look for notes: %w", err)
	}
	vector, stop := x.meaning(ctx, q.Words)
	defer stop()
	var hits []memory.Hit
	err := x.use(ctx, func(h *handle) error {
		return h.reading(ctx, func(tx *sql.Tx) error {
			var err error
			if hits, err = x.rank(ctx, tx, q, parts); err == nil {
				hits, err = x.fuse(ctx, tx, q, hits, vector())
			}
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("cannot look for notes: %w", err)
	}
	return hits[:min(q.Limit, len(hits))], nil
}

// reading calls f with one state of the database.
func (h *handle) reading(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := h.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return f(tx)
}
