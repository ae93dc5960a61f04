package daemon

import (
	"context"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// press handles a confirmation's button in a chat. It only counts for the sender who was asked there, and for
// exactly the command that was shown.
func (c *peerConn) press(ctx context.Context, m ipc.Message) {
	var data ipc.Answer
	if err := m.Decode(&data); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	from := post.Address{Channel: c.hello.Channel, To: senderIn(c.hello.Channel, m.From)}
	if !c.checkSender(m, from.To) {
		return
	}
	if data.Digest == "" || data.Code == "" {
		c.refuse(m, ipc.CodeBadRequest, i18n.BridgeNoDigest)
		return
	}
	c.s.life.MarkVisited()
	taking := c.s.remote.channelLocks[c.hello.Channel]
	taking.Lock()
	defer taking.Unlock()
	c.s.stored.expireStored()
	if err := c.applyPress(ctx, from, m.Action, data); err != nil {
		c.fail(m, c.explainPress(err, from, data))
		return
	}
	text := i18n.BridgeAllowed
	if m.Action == ipc.ActionReject {
		text = i18n.BridgeDenied
	}
	c.ok(m, text.In(c.language()))
}

// applyPress carries out the answer of a button.
func (c *peerConn) applyPress(ctx context.Context, from post.Address, action string, data ipc.Answer) error {
	data.Command, data.MessageID = "", ""
	w := c.s.remote.questions.get(from)
	if w.a != nil && w.a.Ask.Code == approval.NormalCode(data.Code) {
		if action != ipc.ActionReject && !w.a.Whole {
			return settings.ErrNotHere
		}
		if err := c.s.turns.approvals.Resolve(w.a, action, data, from.Channel); err != nil {
			return err
		}
		c.s.remote.questions.clear(from, w.a.ID)
		return nil
	}
	r, err := c.s.turns.approvals.Stored(data.Code)
	switch {
	case err != nil:
		return err
	case !r.IsAskedIn(from.Key()):
		return settings.ErrOtherChannel
	case action != ipc.ActionReject && !r.Whole:
		return settings.ErrNotHere
	}
	a := answerSource{by: from.Channel, name: from.To, lang: langOf(r), client: noClient{}}
	if action != ipc.ActionReject {
		a.client = &storedReply{d: c.s.post, lang: a.lang, text: outbox.Message{
			ID: "kept:" + r.ID, Channel: from.Channel, To: from.To, Session: from.Key(), Task: r.Task, Markup: ipc.MarkupMarkdown, Lang: string(a.lang),
		}}
	}
	return c.s.stored.decideStored(ctx, r, action, data, a)
}

// explainPress returns why a button had no effect. If the question is over, that includes how it ended.
func (c *peerConn) explainPress(err error, from post.Address, data ipc.Answer) *ipc.Error {
	lang := c.language()
	if s, ok := c.s.turns.approvals.FindOutcome("", data.Code); ok && s.Channel == from.Channel && s.Session == from.Key() {
		return &ipc.Error{Code: ipc.CodeExpired, Message: lateText(s, lang)}
	}
	return c.s.settings.AnswerFailure(err, lang)
}
