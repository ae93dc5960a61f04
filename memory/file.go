package memory

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Bounds of files, in bytes.
const (
	maxFile = 8 << 20   // read from one file
	maxKept = 256 << 10 // USER.md and MEMORY.md after a write
)

// editTries is how often an edit is retried because the file changed meanwhile.
const editTries = 10

// content is a file's content and state at the time of reading.
type content struct {
	text     string
	modified time.Time
	size     int64
	file     os.FileInfo // nil if there was no file
}

// openRegular opens a file without following a link and without blocking, as opening a named pipe would. A link
// in the user's directory could expose any file to a model, or redirect a write.
func openRegular(file string, flags int) (*os.File, error) {
	f, err := os.OpenFile(file, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (m *Memory) checkDaily() error {
	if fi, err := os.Lstat(m.path(dailyDir)); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		return errLink
	}
	return nil
}

func (m *Memory) open(name string, flags int) (*os.File, error) {
	if strings.HasPrefix(name, dailyDir+"/") {
		if err := m.checkDaily(); err != nil {
			return nil, err
		}
	}
	return openRegular(m.path(name), flags)
}

// readWhole reads a file, at most 8 MiB of it. A missing file is empty.
func (m *Memory) readWhole(name string) (content, error) {
	f, err := m.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return content{modified: m.o.Now()}, nil
	}
	if err != nil {
		return content{}, fault("read", m.path(name), name, err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return content{}, fault("read", m.path(name), name, err)
	}
	c := content{modified: fi.ModTime(), size: fi.Size(), file: fi}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	c.text = string(data)
	switch {
	case err != nil:
	case len(data) > maxFile:
		c.text, err = c.text[:strings.LastIndexByte(c.text[:maxFile], '\n')+1], errTooLarge
	case bytes.IndexByte(data, 0) >= 0 && !utf8.Valid(data):
		err = errNotText
	}
	return c, fault("read", m.path(name), name, err)
}

// replace replaces a file atomically with a text that is synced to disk on return.
func (m *Memory) replace(name, text string) error {
	file := m.path(name)
	err := m.prepare(name)
	if err == nil {
		err = renameio.WriteFile(file, []byte(text), 0o600, renameio.WithTempDir(filepath.Dir(file)))
	}
	if err == nil {
		err = disk.SyncDir(filepath.Dir(file))
	}
	return fault("write", file, name, err)
}

// prepare creates a file's directory and checks that the file may be replaced: a read-only file or a link is a
// person's decision.
func (m *Memory) prepare(name string) error {
	if err := m.checkDaily(); err != nil && strings.HasPrefix(name, dailyDir+"/") {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o700); err != nil {
		return err
	}
	fi, err := os.Lstat(m.path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case fi.Mode()&fs.ModeSymlink != 0:
		return errLink
	case !fi.Mode().IsRegular():
		return errNotRegular
	case fi.Mode().Perm()&0o200 == 0:
		return errReadOnly
	}
	return nil
}

// edit changes a file under the notes' lock. If a person saves the file meanwhile, it calls change again with the
// new content. It does not write an unchanged text.
func (m *Memory) edit(ctx context.Context, name string, most int, change func(content) (string, error)) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return m.editLocked(name, most, change)
}

func (m *Memory) editLocked(name string, most int, change func(content) (string, error)) error {
	for range editTries {
		old, err := m.readWhole(name)
		if err != nil {
			return err
		}
		text, err := change(old)
		if err != nil || text == old.text {
			return err
		}
		if len(text) > most && len(text) > len(old.text) {
			return fault("write", m.path(name), name, errFull)
		}
		if m.afterRead != nil {
			m.afterRead()
		}
		if m.changedSince(name, old) {
			continue
		}
		return m.replace(name, text)
	}
	return fault("write", m.path(name), name, errBusy)
}

// changedSince reports whether a file has changed since it was read.
func (m *Memory) changedSince(name string, old content) bool {
	fi, err := os.Lstat(m.path(name))
	if err != nil || old.file == nil {
		return (err == nil) != (old.file != nil)
	}
	return !os.SameFile(fi, old.file) || fi.Size() != old.size || !fi.ModTime().Equal(old.modified)
}

const (
	lockFile = ".lock"
	// lockWait is how long a writer waits for another one. A write takes milliseconds.
	lockWait = 5 * time.Second
	lockTry  = 5 * time.Millisecond
)

// lock takes the lock for changes to the notes, which excludes writers in this and in other processes. Call the
// returned function to release it. The lock is also released when the process ends.
func (m *Memory) lock(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return nil, fault("write", m.dir, "the notes", err)
	}
	f, err := openRegular(m.path(lockFile), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, fault("write", m.path(lockFile), lockFile, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errBusy)
	defer cancel()
	if err := disk.WaitLock(ctx, f, lockTry); err != nil {
		f.Close()
		return nil, fault("write", m.path(lockFile), lockFile, err)
	}
	return func() { f.Close() }, nil
}

// place is a block with its position in the file's structure.
type place struct {
	block
	heading  string
	category Category
	day      string // YYYY-MM-DD, of daily notes
}

var (
	dayName  = lazyregexp.New(`^\d{4}-\d{2}-\d{2}$`)
	dayStart = lazyregexp.New(`^\d{4}-\d{2}-\d{2}\b`)
)

// locateBlocks determines for every block its headings, category and day.
func locateBlocks(file string, lines []string, blocks []block) []place {
	var (
		out    []place
		trail  [7]string // headings by level; 0 is a table's header
		parent []block   // items that contain the current one
		daily  = path.Dir(file) == "daily"
		base   = place{category: Core}
	)
	if daily {
		base.category = Daily
		if name := strings.TrimSuffix(path.Base(file), ".md"); dayName.MatchString(name) {
			base.day = name
		}
	}
	now := base
	for _, b := range blocks {
		if b.kind == heading {
			b.text = truncate(plainText(b.text), maxHeading)
			if b.level > 0 {
				clear(trail[b.level:])
			}
			trail[0] = ""
			trail[b.level], parent = b.text, nil
			if b.level == 1 || b.level == 2 {
				now = placeBelow(base, file, b)
			}
		}
		switch b.kind {
		case item:
			trail[0] = ""
			for len(parent) > 0 && parent[len(parent)-1].indent >= b.indent {
				parent = parent[:len(parent)-1]
			}
		case paragraph, fence:
			trail[0], parent = "", nil
		}
		p := now
		p.block, p.heading = b, headingPath(trail, parent, lines)
		out = append(out, p)
		if b.kind == item {
			parent = append(parent, b)
		}
	}
	return out
}

// placeBelow returns the place of blocks below a heading of level 1 or 2: in MEMORY.md the second level names the
// category, in a daily file a day.
func placeBelow(base place, file string, b block) place {
	p := base
	switch {
	case b.level == 2 && file == "MEMORY.md":
		if c := Slug(b.text); c != "" {
			p.category = Category(c)
		}
	case p.category == Daily && dayStart.MatchString(b.text):
		p.day = b.text[:len(time.DateOnly)]
	}
	return p
}

// headingPath returns the headings above a block, the outermost first, then the items around it, then the header of
// its table.
func headingPath(trail [7]string, parent []block, lines []string) string {
	var all []string
	for _, h := range trail[1:] {
		if h != "" {
			all = append(all, h)
		}
	}
	for _, p := range parent {
		all = append(all, truncate(plainText(strings.TrimRight(firstText(lines, p), ":： ")), maxHeading/2))
	}
	if trail[0] != "" {
		all = append(all, trail[0])
	}
	return truncate(strings.Join(all, " / "), 2*maxHeading)
}
