package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/crash"
)

// maxAside bounds what is kept beside a journal, in bytes.
const maxAside = 4 << 20

// begin makes the file with its header where there is none, all of it at once.
func (j *Journal) begin() error {
	if _, err := os.Lstat(j.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := renameio.WriteFile(j.path, header(), 0o600); err != nil {
		return err
	}
	return syncDir(filepath.Dir(j.path))
}

// look looks at the versions of what the file holds, and moves a file aside in which
// nothing can be read.
func (j *Journal) look() ([]Damage, error) {
	data, err := readRegular(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := checkLines(j.path, data); err != nil {
		return nil, err
	}
	j.known = true
	switch {
	case !lost(data):
		return nulls(j.path, data), nil
	default:
		aside, err := j.moveAside()
		if err != nil { // nothing can be written here, so nothing is lost by it either
			aside = ""
		}
		return []Damage{{File: j.path, Aside: aside}}, nil
	}
}

// lost reports whether no line can be read.
func lost(data []byte) bool {
	for line := range bytes.Lines(data) {
		if json.Valid(line) {
			return false
		}
	}
	return true
}

// nulls is the damage of a piece at the end that no crash of this program leaves:
// blocks the disk never got.
func nulls(path string, data []byte) []Damage {
	end := bytes.LastIndexByte(data, '\n') + 1
	if bytes.IndexByte(data[end:], 0) < 0 {
		return nil
	}
	return []Damage{{File: path, Line: bytes.Count(data[:end], []byte("\n")) + 1}}
}

// moveAside moves the file to the first free name beside it.
func (j *Journal) moveAside() (string, error) {
	for n := 0; ; n++ {
		aside := j.path + ".damaged"
		if n > 0 {
			aside += "." + strconv.Itoa(n)
		}
		if _, err := os.Lstat(aside); !errors.Is(err, fs.ErrNotExist) {
			if err != nil || n == 1000 {
				return "", errors.Join(err, errAside)
			}
			continue
		}
		if err := os.Rename(j.path, aside); err != nil {
			return "", err
		}
		return aside, syncDir(filepath.Dir(j.path))
	}
}

// errAside reports a directory full of damaged files.
var errAside = errors.New("too many damaged files beside it")

func readRegular(path string) ([]byte, error) {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// mend puts the end of a file right and returns its size: a last line without
// its line feed is ended when it is a whole record, and moved aside when it is a
// piece of one.
func (j *Journal) mend(f *os.File) (int64, error) {
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
		if err := j.keepAside(append(piece, '\n')); err != nil {
			return 0, err
		}
		return start, f.Truncate(start)
	}
	_, err = f.Write([]byte("\n"))
	return size + 1, err
}

// keepAside adds what cannot be read to a file beside the journal, as long as that is
// not too large.
func (j *Journal) keepAside(data []byte) error {
	f, err := openRegular(j.path+".damaged", os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || fi.Size()+int64(len(data)) > maxAside {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
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
	data, err := readRegular(j.path)
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
	if !j.known {
		if _, err := j.look(); err != nil {
			return err
		}
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
	return j.keepAside(damaged)
}
