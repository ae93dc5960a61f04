package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

// The errors of requests about notes.
var (
	// errAtMachine: remote senders read and change notes by asking the model, through the gate.
	errAtMachine  = errors.New("only for local clients")
	errSecretNote = errors.New("it looks like a password or key")
)

// localNotes returns the notes for a local client.
func (c *peerConn) localNotes() (*Notes, error) {
	if c.visibleChannel() != "" {
		return nil, errAtMachine
	}
	rt, err := c.s.settings.currentRuntime()
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
	notes, err := c.localNotes()
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
	notes, err := c.localNotes()
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

func (n *noSuchFile) failure(lang i18n.Lang) *ipc.Error {
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
	notes, err := c.localNotes()
	if err != nil {
		return nil, err
	}
	hits, err := notes.Search(ctx, memory.Query{Words: q.Text, Limit: q.Limit}, q.Categories)
	return map[string]any{"hits": hits}, err
}

func (c *peerConn) queryMemoryCount(ctx context.Context, _ ipc.Query) (any, error) {
	notes, err := c.localNotes()
	if err != nil {
		return nil, err
	}
	return notes.CountWithProblems(ctx, c.language())
}

// noteActions are the actions of local clients on notes. Each returns its result as text and as data.
var noteActions = map[string]func(*peerConn, context.Context, *Notes, ipc.Note) (string, any, error){
	ipc.ActionRemember:      (*peerConn).remember,
	ipc.ActionForget:        (*peerConn).forget,
	ipc.ActionRefreshMemory: (*peerConn).refreshMemory,
	ipc.ActionClearMemory:   (*peerConn).clearMemory,
	ipc.ActionImportMemory:  (*peerConn).importMemory,
}

// noteAction carries out an action on the notes.
func (c *peerConn) noteAction(ctx context.Context, m ipc.Message) {
	var note ipc.Note
	if len(m.Data) > 0 {
		if err := m.Decode(&note); err != nil {
			c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
			return
		}
	}
	notes, err := c.localNotes()
	if err == nil {
		var text string
		var data any
		text, data, err = noteActions[m.Action](c, ctx, notes, note)
		if changesNotes(data) {
			c.s.log.Info().Str("action", m.Action).Msg("notes changed by command")
		}
		if err == nil {
			if m.ID != "" { // otherwise the peer does not wait for a reply
				_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Body: text, Done: true}.WithData(data))
			}
			return
		}
	}
	c.fail(m, c.s.settings.failure(err, c.language()))
}

// changesNotes reports whether an action changed anything, by its result data.
func changesNotes(data any) bool {
	switch done := data.(type) {
	case memory.Change:
		return len(done.Added)+len(done.Removed) > 0
	case ForgottenNote:
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

func (c *peerConn) remember(ctx context.Context, notes *Notes, n ipc.Note) (string, any, error) {
	if notes.Redactor.RedactStrict(n.Text) != n.Text {
		return "", nil, errSecretNote
	}
	change, err := notes.Remember(ctx, memory.Note{Key: n.Key, Text: n.Text, Category: memory.Category(n.Category)})
	return changeText(i18n.MemoryRemember, change, c.language()), change, err
}

func (c *peerConn) forget(ctx context.Context, notes *Notes, n ipc.Note) (string, any, error) {
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

func (c *peerConn) refreshMemory(_ context.Context, notes *Notes, _ ipc.Note) (string, any, error) {
	changed, err := notes.RefreshSystem(memory.DetectSystem("/", os.Getenv))
	text := i18n.MemoryNotFresh
	if changed {
		text = i18n.MemoryFresh
	}
	return text.In(c.language()), map[string]bool{"changed": changed}, err
}

func (c *peerConn) clearMemory(ctx context.Context, notes *Notes, _ ipc.Note) (string, any, error) {
	deleted, err := notes.Clear(ctx)
	text := i18n.MemoryNothing.In(c.language())
	if len(deleted) > 0 {
		text = i18n.MemoryCleared(strings.Join(deleted, ", ")).In(c.language())
	}
	return text, map[string][]string{"deleted": append([]string{}, deleted...)}, err
}

func (c *peerConn) importMemory(ctx context.Context, notes *Notes, n ipc.Note) (string, any, error) {
	done, err := notes.Import(ctx, strings.NewReader(n.Text))
	lines := []string{i18n.MemoryImported(done.Added, done.Replaced, done.Same).In(c.language())}
	for _, r := range done.Refused {
		lines = append(lines, i18n.MemoryRefused(r.Line, r.Why).In(c.language()))
	}
	return strings.Join(lines, "\n"), done, err
}

// isNoteError reports an error about notes that a person can act on.
func isNoteError(err error) bool {
	var fault *memory.Fault
	var trouble *SearchError
	known := []error{
		errAtMachine, errSecretNote, memory.ErrNoNote, memory.ErrAmbiguous, memory.ErrSystem, memory.ErrEmptyNote, memory.ErrLongNote,
	}
	return errors.As(err, &fault) || errors.As(err, &trouble) || slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) })
}

// noteFailure describes an error about notes and its remedy.
func noteFailure(err error, lang i18n.Lang) *ipc.Error {
	e := &ipc.Error{Code: ipc.CodeBadRequest, Message: NoteErrorText(err, lang)}
	var fault *memory.Fault
	var trouble *SearchError
	switch {
	case errors.Is(err, errAtMachine):
		e.Code = ipc.CodeDenied
	case errors.As(err, &fault), errors.As(err, &trouble):
		e.Code, e.Hint = ipc.CodeInternal, noteHelp(err, lang)
	}
	return e
}

// noteHelp returns the remedy for an error about notes in a person's language, or "".
func noteHelp(err error, lang i18n.Lang) string {
	var fault *memory.Fault
	if !errors.As(err, &fault) {
		return ""
	}
	return i18n.MemoryHelp(lang, fault.Reason, fault.Help)
}

// NoteErrorHelp describes an error about notes in a person's language, with the remedy on a second line.
func NoteErrorHelp(err error, lang i18n.Lang) string {
	text := NoteErrorText(err, lang)
	if help := noteHelp(err, lang); help != "" {
		text += "\n  " + help
	}
	return text
}

// NoteErrorText describes an error about notes in a person's language.
func NoteErrorText(err error, lang i18n.Lang) string {
	var fault *memory.Fault
	var which *memory.AmbiguousError
	var trouble *SearchError
	switch {
	case errors.As(err, &trouble): // may wrap a fault
		return trouble.inLang(lang)
	case errors.Is(err, errAtMachine):
		return i18n.MemoryAtMachine.In(lang)
	case errors.Is(err, errSecretNote):
		return i18n.MemorySecret.In(lang)
	case errors.As(err, &which):
		return i18n.MemoryWhich(which.Key).In(lang) + "\n" + strings.Join(places(which.Notes), "\n")
	case errors.Is(err, memory.ErrNoNote):
		return i18n.MemoryNoNote.In(lang)
	case errors.Is(err, memory.ErrSystem):
		return i18n.MemorySystem.In(lang)
	case errors.Is(err, memory.ErrEmptyNote):
		return i18n.MemoryNoText.In(lang)
	case errors.Is(err, memory.ErrLongNote):
		return i18n.MemoryLong.In(lang)
	case errors.As(err, &fault):
		return i18n.NoteFileError(lang, fault.Act == "write", fault.File, fault.Reason, fault.Err)
	}
	return i18n.Cause(err, lang)
}

// maxPlaces bounds how many notes an ambiguity error lists.
const maxPlaces = 10

// places lists notes by file and line, with the beginning of their text.
func places(notes []memory.Note) []string {
	var all []string
	for _, n := range notes[:min(len(notes), maxPlaces)] {
		all = append(all, fmt.Sprintf("  %s:%d  %s", n.Source, n.Line, excerptOf(n.Text, maxExcerpt)))
	}
	return all
}
