package daemon

import (
	"context"
	"errors"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/settings"
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
	a := c.s.turns.approvals.ByID(m.Re)
	if a == nil && data.Code != "" {
		a = c.s.turns.approvals.ByCode(data.Code)
	}
	var err error
	switch {
	case a != nil && !c.mayAnswer(m, a.Ask):
		err = settings.ErrOtherChannel
	case a != nil:
		if err = c.s.turns.approvals.Resolve(a, m.Action, data, c.hello.Channel); err == nil {
			c.ok(m, m.Action)
		}
	case data.Code == "":
		err = approval.ErrNotWaiting
	default:
		err = c.answerStored(ctx, m, data)
	}
	if err != nil {
		c.fail(m, c.explainMiss(err, m, data))
	}
}

// explainMiss returns why an answer did not count. If it came too late, that includes how the question ended.
func (c *peerConn) explainMiss(err error, m ipc.Message, data ipc.Answer) *ipc.Error {
	lang := c.language()
	if errors.Is(err, approval.ErrNotWaiting) {
		if s, ok := c.s.turns.approvals.FindOutcome(m.Re, data.Code); ok && c.mayAnswer(m, ipc.Ask{Channel: s.Channel, Session: s.Session}) {
			return &ipc.Error{Code: ipc.CodeExpired, Message: lateText(s, lang)}
		}
	}
	return c.s.settings.AnswerFailure(err, lang)
}

// lateText describes how a question ended, for a late answer.
func lateText(s approval.Outcome, lang i18n.Lang) string {
	at := s.At.Local().Format("01-02 15:04")
	switch s.Action {
	case approval.Expired:
		return i18n.LateExpired(s.Code, at, s.Command).In(lang)
	case ipc.ActionReject:
		return i18n.LateDenied(s.Code, at, i18n.ChannelName(s.By, lang), s.Command).In(lang)
	case ipc.ActionAllowOnce, ipc.ActionAllowSession, ipc.ActionEdit:
		return i18n.LateAllowed(s.Code, at, i18n.ChannelName(s.By, lang), s.Command).In(lang)
	}
	return i18n.LateCancelled(s.Code, at, s.Command).In(lang)
}
