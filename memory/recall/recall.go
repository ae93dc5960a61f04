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
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/internal/disk"
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
	lexicon func() *lexicon // made by the first search

	syncing   sync.Mutex    // held during an update of the index
	whole     atomic.Bool   // all files were compared once
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
	l := builtin
	if len(o.Names) > 0 {
		l = sync.OnceValue(func() *lexicon { return newLexicon(o.Names) })
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
	parts := x.lexicon().parse(q.Words)
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

// use calls f with the database, which it opens if needed. A damaged database is put aside and rebuilt, and f is
// called again. If the disk does not take a database, use works with one in memory.
func (x *Index) use(ctx context.Context, f func(*handle) error) error {
	for attempt := 0; ; attempt++ {
		h, err := x.acquire(ctx)
		if err == nil {
			err = f(h)
			x.release()
		}
		if err == nil || attempt == 2 || ctx.Err() != nil {
			return err
		}
		if !x.repair(ctx, h, err) {
			return err
		}
	}
}

// repair tries to repair the cause of an error and reports whether to try again.
func (x *Index) repair(ctx context.Context, h *handle, err error) bool {
	switch {
	case strings.Contains(err.Error(), "database is closed"): // dropped by another goroutine
		return true
	case errors.Is(err, errNewer):
		return x.inMemory(ctx, err)
	case errors.Is(err, errOutdated): // not a problem
		aside, err := x.putAside(h)
		if err != nil {
			return x.inMemory(ctx, err)
		}
		if aside != "" {
			_ = os.Remove(filepath.Join(filepath.Dir(x.file), aside)) // a leftover file is harmless
		}
	case isDamage(err):
		x.discardHandle(h)
		aside, aerr := x.putAside(h)
		x.warn(Warning{"index-damaged", aside, errors.Join(err, aerr)})
		if aerr != nil {
			return x.inMemory(ctx, aerr)
		}
	case isNoPlace(err) && (h == nil || !h.memory):
		x.discardHandle(h)
		return x.inMemory(ctx, err)
	default:
		return false
	}
	if h == nil {
		return true // f has not been called yet
	}
	// An empty index would find nothing.
	return x.sync(ctx, x.o.Sources) == nil
}

// acquire returns the open database. The caller must call release.
func (x *Index) acquire(ctx context.Context) (*handle, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, ErrClosed
	}
	if x.handle != nil && x.users == 0 && x.isReplaced() {
		x.closeHandle()
	}
	if x.handle == nil {
		h, err := openFile(ctx, x.file)
		if err != nil {
			return nil, err
		}
		x.handle = h
	}
	if x.timer != nil {
		x.timer.Stop()
	}
	x.users++
	return x.handle, nil
}

// isReplaced reports whether another process put the open file aside.
func (x *Index) isReplaced() bool {
	if x.handle.memory {
		return false
	}
	fi, err := os.Lstat(x.file)
	return err != nil || inodeOf(fi) != x.handle.inode
}

func (x *Index) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.users--
	if x.users > 0 || x.handle == nil {
		return
	}
	if x.closed {
		x.closeHandle()
		return
	}
	x.timer = time.AfterFunc(x.o.Idle, x.closeIdle)
}

// closeIdle closes the database after it has been idle.
func (x *Index) closeIdle() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.users == 0 {
		x.closeHandle()
	}
}

// closeHandle closes the database. x.mu must be held.
func (x *Index) closeHandle() {
	if x.timer != nil {
		x.timer.Stop()
	}
	if x.handle != nil {
		x.handle.db.Close() // a cache: everything can be read again
	}
	x.handle = nil
	x.freqs.forget()
}

// discardHandle closes an unusable database, unless another one has been opened meanwhile.
func (x *Index) discardHandle(h *handle) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if h != nil && x.handle == h {
		x.closeHandle()
	}
}

// inMemory switches to a database in memory.
func (x *Index) inMemory(ctx context.Context, why error) bool {
	x.warn(Warning{"index-in-memory", x.file, why})
	h, err := openMemory(ctx)
	if err != nil {
		return false
	}
	x.mu.Lock()
	if open := !x.closed; !open || x.handle != nil {
		x.mu.Unlock()
		h.db.Close()
		return open
	}
	x.handle = h
	x.mu.Unlock()
	return x.sync(ctx, x.o.Sources) == nil
}

// putAside renames the index file, unless another process has done so, and returns its new name.
func (x *Index) putAside(h *handle) (aside string, err error) {
	lock, err := os.OpenFile(x.file+".lock", os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := disk.Lock(lock, disk.Exclusive); err != nil {
		return "", err
	}
	fi, err := os.Lstat(x.file)
	if errors.Is(err, os.ErrNotExist) || err == nil && h != nil && inodeOf(fi) != h.inode {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for n := range 10 {
		aside = fmt.Sprintf("%s.aside%d", x.file, n)
		if err = os.Rename(x.file, aside); err == nil { // fails only if a directory that is not empty has the name
			break
		}
	}
	if err != nil {
		return "", err
	}
	// The old journal must not be applied to the next database.
	for _, end := range []string{"-wal", "-shm"} {
		os.Remove(x.file + end)
	}
	return filepath.Base(aside), nil
}

// Close closes the index once its current users have finished.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	if x.users == 0 {
		x.closeHandle()
	}
	return nil
}

// warn reports each problem once.
func (x *Index) warn(w Warning) {
	x.mu.Lock()
	key := Warning{Code: w.Code, File: w.File}
	known := x.warned[key]
	if len(x.warned) > 256 {
		clear(x.warned)
	}
	x.warned[key] = true
	x.mu.Unlock()
	if !known {
		x.o.Warn(w)
	}
}
