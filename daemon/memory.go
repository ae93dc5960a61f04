package daemon

import (
	"errors"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

// errAtMachine reports something about notes that only somebody at the machine
// may do: elsewhere notes are read and changed by asking, through the gate.
var errAtMachine = errors.New("only at the machine")

// notesHere returns the notes for a peer at the machine.
func (c *peerConn) notesHere() (*Notes, error) {
	if c.visibleChannel() != "" {
		return nil, errAtMachine
	}
	rt, err := c.current()
	if err != nil {
		return nil, err
	}
	return rt.Notes, nil
}

// notedFile is a file of notes without its text.
type notedFile struct {
	memory.File
	Text string `json:"text,omitempty"`
}

// maxPiece is how much of a file's text one frame holds, in bytes.
const maxPiece = 128 << 10

// queryMemory lists the files of notes and what clearing them would delete, or
// returns a piece of one.
func (c *peerConn) queryMemory(q ipc.Query) (any, error) {
	notes, err := c.notesHere()
	if err != nil {
		return nil, err
	}
	files, err := notes.Files(c.ctx)
	if err != nil {
		return nil, err
	}
	if q.Text != "" {
		return pieceOf(files, q.Text, q.Offset)
	}
	list := make([]notedFile, len(files))
	for i, f := range files {
		list[i] = notedFile{File: f}
	}
	days, count, err := notes.Clearable(c.ctx)
	return map[string]any{"files": list, "clearable": map[string]int{"days": days, "notes": count}}, err
}

// notePiece is a part of a file's text.
type notePiece struct {
	File string `json:"file"`
	Text string `json:"text"`
	More bool   `json:"more"`
}

func pieceOf(files []memory.File, name string, offset int64) (notePiece, error) {
	for _, f := range files {
		if f.Name != name {
			continue
		}
		if offset < 0 || offset > int64(len(f.Text)) {
			offset = int64(len(f.Text))
		}
		rest := f.Text[offset:]
		end := min(len(rest), maxPiece)
		for end < len(rest) && end > 0 && !utf8.RuneStart(rest[end]) {
			end--
		}
		return notePiece{f.Name, rest[:end], end < len(rest)}, nil
	}
	return notePiece{}, &noSuchFile{name, namesOf(files)}
}

// noSuchFile reports a name that no file of notes has.
type noSuchFile struct {
	name  string
	there []string
}

func (n *noSuchFile) Error() string { return "no file of notes " + n.name }

func (n *noSuchFile) failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.MemoryNoFile.In(lang, n.name, strings.Join(n.there, ", "))}
}

func namesOf(files []memory.File) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return names
}

func (c *peerConn) queryMemorySearch(q ipc.Query) (any, error) {
	notes, err := c.notesHere()
	if err != nil {
		return nil, err
	}
	hits, err := notes.Search(c.ctx, memory.Query{Words: q.Text, Limit: q.Limit}, q.Categories)
	return map[string]any{"hits": hits}, err
}

// noteActions are what a peer at the machine can do to the notes; each tells
// what it did.
var noteActions = map[string]func(*peerConn, *Notes, ipc.Note) (string, error){
	ipc.ActionRemember:      (*peerConn).remember,
	ipc.ActionForget:        (*peerConn).forget,
	ipc.ActionRefreshMemory: (*peerConn).refreshMemory,
	ipc.ActionClearMemory:   (*peerConn).clearMemory,
	ipc.ActionImportMemory:  (*peerConn).importMemory,
}

// noteAction carries out an action on the notes.
func (c *peerConn) noteAction(m ipc.Message) {
	var note ipc.Note
	if len(m.Data) > 0 {
		if err := m.Decode(&note); err != nil {
			c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage, err.Error())
			return
		}
	}
	notes, err := c.notesHere()
	if err == nil {
		var said string
		if said, err = noteActions[m.Action](c, notes, note); err == nil {
			c.ok(m, said)
			return
		}
	}
	c.fail(m, c.failure(err, c.language()))
}

func (c *peerConn) remember(notes *Notes, n ipc.Note) (string, error) {
	if notes.Redactor.Redact(n.Text) != n.Text {
		return "", errSecretNote
	}
	change, err := notes.Remember(c.ctx, memory.Note{Key: n.Key, Text: n.Text, Category: memory.Category(n.Category)})
	return changeText(i18n.MemoryRemember, change, c.language()), err
}

func (c *peerConn) forget(notes *Notes, n ipc.Note) (string, error) {
	change, err := notes.Forget(c.ctx, n.Key)
	return changeText(i18n.MemoryForgotten, change, c.language()), err
}

// changeText tells what was done to a file, line by line.
func changeText(done i18n.Text, c memory.Change, lang i18n.Lang) string {
	if len(c.Added)+len(c.Removed) == 0 {
		return i18n.MemorySame.In(lang)
	}
	lines := []string{done.In(lang, c.File)}
	for _, l := range c.Removed {
		lines = append(lines, i18n.MemoryRemoved.In(lang, l))
	}
	for _, l := range c.Added {
		lines = append(lines, i18n.MemoryAdded.In(lang, l))
	}
	return strings.Join(lines, "\n")
}

func (c *peerConn) refreshMemory(notes *Notes, _ ipc.Note) (string, error) {
	changed, err := notes.RefreshSystem(memory.DetectSystem("/", os.Getenv))
	if changed {
		return i18n.MemoryFresh.In(c.language()), err
	}
	return i18n.MemoryNotFresh.In(c.language()), err
}

func (c *peerConn) clearMemory(notes *Notes, _ ipc.Note) (string, error) {
	gone, err := notes.Clear(c.ctx)
	if len(gone) == 0 {
		return i18n.MemoryNothing.In(c.language()), err
	}
	return i18n.MemoryCleared.In(c.language(), strings.Join(gone, ", ")), err
}

func (c *peerConn) importMemory(notes *Notes, n ipc.Note) (string, error) {
	done, err := notes.Import(c.ctx, strings.NewReader(n.Text))
	lines := []string{i18n.MemoryImported.In(c.language(), done.Added, done.Replaced, done.Same)}
	for _, r := range done.Refused {
		lines = append(lines, i18n.MemoryRefused.In(c.language(), r.Line, r.Why))
	}
	return strings.Join(lines, "\n"), err
}

// errSecretNote reports a note that looks like a key.
var errSecretNote = errors.New("it looks like a password or key")
