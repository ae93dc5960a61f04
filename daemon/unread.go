package daemon

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/daemon/outbox"
)

// An original peer acknowledges nothing. But the kernel knows whether it has
// read everything (SIOCOUTQ, unix(7)), which is asked when it makes its next
// request; and a peer that closes, or dies, with something unread resets the
// connection (net/unix/af_unix.c, unix_release_sock). What was sent since
// nothing was unread is then kept to be polled, and so it is when a peer reads
// nothing for so long that it is disconnected.

// reads returns what tells whether a peer has read everything. Of a
// connection that is no socket it is believed that its next request shows it.
func reads(conn any) func() bool {
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

// sent notes what was written to an original peer.
func (c *peerConn) sent(texts ...outbox.Text) {
	if c.hello != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread = append(c.unread, texts...)
}

// arrived notes that the peer made another request. One that asks again before
// it reads may never read what it was sent.
func (c *peerConn) arrived() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.unread) > 0 && c.allRead() {
		c.unread = nil
	}
}

// cutOff keeps what a peer did not read before its connection ended.
func (c *peerConn) cutOff(err error) {
	if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, os.ErrDeadlineExceeded) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.outbox.Back(c.unread); err != nil {
		c.o.Log.Error().Err(err).Msg("what a peer did not read is only in the conversation")
	}
	for _, t := range c.unread {
		c.seen(t.Approval, keyOf(t.Channel, t.To), false)
	}
	c.unread = nil
}
