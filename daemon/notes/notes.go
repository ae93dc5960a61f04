// Package notes holds the notes of the person and their search.
package notes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
)

// Notes are the person's notes: the files, their search, and the redactor for their content.
type Notes struct {
	*memory.Memory
	Redactor *secret.Redactor
	Dir      string
	home     string // the state directory
	tokens   int    // limit of notes in a prompt
	Finder   *Finder
	noDays   bool // daily notes are switched off
}

// New returns the notes below paths. finder may be nil.
func New(paths config.Paths, cfg config.Memory, finder *Finder, redactor *secret.Redactor) *Notes {
	o := memory.Options{KeepDays: cfg.KeepDays}
	if finder != nil {
		o.Recaller = finder
		finder.Configure(cfg.Embeddings, paths.Sessions(), redactor)
	}
	return &Notes{
		Memory: memory.New(paths.Memory(), o), Redactor: redactor, Dir: paths.Memory(), home: paths.Home, tokens: cfg.PromptTokens, Finder: finder,
		noDays: !cfg.SavesAutomatically(),
	}
}

// settleTime is how long such a program waits for the vectors of new notes. The next search computes the rest.
const settleTime = 15 * time.Second

// Close waits for the vectors of new notes, for a limited time, and closes the index.
func (n *Notes) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	n.Finder.AwaitUpdate(ctx)
	return n.Finder.Close()
}

// Append adds a line to the daily note, unless that is switched off.
func (n *Notes) Append(now time.Time, line string) error {
	if n.noDays {
		return nil
	}
	defer n.Finder.noteWritten(memory.DayFile(now))
	return n.Memory.Append(now, line)
}

// Remember stores a note and computes its vector.
func (n *Notes) Remember(ctx context.Context, note memory.Note) (memory.Change, error) {
	change, err := n.Memory.Remember(ctx, note)
	n.Finder.notesWritten(change.File)
	return change, err
}

// Forget removes a note from the files and the index.
func (n *Notes) Forget(ctx context.Context, key string) (memory.Change, error) {
	defer n.Finder.NotesRemoved()
	return n.Memory.Forget(ctx, key)
}

// ForgetEverywhere removes a note and looks for remaining copies.
func (n *Notes) ForgetEverywhere(ctx context.Context, key string) (ForgottenNote, error) {
	change, err := n.Forget(ctx, key)
	if err != nil {
		return ForgottenNote{Change: change}, err
	}
	return ForgottenNote{change, n.FindCopies(ctx, change.Note.Text, "")}, nil
}

// Import adds notes and computes their vectors.
func (n *Notes) Import(ctx context.Context, r io.Reader) (memory.ImportResult, error) {
	defer n.Finder.notesWritten("")
	return n.Memory.Import(ctx, r)
}

// UpdateUser rewrites USER.md and computes the vectors of its new notes.
func (n *Notes) UpdateUser(ctx context.Context, content string) (memory.Change, error) {
	change, err := n.Memory.UpdateUser(ctx, content)
	n.Finder.notesWritten(change.File)
	return change, err
}

// Context returns the notes for a prompt, within the configured limit.
func (n *Notes) Context(ctx context.Context, ask memory.ContextQuery) ([]memory.Section, error) {
	if ask.Tokens == 0 || n.tokens > 0 && ask.Tokens > n.tokens {
		ask.Tokens = n.tokens
	}
	return n.Memory.Context(ctx, ask)
}

// Search finds notes, and conversations too unless categories are given.
func (n *Notes) Search(ctx context.Context, q memory.Query, categories []string) ([]memory.Hit, error) {
	for _, c := range categories {
		q.Categories = append(q.Categories, memory.Category(strings.ToLower(strings.TrimSpace(c))))
	}
	q.Conversations = true
	hits, err := n.Recall(ctx, q)
	if hits == nil {
		hits = []memory.Hit{}
	}
	return hits, err
}

// Recall finds notes with an up-to-date index, for which prompts do not wait. Without an index it reads all notes.
func (n *Notes) Recall(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	if n.Finder == nil || q.Words == memory.Everything {
		return n.Memory.Recall(ctx, q)
	}
	hits, err := n.Finder.RecallCurrent(ctx, q)
	if err != nil && ctx.Err() == nil {
		n.Finder.Warn(asFindingError("no-index", err))
		return memory.New(n.Dir, memory.Options{}).Recall(ctx, q)
	}
	return hits, err
}

// FilesWithProblems returns the existing files, with their problems in the person's language.
func (n *Notes) FilesWithProblems(ctx context.Context, lang i18n.Lang) []memory.File {
	files, _ := n.Files(ctx)
	for i, f := range files {
		if f.Err != nil {
			files[i].Problem = NoteErrorHelp(f.Err, lang)
		}
	}
	return files
}

// CountWithProblems returns the number of notes, with problems in the person's language.
func (n *Notes) CountWithProblems(ctx context.Context, lang i18n.Lang) (memory.NoteCounts, error) {
	counted, err := n.Count(ctx)
	if ctx.Err() != nil {
		return counted, ctx.Err()
	}
	faults := []error{err}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		faults = several.Unwrap()
	}
	for _, err := range faults {
		if err != nil {
			counted.Problems = append(counted.Problems, NoteErrorHelp(err, lang))
		}
	}
	return counted, nil
}

// Clearable returns how many daily files and how many notes of MEMORY.md
// [memory.Memory.Clear] would delete.
func (n *Notes) Clearable(ctx context.Context) (days, notes int, err error) {
	files, _ := n.Files(ctx) // unreadable files can be deleted
	for _, f := range files {
		switch {
		case strings.HasPrefix(f.Name, "daily/"):
			days++
		case f.Name == "MEMORY.md":
			notes++ // at least one
		}
	}
	all, _ := n.Notes(ctx)
	in := 0
	for _, note := range all {
		if note.Source == "MEMORY.md" {
			in++
		}
	}
	return days, max(notes, in), ctx.Err()
}

// EnsureFile returns the path of USER.md or MEMORY.md and creates the file, empty, if it does not exist.
func (n *Notes) EnsureFile(name string) (string, error) {
	if err := os.MkdirAll(n.Dir, 0o700); err != nil {
		return "", fmt.Errorf("cannot make %s: %w", name, err)
	}
	file := filepath.Join(n.Dir, name)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return file, nil
	case err != nil:
		return "", fmt.Errorf("cannot make %s: %w", name, err)
	}
	return file, f.Close()
}

// SearchConversations searches conversations. It fails if there is no index.
func (n *Notes) SearchConversations(ctx context.Context, words string, limit int) (session.SearchResult, error) {
	if n.Finder == nil {
		return session.SearchResult{}, ErrNoIndex
	}
	if limit <= 0 {
		limit = 20
	}
	hits, err := n.Finder.RecallCurrent(ctx, memory.Query{Words: words, Limit: limit + 1, Categories: []memory.Category{memory.Conversation}})
	found := session.SearchResult{Hits: []session.Hit{}, More: len(hits) > limit}
	for _, h := range hits[:min(len(hits), limit)] {
		kind, _, _ := strings.Cut(h.Key, "-")
		found.Hits = append(found.Hits, session.Hit{
			Key: h.Source, Type: session.Type(kind), Timestamp: h.Updated.UnixMilli(), Text: session.Around(h.Text, words),
		})
	}
	return found, err
}
