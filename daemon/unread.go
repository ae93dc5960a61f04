package daemon

import (
	"errors"
	"syscall"

	"github.com/nidoit/blunux-ai/daemon/outbox"
)

// An original peer acknowledges nothing. But it makes one request after the
// other, so its next one shows that it has read what came before; and a peer
// that closes, or dies, with something unread resets the connection
// (unix(7); net/unix/af_unix.c, unix_release_sock). What was sent since its
// last request is then kept to be polled.

// sent notes what was written to an original peer.
func (c *peerConn) sent(texts ...outbox.Text) {
	if c.hello != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread = append(c.unread, texts...)
}

// arrived notes that the peer made another request.
func (c *peerConn) arrived() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread = nil
}

// cutOff keeps what a peer did not read before its connection ended.
func (c *peerConn) cutOff(err error) {
	if !errors.Is(err, syscall.ECONNRESET) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.outbox.Back(c.unread); err != nil {
		c.o.Log.Error().Err(err).Msg("what a peer did not read is only in the conversation")
	}
	c.unread = nil
}
