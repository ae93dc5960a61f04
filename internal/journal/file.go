package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/internal/disk"
)

// maxAside bounds the file of damaged lines, in bytes.
const maxAside = 4 << 20

// create creates a missing file with its header, atomically.
func (j *Journal) create() error {
	if _, err := os.Lstat(j.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := renameio.WriteFile(j.path, header(), 0o600); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(j.path))
}

// checkFile checks the versions in the file, and moves a file without any readable line aside.
func (j *Journal) checkFile() ([]Damage, error) {
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
	j.checked = true
	switch {
	case !isUnreadable(data):
		return nullDamage(j.path, data), nil
	default:
		aside, err := j.moveAside()
		if err != nil { // not writable, so the file cannot be overwritten either
			aside = ""
		}
		return []Damage{{File: j.path, MovedTo: aside}}, nil
	}
}

// isUnreadable reports whether no line can be read.
func isUnreadable(data []byte) bool {
	for line := range bytes.Lines(data) {
		if json.Valid(line) {
			return false
		}
	}
	return true
}

// nullDamage returns the damage of zero bytes at the end, which come from blocks that were not written to disk, not
// from a crash of this program.
func nullDamage(path string, data []byte) []Damage {
	end := bytes.LastIndexByte(data, '\n') + 1
	if bytes.IndexByte(data[end:], 0) < 0 {
		return nil
	}
	return []Damage{{File: path, Line: bytes.Count(data[:end], []byte("\n")) + 1}}
}

// moveAside renames the file to the first free name with the suffix .damaged.
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
		return aside, disk.SyncDir(filepath.Dir(j.path))
	}
}

// errAside reports a directory full of damaged files.
var errAside = errors.New("too many damaged files")

func readRegular(path string) ([]byte, error) {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// repair repairs the end of a file and returns its size. A complete last record without its line feed gets one, an
// incomplete one is moved aside.
func (j *Journal) repair(f *os.File) (int64, error) {
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
		if err := j.saveDamaged(append(piece, '\n')); err != nil {
			return 0, err
		}
		return start, f.Truncate(start)
	}
	_, err = f.Write([]byte("\n"))
	return size + 1, err
}

// saveDamaged appends damaged data to a file next to the journal, up to a size limit.
func (j *Journal) saveDamaged(data []byte) error {
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

// lastLine returns the offset after the last line feed.
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

// content returns the file without an incomplete last record.
func (j *Journal) content() ([]byte, error) {
	data, err := readRegular(j.path)
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if json.Valid(data[end:]) {
		return data, nil
	}
	return data[:end], nil // the rest was never acknowledged
}

// replace replaces the file. Damaged lines of the old one are copied to the file next to it.
func (j *Journal) replace(data []byte) error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	if !j.checked {
		if _, err := j.checkFile(); err != nil {
			return err
		}
	}
	if err := j.saveDamagedLines(); err != nil {
		return err
	}
	t, err := renameio.NewPendingFile(j.path, renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	defer func() { _ = t.Cleanup() }() // fails after the rename, which is fine
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
	if err := disk.SyncDir(filepath.Dir(j.path)); err != nil {
		return err
	}
	return j.open()
}

// saveDamagedLines copies the damaged lines to the file next to the journal.
func (j *Journal) saveDamagedLines() error {
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
	return j.saveDamaged(damaged)
}

// Version is the version of the state files and records that this program writes, and the newest that it reads. A
// record without a version has version 1.
const Version = 1

// VersionError reports a file of a newer program. It is neither read nor written, because its meaning is unknown.
type VersionError struct {
	File    string
	Version string
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s has version %s; %d is the newest this program reads", filepath.Base(e.File), e.Version, Version)
}

// versioned is the common part of all records.
type versioned struct {
	V json.RawMessage `json:"v"`
}

// CheckVersion returns a [VersionError] if a newer program wrote a JSON object. Invalid data is left to its reader.
func CheckVersion(file string, object []byte) error {
	if !bytes.Contains(object, []byte(`"v"`)) {
		return nil
	}
	var v versioned
	if json.Unmarshal(object, &v) != nil || v.V == nil {
		return nil
	}
	text := strings.TrimSpace(string(v.V))
	if n, err := strconv.Atoi(text); err == nil && n <= Version {
		return nil
	}
	return &VersionError{file, text[:min(len(text), 20)]}
}

// AddVersion adds the version to a JSON object without one, as its first field.
func AddVersion(object []byte) []byte {
	object = bytes.TrimLeft(object, " \t\r\n")
	var v versioned
	if len(object) == 0 || object[0] != '{' || bytes.Contains(object, []byte(`"v"`)) && json.Unmarshal(object, &v) == nil && v.V != nil {
		return object
	}
	field := fmt.Sprintf(`{"v":%d`, Version)
	if rest := bytes.TrimLeft(object[1:], " \t\r\n"); len(rest) > 0 && rest[0] != '}' {
		field += ","
	}
	return append([]byte(field), object[1:]...)
}

// header is the first line of a journal. A file without any line was therefore emptied.
func header() []byte { return append(AddVersion([]byte("{}")), '\n') }

func isHeader(line []byte) bool { return bytes.Equal(line, bytes.TrimSpace(header())) }

// checkLines returns a [VersionError] if a newer program wrote one of the lines.
func checkLines(file string, data []byte) error {
	for line := range bytes.Lines(data) {
		if err := CheckVersion(file, line); err != nil {
			return err
		}
	}
	return nil
}
