// Package sse reads server-sent events, the streaming format of all wire dialects.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/nidoit/blunux-ai/providers/transport"
)

// Reader reads the data of server-sent events (WHATWG HTML, section 9.2.6 "Interpreting an event stream"). It
// skips ids, retry hints and comments. It departs from the standard in one point: if the stream
// ends without the blank line after the last event, the data is still delivered, because some servers omit that
// line.
type Reader struct {
	r     *bufio.Reader
	limit int // bytes, for one line and for the data of one event
	line  []byte
	data  []byte
	name  []byte // of the event
	skip  bool   // skip a line feed that follows a carriage return
	begun bool   // the first line, with an optional byte order mark, was read
}

// NewReader returns a reader of r that rejects lines and event data longer than limit bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 4<<10), limit: limit}
}

// Next returns the data of the next event that has data. The slice is valid until the next call. The error is
// io.EOF at the end, [transport.ErrTooLong] past the limit, or the reader's own.
func (s *Reader) Next() ([]byte, error) {
	s.data, s.name = s.data[:0], s.name[:0]
	has := false
	for {
		line, err := s.readLine()
		if err != nil {
			if has && errors.Is(err, io.EOF) {
				return s.data, nil
			}
			return nil, err
		}
		if len(line) == 0 {
			if has {
				return s.data, nil
			}
			s.name = s.name[:0]
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		if string(field) == "event" {
			s.name = append(s.name[:0], value...)
		}
		if string(field) != "data" {
			continue
		}
		if has {
			s.data = append(s.data, '\n')
		}
		has = true
		s.data = append(s.data, value...)
		if len(s.data) > s.limit {
			return nil, transport.ErrTooLong
		}
	}
}

// Name returns the name of the event that Next returned, or "".
func (s *Reader) Name() string { return string(s.name) }

// readLine returns one line without its line end (LF, CR or CRLF). The last line does not need one.
func (s *Reader) readLine() ([]byte, error) {
	s.line = s.line[:0]
	for {
		chunk, err := s.peek()
		if err != nil {
			if len(s.line) > 0 && errors.Is(err, io.EOF) {
				return s.finish(), nil
			}
			return nil, err
		}
		i := bytes.IndexAny(chunk, "\r\n")
		if i < 0 {
			i = len(chunk)
		}
		s.line = append(s.line, chunk[:i]...)
		if len(s.line) > s.limit {
			return nil, transport.ErrTooLong
		}
		if i == len(chunk) {
			s.discard(i)
			continue
		}
		s.skip = chunk[i] == '\r'
		s.discard(i + 1)
		return s.finish(), nil
	}
}

// peek returns the buffered bytes. It reads only if the buffer is empty.
func (s *Reader) peek() ([]byte, error) {
	if _, err := s.r.Peek(1); err != nil {
		return nil, err
	}
	chunk, err := s.r.Peek(s.r.Buffered())
	if err == nil && s.skip {
		s.skip = false
		if chunk[0] == '\n' {
			s.discard(1)
			return s.peek()
		}
	}
	return chunk, err
}

// discard drops n bytes that peek returned.
func (s *Reader) discard(n int) { _, _ = s.r.Discard(n) } // cannot fail: they are buffered

func (s *Reader) finish() []byte {
	if s.begun {
		return s.line
	}
	s.begun = true
	return bytes.TrimPrefix(s.line, []byte("\ufeff"))
}
