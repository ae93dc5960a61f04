package daemon

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
)

// Original peers do not acknowledge messages. But the kernel knows whether a peer has read everything (SIOCOUTQ,
// unix(7)), which is checked at its next request. A peer that closes or dies with unread data resets the
// connection (net/unix/af_unix.c, unix_release_sock). The messages sent since everything was last read then go
// back to the outbox. The same happens if a peer is disconnected because it does not read.

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

// recordSent records messages that were written to an original peer.
func (c *peerConn) recordSent(texts ...outbox.Message) {
	if c.hello != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread = append(c.unread, texts...)
}

// clearRead records a new request. A peer that sends one without having read everything may never read the rest.
func (c *peerConn) clearRead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.unread) > 0 && c.allRead() {
		c.unread = nil
	}
}

// saveUnread returns unread messages to the outbox when the connection is reset or times out.
func (c *peerConn) saveUnread(err error) {
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.s.post.Outbox.Restore(c.unread); err != nil {
		c.s.log.Error().Err(err).Msg("cannot save unread messages")
	}
	for _, t := range c.unread {
		c.s.stored.markSeen(t.Approval, post.KeyOf(t.Channel, t.To), false)
	}
	c.unread = nil
}
