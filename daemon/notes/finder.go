package notes

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/names"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/embed"
	"github.com/nidoit/blunux-ai/memory/recall"
)

// Finder searches notes and conversations. It outlives runtimes: its index is reopened only if the configuration
// of the search changes.
type Finder struct {
	Paths  config.Paths
	getenv func(string) string
	warn   func(error)

	ctx  context.Context // ends with the finder
	stop context.CancelFunc
	Busy sync.WaitGroup

	mu       sync.Mutex
	index    *recall.Index
	settings indexSettings
	update   indexUpdate
	closed   bool
}

// indexUpdate says what the next update of the index must do.
type indexUpdate struct {
	soon    *time.Timer // starts an update a moment after the last turn, nil if none is due
	running bool
	purge   bool // notes were deleted, so the index must be purged
	stale   bool // notes changed during an update of the index
}

// indexSettings identifies the settings of an open index.
type indexSettings struct {
	embeddings config.Embeddings
	names      string // the text of the person's own table of program names
}

// NewFinder returns a finder of the notes and conversations below paths. warn receives problems and may be nil.
func NewFinder(paths config.Paths, getenv func(string) string, warn func(error)) *Finder {
	if warn == nil {
		warn = func(error) {}
	}
	f := &Finder{Paths: paths, getenv: getenv, warn: warn}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// Configure opens the index as the configuration says.
func (f *Finder) Configure(e config.Embeddings, redactor *secret.Redactor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := indexSettings{e, f.ownNames()}
	if f.index != nil && now == f.settings || f.closed {
		return
	}
	f.closeIndex()
	index, err := recall.Open(f.file(), recall.Options{
		Sources: []recall.Source{
			recall.Markdown(f.Paths.Memory()), recall.Conversations(session.New(session.Options{Dir: f.Paths.Sessions()})),
		},
		Embedder: f.embedder(e, redactor), Names: namesIn(now.names),
		Warn: f.passWarning,
	})
	if err != nil { // only fails without a file
		f.warn(asFindingError("no-index", err))
		return
	}
	f.index, f.settings = index, now
}

// maxNames bounds the person's table of names, in bytes, as in the built-in helper.
const maxNames = 1 << 20

// ownNames returns the person's own table of program names (docs/offline.md), or "". The built-in helper reports
// errors in it.
func (f *Finder) ownNames() string {
	file := filepath.Join(f.Paths.Offline(), "names.tsv")
	if fi, err := os.Stat(file); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxNames {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}

func namesIn(table string) []names.Name {
	var own []names.Name
	for fields := range names.Rows(table) {
		if len(fields) >= 3 {
			own = append(own, names.FromRow(fields))
		}
	}
	return own
}

// embedder returns the client for vectors of notes. It returns nil if there is none or it cannot be used.
func (f *Finder) embedder(e config.Embeddings, redactor *secret.Redactor) recall.Embedder {
	if e.BaseURL == "" {
		return nil
	}
	keys := config.Credentials{Dir: f.Paths.Credentials(), SystemDir: f.getenv("CREDENTIALS_DIRECTORY"), Getenv: f.getenv}
	key, err := keys.Key(config.EmbeddingsKey, config.EmbeddingsKeyEnv)
	if errors.Is(err, config.ErrNoCredential) {
		key, err = "", nil // a local server needs no key
	}
	var client *embed.Client
	if err == nil {
		client, err = embed.New(embed.Options{BaseURL: e.BaseURL, Model: e.Model, Dialect: embed.Dialect(e.Dialect), Key: key})
	}
	if err != nil {
		f.warn(asFindingError("no-embedder", err))
		return nil
	}
	return redactingEmbedder{client, redactor}
}

// redactingEmbedder removes what looks like a key or password before texts go to the embedding server, which may
// be another company's.
type redactingEmbedder struct {
	*embed.Client
	redactor *secret.Redactor
}

// Embed implements [recall.Embedder].
func (d redactingEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	clean := make([]string, len(texts))
	for i, t := range texts {
		clean[i] = d.redactor.RedactStrict(t)
	}
	return d.Client.Embed(ctx, clean)
}

// closeIndex closes the index. Running searches finish.
func (f *Finder) closeIndex() {
	if f.index != nil {
		if err := f.index.Close(); err != nil {
			f.warn(asFindingError("no-index", err))
		}
		f.index = nil
	}
}

// Recall implements [memory.Recaller].
func (f *Finder) Recall(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	f.mu.Lock()
	index := f.index
	f.mu.Unlock()
	if index == nil {
		return nil, ErrNoIndex
	}
	return index.Recall(ctx, q)
}

// updateDelay is how long after the last turn the index is updated: before the daemon releases its memory.
const updateDelay = time.Second

// UpdateSoon updates the index once, a moment after the last call. A search in the meantime updates it first.
func (f *Finder) UpdateSoon() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.index == nil || f.closed:
	case f.update.soon != nil:
		f.update.soon.Reset(updateDelay)
	default:
		f.update.soon = time.AfterFunc(updateDelay, f.UpdateInBackground)
	}
}

// UpdateInBackground updates the index in the background, so that the next search need not wait. If an update runs, another
// one follows it.
func (f *Finder) UpdateInBackground() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.index == nil || f.closed {
		return
	}
	if f.update.running {
		f.update.stale = true
		return
	}
	f.update.running = true
	f.Busy.Go(f.updateIndex)
}

// updateIndex updates the index until no note changed in the meantime.
func (f *Finder) updateIndex() {
	for {
		f.mu.Lock()
		index, purge := f.index, f.update.purge
		f.update.stale, f.update.purge = false, false
		f.mu.Unlock()
		var err error
		if purge {
			err = index.Purge(f.ctx)
		}
		if err = errors.Join(err, index.Sync(f.ctx)); err != nil && f.ctx.Err() == nil && !errors.Is(err, recall.ErrClosed) {
			f.warn(asFindingError("index-behind", err))
		}
		f.mu.Lock()
		if !f.update.stale || f.index == nil || f.ctx.Err() != nil {
			f.update.running = false
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
	}
}

// notesWritten starts an update after notes were written, if there are vectors to compute.
func (f *Finder) notesWritten() {
	if f == nil { // without an index
		return
	}
	f.mu.Lock()
	vectors := f.settings.embeddings.BaseURL != ""
	f.mu.Unlock()
	if vectors {
		f.UpdateInBackground()
	}
}

// NotesRemoved removes deleted notes from the index, if there is one.
func (f *Finder) NotesRemoved() {
	if f == nil {
		return
	}
	if _, err := os.Stat(f.file()); err != nil {
		return
	}
	f.mu.Lock()
	f.update.purge = true
	f.mu.Unlock()
	f.UpdateInBackground()
}

// file returns the path of the index.
func (f *Finder) file() string { return filepath.Join(f.Paths.Recall(), "recall.db") }

// AwaitUpdate waits until the index is up to date. It warns if ctx ends first.
func (f *Finder) AwaitUpdate(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		f.Busy.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		f.warn(&SearchError{Code: "vectors-late"})
	}
}

// RecallCurrent searches like [Finder.Recall] after bringing the index up to date, however long that takes.
func (f *Finder) RecallCurrent(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	f.mu.Lock()
	index := f.index
	f.mu.Unlock()
	if index == nil {
		return nil, ErrNoIndex
	}
	if err := index.SyncText(ctx); err != nil {
		f.warn(asFindingError("index-behind", err)) // the existing index still answers
	}
	if !onlyConversations(q) {
		if err := index.Embed(ctx); err != nil && ctx.Err() == nil {
			f.warn(asFindingError("index-behind", err)) // the full-text index still answers
		}
	}
	return index.Recall(ctx, q)
}

// onlyConversations reports whether a query is only about conversations, which have no vectors.
func onlyConversations(q memory.Query) bool {
	return len(q.Categories) > 0 && !slices.ContainsFunc(q.Categories, func(c memory.Category) bool { return c != memory.Conversation })
}

// Close closes the index.
func (f *Finder) Close() error {
	if f == nil {
		return nil
	}
	f.stop()
	f.mu.Lock()
	f.closed = true // starts no other update
	if f.update.soon != nil {
		f.update.soon.Stop()
	}
	f.mu.Unlock()
	f.Busy.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeIndex()
	return nil
}

// passWarning passes a warning of the index on.
func (f *Finder) passWarning(w recall.Warning) { f.warn(&SearchError{w.Code, w.File, w.Err}) }
