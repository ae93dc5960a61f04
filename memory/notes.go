package memory

import (
	"context"
	"errors"
	"os"
	"time"
)

// Notes returns every note of every file: SYSTEM.md, USER.md, MEMORY.md, then
// the days, the oldest first. With an error that lists what could not be read it
// returns the others all the same.
func (m *Memory) Notes(ctx context.Context) ([]Note, error) {
	var all []Note
	err := m.each(ctx, func(name string, c content) {
		all = append(all, Split(name, c.text, c.modified)...)
	})
	return all, err
}

// each reads all files that there are. Of one that cannot be read whole it
// gives what can be, and goes on.
func (m *Memory) each(ctx context.Context, read func(name string, c content)) error {
	names, err := m.names(ctx)
	faults := []error{err}
	for _, name := range names {
		if ctx.Err() != nil {
			return errors.Join(append(faults, ctx.Err())...)
		}
		c, err := m.whole(name)
		faults = append(faults, err)
		if c.file != nil {
			read(name, c)
		}
	}
	return errors.Join(faults...)
}

// File is one file of the notes, for a person to see.
type File struct {
	Name     string    `json:"name"` // below the notes' directory
	Path     string    `json:"path"`
	Size     int64     `json:"size"` // bytes
	Modified time.Time `json:"modified,omitzero"`
	Text     string    `json:"text"`          // valid UTF-8
	Cut      bool      `json:"cut,omitempty"` // the text is its last 64 KiB
	// Problem says why it cannot be used as it is, and what mends it.
	Problem string `json:"problem,omitempty"`
	Err     error  `json:"-"` // the same, for who can say it in a person's language
}

// maxShown bounds the text of a [File], in bytes.
const maxShown = 64 << 10

// Files returns the files that there are, with those that cannot be read. The
// error lists what is the matter with them.
func (m *Memory) Files(ctx context.Context) ([]File, error) {
	names, err := m.names(ctx)
	faults := []error{err}
	var files []File
	for _, name := range names {
		f, there := m.shown(name)
		faults = append(faults, f.Err)
		if there {
			files = append(files, f)
		}
	}
	return files, errors.Join(faults...)
}

func (m *Memory) shown(name string) (File, bool) {
	f := File{Name: name, Path: m.path(name)}
	fi, err := os.Lstat(f.Path)
	if os.IsNotExist(err) {
		return f, false
	}
	if err == nil {
		f.Size, f.Modified = fi.Size(), fi.ModTime()
		f.Text, f.Cut, err = m.end(name, maxShown)
	}
	if err != nil {
		f.Err = fault("read", f.Path, name, err)
		f.Problem = f.Err.Error()
	}
	return f, true
}
