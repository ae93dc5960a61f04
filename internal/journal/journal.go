// Package journal stores records in an append-only file: one JSON value per line, written with one call and synced
// before anything relies on it.
//
// A crash leaves at most a part of the last line, which was never acknowledged. It is moved to FILE.damaged. Any other
// unreadable line is damage, which is reported, and copied there when the file is rewritten. A file that was emptied or
// has no readable line is moved aside and reported. Every record has a version. A file with a newer one is refused and
// left unchanged. Obsolete records are dropped when the owner rewrites the file, atomically (rename(2)).
//
// Goroutines that sync at the same time share one sync.
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

	"github.com/nidoit/blunux-ai/internal/crash"
)

// Journal is one file. It is opened when it is first used and again after an error, so that it recovers from a
// full disk or a directory that was not writable. It is safe for concurrent use.
type Journal struct {
	path string

	mu      sync.Mutex
	file    *os.File
	size    int64 // without an incomplete record
	epoch   int   // how often the file was opened or replaced
	checked bool  // the versions in the file were checked

	syncing     sync.Mutex // locked before mu
	synced      Mark       // guarded by syncing
	failedEpoch int        // the last epoch whose sync failed; guarded by syncing
}

// Mark is a position in one of the journal's files. A rewrite must contain every record that was appended before
// and is still needed.
type Mark struct {
	epoch int
	size  int64
}

// includes reports whether s includes everything up to m.
func (s Mark) includes(m Mark) bool {
	return s.epoch > m.epoch || s.epoch == m.epoch && s.size >= m.size
}

// New returns the journal at path. The file is created on the first write.
func New(path string) *Journal { return &Journal{path: path} }

// Path returns the journal's file.
func (j *Journal) Path() string { return j.path }

// Damage is an unreadable line or file.
type Damage struct {
	File string
	Line int // from 1, 0 for the whole file
	// MovedTo is where the file was moved, "" if it was not.
	MovedTo string
}

func (d Damage) Error() string {
	switch {
	case d.Line == 0 && d.MovedTo == "":
		return fmt.Sprintf("%s: was emptied or cannot be read", d.File)
	case d.Line == 0:
		return fmt.Sprintf("%s: was emptied or cannot be read; it was moved to %s", d.File, filepath.Base(d.MovedTo))
	}
	return fmt.Sprintf("%s:%d: cannot be read; the line is kept as it is", d.File, d.Line)
}

// Size returns the known size of the file in bytes, from which the owner decides when to rewrite it.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Append adds a record, which survives a crash of the program from here on, and returns the mark for [Journal.Sync],
// after which it survives a crash of the machine. A record that could not be written completely is not in the file.
func (j *Journal) Append(v any) (Mark, error) {
	line, err := encode(v)
	if err != nil {
		return Mark{}, j.writeError(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(); err != nil {
		return Mark{}, j.writeError(err)
	}
	if n, err := j.file.Write(line); err != nil {
		j.undoWrite(n)
		return Mark{}, j.writeError(err)
	}
	j.size += int64(len(line))
	crash.Here(crash.JournalWritten)
	return Mark{j.epoch, j.size}, nil
}

func (j *Journal) writeError(err error) error {
	return fmt.Errorf("cannot write %s: %w", filepath.Base(j.path), err)
}

// undoWrite removes a partial record after a failed write. If that fails too, the file is closed, and reopening it
// cuts the record off.
func (j *Journal) undoWrite(n int) {
	if n > 0 && j.file.Truncate(j.size) != nil {
		j.close()
	}
}

// Sync returns once the file is on disk up to at. Callers that arrive during a sync share the next one.
func (j *Journal) Sync(at Mark) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if at.epoch <= j.failedEpoch {
		return j.writeError(errUnsure)
	}
	if j.synced.includes(at) {
		return nil
	}
	j.mu.Lock()
	file, now := j.file, Mark{j.epoch, j.size}
	j.mu.Unlock()
	if now.epoch != at.epoch {
		return nil // replaced in the meantime by a synced file
	}
	if err := file.Sync(); err != nil {
		j.failedEpoch = now.epoch
		j.mu.Lock()
		j.close()
		j.mu.Unlock()
		return j.writeError(err)
	}
	j.synced = now
	crash.Here(crash.JournalSynced)
	return nil
}

// errUnsure reports a record that was written before a failed sync.
var errUnsure = errors.New("the record may not be on disk")

// Rewrite replaces the file with one that contains only these records, atomically.
func (j *Journal) Rewrite(records []any) error {
	buf := *bytes.NewBuffer(header())
	for _, v := range records {
		line, err := encode(v)
		if err != nil {
			return j.writeError(err)
		}
		buf.Write(line)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.replace(buf.Bytes()); err != nil {
		return j.writeError(err)
	}
	return nil
}

// Read passes every record to visit, oldest first, and returns the damage found. A missing file has no records. It
// fails with a [VersionError] if a newer program wrote the file.
func (j *Journal) Read(visit func(record []byte) error) ([]Damage, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	lost, err := j.checkFile()
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

// Close closes the file.
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
	return AddVersion(buf.Bytes()), err
}

// open opens the file for writing and repairs its end.
func (j *Journal) open() error {
	if j.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	if !j.checked {
		if _, err := j.checkFile(); err != nil {
			return err
		}
	}
	if err := j.create(); err != nil {
		return err
	}
	f, err := openRegular(j.path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return err
	}
	size, err := j.repair(f)
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

// openRegular opens a regular file: a link could point anywhere, and a pipe would block.
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
