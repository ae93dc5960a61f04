package ipc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// The errors of reading a message.
var (
	// ErrTooLarge reports a line longer than [MaxLine]. The connection cannot be read any further.
	ErrTooLarge = errors.New("line longer than 1 MiB")
	// ErrNotMessage reports a line that is not a message: not UTF-8, not a JSON object, a field of the wrong type,
	// or no type. The next line can be read.
	ErrNotMessage = errors.New("not a message")
	// ErrOverBudget reports a line that exceeds the common budget for incomplete lines. The connection cannot be
	// read any further.
	ErrOverBudget = errors.New("too many long lines at once")
)

// Budget bounds the bytes that incomplete lines of several connections use together. Lines that fit a connection's
// own buffer are not counted. It is safe for concurrent use. A nil budget has no bound.
type Budget struct {
	left    atomic.Int64
	buffers sync.Pool // *[]byte of former lines, so that a flood of long ones leaves little to the garbage collector
}

// NewBudget returns a budget of this many bytes.
func NewBudget(bytes int64) *Budget {
	b := &Budget{}
	b.left.Store(bytes)
	return b
}

// take reserves n bytes and reports whether the budget allows them. They must be given back in either case.
func (b *Budget) take(n int) bool { return b == nil || b.left.Add(-int64(n)) >= 0 }

func (b *Budget) give(n int) {
	if b != nil {
		b.left.Add(int64(n))
	}
}

// buffer returns an empty buffer, if possible that of a former line.
func (b *Budget) buffer() []byte {
	if b != nil {
		if former, ok := b.buffers.Get().(*[]byte); ok {
			return (*former)[:0]
		}
	}
	return nil
}

// recycle keeps a buffer that is no longer used.
func (b *Budget) recycle(buffer []byte) {
	if b != nil {
		b.buffers.Put(&buffer)
	}
}

// Conn reads and writes messages on a byte stream. Reads must not be concurrent, writes may be.
type Conn struct {
	rwc    io.ReadWriteCloser
	r      *bufio.Reader
	budget *Budget

	bytesIn, bytesOut, framesIn, framesOut atomic.Int64

	mu  sync.Mutex // serializes writes, so that frames do not interleave
	buf []byte
}

// NewConn returns a connection on rwc.
func NewConn(rwc io.ReadWriteCloser) *Conn { return NewBoundedConn(rwc, nil) }

// NewBoundedConn returns a connection on rwc whose incomplete lines count against a budget.
func NewBoundedConn(rwc io.ReadWriteCloser, b *Budget) *Conn {
	return &Conn{rwc: rwc, r: bufio.NewReaderSize(rwc, 4096), budget: b}
}

// Traffic returns the traffic of the connection so far, complete lines only.
func (c *Conn) Traffic() Traffic {
	return Traffic{c.bytesIn.Load(), c.bytesOut.Load(), c.framesIn.Load(), c.framesOut.Load()}
}

// Close closes the stream below.
func (c *Conn) Close() error { return c.rwc.Close() }

// Read returns the next message and skips blank lines. It returns io.EOF at the end of the stream, [ErrTooLarge],
// [ErrOverBudget], [ErrNotMessage], or the stream's error.
func (c *Conn) Read() (Message, error) {
	for {
		line, long, err := c.readLine()
		if err != nil {
			return Message{}, err
		}
		m, ok, err := c.message(line)
		if long {
			c.budget.recycle(line) // the message has copies
		}
		if ok {
			return m, err
		}
	}
}

// message decodes a line. ok is false for a blank one.
func (c *Conn) message(line []byte) (m Message, ok bool, err error) {
	c.bytesIn.Add(int64(len(line)))
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return Message{}, false, nil
	}
	c.framesIn.Add(1)
	m, err = Unmarshal(line)
	return m, true, err
}

// readLine reads up to a newline, or the end of the stream, but at most MaxLine bytes. A long line is in a buffer of
// the budget, which takes it back.
func (c *Conn) readLine() (line []byte, long bool, err error) {
	line, err = c.r.ReadSlice('\n')
	if err == nil {
		return line, false, nil
	}
	whole, held := append(c.budget.buffer(), line...), 0
	defer func() { c.budget.give(held) }()
	fail := func(err error) ([]byte, bool, error) {
		c.budget.recycle(whole)
		return nil, false, err
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = c.r.ReadSlice('\n')
		held += len(line)
		if !c.budget.take(len(line)) {
			return fail(ErrOverBudget)
		}
		if len(whole)+len(line) > cap(whole) {
			// append would grow by a quarter, and leave four times the line to the garbage collector.
			whole = append(make([]byte, 0, 2*cap(whole)), whole...)
		}
		whole = append(whole, line...)
		if len(whole) > MaxLine+1 { // +1 for the newline
			return fail(ErrTooLarge)
		}
	}
	if err == nil || errors.Is(err, io.EOF) && len(bytes.TrimSpace(whole)) > 0 {
		return whole, true, nil
	}
	return fail(err)
}

// Write sends one message as one line with a single write. It returns [ErrTooLarge] and sends nothing if the line
// would be too long.
func (c *Conn) Write(m Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	buf, err := Append(c.buf[:0], m)
	if err != nil {
		return err
	}
	c.buf = buf
	if cap(c.buf) > 64<<10 { // release the memory of a large frame
		c.buf = nil
	}
	n, err := c.rwc.Write(buf)
	c.bytesOut.Add(int64(n))
	if err == nil {
		c.framesOut.Add(1)
	}
	return err
}

// Append appends m's line, newline included, to buf.
func Append(buf []byte, m Message) ([]byte, error) {
	w := bytes.NewBuffer(buf)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	start := len(buf)
	if err := enc.Encode(m); err != nil {
		return buf, fmt.Errorf("cannot write message: %w", err)
	}
	if w.Len()-start-1 > MaxLine {
		return buf, ErrTooLarge
	}
	return w.Bytes(), nil
}

// Unmarshal reads one line without its newline. Its error is [ErrNotMessage].
func Unmarshal(line []byte) (Message, error) {
	var m Message
	if !utf8.Valid(line) {
		return m, fmt.Errorf("%w: invalid UTF-8", ErrNotMessage)
	}
	if len(line) == 0 || line[0] != '{' {
		return m, fmt.Errorf("%w: not a JSON object", ErrNotMessage)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		// Return the fields that could be read, such as the id, so that the error frame can name the request.
		return m, fmt.Errorf("%w: %w", ErrNotMessage, err)
	}
	if m.Type == "" {
		return m, fmt.Errorf("%w: no type", ErrNotMessage)
	}
	return m, nil
}
