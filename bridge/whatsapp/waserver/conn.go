package waserver

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"sync"

	"github.com/coder/websocket"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waWa6"
	"google.golang.org/protobuf/proto"
)

// conn is a client's connection. Each frame starts with its length in three bytes, and is encrypted
// after the handshake.
type conn struct {
	ctx    context.Context
	ws     *websocket.Conn
	buffer []byte

	read      cipher.AEAD
	readCount uint32

	mu         sync.Mutex // guards the fields below: several goroutines send
	write      cipher.AEAD
	writeCount uint32
	active     bool // the client has requested its queued messages
}

// header reads the four bytes before the first frame.
func (c *conn) header() ([]byte, error) {
	if err := c.fill(4); err != nil {
		return nil, err
	}
	h := c.buffer[:4:4]
	c.buffer = c.buffer[4:]
	return h, nil
}

// fill reads until n bytes are buffered.
func (c *conn) fill(n int) error {
	for len(c.buffer) < n {
		_, data, err := c.ws.Read(c.ctx)
		if err != nil {
			return err
		}
		c.buffer = append(c.buffer, data...)
	}
	return nil
}

func (c *conn) frame() ([]byte, error) {
	if err := c.fill(3); err != nil {
		return nil, err
	}
	n := int(c.buffer[0])<<16 | int(c.buffer[1])<<8 | int(c.buffer[2])
	if err := c.fill(3 + n); err != nil {
		return nil, err
	}
	f := c.buffer[3 : 3+n : 3+n]
	c.buffer = c.buffer[3+n:]
	return f, nil
}

func (c *conn) put(data []byte) error {
	n := len(data)
	return c.ws.Write(c.ctx, websocket.MessageBinary, append([]byte{byte(n >> 16), byte(n >> 8), byte(n)}, data...))
}

// handshake reads a handshake frame.
func (c *conn) handshake() (*waWa6.HandshakeMessage, error) {
	f, err := c.frame()
	if err != nil {
		return nil, err
	}
	var m waWa6.HandshakeMessage
	return &m, proto.Unmarshal(f, &m)
}

// send encrypts and sends a node. It ignores a closed connection, because messages stay queued for
// the next one.
func (c *conn) send(n waBinary.Node) {
	data, err := waBinary.Marshal(n)
	if err != nil {
		panic(fmt.Errorf("cannot write the node %s: %w", n.Tag, err)) // a bug in this package
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.write == nil {
		return
	}
	sealed := c.write.Seal(nil, nonce(c.writeCount), data, nil)
	c.writeCount++
	_ = c.put(sealed)
}

// receive reads the next node.
func (c *conn) receive() (*waBinary.Node, error) {
	f, err := c.frame()
	if err != nil {
		return nil, err
	}
	plain, err := c.read.Open(nil, nonce(c.readCount), f, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot open a frame: %w", err)
	}
	c.readCount++
	if plain, err = waBinary.Unpack(plain); err != nil {
		return nil, err
	}
	if len(plain) == 0 {
		return nil, errors.New("an empty frame")
	}
	return waBinary.Unmarshal(plain)
}

func (c *conn) close() { _ = c.ws.CloseNow() }
