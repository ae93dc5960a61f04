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

// piece is how much is read at once, in bytes.
const piece = 64 << 10

// Last returns the last n whole lines that keep accepts (nil: all), oldest
// first, of the last 16 MiB of the files.
func (f Files) Last(n int, keep func(line string) bool) ([]string, error) {
	var lines []string
	_, err := f.back(n, func(line []byte) bool {
		if keep != nil && !keep(string(line)) {
			return false
		}
		lines = append(lines, string(line))
		return true
	})
	slices.Reverse(lines)
	return lines, err
}

// Before returns the position before the last n whole lines; n may be 0.
func (f Files) Before(n int) (Position, error) {
	return f.back(n, func([]byte) bool { return true })
}

// back goes through the lines from the last one, until count has accepted n
// of them, and returns the position before the last one it was shown. With no
// n it returns the end of the last whole line.
func (f Files) back(n int, count func(line []byte) bool) (Position, error) {
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
	at   int64  // where held begins
	held []byte // read and not shown
	look *int64 // bytes that may still be read
}

// run shows the whole lines, the last first, until n were accepted. It returns
// where the last shown line begins, and how many are still wanted.
func (b *backward) run(n int, count func([]byte) bool) (int64, int, error) {
	end, found, err := b.newline() // what is behind it is no whole line
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
				return end + 1, n, nil // a line whose beginning is too far away
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

// newline returns where the last line feed of what is held stands, after
// reading as much more of the file as it takes.
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
		if int64(n) < size { // it was cut meanwhile
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
