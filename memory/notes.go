package memory

import (
	"context"
	"errors"
	"os"
	"time"
)

// Notes returns all notes: SYSTEM.md, USER.md, MEMORY.md, then the days, the oldest first. If files cannot be
// read, it returns the notes of the others and an error that lists the unreadable ones.
func (m *Memory) Notes(ctx context.Context) ([]Note, error) {
	var all []Note
	err := m.readEach(ctx, func(name string, c content) {
		all = append(all, Split(name, c.text, c.modified)...)
	})
	return all, err
}

// readEach reads all existing files. If a file cannot be read completely, readEach passes on the readable part and
// continues.
func (m *Memory) readEach(ctx context.Context, read func(name string, c content)) error {
	names, err := m.names(ctx)
	faults := []error{err}
	for _, name := range names {
		if ctx.Err() != nil {
			return errors.Join(append(faults, ctx.Err())...)
		}
		c, err := m.readWhole(name)
		faults = append(faults, err)
		if c.file != nil {
			read(name, c)
		}
	}
	return errors.Join(faults...)
}

// File is one file of the notes, for display to a person.
type File struct {
	Name     string    `json:"name"` // below the notes' directory
	Path     string    `json:"path"`
	Size     int64     `json:"size"` // bytes
	Modified time.Time `json:"modified,omitzero"`
	Text     string    `json:"text"`          // valid UTF-8
	Cut      bool      `json:"cut,omitempty"` // the text is its last 64 KiB
	// Problem is why the file cannot be used, with a command that helps.
	Problem string `json:"problem,omitempty"`
	Err     error  `json:"-"` // same as Problem, for callers that translate it
}

// maxShown bounds the text of a [File], in bytes.
const maxShown = 64 << 10

// Files returns the existing files, including unreadable ones. The error lists their problems.
func (m *Memory) Files(ctx context.Context) ([]File, error) {
	names, err := m.names(ctx)
	faults := []error{err}
	var files []File
	for _, name := range names {
		f, there := m.displayFile(name)
		faults = append(faults, f.Err)
		if there {
			files = append(files, f)
		}
	}
	return files, errors.Join(faults...)
}

func (m *Memory) displayFile(name string) (File, bool) {
	f := File{Name: name, Path: m.path(name)}
	fi, err := os.Lstat(f.Path)
	if os.IsNotExist(err) {
		return f, false
	}
	if err == nil {
		f.Size, f.Modified = fi.Size(), fi.ModTime()
		f.Text, f.Cut, err = m.readTail(name, maxShown)
	}
	if err != nil {
		f.Err = fault("read", f.Path, name, err)
		f.Problem = f.Err.Error()
	}
	return f, true
}
