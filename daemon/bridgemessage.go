package daemon

import (
	"context"
	"errors"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// maxMessageID bounds a channel's id of a message, maxMessageText its words, in bytes.
	maxMessageID   = 256
	maxMessageText = 64 << 10
)

// bridgeMessage serves a sender's message. A message is accepted only once, even if the daemon or the bridge
// crashed in between. The bridge may drop it once it is accepted.
func (c *peerConn) bridgeMessage(ctx context.Context, m ipc.Message) {
	var l ipc.InboundMessage
	err := m.Decode(&l)
	from := senderIn(c.hello.Channel, m.From)
	if err != nil || l.MID == "" || len(l.MID) > maxMessageID || strings.ContainsFunc(l.MID, ipc.Unprintable) || len(l.Files) > ipc.MaxInboundFiles {
		c.refuse(m, ipc.CodeBadRequest, i18n.BridgeBadSender)
		return
	}
	if admitted := c.checkSender(m, from); !admitted {
		return
	}
	c.s.life.MarkVisited()
	taking := c.s.remote.channelLocks[c.hello.Channel]
	taking.Lock()
	defer taking.Unlock()
	p := c.newBridgeResponder(m, from, l)
	if p.endDuplicate() {
		return
	}
	p.process(ctx)
}

// checkSender reports whether a sender may write. It logs and refuses each message of others, and sends them no
// reply.
func (c *peerConn) checkSender(m ipc.Message, from string) bool {
	admitted, err := c.s.pairings.isAdmitted(c.hello.Channel, from)
	switch {
	case err != nil:
		c.fail(m, c.s.settings.Failure(err, c.language()))
	case !admitted:
		c.s.log.Info().Str("channel", c.hello.Channel).Str("sender", chat.ExcerptOf(ipc.VisibleLine(m.From), chat.MaxExcerpt)).Msg("sender not allowed")
		c.refuse(m, ipc.CodeDenied, i18n.BridgeNotPaired)
	}
	return admitted && err == nil
}

// bridgeResponder replies to a message that came over a bridge. Replies go to the outbox, with an id that is the same
// if the message comes again.
type bridgeResponder struct {
	c       *peerConn
	m       ipc.Message
	in      ipc.InboundMessage
	from    post.Address
	inbound *inboundMessage
	stream  *stream
	prefix  string // prefix of the next reply
}

func (c *peerConn) newBridgeResponder(m ipc.Message, from string, in ipc.InboundMessage) *bridgeResponder {
	text := strings.TrimSpace(ipc.Clean(m.Body))
	lang := c.language()
	if l, ok := i18n.Detect(text); ok {
		lang = l
	}
	words, had := i18n.WithoutPrefix(text)
	p := &bridgeResponder{c: c, m: m, in: in, from: post.Address{Channel: c.hello.Channel, To: from}}
	p.inbound = &inboundMessage{
		from: p.from, text: words, isText: true, lang: lang, canAnswer: !in.Forwarded && !in.Early, early: in.Early, id: p.from.Channel + ":" + p.from.To + ":" + in.MID, responder: p,
		unprefixed: !had && c.s.remote.requiresPrefix() && !i18n.IsReset(words),
	}
	c.pendingRequests.Add(1)
	p.stream = &stream{c: c, re: m.ID, caps: c.hello.Caps, lang: lang}
	return p
}

// requiresPrefix reports whether messages need a prefix that addresses the assistant.
func (rm *Remote) requiresPrefix() bool {
	rt := rm.settings.Current()
	return rt != nil && rt.Remote.RequirePrefix
}

// replyID returns the id of the reply to the message.
func (p *bridgeResponder) replyID() string { return "re:" + p.inbound.id }

// endDuplicate reports whether the message was accepted before, and then ends it.
func (p *bridgeResponder) endDuplicate() bool {
	id, known := p.c.s.turns.tasks.ByMessageID(p.from.Channel, p.from.To, p.in.MID)
	if !known && !p.c.s.turns.approvals.HasMessage(p.inbound.id) && !p.c.s.post.Outbox.IsKnown(p.replyID()) {
		return false
	}
	p.confirmAccepted(ipc.Accepted{Task: id, Duplicate: true})
	p.endRequest(ipc.StopDuplicate)
	return true
}

// process processes the message.
func (p *bridgeResponder) process(ctx context.Context) {
	l := p.inbound
	switch {
	case len(p.m.Body) > maxMessageText:
		p.replyAndEnd(ipc.StopReplied, i18n.BridgeTooLong.In(l.lang), "")
	case l.text == "" && len(p.in.Files) > 0:
		l.text, l.unprefixed = i18n.BridgeFileOnly.In(l.lang), false
		p.startTurn(ctx, "")
	case l.text == "":
		p.replyAndEnd(ipc.StopReplied, i18n.BridgeEmpty.In(l.lang), "")
	case i18n.IsStart(l.text):
		p.replyAndEnd(ipc.StopReplied, i18n.BridgeGreeting.In(l.lang), "")
	case i18n.IsCancel(l.text):
		p.cancel(ctx)
	default:
		p.c.s.remote.handleInbound(ctx, l)
	}
}

// isAnswer reports whether a text is a bare yes or no.
func isAnswer(text string) bool {
	_, clear := parseChoice(text)
	return clear
}

// cancel stops the sender's tasks and rejects their open questions.
func (p *bridgeResponder) cancel(ctx context.Context) {
	n := 0
	for _, j := range p.c.s.turns.jobs.all() {
		if j.rec.Channel != p.from.Channel || j.rec.Name != p.from.To || j.currentState().Ended() {
			continue
		}
		if cl, ok := j.client.(questionClient); ok {
			cl.mute() // cancel replies itself
		}
		p.c.s.turns.abort(j, context.Canceled)
		n++
	}
	waiting := p.c.s.turns.approvals.InConversation(p.from.Key(), "")
	for _, r := range waiting {
		if r.Automation != "" {
			continue
		}
		a := answerSource{by: p.from.Channel, name: p.from.To, lang: p.inbound.lang, client: noClient{}}
		if err := p.c.s.stored.decideStored(ctx, r, ipc.ActionReject, ipc.Answer{}, a); err != nil {
			p.c.s.log.Warn().Err(err).Msg("cannot reject approval")
			continue
		}
		n++
	}
	switch {
	case n > 0:
		p.replyAndEnd(ipc.StopCancelled, i18n.BridgeCancelled.In(p.inbound.lang), "")
	case len(waiting) > 0 && isAnswer(p.inbound.text): // an automation's question
		p.c.s.remote.handleInbound(ctx, p.inbound)
	default:
		p.replyAndEnd(ipc.StopCancelled, i18n.BridgeNothing.In(p.inbound.lang), "")
	}
}

// startTurn resets the conversation, mutes an automation, ignores messages without the prefix, or starts a turn with
// the message's words.
func (p *bridgeResponder) startTurn(ctx context.Context, prefix string) {
	l := p.inbound
	p.prefix = prefix
	if i18n.IsReset(l.text) {
		if err := p.c.s.turns.reset(p.from.Channel, p.from.To); err != nil {
			p.fail(p.c.s.settings.Failure(err, l.lang))
			return
		}
		p.replyAndEnd(ipc.StopReset, i18n.ResetDone.In(l.lang), "")
		return
	}
	if answer, ok := p.c.s.rules.snoozeReply(p.from.Channel, p.from.To, l.text, l.lang); ok {
		p.reply(answer)
		return
	}
	if l.unprefixed {
		p.ignore()
		return
	}
	p.submitQuestion(ctx)
}

// submitQuestion starts a turn with the message's words, within the rate limit.
func (p *bridgeResponder) submitQuestion(ctx context.Context) {
	most := settings.RemotePolicy{}.QuestionsPerMinute()
	if rt := p.c.s.settings.Current(); rt != nil {
		most = rt.Remote.QuestionsPerMinute()
	}
	over, news := p.c.s.remote.limiter.take(p.from, most)
	switch {
	case over && news:
		p.replyAndEnd(ipc.StopLimited, i18n.BridgeLimited(most).In(p.inbound.lang), "")
		return
	case over:
		p.confirmAccepted(ipc.Accepted{})
		p.endRequest(ipc.StopLimited)
		return
	}
	req := ipc.Request{}
	r := p.c.s.turns.newTask(p.from.Channel, p.from.To, p.inbound.text, req, p.inbound.lang)
	r.MessageID, r.Files = p.in.MID, p.files()
	turn := &bridgeTurn{d: p.c.s.remote, rec: r, lang: p.inbound.lang, live: p.stream, prefix: p.prefix}
	taken := false
	err := p.c.s.turns.acceptTask(ctx, r, req, turn, func() {
		taken = true
		p.confirmAccepted(ipc.Accepted{Task: r.ID})
	})
	switch {
	case err != nil && taken:
		turn.finish(errorFrame(err))
	case err != nil && err.Code == ipc.CodeSwitchedOff: // a retry would have the same result
		p.replyAndEnd(ipc.StopReplied, err.Message, "")
	case err != nil:
		p.fail(err)
	}
}

// files returns the files that came with the message.
func (p *bridgeResponder) files() (all []task.File) {
	for _, f := range p.in.Files {
		name := chat.ExcerptOf(strings.TrimSpace(ipc.Clean(f.Name)), chat.MaxExcerpt)
		all = append(all, task.File{Name: name, Spool: f.Spool, Problem: chat.ExcerptOf(f.Problem, chat.MaxExcerpt)})
	}
	return all
}

// fail ends a message that was not accepted, so the bridge sends it again.
func (p *bridgeResponder) fail(e *ipc.Error) {
	if e.Code != ipc.CodeInternal {
		e = &ipc.Error{Code: ipc.CodeBusy, Message: e.Message, Hint: e.Hint}
	}
	p.stream.finish(errorFrame(e))
}

// errUnsaved reports a reply that could not be stored in the outbox.
var errUnsaved = errors.New("cannot save the answer")

// replyAndEnd replies to the message and ends it once the reply is on disk.
func (p *bridgeResponder) replyAndEnd(stop, body, markup string) {
	if markup == "" {
		markup = ipc.MarkupMarkdown
	}
	p.send(stop, outbox.Message{Body: p.prefix + body, Markup: markup, Lang: string(p.inbound.lang)})
}

func (p *bridgeResponder) send(stop string, t outbox.Message) {
	t.ID, t.Channel, t.To, t.Session, t.Re = p.replyID(), p.from.Channel, p.from.To, p.from.Key(), p.in.MID
	if !p.c.s.post.Notify(t) {
		p.fail(p.c.s.settings.Failure(errUnsaved, p.inbound.lang))
		return
	}
	p.confirmAccepted(ipc.Accepted{})
	p.endRequest(stop)
}

func (p *bridgeResponder) reply(body string) { p.replyAndEnd(ipc.StopReplied, body, "") }

func (p *bridgeResponder) replyPlain(body string) {
	p.replyAndEnd(ipc.StopReplied, body, ipc.MarkupPlain)
}

// repeatQuestion repeats the open question with its buttons.
func (p *bridgeResponder) repeatQuestion(r approval.Record, body string, whole bool) {
	t := askText(p.from, r, p.prefix+body, whole)
	p.send(ipc.StopReplied, t)
}

func (p *bridgeResponder) ignore() {
	p.confirmAccepted(ipc.Accepted{})
	p.endRequest(ipc.StopIgnored)
}

// confirmLive ends the message. The turn continues and sends its own answer.
func (p *bridgeResponder) confirmLive(w pendingQuestion) {
	p.confirmAccepted(ipc.Accepted{Task: w.a.Task})
	p.endRequest(ipc.StopAnswered)
}

// answerStored carries out the answer. The result is sent once it is known.
func (p *bridgeResponder) answerStored(ctx context.Context, r approval.Record, action string) {
	client := &storedReply{d: p.c.s.post, lang: p.inbound.lang, text: outbox.Message{
		ID: "kept:" + r.ID, Channel: p.from.Channel, To: p.from.To, Session: p.from.Key(), Task: r.Task, Re: p.in.MID,
		Markup: ipc.MarkupMarkdown, Lang: string(p.inbound.lang),
	}}
	a := answerSource{by: p.from.Channel, name: p.from.To, lang: p.inbound.lang, client: client}
	if err := p.c.s.stored.decideStored(ctx, r, action, ipc.Answer{MessageID: p.inbound.id}, a); err != nil {
		p.reply(p.c.s.settings.AnswerFailure(err, p.inbound.lang).Message)
		return
	}
	p.confirmAccepted(ipc.Accepted{Task: r.Task})
	p.endRequest(ipc.StopAnswered)
}

// confirmAccepted confirms to the bridge that it may drop the message. Files without a task are removed.
func (p *bridgeResponder) confirmAccepted(a ipc.Accepted) {
	if a.Task == "" {
		p.c.s.files.removeInboundFiles(p.from.Channel, p.files())
	}
	_ = p.stream.send(ipc.Message{Type: ipc.TypeAccepted}.WithData(a))
}

func (p *bridgeResponder) endRequest(stop string) {
	p.stream.finish(ipc.Message{Type: ipc.TypeResponse, To: p.from.To}.WithData(ipc.Outcome{Session: p.from.Key(), Stop: stop, Lang: string(p.inbound.lang)}))
}
