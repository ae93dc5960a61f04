package daemon

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/approval"
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
	c.originalAnswer(ctx, m, m.Body)
}

// originalAnswer gives text to the confirmation that waits for this sender: the
// only one, or the one whose code it names. Anything that is neither yes nor
// no answers them all with no, and is then a question of its own: a new message
// never counts as yes.
func (c *peerConn) originalAnswer(ctx context.Context, m ipc.Message, text string) {
	c.expireKept()
	lang := c.language()
	if l, ok := i18n.Detect(text); ok && m.Type == ipc.TypeMessage {
		lang = l
	}
	waiting := c.approvals.Of(session.Key(agentID, originalChannel, m.From))
	target, choice := named(waiting, text)
	action, clear := originalChoice(choice)
	clear = clear || m.Type == ipc.TypeAction
	switch {
	case len(waiting) == 0:
		c.originalLate(ctx, m, clear, lang)
	case !clear:
		c.takeAsNo(ctx, m, waiting, lang)
	case target == nil:
		_ = c.send(originalReply(m, whichOne(waiting, lang)))
	case action != ipc.ActionReject && !target.Whole:
		_ = c.send(originalReply(m, i18n.AskNotHere.In(lang, target.Ask.Code)))
	default:
		c.originalDecide(ctx, m, *target, action, lang)
	}
}

// named returns the approval that a text is about, nil when that is not clear,
// and what it says without the code.
func named(waiting []approval.Record, text string) (*approval.Record, string) {
	codes := make([]string, len(waiting))
	for i, r := range waiting {
		codes[i] = r.Ask.Code
	}
	if code, ok := approval.FindCode(text, codes); ok {
		i := slices.Index(codes, code)
		words := slices.DeleteFunc(strings.Fields(text), func(w string) bool {
			_, is := approval.FindCode(w, []string{code})
			return is
		})
		return &waiting[i], strings.Join(words, " ")
	}
	if len(waiting) == 1 {
		return &waiting[0], text
	}
	return nil, text
}

// whichOne asks which of several a bare answer is for.
func whichOne(waiting []approval.Record, lang i18n.Lang) string {
	rows := []string{i18n.WhichOne.In(lang)}
	for _, r := range waiting {
		command, _, _ := strings.Cut(ipc.VisibleLine(r.Judged().Command()), "\n")
		rows = append(rows, r.Ask.Code+": "+excerptOf(command, maxExcerpt))
	}
	return strings.Join(append(rows, i18n.WhichOneReply.In(lang, waiting[0].Ask.Code)), "\n")
}

// originalLate serves a sender for whom nothing waits: a bare answer to what
// expired is told so, anything else is a question.
func (c *peerConn) originalLate(ctx context.Context, m ipc.Message, clear bool, lang i18n.Lang) {
	s, late := c.approvals.LateIn(session.Key(agentID, originalChannel, m.From))
	switch {
	case clear && late:
		_ = c.send(originalReply(m, lateText(s, lang)))
	case m.Type == ipc.TypeAction:
		_ = c.send(originalReply(m, i18n.NothingToAnswer.In(lang)))
	default:
		c.originalTurn(ctx, m, "")
	}
}

// takeAsNo answers all that waits with no; the message is a question.
func (c *peerConn) takeAsNo(ctx context.Context, m ipc.Message, waiting []approval.Record, lang i18n.Lang) {
	for _, r := range waiting {
		w := c.askedOf(m.From)
		if w.a == nil || w.a.ID != r.ID {
			if err := c.decideKept(ctx, r, ipc.ActionReject, ipc.Answer{}, c.sender(m, lang, nobody{})); err != nil {
				c.o.Log.Warn().Err(err).Msg("cannot take a new message as no")
			}
			continue
		}
		if c.approvals.Resolve(w.a, ipc.ActionReject, ipc.Answer{}, originalChannel) == nil {
			c.clearAsked(m.From, w.a.ID)
			c.consume(w.turn, func(said) {})
		}
	}
	c.originalTurn(ctx, m, i18n.TakenAsNo.In(lang)+"\n")
}

func (c *peerConn) sender(m ipc.Message, lang i18n.Lang, cl client) answered {
	return answered{by: originalChannel, name: m.From, lang: lang, client: cl}
}

// originalDecide carries out a clear answer.
func (c *peerConn) originalDecide(ctx context.Context, m ipc.Message, r approval.Record, action string, lang i18n.Lang) {
	if w := c.askedOf(m.From); w.a != nil && w.a.ID == r.ID {
		if err := c.approvals.Resolve(w.a, action, ipc.Answer{}, originalChannel); err != nil {
			_ = c.send(originalReply(m, c.answerFailure(err, lang).Message))
			return
		}
		c.clearAsked(m.From, w.a.ID)
		c.deliver(m, w.turn, "")
		return
	}
	turn := c.newOriginalTurn(m.From, lang)
	c.deliver(m, turn, "")
	c.serving.Go(func() { // a denial speaks at once, before it returns
		if err := c.decideKept(ctx, r, action, ipc.Answer{}, c.sender(m, lang, turn)); err != nil {
			turn.finish(errorFrame(c.answerFailure(err, lang)))
		}
	})
}

// originalChoice reads an answer: the id of an action, or words.
func originalChoice(text string) (action string, clear bool) {
	switch strings.TrimSpace(text) {
	case ipc.ActionAllowOnce, ipc.ActionAllowSession, ipc.ActionReject:
		return strings.TrimSpace(text), true
	}
	switch i18n.ParseAnswer(text) {
	case i18n.Yes:
		return ipc.ActionAllowOnce, true
	case i18n.Session:
		return ipc.ActionAllowSession, true
	case i18n.No:
		return ipc.ActionReject, true
	}
	return ipc.ActionReject, false
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
			text := outbox.Text{Channel: originalChannel, To: m.From, Body: r.Body}
			if err := c.send(r); err != nil {
				c.notify(text)
				return
			}
			text.ID = "r" + randomHex(8)
			c.sent(text)
		case <-timer.C:
			_ = c.send(originalReply(m, i18n.StillWorking.In(turn.lang)))
			c.owed.Done()
			c.toldLater(turn, func(s said) { c.tellSender(m.From, s.body) })
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
func (d *Daemon) tellSender(from, body string) {
	d.notify(outbox.Text{Channel: originalChannel, To: from, Session: session.Key(agentID, originalChannel, from), Body: body})
}

// asked is the confirmation that waits for an original sender. There is at
// most one, because a sender's messages are worked on one after the other.
type asked struct {
	a    *approval.Approval
	turn *originalTurn
}

// askedOf returns what waits for a sender, on whatever connection: a bridge
// may reconnect between a question and its answer.
func (d *Daemon) askedOf(from string) asked {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[from]
}

func (d *Daemon) setAsked(from string, w asked) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked[from] = w
}

// clearAsked forgets an answered confirmation, but not a newer one.
func (d *Daemon) clearAsked(from, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.asked[from]; w.a != nil && w.a.ID == id {
		delete(d.asked, from)
	}
}

// said is one thing a turn says to an original peer.
type said struct {
	body    string
	actions []string
	// delivered is closed when the peer has it. The turn waits for that, so
	// that answers of one sender leave in the order of its messages.
	delivered chan struct{}
}

func (d *Daemon) newOriginalTurn(from string, lang i18n.Lang) *originalTurn {
	return &originalTurn{d: d, from: from, said: make(chan said), over: make(chan struct{}), lang: lang}
}

// originalTurn is the client side of an original peer's message.
type originalTurn struct {
	d    *Daemon
	from string
	said chan said
	lang i18n.Lang
	once sync.Once
	// over is closed when the next daemon goes on with the turn; whoever waits
	// for it then is told the farewell.
	over     chan struct{}
	farewell string
}

// canAsk: a bridge shows the question and brings the answer back, now or on
// its next connection.
func (t *originalTurn) canAsk() bool { return true }

// ask shows the question. A command that is too long for a chat is shown in
// part and cannot be approved there, but anywhere else.
func (t *originalTurn) ask(a *approval.Approval, question string) bool {
	body, whole := chatAsk(question, a.Ask, t.lang)
	choices := []string{ipc.ActionAllowOnce, ipc.ActionReject}
	if !whole {
		choices = choices[1:]
		if err := t.d.approvals.Shown(a, false); err != nil {
			return false
		}
	}
	t.d.setAsked(t.from, asked{a, t})
	t.say(body, choices...)
	return true
}

// say hands something to the request that waits for it. There always is one,
// or the outbox.
func (t *originalTurn) say(body string, actions ...string) {
	s := said{body, actions, make(chan struct{})}
	t.said <- s
	<-s.delivered
}

// resolved: when the answer did not come from the sender itself, no request
// of its waits for what the turn says next, so that is kept to be polled.
func (t *originalTurn) resolved(id string, r ipc.Resolved) {
	t.d.clearAsked(t.from, id)
	if r.By != originalChannel {
		prefix := ""
		if !slices.Contains([]string{byTimeout, byCancel, byDisconnect}, r.By) {
			prefix = i18n.AnsweredElsewhere.In(t.lang, r.By) + "\n"
		}
		t.d.consume(t, func(s said) { t.d.tellSender(t.from, prefix+s.body) })
	}
}

func (t *originalTurn) delta(string) {}

func (t *originalTurn) tool(ipc.Tool) {}

// finish always ends with somebody: a request of the sender's, or the outbox.
func (t *originalTurn) finish(m ipc.Message) (told bool) {
	t.once.Do(func() {
		body := m.Body
		if m.Error != nil {
			body = i18n.OriginalError.In(t.lang, m.Error.Message)
			if m.Error.Hint != "" {
				body += "\n" + m.Error.Hint
			}
		}
		t.say(bounded(chatText(body), t.lang))
	})
	return true
}

func (t *originalTurn) left(m ipc.Message) {
	t.once.Do(func() {
		t.farewell = i18n.OriginalError.In(t.lang, answerOf(m))
		close(t.over)
	})
}

// gone: an original peer is never gone; its answer waits in the outbox.
func (t *originalTurn) gone() <-chan struct{} { return nil }

func (t *originalTurn) is(*peerConn, string) bool { return false }
