package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/crash"
)

// mend puts the end of a file right and returns its size: a last line without
// its line feed is ended when it is a whole record, and cut off when it is a
// piece of one.
func mend(f *os.File) (int64, error) {
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return 0, err
	}
	size := fi.Size()
	start, err := lastLine(f, size)
	if err != nil || start == size {
		return size, err
	}
	piece := make([]byte, size-start)
	if _, err := f.ReadAt(piece, start); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if !json.Valid(piece) {
		return start, f.Truncate(start)
	}
	_, err = f.Write([]byte("\n"))
	return size + 1, err
}

// lastLine returns where the text behind the last line feed begins.
func lastLine(f *os.File, size int64) (int64, error) {
	buf := make([]byte, 4<<10)
	for end := size; end > 0; {
		n := min(int64(len(buf)), end)
		if _, err := f.ReadAt(buf[:n], end-n); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}

// content returns the whole records of the file, and what cannot be read.
func (j *Journal) content() ([]byte, error) {
	f, err := openRegular(j.path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if json.Valid(data[end:]) {
		return data, nil
	}
	return data[:end], nil // the rest is a piece of what nobody was told of
}

// replace puts a new file in the place of the old one. Lines of the old one
// that cannot be read are kept beside it.
func (j *Journal) replace(data []byte) error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	if err := j.keepDamaged(); err != nil {
		return err
	}
	t, err := renameio.NewPendingFile(j.path, renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	defer func() { _ = t.Cleanup() }() // nothing is left of it after the rename
	if _, err := t.Write(data); err != nil {
		return err
	}
	if err := t.Sync(); err != nil {
		return err
	}
	crash.Here(crash.JournalRewrite)
	if err := t.CloseAtomicallyReplace(); err != nil {
		return err
	}
	j.close()
	if err := syncDir(filepath.Dir(j.path)); err != nil {
		return err
	}
	return j.open()
}

// keepDamaged adds the lines that cannot be read to a file beside the journal.
func (j *Journal) keepDamaged() error {
	data, err := j.content()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var damaged []byte
	for line := range bytes.Lines(data) {
		if !json.Valid(line) {
			damaged = append(damaged, line...)
		}
	}
	if len(damaged) == 0 {
		return nil
	}
	f, err := openRegular(j.path+".damaged", os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(damaged); err != nil {
		return err
	}
	return f.Sync()
}
