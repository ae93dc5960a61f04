package serve

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"

	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
	"golang.org/x/sys/unix"
)

// Original peers do not acknowledge messages. But the kernel knows whether a peer has read everything (SIOCOUTQ,
// unix(7)), which is checked at its next request. A peer that closes or dies with unread data resets the
// connection (net/unix/af_unix.c, unix_release_sock). The messages sent since everything was last read then go
// back to the outbox. The same happens if a peer is disconnected because it does not read.

// unread are the messages that an original peer may not have read.
type unread struct {
	allRead func() bool // whether the peer has read everything that was sent
	mu      sync.Mutex
	sent    []outbox.Message
}

// unreadCheck returns a function that reports whether the peer has read everything. For a connection without a
// socket it always returns true, since the next request implies it.
func unreadCheck(conn any) func() bool {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return func() bool { return true }
	}
	return func() bool {
		raw, err := sc.SyscallConn()
		if err != nil {
			return true
		}
		left := 0
		err = raw.Control(func(fd uintptr) { left, err = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
		return err != nil || left == 0
	}
}

// Reply sends a frame to an original peer and records the messages in it.
func (c *peerConn) Reply(m ipc.Message, sent ...outbox.Message) error {
	err := c.send(m)
	if err == nil {
		c.recordSent(sent...)
	}
	return err
}

// originalRequest serves a peer that did not say hello.
func (c *peerConn) originalRequest(ctx context.Context, m ipc.Message) { c.original.Serve(ctx, m) }

// Begin keeps the connection open until a request is answered.
func (c *peerConn) Begin() (answered func()) {
	c.pendingRequests.Add(1)
	return c.pendingRequests.Done
}

// recordSent records messages that were written to an original peer.
func (c *peerConn) recordSent(texts ...outbox.Message) {
	if c.hello != nil {
		return
	}
	c.unread.mu.Lock()
	defer c.unread.mu.Unlock()
	c.unread.sent = append(c.unread.sent, texts...)
}

// clearRead records a new request. A peer that sends one without having read everything may never read the rest.
func (c *peerConn) clearRead() {
	c.unread.mu.Lock()
	defer c.unread.mu.Unlock()
	if len(c.unread.sent) > 0 && c.unread.allRead() {
		c.unread.sent = nil
	}
}

// saveUnread returns unread messages to the outbox when the connection is reset or times out.
func (c *peerConn) saveUnread(err error) {
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return
	}
	c.unread.mu.Lock()
	defer c.unread.mu.Unlock()
	if err := c.s.post.Outbox.Restore(c.unread.sent); err != nil {
		c.s.log.Error().Err(err).Msg("cannot save unread messages")
	}
	for _, t := range c.unread.sent {
		c.s.turns.Stored.MarkSeen(t.Approval, post.KeyOf(t.Channel, t.To), false)
	}
	c.unread.sent = nil
}
