package daemon

import (
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// originalFrom is a sender of the original protocol.
func originalFrom(name string) address { return address{originalChannel, name} }

// said is one thing a turn says to an original peer.
type said struct {
	id       string // the same however often it is said; "" for none
	body     string
	actions  []string
	approval string // the code of what it asks about; "" for nothing
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
	task string // whose end it is told of; set by then
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
	body, whole := chatAsk(question, a.Ask, t.lang, false)
	if !whole {
		if err := t.d.approvals.Shown(a, false); err != nil {
			return false
		}
	}
	t.d.setAsked(originalFrom(t.from), asked{a, t})
	t.say(said{id: "ask:" + a.ID, body: body, actions: afarActions(whole), approval: a.Ask.Code})
	return true
}

// say hands something to the request that waits for it. There always is one,
// or the outbox.
func (t *originalTurn) say(s said) {
	s.delivered = make(chan struct{})
	t.said <- s
	<-s.delivered
}

// resolved: when the answer did not come from the sender itself, no request
// of its waits for what the turn says next, so that is kept to be polled.
func (t *originalTurn) resolved(id string, r ipc.Resolved) {
	t.d.clearAsked(originalFrom(t.from), id)
	if r.By != originalChannel {
		prefix := ""
		if !slices.Contains([]string{byTimeout, byCancel, byDisconnect}, r.By) {
			prefix = i18n.AnsweredElsewhere.In(t.lang, r.By) + "\n"
		}
		t.d.consume(t, func(s said) {
			s.body = prefix + s.body
			t.d.tellSender(t.from, s)
		})
	}
}

func (t *originalTurn) hush() { t.d.consume(t, func(said) {}) }

func (t *originalTurn) delta(string) {}

func (t *originalTurn) tool(ipc.Tool) {}

func (t *originalTurn) looksOn() bool { return false }

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
		t.say(said{id: taskText(t.task), body: bounded(chatText(body), t.lang)})
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
