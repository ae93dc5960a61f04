package ipc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// ErrLost reports that the daemon disconnected before it finished an answer.
var ErrLost = errors.New("the connection to the daemon was lost before the answer was complete")

// How long a request may take to end after it was cancelled, and after its timeout.
const (
	cancelGrace   = 5 * time.Second
	deadlineGrace = time.Second
)

// Client is a connection after the hello. It makes one request at a time.
type Client struct {
	Conn   *Conn
	Server Hello // the daemon's hello
	nextID int
}

// Connect dials, says hello and waits for the answer. A daemon that is about to exit may close the connection
// before it answers. Nothing was requested yet, so Connect tries once more.
func Connect(ctx context.Context, d Dialer, hello Hello) (*Client, error) {
	c, err := connectOnce(ctx, d, hello)
	if errors.Is(err, ErrLost) {
		c, err = connectOnce(ctx, d, hello)
	}
	return c, err
}

func connectOnce(ctx context.Context, d Dialer, hello Hello) (*Client, error) {
	raw, err := d.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return greet(ctx, raw, hello)
}

// greet says hello on a connection, and closes it if that fails.
func greet(ctx context.Context, raw io.ReadWriteCloser, hello Hello) (*Client, error) {
	c := &Client{Conn: NewConn(raw)}
	reply, err := c.Request(ctx, Message{Type: TypeHello, V: Version}.WithData(hello), nil)
	if err == nil {
		err = reply.Decode(&c.Server)
	}
	if err != nil {
		raw.Close()
		return nil, err
	}
	return c, nil
}

// Close closes the connection.
func (c *Client) Close() error { return c.Conn.Close() }

// Do sends a request, with a new id if it has none, and returns the frame that ends it: a response, a result or an
// error frame (whose Error is not converted to a Go error). All other frames go to onFrame, including those that end an
// action of the same connection and errors without a request id. onFrame may be nil. An error of onFrame ends Do.
//
// When ctx ends, Do cancels the message and waits for its last frame, up to 5 s after a cancel and 1 s after a
// deadline. If the connection breaks first, the error is [ErrLost], combined with the last [Error] without a
// request id, if the daemon sent one before it closed.
func (c *Client) Do(ctx context.Context, m Message, onFrame func(Message) error) (Message, error) {
	if m.ID == "" {
		c.nextID++
		m.ID = "c" + strconv.Itoa(c.nextID)
	}
	if err := c.Conn.Write(m); err != nil {
		if errors.Is(err, ErrTooLarge) {
			return Message{}, err
		}
		return Message{}, fmt.Errorf("%w: %w", ErrLost, err)
	}
	stop := context.AfterFunc(ctx, func() { c.giveUp(ctx, m) })
	defer stop()
	var stray *Error // without a request id, may be why the daemon closes
	for {
		frame, err := c.Conn.Read()
		switch {
		case errors.Is(err, ErrNotMessage):
			continue
		case err != nil && ctx.Err() != nil:
			return Message{}, ctx.Err()
		case err != nil:
			return Message{}, lostError(err, stray)
		case frame.Done && frame.Re == m.ID:
			return frame, nil
		case frame.Re == "" && frame.Error != nil:
			stray = frame.Error
		}
		if onFrame == nil {
			continue
		}
		if err := onFrame(frame); err != nil {
			return Message{}, err
		}
	}
}

// Request does the same as [Client.Do], and returns the error of an error frame as a Go error.
func (c *Client) Request(ctx context.Context, m Message, onFrame func(Message) error) (Message, error) {
	reply, err := c.Do(ctx, m, onFrame)
	if err == nil && reply.Error != nil {
		err = reply.Error
	}
	return reply, err
}

// Query asks the daemon for something and decodes the answer into v.
func (c *Client) Query(ctx context.Context, q Query, v any) error {
	reply, err := c.Request(ctx, Message{Type: TypeQuery}.WithData(q), nil)
	if err != nil {
		return err
	}
	return reply.Decode(v)
}

// lostError returns why a connection broke, if that is known.
func lostError(err error, stray *Error) error {
	switch {
	case stray != nil:
		return fmt.Errorf("%w: %w", ErrLost, stray)
	case errors.Is(err, io.EOF):
		return ErrLost
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// giveUp cancels m at the daemon and closes the connection if the request does not end soon.
func (c *Client) giveUp(ctx context.Context, m Message) {
	grace := cancelGrace
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		grace = deadlineGrace
	}
	if m.Type == TypeMessage {
		if err := c.Conn.Write(Message{Type: TypeCancel, Re: m.ID}); err == nil {
			time.AfterFunc(grace, func() { c.Conn.Close() })
			return
		}
	}
	c.Conn.Close()
}

// Call is the data of a call: one tool call, which is judged, confirmed and recorded like a model's.
type Call struct {
	// Turn is the capability of a turn that waits for its calls. "" means a call outside a turn and conversation.
	Turn  string          `json:"turn,omitempty"`
	Call  string          `json:"call,omitempty"` // the caller's id of the call
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"`
	Cwd   string          `json:"cwd,omitempty"` // the caller's working directory
}

// CallResult is the data of the result that ends a call. Content is fenced, because it is untrusted data.
type CallResult struct {
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
	// Refusal is a reason code if nothing ran, Pending the code of the open approval.
	Refusal string `json:"refusal,omitempty"`
	Pending string `json:"pending,omitempty"`
}

// MaxPicturePiece bounds the piece in a picture frame, so that it fits a line in base64.
const MaxPicturePiece = 512 << 10

// PicturePiece is the data of a picture frame: the next piece of the picture of a call's result.
type PicturePiece struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// ToolInfo is a tool as the query "tools" lists it.
type ToolInfo struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	// OnlyReads reports that no call of the tool changes anything.
	OnlyReads bool `json:"only_reads,omitempty"`
}

// Interruptible reads like r until ctx ends, so that a signal can stop a read from an idle pipe or terminal. Input
// that the pending read of r still gets is lost. That read ends with the program.
func Interruptible(ctx context.Context, r io.Reader) io.Reader { return interruptible{ctx, r} }

type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read reads into its own buffer, because the read of r may return after the caller has left.
func (i interruptible) Read(p []byte) (int, error) {
	type piece struct {
		text []byte
		err  error
	}
	done := make(chan piece, 1)
	go func() {
		text := make([]byte, len(p))
		n, err := i.r.Read(text)
		done <- piece{text[:n], err}
	}()
	select {
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	case got := <-done:
		return copy(p, got.text), got.err
	}
}
