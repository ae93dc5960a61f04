package session

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// line is one line of a file that is read from the beginning.
type line struct {
	no    int // from 1
	text  []byte
	size  int64 // including the newline, in bytes
	whole bool  // ends with a newline
	long  bool  // longer than maxTail, so text is only its beginning
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

// next returns the next line, which is valid until the next call. It fails with [io.EOF] at the end.
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

// Health describes the damage to a file.
type Health struct {
	// Damaged counts unreadable lines. DamagedLines are the numbers of the first 20, from 1. They stay in the
	// file.
	Damaged      int   `json:"damaged,omitempty"`
	DamagedLines []int `json:"damaged_lines,omitempty"`
	// Torn counts lines cut off by a crash during the write. They were never confirmed as saved.
	Torn int `json:"torn,omitempty"`
}

// maxDamagedLines bounds the number of listed damaged lines.
const maxDamagedLines = 20

func (h *Health) damage(no int) {
	if h.Damaged++; len(h.DamagedLines) < maxDamagedLines {
		h.DamagedLines = append(h.DamagedLines, no)
	}
}

// errEnough stops a walk.
var errEnough = errors.New("enough was read")

// walk visits the entries of a file from its beginning and returns the health of the part it read. It stops at
// an error of visit. errEnough is not returned.
func walk(r *io.SectionReader, visit func(Entry) error) (Health, error) {
	var h Health
	lines := newLineReader(r)
	bad := 0 // number of an unreadable line until the next line shows whether it was torn
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
			h.Torn++ // the next appended entry will mark it
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
