package daemon

import (
	"context"
	"strings"
	"sync"
	"time"

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
		c.send(originalReply(m, "pong"))
	case ipc.ActionPollNotifications:
		c.originalPoll(m)
	case ipc.ActionReset:
		if err := c.reset(originalChannel, m.From); err != nil {
			c.fail(m, c.failure(err, c.language()))
			return
		}
		c.send(originalReply(m, i18n.ResetDone.In(c.language())))
	default:
		c.originalAnswer(ctx, m, m.Action)
	}
}

func (c *peerConn) originalPoll(m ipc.Message) {
	err := c.outbox.take(func(ns []ipc.Notification) error {
		r := originalReply(m, "ok")
		r.Notifications = ns
		return c.conn.Write(r)
	})
	if err != nil {
		c.o.Log.Warn().Err(err).Msg("cannot deliver notifications")
	}
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

// originalAnswer gives text to the confirmation that waits for this sender.
// Anything that is neither yes nor no answers it with no, and is then a
// question of its own: a new message never counts as yes.
func (c *peerConn) originalAnswer(ctx context.Context, m ipc.Message, text string) {
	w := c.askedOf(m.From)
	if w.a == nil {
		if m.Type == ipc.TypeAction {
			c.send(originalReply(m, i18n.NothingToAnswer.In(c.language())))
			return
		}
		c.originalTurn(ctx, m, "")
		return
	}
	action, clear := originalChoice(text)
	lang := c.language()
	if l, ok := i18n.Detect(text); ok {
		lang = l
	}
	if action != ipc.ActionReject && !w.whole {
		c.send(originalReply(m, i18n.AskNotHere.In(lang, w.a.code)))
		return
	}
	if err := c.approvals.resolve(w.a, action, ipc.Answer{}, originalChannel); err != nil {
		c.send(originalReply(m, c.answerFailure(err).Message))
		return
	}
	c.clearAsked(m.From, w.a.id)
	if clear || m.Type == ipc.TypeAction {
		c.deliver(m, w.turn, "")
		return
	}
	c.consume(w.turn, func(said) {})
	c.originalTurn(ctx, m, i18n.TakenAsNo.In(lang)+"\n")
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
	turn := &originalTurn{d: c.Daemon, from: m.From, said: make(chan said), lang: c.language()}
	if l, ok := i18n.Detect(m.Body); ok {
		turn.lang = l
	}
	if err := c.submit(ctx, originalChannel, m.From, m.Body, ipc.Request{}, turn, turn.lang); err != nil {
		c.send(originalReply(m, i18n.OriginalError.In(turn.lang, err.Message)))
		return
	}
	c.deliver(m, turn, prefix)
}

// deliver answers a request with the next thing its turn says. When that
// takes too long the request is answered "still working", and what the turn
// says then waits to be polled.
func (c *peerConn) deliver(m ipc.Message, turn *originalTurn, prefix string) {
	leave := c.idle.enter()
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
			if err := c.conn.Write(r); err != nil {
				c.notify(m.From, r.Body)
			}
		case <-timer.C:
			c.send(originalReply(m, i18n.StillWorking.In(turn.lang)))
			c.owed.Done()
			s := <-turn.said
			defer close(s.delivered)
			c.notify(m.From, s.body)
		}
	})
}

// consume does something with the next thing a turn says when no request
// waits for it.
func (d *Daemon) consume(turn *originalTurn, then func(said)) {
	leave := d.idle.enter()
	d.serving.Go(func() {
		defer leave()
		s := <-turn.said
		defer close(s.delivered)
		then(s)
	})
}

func (d *Daemon) notify(to, body string) {
	if err := d.outbox.put(ipc.Notification{To: to, Body: body}); err != nil {
		d.o.Log.Error().Err(err).Msg("a late answer is lost")
		return
	}
	d.events.tell(topicNotifications, to)
}

// asked is the confirmation that waits for an original sender. There is at
// most one, because a sender's messages are worked on one after the other.
type asked struct {
	a     *approval
	turn  *originalTurn
	whole bool // all of the command was shown
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
	if w := d.asked[from]; w.a != nil && w.a.id == id {
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

// originalTurn is the client side of an original peer's message.
type originalTurn struct {
	d    *Daemon
	from string
	said chan said
	lang i18n.Lang
	once sync.Once
}

// canAsk: a bridge shows the question and brings the answer back, now or on
// its next connection.
func (t *originalTurn) canAsk() bool { return true }

// ask shows the question. A command that is too long for a chat is shown in
// part and cannot be approved there, but anywhere else.
func (t *originalTurn) ask(a *approval, question string) bool {
	body, whole := chatAsk(question, a.ask, t.lang)
	choices := []string{ipc.ActionAllowOnce, ipc.ActionReject}
	if !whole {
		choices = choices[1:]
	}
	t.d.setAsked(t.from, asked{a, t, whole})
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
		t.d.consume(t, func(s said) { t.d.notify(t.from, s.body) })
	}
}

func (t *originalTurn) delta(string) {}

func (t *originalTurn) tool(ipc.Tool) {}

func (t *originalTurn) finish(m ipc.Message) {
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
}

// gone: an original peer is never gone; its answer waits in the outbox.
func (t *originalTurn) gone() <-chan struct{} { return nil }

func (t *originalTurn) is(*peerConn, string) bool { return false }
