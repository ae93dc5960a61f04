// Package ipc defines the protocol between the daemon and its clients: newline-delimited JSON over a Unix socket, one
// [Message] per line of at most [MaxLine] bytes (IpcMessage of the original protocol, NARE TDD section 13, and its
// optional additions). It contains the line codec, the socket's path, listening and dialling, the check of the peer's
// user, and the client that all front ends use. It imports none of our packages, which keeps the thin client small.
//
// There are two kinds of peers. An original peer does not say hello, gets exactly one response line per request
// and pairs it by "to". A peer that says hello gets a stream of frames, the last one with done:true.
// docs/protocol.md describes both with transcripts.
package ipc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Version is the protocol version in a hello.
const Version = 1

// MaxLine is the longest line that either side accepts, in bytes, without its newline. A longer one is answered
// with error too_large, and the connection is closed.
const MaxLine = 1 << 20

// The message types. message, response and action are the original ones.
const (
	TypeMessage   = "message"   // client: a person's words
	TypeResponse  = "response"  // daemon: the answer, the last frame of a message
	TypeAction    = "action"    // client: a choice, an answered ask, ping, reset, …
	TypeHello     = "hello"     // both: who is connected
	TypeDelta     = "delta"     // daemon: the next piece of the answer's text
	TypeTool      = "tool"      // daemon: a tool call started or ended
	TypePicture   = "picture"   // daemon: the next piece of the picture of a call's result
	TypeAsk       = "ask"       // daemon: a confirmation is needed
	TypeResolved  = "resolved"  // daemon: an ask was answered, by whom and how
	TypeCancel    = "cancel"    // client: stop the message named by re
	TypeQuery     = "query"     // client: a question about the daemon's state
	TypeCall      = "call"      // client: run one tool call
	TypeResult    = "result"    // daemon: the result of a query, action or cancel
	TypeSubscribe = "subscribe" // client: request for events
	TypeEvent     = "event"     // daemon: an event for a subscriber
	TypeError     = "error"     // daemon: a request failed
)

// The actions. The first five answer an ask.
const (
	ActionAllowOnce    = "allow_once"
	ActionAllowSession = "allow_session"
	ActionAllowFamily  = "allow_family"
	ActionEdit         = "edit"
	ActionReject       = "reject"
	// ActionUndo asks to take a change back, by the button below the answer about it.
	ActionUndo = "undo"

	// ActionAttach brings the next piece of a file for the next message of the connection.
	ActionAttach            = "attach"
	ActionPing              = "ping"
	ActionRevokeGrant       = "revoke_grant"
	ActionReset             = "reset"
	ActionDeleteSession     = "delete_session"
	ActionRemember          = "remember"
	ActionForget            = "forget"
	ActionRefreshMemory     = "refresh_memory"
	ActionClearMemory       = "clear_memory"
	ActionImportMemory      = "import_memory"
	ActionPollNotifications = "poll_notifications"
	ActionReload            = "reload"
	ActionStop              = "stop"
	ActionAck               = "ack" // notifications arrived (data.ids)
)

// Message is one line of the protocol, called IpcMessage in its specification. Every field except Type is
// optional. Unknown fields are ignored.
type Message struct {
	Type string `json:"type"`
	V    int    `json:"v,omitempty"`
	// ID identifies a request and is chosen by the requesting peer. Re is the id of the request that a frame
	// belongs to. Seq counts the frames of one request from 1.
	ID      string `json:"id,omitempty"`
	Re      string `json:"re,omitempty"`
	Seq     int64  `json:"seq,omitempty"`
	Session string `json:"session,omitempty"`
	Channel string `json:"channel,omitempty"`

	From    string   `json:"from,omitempty"`
	Body    string   `json:"body,omitempty"`
	To      string   `json:"to,omitempty"`
	Actions []string `json:"actions,omitempty"`
	Action  string   `json:"action,omitempty"`
	// Notifications answers poll_notifications: at most 10, never null.
	Notifications []Notification `json:"notifications,omitzero"`
	Timestamp     string         `json:"timestamp,omitempty"`

	// Done marks the last frame of a request.
	Done  bool            `json:"done,omitempty"`
	Error *Error          `json:"error,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// Notification is a message that waits for a polling peer.
type Notification struct {
	To   string `json:"to"`
	Body string `json:"body"`
	// ID is the same if a message is delivered a second time, which happens only if the daemon was killed during
	// the first delivery.
	ID string `json:"id,omitempty"`
}

// Decode unmarshals the message's data into v. Missing data leaves v as it is.
func (m Message) Decode(v any) error {
	if len(m.Data) == 0 {
		return nil
	}
	if err := json.Unmarshal(m.Data, v); err != nil {
		return fmt.Errorf("cannot read data of %s: %w", m.Type, err)
	}
	return nil
}

// WithData returns m carrying v as its data. It panics when v cannot be
// marshalled, which only a programming error can cause.
func (m Message) WithData(v any) Message {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("ipc: unmarshallable data: %v", err))
	}
	m.Data = data
	return m
}

// Code classifies an error. The command line maps each code to an exit status.
type Code string

// The error codes of the wire.
const (
	CodeNotConfigured Code = "not_configured"
	CodeSwitchedOff   Code = "switched_off" // [ai_agent] enabled = false
	CodeAuth          Code = "auth"
	CodeRateLimit     Code = "rate_limit"
	CodeProvider      Code = "provider"
	CodeNetwork       Code = "network"
	CodeBlocked       Code = "blocked"
	CodeDenied        Code = "denied"
	CodePolicy        Code = "policy" // root's policy lets no console of a fleet answer this
	CodeExpired       Code = "expired"
	CodeCancelled     Code = "cancelled"
	CodeTimeout       Code = "timeout"
	CodeBusy          Code = "busy"
	CodeBadRequest    Code = "bad_request"
	CodeUnknownType   Code = "unknown_type"
	CodeTooLarge      Code = "too_large"
	CodeInternal      Code = "internal"
	CodeNothingDone   Code = "nothing_done" // an approved plan could not run here
)

// Error is a failed request on the wire. Message and Hint are in the peer's language and safe to show. Hint is the
// one command or step that helps.
type Error struct {
	Code       Code   `json:"code"`
	Message    string `json:"message"`
	Hint       string `json:"hint,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"` // seconds
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Judgement is the result data of the query "judge": the checker's verdict on the command in the query's text,
// with the person's own rules. It is only a preview: a command is judged again before it runs.
type Judgement struct {
	Class      string   `json:"class"` // SAFE, CONFIRM or BLOCKED
	Reasons    []string `json:"reasons,omitempty"`
	Privileged bool     `json:"privileged"`
	// Warnings are codes as in [Ask].
	Warnings []string `json:"warnings,omitempty"`
}

// SessionName returns the name of a conversation as people read and type it, from its key: CHANNEL/NAME, or the whole
// key of another agent than the default one.
func SessionName(key string) string {
	if name, ok := strings.CutPrefix(key, "agent:main:session:"); ok && name != "" {
		return name
	}
	return key
}

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
