package daemon

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// action serves a hello peer's action.
func (c *peerConn) action(ctx context.Context, m ipc.Message) {
	switch m.Action {
	case ipc.ActionPing:
		c.ok(m, "pong")
	case ipc.ActionStop:
		c.ok(m, "ok")
		c.leave()
	case ipc.ActionReload:
		if err := c.Reload(); err != nil {
			c.fail(m, c.failure(err, c.language()))
			return
		}
		c.ok(m, "ok")
	case ipc.ActionReset:
		c.resetSession(m)
	case ipc.ActionPollNotifications:
		c.poll(m)
	case ipc.ActionAllowOnce, ipc.ActionAllowSession, ipc.ActionEdit, ipc.ActionReject:
		c.answer(ctx, m)
	default:
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrUnknownType, m.Action)
	}
}

func (c *peerConn) resetSession(m ipc.Message) {
	name := m.Session
	if name == "" {
		name = "default"
	}
	if err := c.reset(c.hello.Channel, name); err != nil {
		c.fail(m, c.failure(err, c.language()))
		return
	}
	c.ok(m, i18n.ResetDone.In(c.language()))
}

// reset starts a conversation anew and forgets what was allowed in it.
func (d *Daemon) reset(channel, name string) error {
	rt, err := d.current()
	if err != nil {
		return err
	}
	key := session.Key(agentID, channel, name)
	d.approvals.forget(key)
	return rt.Sessions.Reset(key)
}

func (c *peerConn) poll(m ipc.Message) {
	err := c.outbox.take(func(ns []ipc.Notification) error {
		return c.conn.Write(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Notifications: ns})
	})
	if err != nil {
		c.o.Log.Warn().Err(err).Msg("cannot deliver notifications")
	}
}

// answer resolves an ask by its id (re) or an approval by its code. Whoever
// sits at the machine may answer any; the first answer wins.
func (c *peerConn) answer(ctx context.Context, m ipc.Message) {
	var data ipc.Answer
	if err := m.Decode(&data); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage, err.Error())
		return
	}
	a := c.approvals.byID(m.Re)
	if a == nil && data.Code != "" {
		a = c.approvals.byCode(data.Code)
	}
	if a != nil {
		if err := c.approvals.resolve(a, m.Action, data, c.hello.Channel); err != nil {
			c.fail(m, c.answerFailure(err))
			return
		}
		c.ok(m, m.Action)
		return
	}
	if data.Code == "" {
		c.fail(m, c.answerFailure(errNotWaiting))
		return
	}
	// What was parked runs here and now, for whoever approved it.
	leave := c.idle.enter()
	c.owed.Add(1)
	c.serving.Go(func() {
		defer leave()
		defer c.owed.Done()
		c.settle(ctx, m, data)
	})
}

func (c *peerConn) answerFailure(err error) *ipc.Error {
	lang := c.language()
	switch {
	case errors.Is(err, errNotWaiting):
		return &ipc.Error{Code: ipc.CodeExpired, Message: i18n.ErrNotWaiting.In(lang)}
	case errors.Is(err, errDigest):
		return &ipc.Error{Code: ipc.CodeDenied, Message: i18n.ErrDigest.In(lang)}
	case errors.Is(err, errNoSession):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrNoSession.In(lang)}
	case errors.Is(err, errNoCommand):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrNoCommand.In(lang)}
	}
	return c.failure(err, lang)
}

// settle ends a parked approval: it runs what was approved, or records that
// it was not.
func (c *peerConn) settle(ctx context.Context, m ipc.Message, data ipc.Answer) {
	rt, err := c.current()
	if err != nil {
		c.fail(m, c.failure(err, c.language()))
		return
	}
	p, err := c.parked.take(data.Code)
	if err == nil && !p.Ask.Expires.After(time.Now()) {
		err = errors.Join(errNotWaiting, rt.CommandLog.Record(commandlog.Cancelled, p.Ask.Command))
	}
	if err == nil && data.Digest != "" && data.Digest != p.Ask.Digest {
		err = errDigest
	}
	if err != nil {
		c.fail(m, c.answerFailure(err))
		return
	}
	if m.Action != ipc.ActionAllowOnce {
		if err := rt.CommandLog.Record(commandlog.Cancelled, p.Ask.Command); err != nil {
			c.fail(m, c.failure(err, c.language()))
			return
		}
		c.ok(m, i18n.DeniedDone.In(c.language()))
		return
	}
	c.runParked(ctx, m, rt, p)
}

func (c *peerConn) runParked(ctx context.Context, m ipc.Message, rt *Runtime, p parkedPlan) {
	j := tools.Judged{Call: p.Call, Plan: p.Plan, Session: p.Ask.Session}
	out := rt.Gate.RunApproved(ctx, j, p.Ask.Digest, nil)
	step := ipc.Step{Tool: p.Plan.Tool, Input: inputOf(p.Call.Input), Class: p.Ask.Class, Command: p.Ask.Command}
	if out.Output.Refusal != "" {
		c.fail(m, &ipc.Error{Code: ipc.CodeBlocked, Message: out.Text})
		return
	}
	var text strings.Builder
	for _, s := range out.Output.Steps {
		if s.Missing != "" {
			c.fail(m, &ipc.Error{Code: ipc.CodeInternal, Message: i18n.ErrMissing.In(c.language(), s.Missing, tools.PackageOf(s.Missing))})
			return
		}
		step.Exit, step.State = s.Exit, ipc.ToolDone
		text.WriteString(s.Stdout)
		text.WriteString(s.Stderr)
		if s.TimedOut {
			text.WriteString("\n" + i18n.ErrTimeout.In(c.language()))
		}
	}
	body := strings.TrimSpace(text.String())
	if body != "" {
		body += "\n\n"
	}
	body += i18n.ApprovedRan.In(c.language(), step.Exit)
	c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Body: body}.WithData(ipc.Outcome{
		Session: p.Ask.Session, Stop: "approved", Steps: []ipc.Step{step},
	}))
}
