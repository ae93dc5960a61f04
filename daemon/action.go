package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
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

// atTheMachine are the channels of clients that only the machine's owner uses.
// An answer over any other is one from afar.
var atTheMachine = []string{"cli", "tui", "desktop"}

// mayAnswer reports whether an answer may be for an ask: whoever sits at the
// machine may answer any, others only what they themselves were asked.
func (c *peerConn) mayAnswer(m ipc.Message, ask ipc.Ask) bool {
	channel := c.hello.Channel
	if slices.Contains(atTheMachine, channel) {
		return true
	}
	name := m.Session
	if name == "" {
		name = "default"
	}
	return ask.Channel == channel && ask.Session == session.Key(agentID, channel, name)
}

// answer resolves an ask by its id (re) or an approval by its code. The first
// answer wins.
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
		if !c.mayAnswer(m, a.ask) {
			c.fail(m, c.answerFailure(errOtherChannel))
			return
		}
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
	c.settle(ctx, m, data)
}

func (c *peerConn) answerFailure(err error) *ipc.Error {
	lang := c.language()
	switch {
	case errors.Is(err, errNotWaiting):
		return &ipc.Error{Code: ipc.CodeExpired, Message: i18n.ErrNotWaiting.In(lang)}
	case errors.Is(err, errOtherChannel):
		return &ipc.Error{Code: ipc.CodeDenied, Message: i18n.ErrOtherChannel.In(lang)}
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
// it was not. Nothing is used up by an answer that cannot be meant.
func (c *peerConn) settle(ctx context.Context, m ipc.Message, data ipc.Answer) {
	rt, err := c.current()
	if err == nil {
		err = c.settled(ctx, m, rt, data)
	}
	if err != nil {
		c.fail(m, c.answerFailure(err))
	}
}

func (c *peerConn) settled(ctx context.Context, m ipc.Message, rt *Runtime, data ipc.Answer) error {
	c.expireParked()
	if m.Action != ipc.ActionAllowOnce && m.Action != ipc.ActionReject {
		return errNoSession
	}
	p, err := c.parked.get(data.Code)
	if err != nil {
		return err
	}
	if !c.mayAnswer(m, p.Ask) {
		return errOtherChannel
	}
	if data.Digest != "" && data.Digest != p.Ask.Digest || p.Ask.Command != p.judged().Command() {
		return errDigest
	}
	if err := c.parked.remove(data.Code); err != nil {
		return err
	}
	if m.Action == ipc.ActionReject {
		if err := rt.Gate.Cancel(p.judgedBy(c.hello.Channel), tools.RefusedDenied); err != nil {
			return err
		}
		c.ok(m, i18n.DeniedDone.In(c.language()))
		return nil
	}
	c.startParked(ctx, m, rt, p)
	return nil
}

// startParked runs an approved plan as a task of its own: it is listed, can be
// cancelled, and is waited for when the daemon stops, whatever becomes of the
// client that approved it.
func (c *peerConn) startParked(ctx context.Context, m ipc.Message, rt *Runtime, p parkedPlan) {
	t := &task{
		id: "t" + randomHex(6), channel: c.hello.Channel, session: p.Ask.Session, text: p.Ask.Command,
		created: time.Now(), updated: time.Now(), state: Pending, client: nobody{}, dequeue: func() {},
	}
	ctx, end := context.WithCancelCause(ctx)
	t.ctx, t.cancel, t.leave = ctx, func() { end(nil) }, func() { end(tools.ErrStopping) }
	leave, tired := c.idle.enter(), c.rest.enter()
	c.owed.Add(1)
	c.tasks.add(t)
	job := func() {
		defer leave()
		defer tired()
		defer c.owed.Done()
		defer c.tasks.remove(t)
		defer t.cancel()
		t.move(Start, time.Now())
		c.runParked(t, m, rt, p)
	}
	// A queue of its own never is full.
	_, _ = c.queues.add("parked\x00"+t.id, job)
}

func (c *peerConn) runParked(t *task, m ipc.Message, rt *Runtime, p parkedPlan) {
	j := p.judgedBy(t.channel)
	j.Origin.Task = t.id
	out := rt.Gate.RunApproved(t.ctx, j, p.Ask.Digest, nil)
	if t.ctx.Err() != nil || out.Output.Refusal != "" {
		t.move(Abort, time.Now())
		c.fail(m, &ipc.Error{Code: ipc.CodeBlocked, Message: out.Text})
		return
	}
	t.move(Finish, time.Now())
	step := ipc.Step{Tool: p.Plan.Tool, Input: inputOf(p.Call.Input), Class: p.Ask.Class, Command: shown(p.Ask.Command)}
	var text strings.Builder
	for _, s := range out.Output.Steps {
		if s.Missing != "" {
			c.fail(m, &ipc.Error{Code: ipc.CodeInternal, Message: i18n.ErrMissing.In(c.language(), s.Missing, tools.PackageOf(s.Missing))})
			return
		}
		step.Exit, step.State = s.Exit, ipc.ToolDone
		text.WriteString(s.Stdout + s.Stderr)
		if s.TimedOut {
			text.WriteString("\n" + i18n.ErrTimeout.In(c.language()))
		}
	}
	body := bounded(strings.TrimSpace(text.String()), c.language())
	if body != "" {
		body += "\n\n"
	}
	body += i18n.ApprovedRan.In(c.language(), step.Exit)
	c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Body: body}.WithData(ipc.Outcome{
		Task: t.id, Session: p.Ask.Session, Stop: "approved", Steps: []ipc.Step{step},
	}))
}

// nobody is the client of a task whose end is told another way.
type nobody struct{}

func (nobody) canAsk() bool                  { return false }
func (nobody) ask(*approval, string) bool    { return false }
func (nobody) resolved(string, ipc.Resolved) {}
func (nobody) delta(string)                  {}
func (nobody) tool(ipc.Tool)                 {}
func (nobody) finish(ipc.Message)            {}
func (nobody) gone() <-chan struct{}         { return nil }
func (nobody) is(*peerConn, string) bool     { return false }
