package remote

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
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// stillWorking is when a long turn is answered with "still working": an original peer gives up after 120 s.
const stillWorking = 100 * time.Second

// originalReply is the one line that answers a request.
func originalReply(m ipc.Message, body string) ipc.Message {
	return ipc.Message{Type: ipc.TypeResponse, To: m.From, Body: body}
}

// Line is the connection of a peer that did not say hello.
type Line interface {
	// Reply sends a frame, and notes the messages in it, which the peer may not have read.
	Reply(m ipc.Message, sent ...outbox.Message) error
	Fail(m ipc.Message, e *ipc.Error)
	// Begin keeps the connection open until the request is answered.
	Begin() (answered func())
	// ServePoll answers a poll with the waiting messages of a channel that are wanted.
	ServePoll(channel string, wanted func(outbox.Message) bool, reply func([]ipc.Notification) error)
}

// Original serves a peer that did not say hello: every request gets exactly one line, a response whose "to" is the
// request's "from".
type Original struct {
	rm   *Remote
	line Line
	// refused holds the senders that the peer has already been refused.
	refused map[string]bool
}

// NewOriginal returns what serves a peer on a connection.
func (rm *Remote) NewOriginal(line Line) *Original {
	return &Original{rm: rm, line: line, refused: map[string]bool{}}
}

// Serve serves one request.
func (o *Original) Serve(ctx context.Context, m ipc.Message) {
	switch m.Type {
	case ipc.TypeMessage:
		o.message(ctx, m)
	case ipc.TypeAction:
		o.action(ctx, m)
	default:
		o.line.Fail(m, &ipc.Error{Code: ipc.CodeUnknownType, Message: i18n.ErrUnknownType(m.Type).In(o.rm.settings.Lang())})
	}
}

func (o *Original) action(ctx context.Context, m ipc.Message) {
	switch m.Action {
	case ipc.ActionPing:
		_ = o.line.Reply(originalReply(m, "pong"))
		return
	case ipc.ActionPollNotifications:
		o.line.ServePoll(post.OriginalChannel, o.rm.Pairings.deliverable, func(ns []ipc.Notification) error {
			r := originalReply(m, "ok")
			r.Notifications = ns
			return o.line.Reply(r)
		})
		return
	}
	if !o.admits(m) {
		return
	}
	if m.Action != ipc.ActionReset {
		o.rm.handleInbound(ctx, o.inbound(m, m.Action))
		return
	}
	lang := o.rm.settings.Lang()
	if err := o.rm.turns.Reset("", post.OriginalChannel, m.From); err != nil {
		o.line.Fail(m, o.rm.settings.Failure(err, lang))
		return
	}
	_ = o.line.Reply(originalReply(m, i18n.ResetDone.In(lang)))
}

// maxRefusals bounds how many refused senders a connection remembers.
const maxRefusals = 64

// admits reports whether the sender of a request may write. Such a peer forwards WhatsApp messages, so the number
// must be one of WhatsApp's allowed senders. For other senders it replies: once per connection with the error, for
// the bridge's log, and afterwards without text.
func (o *Original) admits(m ipc.Message) bool {
	admitted, err := o.rm.Pairings.isAdmitted(post.WhatsAppChannel, m.From)
	switch {
	case err != nil:
		o.line.Fail(m, o.rm.settings.Failure(err, o.rm.settings.Lang()))
	case !admitted:
		o.refuse(m)
	}
	return admitted && err == nil
}

func (o *Original) refuse(m ipc.Message) {
	e := &ipc.Error{Code: ipc.CodeDenied, Message: i18n.BridgeNotPaired.In(o.rm.settings.Lang())}
	if o.refused[m.From] || len(o.refused) >= maxRefusals {
		r := originalReply(m, "")
		r.Error = e
		_ = o.line.Reply(r)
		return
	}
	o.refused[m.From] = true
	o.rm.logRefused(post.OriginalChannel, m.From)
	o.line.Fail(m, e)
}

// inbound returns a request as a message. text is the possible answer in it.
func (o *Original) inbound(m ipc.Message, text string) *inboundMessage {
	lang := o.rm.settings.Lang()
	if l, ok := i18n.Detect(m.Body); ok && m.Type == ipc.TypeMessage {
		lang = l
	}
	return &inboundMessage{
		from: originalAddress(m.From), text: text, isText: m.Type == ipc.TypeMessage, lang: lang, canAnswer: true,
		responder: &originalResponder{o: o, m: m, lang: lang},
	}
}

// Message handles a sender's words: an answer if a confirmation waits, otherwise a question.
func (o *Original) message(ctx context.Context, m ipc.Message) {
	if !o.admits(m) {
		return
	}
	if strings.EqualFold(strings.TrimSpace(m.Body), "reset") {
		m.Action = ipc.ActionReset
		o.action(ctx, m)
		return
	}
	l := o.inbound(m, m.Body)
	if answer, ok := o.rm.rules.SnoozeReply(post.OriginalChannel, m.From, m.Body, l.lang); ok {
		l.responder.reply(answer)
		return
	}
	o.rm.handleInbound(ctx, l)
}

// originalResponder replies to an original peer's request with its one line.
type originalResponder struct {
	o    *Original
	m    ipc.Message
	lang i18n.Lang
}

func (p *originalResponder) reply(body string) { _ = p.o.line.Reply(originalReply(p.m, body)) }

func (p *originalResponder) replyPlain(body string) { p.reply(body) }

func (p *originalResponder) ignore() { p.reply("") } // original requests always get a reply

// RepeatQuestion repeats the open question.
func (p *originalResponder) repeatQuestion(r approval.Record, body string, whole bool) {
	reply := originalReply(p.m, body)
	reply.Actions = chat.Actions(whole)
	_ = p.o.question(reply, outbox.Message{ID: task.NewID("r", 8), Channel: post.OriginalChannel, To: p.m.From, Body: body, Approval: r.Ask.Code})
}

// startTurn starts a turn and replies with its first message.
func (p *originalResponder) startTurn(ctx context.Context, prefix string) {
	turn := p.o.rm.newOriginalTurn(p.m.From, p.lang)
	if err := p.o.rm.turns.Submit(ctx, post.OriginalChannel, p.m.From, p.m.Body, ipc.Request{}, turn, p.lang); err != nil {
		p.reply(i18n.OriginalError(err.Message).In(p.lang))
		return
	}
	p.o.deliver(p.m, turn, prefix)
}

func (p *originalResponder) confirmLive(w pendingQuestion) {
	if turn, ok := w.turn.(*originalTurn); ok { // always true on this channel
		p.o.deliver(p.m, turn, "")
	}
}

func (p *originalResponder) answerStored(ctx context.Context, r approval.Record, action string) {
	rm, turn := p.o.rm, p.o.rm.newOriginalTurn(p.m.From, p.lang)
	p.o.deliver(p.m, turn, "")
	rm.life.Serving.Go(func() { // a denial sends its message before decideStored returns
		a := turns.AnswerSource{By: post.OriginalChannel, Name: p.m.From, Lang: p.lang, Client: turn}
		if err := rm.turns.Stored.Decide(ctx, r, action, ipc.Answer{}, a); err != nil {
			turn.Finish(turns.ErrorFrame(rm.settings.AnswerFailure(err, p.lang)))
		}
	})
}

// deliver answers a request with the next message of its turn. If that takes too long, the answer is "still
// working", and the turn's message goes to the outbox.
func (o *Original) deliver(m ipc.Message, turn *originalTurn, prefix string) {
	leave, answered := o.rm.life.Idle.Begin(life.ActivityDelivery), o.line.Begin()
	o.rm.life.Serving.Go(func() {
		defer leave()
		timer := time.NewTimer(stillWorking)
		defer timer.Stop()
		select {
		case s := <-turn.messages:
			defer close(s.delivered)
			defer answered()
			r := originalReply(m, prefix+s.body)
			r.Actions = s.actions
			text := outbox.Message{ID: s.id, Channel: post.OriginalChannel, To: m.From, Body: r.Body, Approval: s.approval}
			sent := text
			sent.ID = cmp.Or(s.id, task.NewID("r", 8))
			if err := o.question(r, sent); err != nil {
				o.rm.post.Notify(text)
			}
		case <-timer.C:
			_ = o.line.Reply(originalReply(m, i18n.StillWorking.In(turn.lang)))
			answered()
			o.rm.awaitNext(turn, func(s turnMessage) { o.rm.queueForSender(m.From, s) })
		case <-turn.closed:
			_ = o.line.Reply(originalReply(m, turn.farewell))
			answered()
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

// question sends a message that may be the question of an approval, and records whether it was delivered.
func (o *Original) question(m ipc.Message, sent outbox.Message) error {
	o.rm.approvals.MarkShowing(sent.Approval)
	err := o.line.Reply(m, sent)
	o.rm.turns.Stored.MarkSeen(sent.Approval, post.KeyOf(post.OriginalChannel, m.To), err == nil)
	return err
}
