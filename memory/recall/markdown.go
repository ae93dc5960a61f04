package recall

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/memory"
)

// Bounds of the indexed part of a Markdown file, in bytes and notes. The end of the file is indexed, because the
// newest notes are there.
const (
	maxFile  = 4 << 20
	maxNotes = 20_000
)

// reliableAge is the age at which a file's change time is reliable. File system clocks tick every few milliseconds,
// so a later change could have the same time.
const reliableAge = 50 * time.Millisecond

// Markdown returns the notes' directory as a source: every *.md in it and in its daily/. It ignores links, pipes
// and other files.
func Markdown(dir string) Source { return markdown{dir} }

type markdown struct{ dir string }

func (markdown) Name() string { return NoteSource }

func (markdown) Holds(q memory.Query) bool {
	return len(q.Categories) == 0 || slices.ContainsFunc(q.Categories, func(c memory.Category) bool { return c != memory.Conversation })
}

func (m markdown) Files(ctx context.Context) ([]File, error) {
	var files []File
	for _, sub := range []string{"", "daily"} {
		entries, err := os.ReadDir(filepath.Join(m.dir, sub))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the notes: %w", err)
		}
		for _, e := range entries {
			if f, ok := markdownFile(sub, e); ok {
				files = append(files, f)
			}
		}
	}
	return files, ctx.Err()
}

func markdownFile(sub string, e fs.DirEntry) (File, bool) {
	if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".md") {
		return File{}, false
	}
	fi, err := e.Info()
	if err != nil { // removed meanwhile
		return File{}, false
	}
	name := e.Name()
	if sub != "" {
		name = sub + "/" + name
	}
	return File{name, stampOf(fi)}, true
}

// stampOf identifies a file's state by size, times and inode.
func stampOf(fi fs.FileInfo) string {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	changed := time.Unix(st.Ctim.Unix())
	if age := time.Since(changed); age >= 0 && age < reliableAge {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d", fi.Size(), fi.ModTime().UnixNano(), changed.UnixNano(), st.Ino)
}

func (m markdown) Stat(name string) (File, error) {
	sub, base := path.Split(name)
	if sub = strings.TrimSuffix(sub, "/"); sub != "" && sub != "daily" || base == "" {
		return File{}, fs.ErrNotExist
	}
	fi, err := os.Lstat(filepath.Join(m.dir, sub, base))
	if errors.Is(err, syscall.ENOTDIR) {
		return File{}, fs.ErrNotExist
	}
	if err != nil {
		return File{}, fmt.Errorf("cannot read the notes: %w", err)
	}
	f, ok := markdownFile(sub, fs.FileInfoToDirEntry(fi))
	if !ok {
		return File{}, fs.ErrNotExist
	}
	return f, nil
}

func (m markdown) Read(ctx context.Context, f File, after Mark) (Piece, error) {
	if p, err := m.readAppended(ctx, f.Name, after); err == nil {
		return p, nil
	}
	text, modified, cut, err := readEnd(filepath.Join(m.dir, filepath.FromSlash(f.Name)))
	if err != nil {
		return Piece{}, fmt.Errorf("cannot read %s: %w", f.Name, err)
	}
	notes := memory.Split(f.Name, string(text), modified)
	for i := range notes {
		notes[i].Line += cut
	}
	p := Piece{Notes: notes, Replaces: true, Cut: cut > 0}
	if left := len(notes) - maxNotes; left > 0 {
		p.Notes, p.Cut = notes[left:], true
	}
	if !p.Cut {
		p.Mark = growthMark(f.Name, text, notes)
	}
	return p, ctx.Err()
}

// readEnd returns the end of a file from the start of a line, and the number of lines before it.
func readEnd(file string) (text []byte, modified time.Time, before int, err error) {
	f, err := openRegular(file)
	if err != nil {
		return nil, modified, 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, modified, 0, err
	}
	if before, err = skipLines(f, fi.Size()-maxFile); err != nil {
		return nil, modified, 0, err
	}
	text, err = io.ReadAll(io.LimitReader(f, 2*maxFile))
	if before > 0 {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	return text, fi.ModTime(), before, err
}

// skipLines reads n bytes and returns the number of lines that begin in them.
func skipLines(f io.Reader, n int64) (int, error) {
	if n <= 0 {
		return 0, nil
	}
	lines, buf := 1, make([]byte, 64<<10)
	for n > 0 {
		got, err := f.Read(buf[:min(n, int64(len(buf)))])
		lines += bytes.Count(buf[:got], []byte{'\n'})
		n -= int64(got)
		if err != nil {
			return 0, err
		}
	}
	return lines, nil
}

// openRegular opens a file without following a link and without blocking, as opening a named pipe would.
func openRegular(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	return f, nil
}
