package tail

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// maxLine is how long a line may be, in bytes; a longer one comes in pieces.
const maxLine = 1 << 20

// Line is one line without its line feed, and the position behind it.
type Line struct {
	Text string
	End  Position
}

// Reader reads lines in order. It is for one goroutine at a time.
type Reader struct {
	files Files
	at    Position // of held
	file  *os.File // nil while there is none
	held  []byte   // read, and not a whole line yet
	buf   []byte
	tried bool // read once more since the file was known to have ended
}

// From returns a reader of the lines behind a position. Where the position's
// file was replaced or is gone it begins with the first line of what follows.
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

// Next returns the next whole line; ok is false when there is none now.
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
		if on, err := r.goOn(); !on || err != nil {
			return Line{}, false, err
		}
	}
}

// open opens the position's file, or the first one behind it.
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
		if name != r.at.Name || inodeOf(fi) != r.at.Inode || !follows(file, r.at.Offset) {
			r.at = Position{name, inodeOf(fi), 0}
		}
		r.file, r.held, r.tried = file, nil, false
		return true, nil
	}
	return false, err
}

// follows reports whether a line of the file ends at an offset.
func follows(f io.ReaderAt, offset int64) bool {
	if offset == 0 {
		return true
	}
	var last [1]byte
	n, _ := f.ReadAt(last[:], offset-1)
	return n == 1 && last[0] == '\n'
}

// line returns the next whole line of the open file.
func (r *Reader) line() (Line, bool, error) {
	for searched := 0; ; {
		end := bytes.IndexByte(r.held[searched:], '\n')
		switch {
		case end >= 0:
			return r.take(searched+end, searched+end+1), true, nil
		case len(r.held) >= maxLine:
			return r.take(maxLine, maxLine), true, nil
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
		r.tried = false
	}
}

// take makes a line of the first n bytes held, and goes on behind size.
func (r *Reader) take(n, size int) Line {
	text := string(r.held[:n])
	r.held = r.held[size:]
	r.at.Offset += int64(size)
	return Line{text, r.at}
}

// goOn looks, at the end of the open file, whether there is more to read: the
// file was cut, another one took its name, or the next one has begun. The end
// of the old file is read once more before it is left: something may have been
// written there until just now.
func (r *Reader) goOn() (bool, error) {
	fi, err := r.file.Stat()
	if err != nil {
		return false, err
	}
	if fi.Size() < r.at.Offset { // cut
		r.at.Offset, r.held = 0, nil
		return fi.Size() > 0, nil
	}
	next, err := r.next(fi)
	if next == "" || err != nil {
		return false, err
	}
	if !r.tried {
		r.tried = true
		return true, nil
	}
	err = r.Close()
	r.at = Position{Name: next}
	return true, err
}

// next returns the name of the file that follows the open one, "" when none
// does: the same name where another file has it now, else the next name.
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
