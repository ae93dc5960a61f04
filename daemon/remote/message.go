package remote

import (
	"context"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/files"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// maxMessageID bounds a channel's id of a message, maxMessageText its words, in bytes.
	maxMessageID   = 256
	maxMessageText = 64 << 10
)

// Request is a request of a bridge.
type Request struct {
	ipc.Message
	Lang i18n.Lang // of the connection
	// Channel is the bridge's. A sender of another one cannot be named.
	Channel string
	// Stream returns where the frames that answer the request go. It is called once.
	Stream func(lang i18n.Lang) Stream
}

// Stream takes the frames that answer a request.
type Stream interface {
	turns.Client
	Send(m ipc.Message) error
}

// Message serves a sender's message. A message is accepted only once, even if the daemon or the bridge crashed in
// between. The bridge may drop it once it is accepted. It returns why the request is refused, or nil.
func (rm *Remote) Message(ctx context.Context, r Request) *ipc.Error {
	var l ipc.InboundMessage
	err := r.Decode(&l)
	from := addressIn(r.Channel, r.From)
	if err != nil || l.MID == "" || len(l.MID) > maxMessageID || strings.ContainsFunc(l.MID, ipc.Unprintable) || len(l.Files) > ipc.MaxInboundFiles {
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.BridgeBadSender.In(r.Lang)}
	}
	if e := rm.checkSender(r, from); e != nil {
		return e
	}
	rm.life.MarkVisited()
	taking := rm.channelLocks[r.Channel]
	taking.Lock()
	defer taking.Unlock()
	if p := rm.newBridgeResponder(r, from, l); !p.endDuplicate() {
		p.process(ctx)
	}
	return nil
}

// addressIn returns the address of a sender: a person, or a person in a room. It returns "" for any other text.
func addressIn(channel, from string) string {
	person, room, inRoom := strings.Cut(from, "@")
	if pairing.SenderIn(channel, person) == "" || inRoom && pairing.SenderIn(channel, room) == "" {
		return ""
	}
	return from
}

// personOf returns the address of a person's direct messages.
func personOf(from post.Address) post.Address {
	from.To, _ = ipc.SplitRoom(from.To)
	return from
}

// checkSender returns why a sender may not write, or nil. It logs each message of others and sends them no reply.
func (rm *Remote) checkSender(r Request, from string) *ipc.Error {
	admitted, err := rm.Pairings.mayWrite(r.Channel, from)
	switch {
	case err != nil:
		return rm.settings.Failure(err, r.Lang)
	case !admitted:
		rm.logRefused(r.Channel, r.From)
		return &ipc.Error{Code: ipc.CodeDenied, Message: i18n.BridgeNotPaired.In(r.Lang)}
	}
	return nil
}

// logRefused logs a message of a sender who may not write.
func (rm *Remote) logRefused(channel, from string) {
	rm.log.Info().Str("channel", channel).Str("sender", chat.ExcerptOf(ipc.VisibleLine(from), chat.MaxExcerpt)).Msg("sender not allowed")
}

// bridgeResponder replies to a message that came over a bridge. Replies go to the outbox, with an id that is the same
// if the message comes again.
type bridgeResponder struct {
	rm      *Remote
	m       ipc.Message
	in      ipc.InboundMessage
	from    post.Address
	inbound *inboundMessage
	stream  Stream
	prefix  string // prefix of the next reply
}

func (rm *Remote) newBridgeResponder(r Request, from string, in ipc.InboundMessage) *bridgeResponder {
	text := strings.TrimSpace(ipc.Clean(r.Body))
	lang := r.Lang
	if l, ok := i18n.Detect(text); ok {
		lang = l
	}
	words, had := i18n.WithoutPrefix(text)
	p := &bridgeResponder{rm: rm, m: r.Message, in: in, from: post.Address{Channel: r.Channel, To: from}, stream: r.Stream(lang)}
	p.inbound = &inboundMessage{
		from: p.from, text: words, isText: true, lang: lang, canAnswer: !in.Forwarded && !in.Early, early: in.Early,
		id: p.from.Channel + ":" + p.from.To + ":" + in.MID, responder: p,
		unprefixed: !had && rm.requiresPrefix() && !i18n.IsReset(words),
	}
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
	id, known := p.rm.turns.ByMessageID(p.from.Channel, p.from.To, p.in.MID)
	if !known && !p.rm.approvals.HasMessage(p.inbound.id) && !p.rm.post.Outbox.IsKnown(p.replyID()) {
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
		p.rm.handleInbound(ctx, l)
	}
}

// isAnswer reports whether a text is a bare yes or no.
func isAnswer(text string) bool {
	_, clear := parseChoice(text)
	return clear
}

// Cancel stops the sender's tasks and rejects their open questions.
func (p *bridgeResponder) cancel(ctx context.Context) {
	n := p.rm.turns.CancelSender(p.from.Channel, p.from.To)
	waiting := p.rm.approvals.InConversation(p.from.Key(), "")
	for _, r := range waiting {
		if r.Automation != "" {
			continue
		}
		a := turns.AnswerSource{By: p.from.Channel, Name: p.from.To, Lang: p.inbound.lang, Client: turns.NoClient{}}
		if err := p.rm.turns.Stored.Decide(ctx, r, ipc.ActionReject, ipc.Answer{}, a); err != nil {
			p.rm.log.Warn().Err(err).Msg("cannot reject approval")
			continue
		}
		n++
	}
	switch {
	case n > 0:
		p.replyAndEnd(ipc.StopCancelled, i18n.BridgeCancelled.In(p.inbound.lang), "")
	case len(waiting) > 0 && isAnswer(p.inbound.text): // an automation's question
		p.rm.handleInbound(ctx, p.inbound)
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
		if err := p.rm.turns.Reset("", p.from.Channel, p.from.To); err != nil {
			p.fail(p.rm.settings.Failure(err, l.lang))
			return
		}
		p.replyAndEnd(ipc.StopReset, i18n.ResetDone.In(l.lang), "")
		return
	}
	if answer, ok := p.rm.rules.SnoozeReply(p.from.Channel, p.from.To, l.text, l.lang); ok {
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
	most := p.rm.questionsPerMinute()
	over, news := p.rm.limiter.take(personOf(p.from), most)
	switch {
	case over && news:
		p.replyAndEnd(ipc.StopLimited, i18n.BridgeLimited(most).In(p.inbound.lang), "")
		return
	case over:
		p.confirmAccepted(ipc.Accepted{})
		p.endRequest(ipc.StopLimited)
		return
	}
	req := ipc.Request{Files: p.in.Files}
	r := p.rm.turns.NewTask(p.from.Channel, p.from.To, p.inbound.text, req, p.inbound.lang)
	r.MessageID = p.in.MID
	turn := &bridgeTurn{d: p.rm, rec: r, lang: p.inbound.lang, live: p.stream, prefix: p.prefix}
	taken := false
	err := p.rm.turns.Accept(ctx, r, req, turn, func() {
		taken = true
		p.confirmAccepted(ipc.Accepted{Task: r.ID})
	})
	switch {
	case err != nil && taken:
		turn.Finish(turns.ErrorFrame(err))
	case err != nil && err.Code == ipc.CodeSwitchedOff: // a retry would have the same result
		p.replyAndEnd(ipc.StopReplied, err.Message, "")
	case err != nil:
		p.fail(err)
	}
}

// questionsPerMinute returns how many questions a sender may ask.
func (rm *Remote) questionsPerMinute() int {
	if rt := rm.settings.Current(); rt != nil {
		return rt.Remote.QuestionsPerMinute()
	}
	return settings.RemotePolicy{}.QuestionsPerMinute()
}

// getsResultOnly reports whether an answer to a stored question runs its command without asking the model: a yes counts
// as a question of the sender, because the model continues after it.
func (rm *Remote) getsResultOnly(r approval.Record, from post.Address, action string) bool {
	return action != ipc.ActionReject && r.Automation == "" && rm.limiter.takeSilently(personOf(from), rm.questionsPerMinute())
}

// Fail ends a message that was not accepted, so the bridge sends it again.
func (p *bridgeResponder) fail(e *ipc.Error) {
	if e.Code != ipc.CodeInternal {
		e = &ipc.Error{Code: ipc.CodeBusy, Message: e.Message, Hint: e.Hint}
	}
	p.stream.Finish(turns.ErrorFrame(e))
}

// replyAndEnd replies to the message and ends it once the reply is on disk.
func (p *bridgeResponder) replyAndEnd(stop, body, markup string) {
	if markup == "" {
		markup = ipc.MarkupMarkdown
	}
	p.send(stop, outbox.Message{Body: p.prefix + body, Markup: markup, Lang: string(p.inbound.lang)})
}

func (p *bridgeResponder) send(stop string, t outbox.Message) {
	t.ID, t.Channel, t.To, t.Session, t.Re = p.replyID(), p.from.Channel, p.from.To, p.from.Key(), p.in.MID
	if !p.rm.post.Notify(t) {
		p.fail(p.rm.settings.Failure(files.ErrUnsaved, p.inbound.lang))
		return
	}
	p.confirmAccepted(ipc.Accepted{})
	p.endRequest(stop)
}

func (p *bridgeResponder) reply(body string) { p.replyAndEnd(ipc.StopReplied, body, "") }

func (p *bridgeResponder) replyPlain(body string) {
	p.replyAndEnd(ipc.StopReplied, body, ipc.MarkupPlain)
}

// RepeatQuestion repeats the open question with its buttons.
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
	client := &storedReply{d: p.rm.post, lang: p.inbound.lang, text: outbox.Message{
		ID: "kept:" + r.ID, Channel: p.from.Channel, To: p.from.To, Session: p.from.Key(), Task: r.Task, Re: p.in.MID,
		Markup: ipc.MarkupMarkdown, Lang: string(p.inbound.lang),
	}}
	a := turns.AnswerSource{
		By: p.from.Channel, Name: p.from.To, Lang: p.inbound.lang, Client: client, ResultOnly: p.rm.getsResultOnly(r, p.from, action),
	}
	if err := p.rm.turns.Stored.Decide(ctx, r, action, ipc.Answer{MessageID: p.inbound.id}, a); err != nil {
		p.reply(p.rm.settings.AnswerFailure(err, p.inbound.lang).Message)
		return
	}
	p.confirmAccepted(ipc.Accepted{Task: r.Task})
	p.endRequest(ipc.StopAnswered)
}

// confirmAccepted confirms to the bridge that it may drop the message. Files without a task are removed.
func (p *bridgeResponder) confirmAccepted(a ipc.Accepted) {
	if a.Task == "" {
		p.rm.files.RemoveInboundFiles(p.from.Channel, turns.AttachedFiles(p.in.Files))
	}
	_ = p.stream.Send(ipc.Message{Type: ipc.TypeAccepted}.WithData(a))
}

func (p *bridgeResponder) endRequest(stop string) {
	p.stream.Finish(ipc.Message{Type: ipc.TypeResponse, To: p.from.To}.WithData(ipc.Outcome{Session: p.from.Key(), Stop: stop, Lang: string(p.inbound.lang)}))
}
