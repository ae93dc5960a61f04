package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// File is a conversation's file.
type File struct {
	Name string // file name
	Key  string // session key, of a cut one its beginning and "…"
	fs.FileInfo
}

// Files returns the files of the conversations changed last, at most 10,000, the latest first.
func (s *Store) Files(ctx context.Context) ([]File, error) {
	files, err := s.newestFiles("", maxListed)
	if err != nil {
		return nil, fmt.Errorf("cannot list the conversations: %w", err)
	}
	named := make([]File, 0, len(files))
	for _, f := range files {
		named = append(named, File{f.name, f.key, f.info})
	}
	return named, ctx.Err()
}

// Stat returns the file of a name, without looking at others. It fails with [fs.ErrNotExist] if there is no such
// conversation.
func (s *Store) Stat(name string) (File, error) {
	key, ok := keyOf(name)
	if !ok || name != filepath.Base(name) {
		return File{}, fs.ErrNotExist
	}
	fi, err := os.Lstat(filepath.Join(s.dir, name))
	if err == nil && !fi.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return File{}, fmt.Errorf("cannot find the conversation: %w", err)
	}
	return File{name, key, fi}, nil
}

// Progress is the result of [Store.ReadSince].
type Progress struct {
	Key  string // complete, even if the file name is cut
	End  int64  // offset after the last complete line that was visited, in bytes
	More bool   // there are more complete lines after End
}

// ReadSince visits the entries of a file named by [Store.Files] from a byte offset, which must be the beginning of
// a line. It reads about n bytes in complete lines, at least one, and skips unreadable and unfinished lines. It
// fails with [fs.ErrNotExist] if the file is gone.
func (s *Store) ReadSince(name string, from int64, n int, visit func(at int64, e Entry)) (Progress, error) {
	key, ok := keyOf(name)
	if !ok {
		return Progress{}, fs.ErrNotExist
	}
	f, err := s.openFound(conversationFile{name: name})
	if err != nil {
		return Progress{}, err
	}
	defer f.Close()
	g := Progress{Key: key, End: from}
	if strings.HasSuffix(key, "…") {
		g.Key = s.fullKey(f, name, key)
	}
	lines := newLineReader(io.NewSectionReader(f, from, math.MaxInt64-from))
	for g.End-from < int64(n) {
		l, err := lines.next()
		if errors.Is(err, io.EOF) || err == nil && !l.whole {
			return g, nil
		}
		if err != nil {
			return g, fmt.Errorf("cannot read the conversation: %w", err)
		}
		if e, ok := decode(l.text); ok && !l.long {
			visit(g.End, e)
		}
		g.End += l.size
	}
	g.More = true
	return g, nil
}

// Tail returns up to n bytes of a file before an offset, or nothing if the file is shorter. A reader compares
// them to detect that the file was replaced.
func (s *Store) Tail(name string, before int64, n int) ([]byte, error) {
	f, err := s.openFound(conversationFile{name: name})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from := max(before-int64(n), 0)
	data := make([]byte, before-from)
	if _, err := f.ReadAt(data, from); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("cannot read the conversation: %w", err)
	}
	return data, nil
}

// fullKey returns the key from a file's first entry.
func (s *Store) fullKey(f *os.File, name, key string) string {
	fi, err := f.Stat()
	if err != nil {
		return key
	}
	return wholeKey(f, conversationFile{name: name, key: key, size: fi.Size()})
}
