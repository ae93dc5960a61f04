// Package tail reads the lines of growing files: the last existing ones, and each new one, in order and once, even
// if the file is replaced or the next day's file follows.
//
// It does not wait or watch: the caller calls [Reader.Next] until there is no line, and again when the file has
// changed. A [Position] is the end of a line and outlives the process, so reading can continue after it.
package tail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Files is one file, or several that follow each other in the order of their names.
type Files struct {
	Dir   string
	Match func(name string) bool // selects the files by name
}

// SingleFile returns a single file.
func SingleFile(path string) Files {
	return Files{filepath.Dir(path), func(name string) bool { return name == filepath.Base(path) }}
}

// Position is a place between two lines. The zero value is before the first line of the first file.
type Position struct {
	Name   string
	Inode  uint64 // distinguishes a file from another one with its name
	Offset int64  // in bytes
}

// begin is the text of the zero position.
const begin = "begin"

// String returns a text that [Files.ParsePosition] reads.
func (p Position) String() string {
	if p == (Position{}) {
		return begin
	}
	return fmt.Sprintf("%d:%d:%s", p.Inode, p.Offset, p.Name)
}

// ErrPosition reports a text that is not a position in these files.
var ErrPosition = errors.New("not a position in the log")

// ParsePosition reads the text of [Position.String]. It returns [ErrPosition] if the text is invalid or names
// another file.
func (f Files) ParsePosition(text string) (Position, error) {
	if text == begin {
		return Position{}, nil
	}
	inode, rest, _ := strings.Cut(text, ":")
	offset, name, ok := strings.Cut(rest, ":")
	i, err1 := strconv.ParseUint(inode, 10, 64)
	o, err2 := strconv.ParseInt(offset, 10, 64)
	if err := errors.Join(err1, err2); err != nil || !ok || o < 0 || !f.Match(name) || strings.ContainsRune(name, '/') {
		return Position{}, fmt.Errorf("%w: %.80q", ErrPosition, text)
	}
	return Position{name, i, o}, nil
}

// names returns the names of the existing files, in order.
func (f Files) names() ([]string, error) {
	entries, err := os.ReadDir(f.Dir) // sorted
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list the log's files: %w", err)
	}
	var names []string
	for _, e := range entries {
		if f.Match(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// open opens a file for reading, or returns nil if it does not exist. A link or a pipe is an error.
func (f Files) open(name string) (*os.File, os.FileInfo, error) {
	file, err := os.OpenFile(filepath.Join(f.Dir, name), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the log: %w", err)
	}
	fi, err := file.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("cannot read the log %s: %w", name, err)
	}
	return file, fi, nil
}

func inodeOf(fi os.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// maxLook bounds how many bytes are read to find the last lines.
const maxLook = 16 << 20

// piece is the size of a read, in bytes.
const piece = 64 << 10

// Last returns the last n complete lines that keep accepts (nil: all), oldest first, within the last 16 MiB of the
// files.
func (f Files) Last(n int, keep func(line string) bool) ([]string, error) {
	var lines []string
	_, err := f.scanBack(n, func(line []byte) bool {
		if keep != nil && !keep(string(line)) {
			return false
		}
		lines = append(lines, string(line))
		return true
	})
	slices.Reverse(lines)
	return lines, err
}

// PositionBefore returns the position before the last n complete lines. n may be 0.
func (f Files) PositionBefore(n int) (Position, error) {
	return f.scanBack(n, func([]byte) bool { return true })
}

// scanBack passes the lines to count, starting with the last, until it has accepted n of them. It returns the
// position before the last line passed. If n is 0, it returns the end of the last complete line.
func (f Files) scanBack(n int, count func(line []byte) bool) (Position, error) {
	names, err := f.names()
	at, look := Position{}, int64(maxLook)
	for i := len(names) - 1; i >= 0 && err == nil; i-- {
		var file *os.File
		var fi os.FileInfo
		if file, fi, err = f.open(names[i]); file == nil {
			continue
		}
		b := backward{file: file, at: fi.Size(), look: &look}
		at = Position{names[i], inodeOf(fi), 0}
		at.Offset, n, err = b.run(n, count)
		file.Close()
		if n <= 0 || look <= 0 {
			break
		}
	}
	return at, err
}

// backward reads a file from its end.
type backward struct {
	file io.ReaderAt
	at   int64  // offset of held
	held []byte // read but not passed on yet
	look *int64 // bytes that may still be read
}

// run passes the complete lines to count, starting with the last, until n were accepted. It returns the offset of
// the last passed line, and how many are still wanted.
func (b *backward) run(n int, count func([]byte) bool) (int64, int, error) {
	end, found, err := b.newline() // the text after it is not a complete line
	if err != nil || !found {
		return 0, n, err
	}
	for n > 0 {
		b.held = b.held[:end-b.at]
		start, more, err := b.newline()
		if err != nil {
			return end + 1, n, err
		}
		if !more {
			start = b.at - 1
			if *b.look <= 0 && b.at > 0 {
				return end + 1, n, nil // the beginning of the line is too far away
			}
		}
		if count(b.held[start+1-b.at : end-b.at]) {
			n--
		}
		if end = start; !more {
			break
		}
	}
	return end + 1, n, nil
}

// newline returns the offset of the last line feed in held. It reads more of the file as needed.
func (b *backward) newline() (at int64, found bool, err error) {
	for searched := 0; ; {
		if i := bytes.LastIndexByte(b.held[:len(b.held)-searched], '\n'); i >= 0 {
			return b.at + int64(i), true, nil
		}
		searched = len(b.held)
		size := min(int64(piece), b.at, *b.look)
		if size <= 0 {
			return 0, false, nil
		}
		more := make([]byte, size, int(size)+len(b.held))
		n, err := b.file.ReadAt(more, b.at-size)
		if int64(n) < size { // the file was truncated in the meantime
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return 0, false, err
		}
		b.held = append(more, b.held...)
		b.at -= size
		*b.look -= size
	}
}

// maxLine is the maximum length of a line, in bytes. Longer ones are returned in pieces.
const maxLine = 1 << 20

// Line is one line without its line feed, and the position after it.
type Line struct {
	Text string
	End  Position
}

// Reader reads lines in order. It is not safe for concurrent use.
type Reader struct {
	files   Files
	at      Position // position of held
	file    *os.File // nil if there is none
	held    []byte   // read, but not a complete line yet
	buf     []byte
	retried bool // read again after the end of the file was known to be final
}

// From returns a reader of the lines after a position. If the position's file was replaced or removed, it starts
// with the first line that follows.
func (f Files) From(p Position) *Reader { return &Reader{files: f, at: p} }

// Close closes the file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// Next returns the next complete line. ok is false if there is none yet.
func (r *Reader) Next() (l Line, ok bool, err error) {
	for {
		if r.file == nil {
			if ok, err = r.open(); !ok || err != nil {
				return Line{}, false, err
			}
		}
		if l, ok, err = r.line(); ok || err != nil {
			return l, ok, err
		}
		if on, err := r.advance(); !on || err != nil {
			return Line{}, false, err
		}
	}
}

// open opens the position's file, or the next existing one.
func (r *Reader) open() (bool, error) {
	names, err := r.files.names()
	for _, name := range names {
		if name < r.at.Name {
			continue
		}
		file, fi, err := r.files.open(name)
		if err != nil {
			return false, err
		}
		if file == nil {
			continue
		}
		if name != r.at.Name || inodeOf(fi) != r.at.Inode || !isLineEnd(file, r.at.Offset) {
			r.at = Position{name, inodeOf(fi), 0}
		}
		r.file, r.held, r.retried = file, nil, false
		return true, nil
	}
	return false, err
}

func isLineEnd(f io.ReaderAt, offset int64) bool {
	if offset == 0 {
		return true
	}
	var last [1]byte
	n, _ := f.ReadAt(last[:], offset-1)
	return n == 1 && last[0] == '\n'
}

// line returns the next complete line of the open file.
func (r *Reader) line() (Line, bool, error) {
	for searched := 0; ; {
		end := bytes.IndexByte(r.held[searched:], '\n')
		switch {
		case end >= 0:
			return r.takeLine(searched+end, searched+end+1), true, nil
		case len(r.held) >= maxLine:
			return r.takeLine(maxLine, maxLine), true, nil
		}
		searched = len(r.held)
		if r.buf == nil {
			r.buf = make([]byte, piece)
		}
		n, err := r.file.ReadAt(r.buf, r.at.Offset+int64(len(r.held)))
		r.held = append(r.held, r.buf[:n]...)
		if n == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return Line{}, false, err
		}
		r.retried = false
	}
}

// takeLine returns the first n bytes of held as a line and advances by size.
func (r *Reader) takeLine(n, size int) Line {
	text := string(r.held[:n])
	r.held = r.held[size:]
	r.at.Offset += int64(size)
	return Line{text, r.at}
}

// advance checks at the end of the open file whether there is more to read: the file was truncated or replaced, or
// the next one has begun. The end of the old file is read once more before it is closed, because it may have been
// written until just now.
func (r *Reader) advance() (bool, error) {
	fi, err := r.file.Stat()
	if err != nil {
		return false, err
	}
	if fi.Size() < r.at.Offset { // truncated
		r.at.Offset, r.held = 0, nil
		return fi.Size() > 0, nil
	}
	next, err := r.next(fi)
	if next == "" || err != nil {
		return false, err
	}
	if !r.retried {
		r.retried = true
		return true, nil
	}
	err = r.Close()
	r.at = Position{Name: next}
	return true, err
}

// next returns the name of the file that follows the open one, or "": the same name if another file has it now,
// otherwise the next name.
func (r *Reader) next(open os.FileInfo) (string, error) {
	names, err := r.files.names()
	for _, name := range names {
		if name > r.at.Name {
			return name, err
		}
		if name == r.at.Name {
			file, fi, err := r.files.open(name)
			if err != nil || file == nil {
				return "", err
			}
			file.Close()
			if !os.SameFile(open, fi) {
				return name, nil
			}
		}
	}
	return "", err
}
