package remote

import (
	"context"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Press handles a confirmation's button in a chat. It only counts for the sender who was asked there, and for
// exactly the command that was shown. It returns the text that confirms it, or why it is refused.
func (rm *Remote) Press(ctx context.Context, r Request) (string, *ipc.Error) {
	var data ipc.Answer
	if err := r.Decode(&data); err != nil {
		return "", &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrNotMessage(err).In(r.Lang)}
	}
	from := post.Address{Channel: r.Channel, To: addressIn(r.Channel, r.From)}
	if e := rm.checkSender(r, from.To); e != nil {
		return "", e
	}
	if data.Digest == "" || data.Code == "" {
		return "", &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.BridgeNoDigest.In(r.Lang)}
	}
	rm.life.MarkVisited()
	taking := rm.channelLocks[r.Channel]
	taking.Lock()
	defer taking.Unlock()
	rm.turns.Stored.Expire()
	if err := rm.applyPress(ctx, from, r.Action, data); err != nil {
		return "", rm.explainPress(err, from, data, r.Lang)
	}
	text := i18n.BridgeAllowed
	if r.Action == ipc.ActionReject {
		text = i18n.BridgeDenied
	}
	return text.In(r.Lang), nil
}

// applyPress carries out the answer of a button.
func (rm *Remote) applyPress(ctx context.Context, from post.Address, action string, data ipc.Answer) error {
	data.Command, data.MessageID = "", ""
	w := rm.questions.get(from)
	if w.a != nil && w.a.Ask.Code == approval.NormalCode(data.Code) {
		if action != ipc.ActionReject && !w.a.Whole {
			return settings.ErrNotHere
		}
		if err := rm.approvals.Resolve(w.a, action, data, from.Channel); err != nil {
			return err
		}
		rm.questions.clear(from, w.a.ID)
		return nil
	}
	r, err := rm.approvals.Stored(data.Code)
	switch {
	case err != nil:
		return err
	case !r.IsAskedIn(from.Key()):
		return settings.ErrOtherChannel
	case action != ipc.ActionReject && !r.Whole:
		return settings.ErrNotHere
	}
	a := turns.AnswerSource{
		By: from.Channel, Name: from.To, Lang: r.Language(), Client: turns.NoClient{}, ResultOnly: rm.getsResultOnly(r, from, action),
	}
	if action != ipc.ActionReject {
		a.Client = &storedReply{d: rm.post, lang: a.Lang, text: outbox.Message{
			ID: "kept:" + r.ID, Channel: from.Channel, To: from.To, Session: from.Key(), Task: r.Task, Markup: ipc.MarkupMarkdown, Lang: string(a.Lang),
		}}
	}
	return rm.turns.Stored.Decide(ctx, r, action, data, a)
}

// explainPress returns why a button had no effect. If the question is over, that includes how it ended.
func (rm *Remote) explainPress(err error, from post.Address, data ipc.Answer, lang i18n.Lang) *ipc.Error {
	if s, ok := rm.approvals.FindOutcome("", data.Code); ok && s.Channel == from.Channel && s.Session == from.Key() {
		return &ipc.Error{Code: ipc.CodeExpired, Message: turns.LateText(s, lang)}
	}
	return rm.settings.AnswerFailure(err, lang)
}
