package session

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// line is one line of a file that is read from its beginning.
type line struct {
	no    int // from 1
	text  []byte
	size  int64 // with the newline, in bytes
	whole bool  // it ends in a newline
	long  bool  // longer than maxTail: text is its beginning
}

// lineReader reads lines in bounded memory.
type lineReader struct {
	r   *bufio.Reader
	no  int
	buf []byte
}

func newLineReader(r *io.SectionReader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, int(min(r.Size(), 64<<10)))}
}

// next returns the next line; it holds until the next call. It fails with
// [io.EOF] when there is none.
func (l *lineReader) next() (line, error) {
	l.buf = l.buf[:0]
	got := line{no: l.no + 1}
	for {
		piece, err := l.r.ReadSlice('\n')
		got.size += int64(len(piece))
		if room := maxTail - len(l.buf); len(piece) > room {
			piece, got.long = piece[:room], true
		}
		l.buf = append(l.buf, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(l.buf) == 0:
			return line{}, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return line{}, err
		}
		got.text, got.whole = bytes.TrimSuffix(l.buf, []byte{'\n'}), err == nil
		l.no++
		return got, nil
	}
}

// Health is how much of a file is what was written to it.
type Health struct {
	// Damaged counts the lines that cannot be read; DamagedLines are the first
	// of them, from 1, at most 20. They are kept as they are.
	Damaged      int   `json:"damaged,omitempty"`
	DamagedLines []int `json:"damaged_lines,omitempty"`
	// Torn counts lines that were cut off when the machine died while writing;
	// nobody was told that those were kept.
	Torn int `json:"torn,omitempty"`
}

// maxDamagedLines bounds how many damaged lines are named.
const maxDamagedLines = 20

func (h *Health) damage(no int) {
	if h.Damaged++; len(h.DamagedLines) < maxDamagedLines {
		h.DamagedLines = append(h.DamagedLines, no)
	}
}

// errEnough ends a walk.
var errEnough = errors.New("enough was read")

// walk visits the entries of a file from its beginning on and returns what was
// found of its health, as far as it went. An error of visit ends it; errEnough
// is none.
func walk(r *io.SectionReader, visit func(Entry) error) (Health, error) {
	var h Health
	lines := newLineReader(r)
	bad := 0 // an unreadable line, until it is known why
	for {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			if bad > 0 {
				h.damage(bad)
			}
			return h, nil
		}
		if err != nil {
			return h, err
		}
		e, ok := decode(l.text)
		ok = ok && !l.long
		torn := ok && e.Type == TypeTorn
		if bad > 0 && !torn {
			h.damage(bad)
		} else if bad > 0 {
			h.Torn++
		}
		bad = 0
		switch {
		case len(l.text) == 0 || torn:
		case !ok && !l.whole:
			h.Torn++ // the next entry will say so
		case !ok:
			bad = l.no
		default:
			if err := visit(e); err != nil {
				return h, ignore(err)
			}
		}
	}
}

func ignore(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
