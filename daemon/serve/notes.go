package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

// notes returns the person's notes.
func (c *peerConn) notes() (*notes.Notes, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	return rt.Notes, nil
}

// noteFile is a file of notes without its text.
type noteFile struct {
	memory.File
	Text string `json:"text,omitempty"`
}

// queryMemory lists the files of notes and what clearing them would delete, or returns the named file with its
// text.
func (c *peerConn) queryMemory(ctx context.Context, q ipc.Query) (any, error) {
	notes, err := c.notes()
	if err != nil {
		return nil, err
	}
	files := notes.FilesWithProblems(ctx, c.language())
	if q.Text != "" {
		return findFile(files, q.Text)
	}
	list := make([]noteFile, len(files))
	for i, f := range files {
		list[i] = noteFile{File: f}
	}
	days, count, err := notes.Clearable(ctx)
	return map[string]any{"files": list, "clearable": map[string]int{"days": days, "notes": count}}, err
}

func findFile(files []memory.File, name string) (memory.File, error) {
	for _, f := range files {
		if f.Name == name {
			return f, nil
		}
	}
	return memory.File{}, &noSuchFile{name, namesOf(files)}
}

// maxPiece bounds the part of an export in one frame, in bytes.
const maxPiece = 256 << 10

// exportPiece is a part of an export. Digest is that of the whole export: if it changes between parts, the notes
// have changed.
type exportPiece struct {
	Size   int64  `json:"size"`
	Digest string `json:"digest"`
	Data   []byte `json:"data"`
}

// queryMemoryExport returns the part of an export from an offset on.
func (c *peerConn) queryMemoryExport(ctx context.Context, q ipc.Query) (any, error) {
	notes, err := c.notes()
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	if err := notes.Export(ctx, &all); err != nil {
		return nil, err
	}
	start := min(max(q.Offset, 0), int64(all.Len()))
	end := min(start+maxPiece, int64(all.Len()))
	sum := sha256.Sum256(all.Bytes())
	return exportPiece{int64(all.Len()), hex.EncodeToString(sum[:]), all.Bytes()[start:end]}, nil
}

// noSuchFile reports an unknown file of notes.
type noSuchFile struct {
	name  string
	there []string
}

func (n *noSuchFile) Error() string { return "no such file of notes: " + n.name }

func (n *noSuchFile) Failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.MemoryNoFile(n.name, strings.Join(n.there, ", ")).In(lang)}
}

func namesOf(files []memory.File) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return names
}

func (c *peerConn) queryMemorySearch(ctx context.Context, q ipc.Query) (any, error) {
	notes, err := c.notes()
	if err != nil {
		return nil, err
	}
	hits, err := notes.Search(ctx, memory.Query{Words: q.Text, Limit: q.Limit}, q.Categories)
	return map[string]any{"hits": hits}, err
}

func (c *peerConn) queryMemoryCount(ctx context.Context, _ ipc.Query) (any, error) {
	notes, err := c.notes()
	if err != nil {
		return nil, err
	}
	return notes.CountWithProblems(ctx, c.language())
}

// noteAction makes a handler of an action on the notes, which returns its result as text and as data.
func noteAction(do func(*peerConn, context.Context, *notes.Notes, ipc.Note) (string, any, error)) handler {
	return func(c *peerConn, ctx context.Context, m ipc.Message) {
		var note ipc.Note
		if len(m.Data) > 0 {
			if err := m.Decode(&note); err != nil {
				c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
				return
			}
		}
		own, err := c.notes()
		if err != nil {
			c.Fail(m, c.s.settings.Failure(err, c.language()))
			return
		}
		text, data, err := do(c, ctx, own, note)
		if changesNotes(data) {
			c.s.log.Info().Str("action", m.Action).Msg("notes changed by command")
		}
		switch {
		case err != nil:
			c.Fail(m, c.s.settings.Failure(err, c.language()))
		case m.ID != "": // otherwise the peer does not wait for a reply
			_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Body: text, Done: true}.WithData(data))
		}
	}
}

// changesNotes reports whether an action changed anything, by its result data.
func changesNotes(data any) bool {
	switch done := data.(type) {
	case memory.Change:
		return len(done.Added)+len(done.Removed) > 0
	case notes.ForgottenNote:
		return changesNotes(done.Change)
	case memory.ImportResult:
		return done.Added+done.Replaced > 0
	case map[string]bool:
		return done["changed"]
	case map[string][]string:
		return len(done["deleted"]) > 0
	}
	return false
}

func (c *peerConn) remember(ctx context.Context, own *notes.Notes, n ipc.Note) (string, any, error) {
	if own.Redactor.RedactStrict(n.Text) != n.Text {
		return "", nil, notes.ErrSecretNote
	}
	change, err := own.Remember(ctx, memory.Note{Key: n.Key, Text: n.Text, Category: memory.Category(n.Category)})
	return changeText(i18n.MemoryRemember, change, c.language()), change, err
}

func (c *peerConn) forget(ctx context.Context, notes *notes.Notes, n ipc.Note) (string, any, error) {
	done, err := notes.ForgetEverywhere(ctx, n.Key)
	text := changeText(i18n.MemoryForgotten, done.Change, c.language())
	if more := done.Describe(c.language()); more != "" {
		text += "\n" + more
	}
	return text, done, err
}

// changeText describes a change of a file, line by line.
func changeText(done func(file string) i18n.Text, c memory.Change, lang i18n.Lang) string {
	if len(c.Added)+len(c.Removed) == 0 {
		return i18n.MemorySame.In(lang)
	}
	lines := []string{done(c.File).In(lang)}
	for _, l := range c.Removed {
		lines = append(lines, i18n.MemoryRemoved(l).In(lang))
	}
	for _, l := range c.Added {
		lines = append(lines, i18n.MemoryAdded(l).In(lang))
	}
	return strings.Join(lines, "\n")
}

func (c *peerConn) refreshMemory(_ context.Context, notes *notes.Notes, _ ipc.Note) (string, any, error) {
	changed, err := notes.RefreshSystem(memory.DetectSystem("/", os.Getenv))
	text := i18n.MemoryNotFresh
	if changed {
		text = i18n.MemoryFresh
	}
	return text.In(c.language()), map[string]bool{"changed": changed}, err
}

func (c *peerConn) clearMemory(ctx context.Context, notes *notes.Notes, _ ipc.Note) (string, any, error) {
	deleted, err := notes.Clear(ctx)
	text := i18n.MemoryNothing.In(c.language())
	if len(deleted) > 0 {
		text = i18n.MemoryCleared(strings.Join(deleted, ", ")).In(c.language())
	}
	return text, map[string][]string{"deleted": append([]string{}, deleted...)}, err
}

func (c *peerConn) importMemory(ctx context.Context, notes *notes.Notes, n ipc.Note) (string, any, error) {
	done, err := notes.Import(ctx, strings.NewReader(n.Text))
	lines := []string{i18n.MemoryImported(done.Added, done.Replaced, done.Same).In(c.language())}
	for _, r := range done.Refused {
		lines = append(lines, i18n.MemoryRefused(r.Line, r.Why).In(c.language()))
	}
	return strings.Join(lines, "\n"), done, err
}
