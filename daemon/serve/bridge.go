package serve

import (
	"context"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/remote"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// mustClose reports whether the peer must be disconnected: it used a bridge's socket without a hello.
func (c *peerConn) mustClose() bool { return c.socketChannel != "" && c.hello == nil }

// bridgeMessage serves a sender's message.
func (c *peerConn) bridgeMessage(ctx context.Context, m ipc.Message) {
	if e := c.s.remote.Message(ctx, c.bridgeRequest(m)); e != nil {
		c.Fail(m, e)
	}
}

// press serves a button of a question in a chat.
func (c *peerConn) press(ctx context.Context, m ipc.Message) {
	text, e := c.s.remote.Press(ctx, c.bridgeRequest(m))
	if e != nil {
		c.Fail(m, e)
		return
	}
	c.ok(m, text)
}

// undo serves the button of an answer about a change in a chat.
func (c *peerConn) undo(ctx context.Context, m ipc.Message) {
	text, e := c.s.remote.Undo(ctx, c.bridgeRequest(m))
	if e != nil {
		c.Fail(m, e)
		return
	}
	c.ok(m, text)
}

// bridgeRequest returns a request for package remote.
func (c *peerConn) bridgeRequest(m ipc.Message) remote.Request {
	return remote.Request{Message: m, Lang: c.language(), Channel: c.hello.Channel, Stream: func(lang i18n.Lang) remote.Stream {
		c.pendingRequests.Add(1)
		return &stream{c: c, re: m.ID, caps: c.hello.Caps, lang: lang}
	}}
}

// bridgeCancel stops a message of this connection.
func (c *peerConn) bridgeCancel(m ipc.Message) {
	if m.Re == "" {
		c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn(m.Type))
		return
	}
	m.Data = nil // a bridge may not cancel tasks by id
	c.cancelTask(m)
}

// queryChannel returns the rules of a bridge's channel.
func (c *peerConn) queryChannel(_ context.Context, q ipc.Query) (any, error) {
	p, err := c.s.remote.Pairings.Policy(c.hello.Channel)
	p.Lang, p.Closed = string(c.language()), c.s.turns.Stored.ClosedCodes(strings.Fields(q.Text))
	return p, err
}
