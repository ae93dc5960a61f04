// Package journal keeps records in a file that only grows: one JSON value a
// line, written with one call, synced before anybody relies on it.
//
// A crash leaves at most a piece of the last line, which was acknowledged to
// nobody: it is moved to FILE.damaged. Any other line that cannot be read is damage;
// it is told, copied there when the file is rewritten, and never taken for something
// else. A file in which nothing can be read, or that was emptied, is moved aside and
// told. Every record has a version; a file with a newer one is refused and left as it
// is. What no record needs any more goes when its owner rewrites
// the file, which replaces it at once or not at all (rename(2)).
//
// Several goroutines that want to be sure at the same time share one sync.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/nidoit/blunux-ai/crash"
)

// Journal is one file. It is opened when it is first needed and again after
// something failed, so that a disk that was full or a home that could not be
// written to is used as soon as that has ended. It is safe for concurrent use.
type Journal struct {
	path string

	mu    sync.Mutex
	file  *os.File
	size  int64 // of what is whole
	epoch int   // how often the file was opened or replaced
	known bool  // the versions of what it holds were looked at

	syncing sync.Mutex // held before mu
	synced  Mark       // guarded by syncing
	failed  int        // the last epoch whose sync failed; guarded by syncing
}

// Mark is a place in one of the files the journal had. Owners rewrite the file
// only with every record they appended before.
type Mark struct {
	epoch int
	size  int64
}

// reached reports whether everything up to m is behind s.
func (s Mark) reached(m Mark) bool {
	return s.epoch > m.epoch || s.epoch == m.epoch && s.size >= m.size
}

// New returns the journal at path. Nothing is made before something is written.
func New(path string) *Journal { return &Journal{path: path} }

// Path returns the journal's file.
func (j *Journal) Path() string { return j.path }

// Damage is a line that cannot be read, or a file.
type Damage struct {
	File string
	Line int // from 1; 0 for all of the file
	// Aside is where the file was moved; "" where it is as it was.
	Aside string
}

func (d Damage) Error() string {
	switch {
	case d.Line == 0 && d.Aside == "":
		return fmt.Sprintf("%s: was emptied or cannot be read", d.File)
	case d.Line == 0:
		return fmt.Sprintf("%s: was emptied or cannot be read; it was moved to %s", d.File, filepath.Base(d.Aside))
	}
	return fmt.Sprintf("%s:%d: cannot be read; the line is kept as it is", d.File, d.Line)
}

// Size returns how many bytes the file has as far as it is known, for its
// owner to decide when to rewrite it.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Append adds a record, which survives the end of the program from here on, and
// returns what [Journal.Sync] needs to have it survive the end of the machine.
// A record that could not be written whole is not in the file.
func (j *Journal) Append(v any) (Mark, error) {
	line, err := encode(v)
	if err != nil {
		return Mark{}, j.failure(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(); err != nil {
		return Mark{}, j.failure(err)
	}
	if n, err := j.file.Write(line); err != nil {
		j.takeBack(n)
		return Mark{}, j.failure(err)
	}
	j.size += int64(len(line))
	crash.Here(crash.JournalWritten)
	return Mark{j.epoch, j.size}, nil
}

// AppendSync is Append and Sync.
func (j *Journal) AppendSync(v any) error {
	at, err := j.Append(v)
	if err == nil {
		err = j.Sync(at)
	}
	return err
}

func (j *Journal) failure(err error) error {
	return fmt.Errorf("cannot write %s: %w", filepath.Base(j.path), err)
}

// takeBack removes a piece of a record after a write that failed. Where even
// that fails the file is opened anew, which cuts the piece off.
func (j *Journal) takeBack(n int) {
	if n > 0 && j.file.Truncate(j.size) != nil {
		j.close()
	}
}

// Sync returns when the file is on the disk up to at. Whoever comes while
// another waits for the disk is served by the next sync, together with all who
// came meanwhile.
func (j *Journal) Sync(at Mark) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if at.epoch <= j.failed {
		return j.failure(errUnsure)
	}
	if j.synced.reached(at) {
		return nil
	}
	j.mu.Lock()
	file, now := j.file, Mark{j.epoch, j.size}
	j.mu.Unlock()
	if now.epoch != at.epoch {
		return nil // replaced meanwhile by a file that was synced
	}
	if err := file.Sync(); err != nil {
		j.failed = now.epoch
		j.mu.Lock()
		j.close()
		j.mu.Unlock()
		return j.failure(err)
	}
	j.synced = now
	crash.Here(crash.JournalSynced)
	return nil
}

// errUnsure reports a record that was written before a sync that failed.
var errUnsure = errors.New("it is not known whether the record is on the disk")

// Rewrite replaces the file by one with these records only. A crash leaves the
// one or the other.
func (j *Journal) Rewrite(records []any) error {
	buf := *bytes.NewBuffer(header())
	for _, v := range records {
		line, err := encode(v)
		if err != nil {
			return j.failure(err)
		}
		buf.Write(line)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.replace(buf.Bytes()); err != nil {
		return j.failure(err)
	}
	return nil
}

// Read gives every record to visit, the oldest first, and returns what cannot be
// read. A file that is not there has none. It fails with a [VersionError] where a newer
// program wrote the file.
func (j *Journal) Read(visit func(record []byte) error) ([]Damage, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	lost, err := j.look()
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", filepath.Base(j.path), err)
	}
	data, err := j.content()
	if errors.Is(err, fs.ErrNotExist) {
		return lost, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", filepath.Base(j.path), err)
	}
	damaged := lost
	for n := 1; len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if !isHeader(line) && (!json.Valid(line) || visit(line) != nil) {
			damaged = append(damaged, Damage{File: j.path, Line: n})
		}
	}
	return damaged, nil
}

// Close lets go of the file.
func (j *Journal) Close() {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.close()
}

func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return Stamp(buf.Bytes()), err
}

// open opens the file to write and puts its end right.
func (j *Journal) open() error {
	if j.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	if !j.known {
		if _, err := j.look(); err != nil {
			return err
		}
	}
	if err := j.begin(); err != nil {
		return err
	}
	f, err := openRegular(j.path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	size, err := j.mend(f)
	if err != nil {
		f.Close()
		return err
	}
	j.file, j.size = f, size
	j.epoch++
	return nil
}

func (j *Journal) close() {
	if j.file != nil {
		_ = j.file.Close()
		j.file = nil
		j.epoch++
	}
}

// openRegular opens a file that is no link, which could lead anywhere, and no
// pipe, which would wait for ever.
func openRegular(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
