package serve

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func (c *peerConn) ping(m ipc.Message) { c.ok(m, "pong") }

func (c *peerConn) stop(m ipc.Message) {
	c.ok(m, "ok")
	c.s.life.RequestStop()
}

func (c *peerConn) reload(m ipc.Message) {
	if err := c.s.settings.Reload(); err != nil {
		c.Fail(m, c.s.settings.Failure(err, c.language()))
		return
	}
	c.ok(m, "ok")
}

func (c *peerConn) resetSession(m ipc.Message) {
	if strings.ContainsFunc(m.Session, ipc.Unprintable) {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrSessionName)
		return
	}
	var req ipc.Request
	if len(m.Data) > 0 {
		if err := m.Decode(&req); err != nil {
			c.Fail(m, c.s.settings.Failure(err, c.language()))
			return
		}
	}
	if err := c.s.turns.Reset(req.Agent, c.hello.Channel, sessionName(m)); err != nil {
		c.Fail(m, c.s.settings.Failure(err, c.language()))
		return
	}
	c.ok(m, i18n.ResetDone.In(c.language()))
}

func (c *peerConn) poll(m ipc.Message) {
	c.ServePoll(c.hello.Channel, nil, func(ns []ipc.Notification) error {
		return c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Notifications: ns})
	})
}

// mayAnswer reports whether a client may answer an ask. Local clients may answer all of them, others only those of
// their own conversation.
func (c *peerConn) mayAnswer(m ipc.Message, ask ipc.Ask) bool {
	channel := c.hello.Channel
	if slices.Contains(post.AtTheMachine, channel) {
		return true
	}
	return ask.Channel == channel && ask.Session == session.Key(session.AgentOf(ask.Session), channel, sessionName(m))
}
