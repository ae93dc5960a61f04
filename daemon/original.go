package daemon

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// stillWorking is when a long turn is answered with "still working": an original peer gives up after 120 s.
const stillWorking = 100 * time.Second

// originalReply is the one line that answers a request.
func originalReply(m ipc.Message, body string) ipc.Message {
	return ipc.Message{Type: ipc.TypeResponse, To: m.From, Body: body}
}

// original serves a peer that did not say hello: every request gets exactly one line, a response whose "to" is the
// request's "from".
func (c *peerConn) original(ctx context.Context, m ipc.Message) {
	switch m.Type {
	case ipc.TypeMessage:
		c.originalMessage(ctx, m)
	case ipc.TypeAction:
		c.originalAction(ctx, m)
	default:
		c.refuse(m, ipc.CodeUnknownType, i18n.ErrUnknownType(m.Type))
	}
}

func (c *peerConn) originalAction(ctx context.Context, m ipc.Message) {
	switch m.Action {
	case ipc.ActionPing:
		_ = c.send(originalReply(m, "pong"))
		return
	case ipc.ActionPollNotifications:
		c.originalPoll(m)
		return
	}
	if !c.admitsOriginal(m) {
		return
	}
	switch m.Action {
	case ipc.ActionReset:
		if err := c.s.turns.reset(post.OriginalChannel, m.From); err != nil {
			c.fail(m, c.s.settings.Failure(err, c.language()))
			return
		}
		_ = c.send(originalReply(m, i18n.ResetDone.In(c.language())))
	default:
		c.s.remote.handleInbound(ctx, c.originalInbound(m, m.Action))
	}
}

// maxRefusals bounds how many refused senders a connection remembers.
const maxRefusals = 64

// admitsOriginal reports whether the sender of a request without hello may write. Such a peer forwards WhatsApp
// messages, so the number must be one of WhatsApp's allowed senders. For other senders it replies: once per
// connection with the error, for the bridge's log, and afterwards without text.
func (c *peerConn) admitsOriginal(m ipc.Message) bool {
	admitted, err := c.s.pairings.isAdmitted(post.WhatsAppChannel, m.From)
	switch {
	case err != nil:
		c.fail(m, c.s.settings.Failure(err, c.language()))
	case !admitted:
		c.refuseSender(m)
	}
	return admitted && err == nil
}

func (c *peerConn) refuseSender(m ipc.Message) {
	e := &ipc.Error{Code: ipc.CodeDenied, Message: i18n.BridgeNotPaired.In(c.language())}
	if c.refused[m.From] || len(c.refused) >= maxRefusals {
		r := originalReply(m, "")
		r.Error = e
		_ = c.send(r)
		return
	}
	if c.refused == nil {
		c.refused = map[string]bool{}
	}
	c.refused[m.From] = true
	c.s.log.Info().Str("channel", post.OriginalChannel).Str("sender", chat.ExcerptOf(ipc.VisibleLine(m.From), chat.MaxExcerpt)).Msg("sender not allowed")
	c.fail(m, e)
}

// originalInbound returns an original peer's request as a message. text is the possible answer in it.
func (c *peerConn) originalInbound(m ipc.Message, text string) *inboundMessage {
	lang := c.language()
	if l, ok := i18n.Detect(m.Body); ok && m.Type == ipc.TypeMessage {
		lang = l
	}
	return &inboundMessage{
		from: originalAddress(m.From), text: text, isText: m.Type == ipc.TypeMessage, lang: lang, canAnswer: true,
		responder: &originalResponder{c: c, m: m, lang: lang},
	}
}

func (c *peerConn) originalPoll(m ipc.Message) {
	c.servePoll(post.OriginalChannel, c.s.pairings.deliverable, func(ns []ipc.Notification) error {
		r := originalReply(m, "ok")
		r.Notifications = ns
		return c.send(r)
	})
}

// deliverable reports whether a message may be given to an original peer: the owner's rule names its recipient, or
// the recipient is an allowed sender.
func (ps *Pairings) deliverable(t outbox.Message) bool {
	if t.Rule != "" {
		return true
	}
	admitted, err := ps.isAdmitted(post.WhatsAppChannel, t.To)
	return admitted && err == nil
}

// originalMessage handles a sender's words: an answer if a confirmation waits, otherwise a question.
func (c *peerConn) originalMessage(ctx context.Context, m ipc.Message) {
	if !c.admitsOriginal(m) {
		return
	}
	if strings.EqualFold(strings.TrimSpace(m.Body), "reset") {
		m.Action = ipc.ActionReset
		c.originalAction(ctx, m)
		return
	}
	l := c.originalInbound(m, m.Body)
	if answer, ok := c.s.rules.snoozeReply(post.OriginalChannel, m.From, m.Body, l.lang); ok {
		l.responder.reply(answer)
		return
	}
	c.s.remote.handleInbound(ctx, l)
}

// originalResponder replies to an original peer's request with its one line.
type originalResponder struct {
	c    *peerConn
	m    ipc.Message
	lang i18n.Lang
}

func (p *originalResponder) reply(body string) { _ = p.c.send(originalReply(p.m, body)) }

func (p *originalResponder) replyPlain(body string) { p.reply(body) }

func (p *originalResponder) ignore() { p.reply("") } // original requests always get a reply

// repeatQuestion repeats the open question.
func (p *originalResponder) repeatQuestion(r approval.Record, body string, whole bool) {
	reply := originalReply(p.m, body)
	reply.Actions = remoteActions(whole)
	if p.c.sendQuestion(reply, r.Ask.Code) == nil {
		p.c.recordSent(outbox.Message{ID: "r" + randomHex(8), Channel: post.OriginalChannel, To: p.m.From, Body: body, Approval: r.Ask.Code})
	}
}

// startTurn starts a turn and replies with its first message.
func (p *originalResponder) startTurn(ctx context.Context, prefix string) {
	turn := p.c.s.remote.newOriginalTurn(p.m.From, p.lang)
	if err := p.c.s.turns.submit(ctx, post.OriginalChannel, p.m.From, p.m.Body, ipc.Request{}, turn, p.lang); err != nil {
		p.reply(i18n.OriginalError(err.Message).In(p.lang))
		return
	}
	p.c.deliver(p.m, turn, prefix)
}

func (p *originalResponder) confirmLive(w pendingQuestion) {
	if turn, ok := w.turn.(*originalTurn); ok { // always true on this channel
		p.c.deliver(p.m, turn, "")
	}
}

func (p *originalResponder) answerStored(ctx context.Context, r approval.Record, action string) {
	c, turn := p.c, p.c.s.remote.newOriginalTurn(p.m.From, p.lang)
	c.deliver(p.m, turn, "")
	c.s.life.Serving.Go(func() { // a denial sends its message before decideStored returns
		a := answerSource{by: post.OriginalChannel, name: p.m.From, lang: p.lang, client: turn}
		if err := c.s.stored.decideStored(ctx, r, action, ipc.Answer{}, a); err != nil {
			turn.finish(errorFrame(c.s.settings.AnswerFailure(err, p.lang)))
		}
	})
}

// deliver answers a request with the next message of its turn. If that takes too long, the answer is "still
// working", and the turn's message goes to the outbox.
func (c *peerConn) deliver(m ipc.Message, turn *originalTurn, prefix string) {
	leave := c.s.life.Idle.Begin(life.ActivityDelivery)
	c.pendingRequests.Add(1)
	c.s.life.Serving.Go(func() {
		defer leave()
		timer := time.NewTimer(stillWorking)
		defer timer.Stop()
		select {
		case s := <-turn.messages:
			defer close(s.delivered)
			defer c.pendingRequests.Done()
			r := originalReply(m, prefix+s.body)
			r.Actions = s.actions
			text := outbox.Message{ID: s.id, Channel: post.OriginalChannel, To: m.From, Body: r.Body, Approval: s.approval}
			if err := c.sendQuestion(r, s.approval); err != nil {
				c.s.post.Notify(text)
				return
			}
			text.ID = cmp.Or(s.id, "r"+randomHex(8))
			c.recordSent(text)
		case <-timer.C:
			_ = c.send(originalReply(m, i18n.StillWorking.In(turn.lang)))
			c.pendingRequests.Done()
			c.s.remote.awaitNext(turn, func(s turnMessage) { c.s.remote.queueForSender(m.From, s) })
		case <-turn.closed:
			_ = c.send(originalReply(m, turn.farewell))
			c.pendingRequests.Done()
		}
	})
}

// handleNext passes the turn's next message to then, because no request waits for it.
func (rm *Remote) handleNext(turn *originalTurn, then func(turnMessage)) {
	leave := rm.life.Idle.Begin(life.ActivityDelivery)
	rm.life.Serving.Go(func() {
		defer leave()
		rm.awaitNext(turn, then)
	})
}

// awaitNext waits for the turn's next message, unless the turn is left to the next daemon.
func (rm *Remote) awaitNext(turn *originalTurn, then func(turnMessage)) {
	select {
	case s := <-turn.messages:
		defer close(s.delivered)
		then(s)
	case <-turn.closed:
	}
}

// queueForSender puts a turn's message into the outbox for polling.
func (rm *Remote) queueForSender(from string, s turnMessage) {
	rm.post.Notify(outbox.Message{
		ID: s.id, Channel: post.OriginalChannel, To: from, Session: session.Key(post.AgentID, post.OriginalChannel, from), Body: s.body, Approval: s.approval,
	})
}

// sendQuestion sends the question of an approval (code "" for other messages), and records whether it was delivered.
func (c *peerConn) sendQuestion(m ipc.Message, code string) error {
	c.s.turns.approvals.MarkShowing(code)
	err := c.send(m)
	c.s.stored.markSeen(code, post.KeyOf(post.OriginalChannel, m.To), err == nil)
	return err
}
