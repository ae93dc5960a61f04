package tail

import (
	"bytes"
	"errors"
	"io"
	"os"
)

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

// isLineEnd reports whether a line of the file ends at an offset.
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
