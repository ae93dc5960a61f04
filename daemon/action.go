package daemon

import (
	"context"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// action serves a hello peer's action.
func (c *peerConn) action(ctx context.Context, m ipc.Message) {
	switch m.Action {
	case ipc.ActionPing:
		c.ok(m, "pong")
	case ipc.ActionStop:
		c.ok(m, "ok")
		c.s.life.RequestStop()
	case ipc.ActionReload:
		if err := c.s.settings.Reload(); err != nil {
			c.fail(m, c.s.settings.Failure(err, c.language()))
			return
		}
		c.ok(m, "ok")
	case ipc.ActionReset:
		c.resetSession(m)
	case ipc.ActionDeleteSession:
		c.deleteSession(m)
	case ipc.ActionRemember, ipc.ActionForget, ipc.ActionRefreshMemory, ipc.ActionClearMemory, ipc.ActionImportMemory:
		c.noteAction(ctx, m)
	case ipc.ActionAutomationRun, ipc.ActionAutomationAdd, ipc.ActionAutomationChange, ipc.ActionAutomationRemove, ipc.ActionAutomationEnable,
		ipc.ActionAutomationDisable, ipc.ActionAutomationSnooze:
		c.automationAction(ctx, m)
	case ipc.ActionPairingAsk, ipc.ActionPairingApprove, ipc.ActionPairingDeny, ipc.ActionPairingRemove:
		c.pairingAction(m)
	case ipc.ActionPollNotifications:
		c.poll(m)
	case ipc.ActionAck:
		c.acknowledge(m)
	case ipc.ActionAllowOnce, ipc.ActionAllowSession, ipc.ActionEdit, ipc.ActionReject:
		c.answer(ctx, m)
	default:
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrUnknownType(m.Action))
	}
}

func (c *peerConn) resetSession(m ipc.Message) {
	if strings.ContainsFunc(m.Session, ipc.Unprintable) {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrSessionName)
		return
	}
	if err := c.s.turns.reset(c.hello.Channel, sessionName(m)); err != nil {
		c.fail(m, c.s.settings.Failure(err, c.language()))
		return
	}
	c.ok(m, i18n.ResetDone.In(c.language()))
}

// reset starts a new conversation and ends the grants of the old one.
func (ts *Turns) reset(channel, name string) error {
	rt, err := ts.settings.CurrentRuntime()
	if err != nil {
		return err
	}
	key := session.Key(post.AgentID, channel, name)
	if err := ts.approvals.EndGrants(key); err != nil {
		return err
	}
	return rt.Sessions.Reset(key)
}

func (c *peerConn) poll(m ipc.Message) {
	c.servePoll(c.hello.Channel, nil, func(ns []ipc.Notification) error {
		return c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Notifications: ns})
	})
}

// mayAnswer reports whether a client may answer an ask. Local clients may answer all of them, others only those of
// their own conversation.
func (c *peerConn) mayAnswer(m ipc.Message, ask ipc.Ask) bool {
	channel := c.hello.Channel
	if slices.Contains(post.AtTheMachine, channel) {
		return true
	}
	return ask.Channel == channel && ask.Session == session.Key(post.AgentID, channel, sessionName(m))
}
