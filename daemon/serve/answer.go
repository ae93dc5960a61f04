package serve

import (
	"context"
	"errors"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// answer resolves an ask by its id (re) or an approval by its code. The first answer wins.
func (c *peerConn) answer(ctx context.Context, m ipc.Message) {
	var data ipc.Answer
	if err := m.Decode(&data); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	a := c.s.approvals.ByID(m.Re)
	if a == nil && data.Code != "" {
		a = c.s.approvals.ByCode(data.Code)
	}
	var err error
	switch {
	case a != nil && !c.mayAnswer(m, a.Ask):
		err = settings.ErrOtherChannel
	case a != nil:
		if err = c.allows(m.Action, a.Ask); err == nil {
			err = c.s.approvals.Resolve(a, m.Action, data, c.hello.Channel)
		}
		if err == nil {
			c.ok(m, m.Action)
		}
	case data.Code == "":
		err = approval.ErrNotWaiting
	default:
		err = c.answerStored(ctx, m, data)
	}
	if err != nil {
		c.Fail(m, c.explainMiss(err, m, data))
	}
}

// explainMiss returns why an answer did not count. If it came too late, that includes how the question ended.
func (c *peerConn) explainMiss(err error, m ipc.Message, data ipc.Answer) *ipc.Error {
	lang := c.language()
	if errors.Is(err, approval.ErrNotWaiting) {
		if s, ok := c.s.approvals.FindOutcome(m.Re, data.Code); ok && c.mayAnswer(m, ipc.Ask{Channel: s.Channel, Session: s.Session}) {
			return &ipc.Error{Code: ipc.CodeExpired, Message: turns.LateText(s, lang)}
		}
	}
	return c.s.settings.AnswerFailure(err, lang)
}

// answerStored answers an approval that no turn waits for. An invalid answer does not use it up.
func (c *peerConn) answerStored(ctx context.Context, m ipc.Message, data ipc.Answer) error {
	c.s.turns.Stored.Expire()
	r, err := c.s.approvals.Stored(data.Code)
	if err != nil {
		return err
	}
	if !c.mayAnswer(m, r.Ask) && !r.IsAskedIn(post.KeyOf(c.hello.Channel, sessionName(m))) {
		return settings.ErrOtherChannel
	}
	if err := c.allows(m.Action, r.Ask); err != nil {
		return err
	}
	if c.kind()&(gateway|fleet) != 0 {
		return c.gatewayAnswer(ctx, r, m, data)
	}
	a := turns.AnswerSource{By: c.hello.Channel, Lang: c.language(), Client: &actionReply{c: c, re: m}}
	return c.s.turns.Stored.Decide(ctx, r, m.Action, data, a)
}
