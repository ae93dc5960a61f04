package tail

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
)

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
