package peer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// frame is a message.
type frame struct {
	ID      uint64          `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Timeout int64           `json:"timeout_ms,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
	Cancel  uint64          `json:"cancel,omitempty"`
}

// encode returns the message as a line of at most that many bytes.
func (f frame) encode(most int) ([]byte, error) {
	line, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a message: %w", err)
	}
	if len(line) >= most {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLong, len(line))
	}
	return append(line, '\n'), nil
}

// decodeFrame reads a line.
func decodeFrame(line []byte) (frame, error) {
	var f frame
	if err := json.Unmarshal(line, &f); err != nil {
		return frame{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if f.ID == 0 && f.Method == "" && f.Cancel == 0 || f.Timeout < 0 {
		return frame{}, fmt.Errorf("%w: neither a request nor an answer", ErrMalformed)
	}
	return f, nil
}

// decode decodes an answer.
func (f frame) decode(result any) error {
	if f.Error != nil {
		return f.Error
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(f.Result, result); err != nil {
		return fmt.Errorf("cannot read an answer: %w", err)
	}
	return nil
}

// lines reads lines of a bounded length.
type lines struct {
	r    *bufio.Reader
	most int
	line []byte // reused
}

func newLines(r io.Reader, most int) *lines { return &lines{r: bufio.NewReader(r), most: most} }

// keptLine bounds the buffer that is kept from one line to the next.
const keptLine = 64 << 10

// next returns the next line that is not empty, without its end. It is valid until the next call. A last line without
// an end is an [io.ErrUnexpectedEOF].
func (l *lines) next() ([]byte, error) {
	if cap(l.line) > keptLine {
		l.line = nil
	}
	l.line = l.line[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.line)+len(part) > l.most {
			return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLong, l.most)
		}
		l.line = append(l.line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(l.line) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		default:
			if line := bytes.TrimSpace(l.line); len(line) > 0 {
				return line, nil
			}
			l.line = l.line[:0]
		}
	}
}
