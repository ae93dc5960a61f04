package remote

import (
	"slices"
	"sync/atomic"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// bridgeTurn is the client of a task from a bridge. Answers go to the outbox, whether the bridge is connected or
// not. Progress frames, which may be lost, go over the connection that the message came by while it is open.
type bridgeTurn struct {
	d    *Remote
	rec  task.Record
	lang i18n.Lang
	// live is that connection's request, nil after a restart.
	live Stream
	// prefix is the prefix of the next reply.
	prefix string
	muted  atomic.Bool
}

func (t *bridgeTurn) to() post.Address { return post.Address{Channel: t.rec.Channel, To: t.rec.Name} }

// CanAsk is always true: the question waits in the outbox, and the answer comes as a separate message.
func (t *bridgeTurn) CanAsk() bool { return true }

// Ask puts the question into the outbox. A command that a chat cannot show completely is shown in part and must be
// approved elsewhere.
func (t *bridgeTurn) Ask(a *approval.Approval, question string) bool {
	body, whole := chat.Ask(question, a.Ask, t.lang, placeOf(t.to().Channel))
	if !whole {
		if err := t.d.approvals.MarkShown(a, false); err != nil {
			return false
		}
	}
	t.d.questions.set(t.to(), pendingQuestion{a, t})
	text := askText(t.to(), a.Record, t.prefix+body, whole)
	text.Re, t.prefix = t.rec.MessageID, ""
	return t.d.post.Notify(text)
}

// placeOf returns how a channel's chats show a question.
func placeOf(channel string) chat.Place {
	return chat.Place{Fenced: chat.NeedsFences(channel), Pages: channel != post.OriginalChannel}
}

// SendResolved withdraws a question that was not fetched yet. The next reply says where it was answered.
func (t *bridgeTurn) SendResolved(id string, r ipc.Resolved) {
	t.d.questions.clear(t.to(), id)
	if err := t.d.post.Outbox.Remove([]string{"ask:" + id}); err != nil {
		t.d.log.Warn().Err(err).Msg("cannot withdraw question")
	}
	if r.By != t.rec.Channel && !slices.Contains([]string{turns.ByTimeout, turns.ByCancel, turns.ByDisconnect}, r.By) {
		t.prefix = i18n.AnsweredElsewhere(r.By).In(t.lang) + "\n"
	}
}

func (t *bridgeTurn) SendDelta(text string) {
	if t.live != nil {
		t.live.SendDelta(text)
	}
}

func (t *bridgeTurn) SendTool(sendTool ipc.Tool) {
	if t.live != nil {
		t.live.SendTool(sendTool)
	}
}

func (t *bridgeTurn) WantsOutput() bool { return false }

// ShowsSteps is false: a message for each step would be too many, so the answer lists them.
func (t *bridgeTurn) ShowsSteps() bool { return false }

func (t *bridgeTurn) Mute() { t.muted.Store(true) }

// Finish puts the answer into the outbox and ends the request without text.
func (t *bridgeTurn) Finish(m ipc.Message) (delivered bool) {
	rec := t.rec
	rec.Lang = string(t.lang)
	delivered = t.muted.Load() || t.d.turns.QueueAnswerAbout(rec, t.prefix+turns.AnswerOf(m), changeOf(m))
	t.endRequest(outcomeOfFrame(m, t.rec))
	return delivered
}

// changeOf returns the id of the last change that an answer is about, "" for none.
func changeOf(m ipc.Message) string {
	var out ipc.Outcome
	if m.Error != nil || m.Decode(&out) != nil || len(out.Receipts) == 0 {
		return ""
	}
	return out.Receipts[len(out.Receipts)-1]
}

// outcomeOfFrame returns how a turn ended, without the parts that may exceed a line.
func outcomeOfFrame(m ipc.Message, rec task.Record) ipc.Outcome {
	out := ipc.Outcome{Task: rec.ID, Session: rec.Session, Stop: ipc.StopFailed}
	if m.Error != nil {
		out.Why = string(m.Error.Code)
		return out
	}
	_ = m.Decode(&out) // always valid: this program wrote it
	out.Steps, out.Notes, out.Checks = nil, nil, nil
	return out
}

// Detach ends the request. The next daemon resumes the task.
func (t *bridgeTurn) Detach(ipc.Message) {
	t.endRequest(ipc.Outcome{Task: t.rec.ID, Session: t.rec.Session, Stop: ipc.StopHandedOver})
}

func (t *bridgeTurn) endRequest(out ipc.Outcome) {
	if t.live != nil {
		t.live.Finish(ipc.Message{Type: ipc.TypeResponse, To: t.rec.Name}.WithData(out))
	}
}

// Disconnected returns nil: a remote sender never disconnects.
func (t *bridgeTurn) Disconnected() <-chan struct{} { return nil }

func (t *bridgeTurn) IsRequest(conn any, re string) bool {
	return t.live != nil && t.live.IsRequest(conn, re)
}

// storedReply is the client of a plan that was approved over a bridge after its turn had gone on.
type storedReply struct {
	turns.NoClient
	d    *post.Post
	text outbox.Message // complete except for its body
	lang i18n.Lang
}

// SetTask sets the task whose end is reported. The id is the one that the next daemon would use if this one died
// before the delivery is recorded.
func (k *storedReply) SetTask(id string) { k.text.ID, k.text.Task = turns.AnswerID(id), id }

func (k *storedReply) Finish(m ipc.Message) (delivered bool) {
	text := k.text
	text.Body = chat.BoundBody(chat.Text(turns.AnswerOf(m)), k.lang)
	if text.Change = changeOf(m); text.Change != "" {
		text.Actions = []string{ipc.ActionUndo}
	}
	return k.d.Notify(text)
}

// ClientOf returns the client of a task that an earlier daemon accepted from a sender.
func (rm *Remote) ClientOf(r task.Record, lang i18n.Lang) turns.Client {
	if r.Channel != post.OriginalChannel {
		return &bridgeTurn{d: rm, rec: r, lang: lang}
	}
	turn := rm.newOriginalTurn(r.Name, lang)
	rm.handleNext(turn, func(s turnMessage) { rm.queueForSender(turn.from, s) })
	return turn
}

// RepeatQuestion repeats the question of an earlier daemon's task, in case that daemon died before the question was in
// the outbox.
func (rm *Remote) RepeatQuestion(r task.Record) {
	a, err := rm.approvals.Stored(r.Approval)
	if err != nil || !slices.Contains(ipc.Bridged, r.Channel) {
		return
	}
	to := post.Address{Channel: r.Channel, To: r.Name}
	body, whole := chat.Ask(turns.Question(a.Judged(), a.Language()), a.Ask, a.Language(), placeOf(to.Channel))
	if !whole && a.Whole {
		return // it was never shown, not even in part, so it waits for an answer at the machine
	}
	text := askText(to, a, body, whole)
	text.Re = r.MessageID
	rm.post.Notify(text)
}
