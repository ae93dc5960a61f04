package daemon

import (
	"context"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// stillWorking is when a turn that outlasts it is answered "still working":
// an original peer gives up after 120 s.
const stillWorking = 100 * time.Second

// originalChannel is the channel of peers that never say hello.
const originalChannel = "bridge"

// originalReply is the one line that answers a request.
func originalReply(m ipc.Message, body string) ipc.Message {
	return ipc.Message{Type: ipc.TypeResponse, To: m.From, Body: body}
}

// original serves a peer that never said hello: every request gets exactly
// one line, a response whose "to" is the request's "from".
func (c *peerConn) original(ctx context.Context, m ipc.Message) {
	switch m.Type {
	case ipc.TypeMessage:
		c.originalMessage(ctx, m)
	case ipc.TypeAction:
		c.originalAction(ctx, m)
	default:
		c.refuse(m, ipc.CodeUnknownType, i18n.ErrUnknownType, m.Type)
	}
}

func (c *peerConn) originalAction(ctx context.Context, m ipc.Message) {
	switch m.Action {
	case ipc.ActionPing:
		_ = c.send(originalReply(m, "pong"))
	case ipc.ActionPollNotifications:
		c.originalPoll(m)
	case ipc.ActionReset:
		if err := c.reset(originalChannel, m.From); err != nil {
			c.fail(m, c.failure(err, c.language()))
			return
		}
		_ = c.send(originalReply(m, i18n.ResetDone.In(c.language())))
	default:
		c.originalAnswer(ctx, m, m.Action)
	}
}

func (c *peerConn) originalPoll(m ipc.Message) {
	c.handOver(originalChannel, func(ns []ipc.Notification) error {
		r := originalReply(m, "ok")
		r.Notifications = ns
		return c.send(r)
	})
}

// originalMessage is a sender's words: an answer where a confirmation waits,
// a question of its own otherwise.
func (c *peerConn) originalMessage(ctx context.Context, m ipc.Message) {
	if strings.EqualFold(strings.TrimSpace(m.Body), "reset") {
		m.Action = ipc.ActionReset
		c.originalAction(ctx, m)
		return
	}
	lang := c.language()
	if l, ok := i18n.Detect(m.Body); ok {
		lang = l
	}
	if said, ok := c.snoozeReply(originalChannel, m.From, m.Body, lang); ok {
		_ = c.send(originalReply(m, said))
		return
	}
	c.originalAnswer(ctx, m, m.Body)
}

// originalTurn starts a turn and answers with its first outcome.
func (c *peerConn) originalTurn(ctx context.Context, m ipc.Message, prefix string) {
	lang := c.language()
	if l, ok := i18n.Detect(m.Body); ok {
		lang = l
	}
	turn := c.newOriginalTurn(m.From, lang)
	if err := c.submit(ctx, originalChannel, m.From, m.Body, ipc.Request{}, turn, lang); err != nil {
		_ = c.send(originalReply(m, i18n.OriginalError.In(lang, err.Message)))
		return
	}
	c.deliver(m, turn, prefix)
}

// deliver answers a request with the next thing its turn says. When that
// takes too long the request is answered "still working", and what the turn
// says then waits to be polled.
func (c *peerConn) deliver(m ipc.Message, turn *originalTurn, prefix string) {
	leave := c.idle.enter(holdDelivery)
	c.owed.Add(1)
	c.serving.Go(func() {
		defer leave()
		timer := time.NewTimer(stillWorking)
		defer timer.Stop()
		select {
		case s := <-turn.said:
			defer close(s.delivered)
			defer c.owed.Done()
			r := originalReply(m, prefix+s.body)
			r.Actions = s.actions
			text := outbox.Text{Channel: originalChannel, To: m.From, Body: r.Body, Approval: s.approval}
			if err := c.show(r, s.approval); err != nil {
				c.notify(text)
				return
			}
			text.ID = "r" + randomHex(8)
			c.sent(text)
		case <-timer.C:
			_ = c.send(originalReply(m, i18n.StillWorking.In(turn.lang)))
			c.owed.Done()
			c.toldLater(turn, func(s said) { c.tellSender(m.From, s) })
		case <-turn.over:
			_ = c.send(originalReply(m, turn.farewell))
			c.owed.Done()
		}
	})
}

// consume does something with the next thing a turn says when no request
// waits for it.
func (d *Daemon) consume(turn *originalTurn, then func(said)) {
	leave := d.idle.enter(holdDelivery)
	d.serving.Go(func() {
		defer leave()
		d.toldLater(turn, then)
	})
}

// toldLater waits for the next thing a turn says, unless the next daemon goes
// on with it.
func (d *Daemon) toldLater(turn *originalTurn, then func(said)) {
	select {
	case s := <-turn.said:
		defer close(s.delivered)
		then(s)
	case <-turn.over:
	}
}

// tellSender keeps what a turn says to be polled.
func (d *Daemon) tellSender(from string, s said) {
	d.notify(outbox.Text{
		Channel: originalChannel, To: from, Session: session.Key(agentID, originalChannel, from), Body: s.body, Approval: s.approval,
	})
}

// show sends something that asks about an approval ("" for none), and notes that
// it was seen.
func (c *peerConn) show(m ipc.Message, code string) error {
	c.approvals.Showing(code)
	err := c.send(m)
	c.seen(code, keyOf(originalChannel, m.To), err == nil)
	return err
}

// seen notes whether a question has reached a conversation in which it was asked.
func (d *Daemon) seen(code, session string, seen bool) {
	if code == "" {
		return
	}
	if err := d.approvals.Seen(code, session, seen); err != nil {
		d.o.Log.Warn().Err(err).Str("approval", code).Msg("whether a question was seen is not on the disk")
	}
}
