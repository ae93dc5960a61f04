package notes

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/internal/peer"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/embed"
	"github.com/nidoit/blunux-ai/memory/recall/protocol"
)

// IndexProgram is the program with the index (cmd/blunux-ai-index).
const IndexProgram = "blunux-ai-index"

// FinderOptions are the dependencies of a [Finder]. Only Warn, Log and Program have defaults.
type FinderOptions struct {
	Paths  config.Paths
	Getenv func(string) string
	// Program is the command line of the index program. If empty, it is the installed [IndexProgram].
	Program []string
	// Warn receives problems. It may be nil.
	Warn func(error)
	// Log receives lines that the index program prints. It may be nil.
	Log func(line string)
}

// Finder searches notes and conversations. It outlives runtimes. Its index is in another program, which starts with
// the first search and leaves after a minute without one; it is restarted if the configuration of the search changes.
type Finder struct {
	FinderOptions

	ctx  context.Context // ends with the finder
	stop context.CancelFunc
	Busy sync.WaitGroup // updates in the background

	retiring sync.WaitGroup // former programs that are closed

	mu       sync.Mutex
	program  *helper.Program // nil before Configure
	settings indexSettings
	update   indexUpdate
	warned   map[SearchError]bool
	closed   bool
}

// indexUpdate says what the next update of the index must do.
type indexUpdate struct {
	soon    *time.Timer // starts an update a moment after the last turn, nil if none is due
	running bool
	stale   bool            // notes changed during an update of the index
	next    protocol.Update // what changed since the last one
}

// indexSettings identifies the settings of an index.
type indexSettings struct {
	embeddings    config.Embeddings
	conversations string // directory
	names         string // the text of the person's own table of program names
}

// NewFinder returns a finder of the notes and conversations.
func NewFinder(o FinderOptions) *Finder {
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	f := &Finder{FinderOptions: o, warned: map[SearchError]bool{}}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// Configure makes the index as the configuration says. It starts nothing.
func (f *Finder) Configure(e config.Embeddings, conversations string, redactor *secret.Redactor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := indexSettings{e, conversations, f.ownNames()}
	if f.program != nil && now == f.settings || f.closed {
		return
	}
	f.retire()
	f.program, f.settings = f.newProgram(now, f.embedder(e, redactor)), now
}

// retire closes the program in the background, where running searches finish. f.mu must be held.
func (f *Finder) retire() {
	if former := f.program; former != nil {
		f.retiring.Go(former.Close)
		f.program = nil
	}
}

// newProgram returns the index program for the settings, not started yet. embedder may be nil.
func (f *Finder) newProgram(s indexSettings, embedder *redactingEmbedder) *helper.Program {
	opening := protocol.Opening{
		Version: protocol.Version, File: f.file(), Notes: f.Paths.Memory(), Conversations: s.conversations, Names: s.names,
	}
	if embedder != nil {
		opening.Model = embedder.Model()
	}
	return helper.New(helper.Options{
		Launch: helper.Start(f.describeProgram),
		Setup: func(ctx context.Context, c *peer.Conn) error {
			return c.Call(ctx, protocol.MethodOpen, opening, nil)
		},
		Peer: peer.Options{Handle: embedder.handle, Notice: f.passNotice, MaxLine: protocol.MaxLine},
		Log:  f.Log,
	})
}

// describeProgram says how the index program is started: without our environment, which may hold keys.
func (f *Finder) describeProgram() (child.Start, error) {
	s := child.Start{Dir: "/", Env: []string{}}
	if zone := f.Getenv("TZ"); zone != "" { // of the dates of notes
		s.Env = []string{"TZ=" + zone}
	}
	if len(f.Program) > 0 {
		s.File, s.Args = f.Program[0], f.Program[1:]
		return s, nil
	}
	file, err := installed.Find(IndexProgram)
	if err != nil {
		return s, &SearchError{Code: "no-index-program", File: IndexProgram}
	}
	s.File = file
	return s, nil
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

// embedder returns the client for vectors of notes. It returns nil if there is none or it cannot be used.
func (f *Finder) embedder(e config.Embeddings, redactor *secret.Redactor) *redactingEmbedder {
	if e.BaseURL == "" {
		return nil
	}
	keys := config.Credentials{Dir: f.Paths.Credentials(), SystemDir: f.Getenv("CREDENTIALS_DIRECTORY"), Getenv: f.Getenv}
	key, err := keys.Key(config.EmbeddingsKey, config.EmbeddingsKeyEnv)
	if errors.Is(err, config.ErrNoCredential) {
		key, err = "", nil // a local server needs no key
	}
	var client *embed.Client
	if err == nil {
		client, err = embed.New(embed.Options{BaseURL: e.BaseURL, Model: e.Model, Dialect: embed.Dialect(e.Dialect), Key: key})
	}
	if err != nil {
		f.Warn(asFindingError("no-embedder", err))
		return nil
	}
	return &redactingEmbedder{client, redactor}
}

// redactingEmbedder removes what looks like a key or password before texts go to the embedding server, which may
// be another company's.
type redactingEmbedder struct {
	*embed.Client
	redactor *secret.Redactor
}

// Embed returns vectors of texts.
func (d *redactingEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	clean := make([]string, len(texts))
	for i, t := range texts {
		clean[i] = d.redactor.RedactStrict(t)
	}
	return d.Client.Embed(ctx, clean)
}

// handle answers the index program, which asks for vectors.
func (d *redactingEmbedder) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if d == nil || method != protocol.MethodEmbed {
		return nil, peer.UnknownMethod(method)
	}
	var texts []string
	if err := json.Unmarshal(params, &texts); err != nil {
		return nil, err
	}
	return d.Embed(ctx, texts)
}

// passNotice passes a warning of the index program on, each once.
func (f *Finder) passNotice(method string, params json.RawMessage) {
	var w protocol.Warning
	if method != protocol.NoticeWarning || json.Unmarshal(params, &w) != nil {
		return
	}
	problem := &SearchError{Code: w.Code, File: w.File}
	if w.Error != "" {
		problem.Err = errors.New(w.Error)
	}
	f.warnOnce(problem)
}

// maxWarned bounds how many problems are remembered.
const maxWarned = 256

// warnOnce reports a problem, unless the same code and file were reported before.
func (f *Finder) warnOnce(problem *SearchError) {
	key := SearchError{Code: problem.Code, File: problem.File}
	f.mu.Lock()
	known := f.warned[key]
	if len(f.warned) >= maxWarned {
		clear(f.warned)
	}
	f.warned[key] = true
	f.mu.Unlock()
	if !known {
		f.Warn(problem)
	}
}

// search asks the index program, which it starts if needed.
func (f *Finder) search(ctx context.Context, q memory.Query, current bool) (hits []memory.Hit, err error) {
	f.mu.Lock()
	program := f.program
	f.mu.Unlock()
	if program == nil {
		return nil, ErrNoIndex
	}
	err = program.Call(ctx, protocol.MethodSearch, protocol.Search{
		Words: q.Words, Limit: q.Limit, Categories: q.Categories, Conversations: q.Conversations, Current: current,
	}, &hits)
	return hits, callError(ctx, err)
}

// callError returns the error of a request to the index program as a person knows it.
func callError(ctx context.Context, err error) error {
	var refused *peer.Error
	switch {
	case err == nil, errors.As(err, new(*SearchError)):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused) && refused.Code == peer.CodeCanceled:
		return context.DeadlineExceeded // its clock was first
	case errors.As(err, &refused) && refused.Code == protocol.CodeVersion:
		return &SearchError{Code: "no-index-program", File: IndexProgram}
	case errors.Is(err, helper.ErrEnded), errors.Is(err, helper.ErrCrashes):
		return &SearchError{Code: "index-ended", Err: err}
	}
	return err
}

// Recall implements [memory.Recaller].
func (f *Finder) Recall(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	hits, err := f.search(ctx, q, false)
	var problem *SearchError
	if errors.As(err, &problem) && problem != ErrNoIndex {
		f.warnOnce(problem)
	}
	return hits, err
}

// RecallCurrent searches like [Finder.Recall] after bringing the index up to date, however long that takes.
func (f *Finder) RecallCurrent(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	return f.search(ctx, q, true)
}

// updateDelay is how long after the last turn the index is updated: before the daemon releases its memory.
const updateDelay = time.Second

// UpdateSoon updates the index once, a moment after the last call, from the conversations and notes that were written in
// the meantime.
func (f *Finder) UpdateSoon(conversation string) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.program == nil || f.closed {
		return
	}
	if !slices.Contains(f.update.next.Conversations, conversation) {
		f.update.next.Conversations = append(f.update.next.Conversations, conversation)
	}
	f.boundNext()
	if f.update.soon != nil {
		f.update.soon.Reset(updateDelay)
		return
	}
	f.update.soon = time.AfterFunc(updateDelay, f.startUpdate)
}

// noteWritten records that a file of the notes was written, "" for any.
func (f *Finder) noteWritten(file string) {
	if f == nil { // without an index
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if file == "" {
		f.update.next.All = true
	} else if !slices.Contains(f.update.next.Notes, file) {
		f.update.next.Notes = append(f.update.next.Notes, file)
	}
	f.boundNext()
}

// maxChanged bounds the files of an update. If more were written, all are compared.
const maxChanged = 256

// boundNext bounds the list of changes. f.mu must be held.
func (f *Finder) boundNext() {
	if n := &f.update.next; n.All || len(n.Notes)+len(n.Conversations) > maxChanged {
		n.All, n.Notes, n.Conversations = true, nil, nil
	}
}

// UpdateInBackground compares all files with the index in the background, so that the next search need not wait. If an
// update runs, another one follows it.
func (f *Finder) UpdateInBackground() {
	f.noteWritten("")
	f.startUpdate()
}

// startUpdate updates the index in the background from what changed.
func (f *Finder) startUpdate() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.program == nil || f.closed {
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
		program, next, vectors := f.program, f.update.next, f.hasVectors()
		f.update.stale, f.update.next = false, protocol.Update{}
		f.mu.Unlock()
		err := callError(f.ctx, update(f.ctx, program, next, next.Purge || vectors))
		if err != nil && f.ctx.Err() == nil && !errors.Is(err, helper.ErrClosed) {
			f.Warn(asFindingError("index-behind", err))
		}
		f.mu.Lock()
		if !f.update.stale || f.program == nil || f.ctx.Err() != nil {
			f.update.running = false
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
	}
}

// update sends an update to the index program. Without start, it does so only if the program runs: each start compares
// all files anyway, and so does the next search with those it needs.
func update(ctx context.Context, program *helper.Program, next protocol.Update, start bool) error {
	if start {
		return program.Call(ctx, protocol.MethodUpdate, next, nil)
	}
	_, err := program.CallRunning(ctx, protocol.MethodUpdate, next, nil)
	return err
}

// hasVectors reports whether vectors of notes are computed. f.mu must be held.
func (f *Finder) hasVectors() bool { return f.settings.embeddings.BaseURL != "" }

// notesWritten starts an update after a file of the notes was written, "" for any, if there are vectors to compute.
func (f *Finder) notesWritten(file string) {
	if f == nil { // without an index
		return
	}
	f.noteWritten(file)
	f.mu.Lock()
	vectors := f.hasVectors()
	f.mu.Unlock()
	if vectors {
		f.startUpdate()
	}
}

// NotesRemoved removes deleted notes from the index at once, if there is one.
func (f *Finder) NotesRemoved() {
	if f == nil {
		return
	}
	if _, err := os.Stat(f.file()); err != nil {
		return
	}
	f.mu.Lock()
	f.update.next.Purge = true
	f.mu.Unlock()
	f.startUpdate()
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
		f.Warn(&SearchError{Code: "vectors-late"})
	}
}

// Close ends the index program.
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
	f.retire()
	f.mu.Unlock()
	f.retiring.Wait()
	return nil
}
