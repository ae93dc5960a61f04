package remote

import (
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// originalAddress returns the address of a sender of the original protocol.
func originalAddress(name string) post.Address {
	return post.Address{Channel: post.OriginalChannel, To: name}
}

// turnMessage is one message of a turn to an original peer.
type turnMessage struct {
	id       string // the same for each repetition, "" for none
	body     string
	actions  []string
	approval string // code of the approval it asks for, or ""
	// delivered is closed when the peer has it. The turn waits for that, so that the answers to a sender leave in
	// the order of the messages.
	delivered chan struct{}
}

func (rm *Remote) newOriginalTurn(from string, lang i18n.Lang) *originalTurn {
	return &originalTurn{d: rm, from: from, messages: make(chan turnMessage), closed: make(chan struct{}), lang: lang}
}

// originalTurn is the client of an original peer's message.
type originalTurn struct {
	d        *Remote
	from     string
	task     string // set before finish, for the id of the answer
	messages chan turnMessage
	lang     i18n.Lang
	once     sync.Once
	// closed signals that the turn is left to the next daemon. A waiting request then gets the farewell.
	closed   chan struct{}
	farewell string
}

// CanAsk is always true: a bridge shows the question and forwards the answer, now or on its next connection.
func (t *originalTurn) CanAsk() bool { return true }

// Ask shows the question. A command that is too long for a chat is shown in part and must be approved elsewhere.
func (t *originalTurn) Ask(a *approval.Approval, question string) bool {
	body, whole := chat.Ask(question, a.Ask, t.lang, chat.Place{})
	if !whole {
		if err := t.d.approvals.MarkShown(a, false); err != nil {
			return false
		}
	}
	t.d.questions.set(originalAddress(t.from), pendingQuestion{a, t})
	t.send(turnMessage{id: "ask:" + a.ID, body: body, actions: chat.Actions(whole), approval: a.Ask.Code})
	return true
}

// Send passes a message to the waiting request. There always is one, or a goroutine that puts it into the outbox.
func (t *originalTurn) send(s turnMessage) {
	s.delivered = make(chan struct{})
	t.messages <- s
	<-s.delivered
}

// SendResolved redirects the turn's next message to the outbox if the sender did not answer itself, because then none
// of its requests waits.
func (t *originalTurn) SendResolved(id string, r ipc.Resolved) {
	t.d.questions.clear(originalAddress(t.from), id)
	if r.By != post.OriginalChannel {
		prefix := ""
		if !slices.Contains([]string{turns.ByTimeout, turns.ByCancel, turns.ByDisconnect}, r.By) {
			prefix = i18n.AnsweredElsewhere(r.By).In(t.lang) + "\n"
		}
		t.d.handleNext(t, func(s turnMessage) {
			s.body = prefix + s.body
			t.d.queueForSender(t.from, s)
		})
	}
}

func (t *originalTurn) Mute() { t.d.handleNext(t, func(turnMessage) {}) }

func (t *originalTurn) SendDelta(string) {}

func (t *originalTurn) SendTool(ipc.Tool) {}

func (t *originalTurn) WantsOutput() bool { return false }

func (t *originalTurn) ShowsSteps() bool { return false }

// Finish always delivers: to a request of the sender, or to the outbox.
func (t *originalTurn) Finish(m ipc.Message) (delivered bool) {
	t.once.Do(func() {
		body := m.Body
		if m.Error != nil {
			body = i18n.OriginalError(m.Error.Message).In(t.lang)
			if m.Error.Hint != "" {
				body += "\n" + m.Error.Hint
			}
		}
		t.send(turnMessage{id: turns.AnswerID(t.task), body: chat.BoundBody(chat.Text(body), t.lang)})
	})
	return true
}

func (t *originalTurn) Detach(m ipc.Message) {
	t.once.Do(func() {
		t.farewell = i18n.OriginalError(turns.AnswerOf(m)).In(t.lang)
		close(t.closed)
	})
}

// Disconnected returns nil: an original peer never disconnects, its answer waits in the outbox.
func (t *originalTurn) Disconnected() <-chan struct{} { return nil }

func (t *originalTurn) IsRequest(any, string) bool { return false }

func (t *originalTurn) SetTask(id string) { t.task = id }
