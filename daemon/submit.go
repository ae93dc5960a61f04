package daemon

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// agentID is the agent's part of a session key. There is one agent.
const agentID = "main"

// message queues a hello peer's message.
func (c *peerConn) message(ctx context.Context, m ipc.Message) {
	var req ipc.Request
	if err := m.Decode(&req); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	lang := c.language()
	if l, ok := i18n.Parse(req.Lang); ok {
		lang = l
	}
	if strings.ContainsFunc(m.Session, ipc.Unprintable) {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrSessionName)
		return
	}
	if answer, ok := c.snoozeReply(c.hello.Channel, sessionName(m), m.Body, lang); ok {
		_ = c.send(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Seq: 1, To: c.hello.Channel, Body: answer, Done: true}.WithData(ipc.Outcome{Stop: "snoozed", Lang: string(lang)}))
		return
	}
	c.pendingRequests.Add(1)
	cl := &stream{c: c, re: m.ID, caps: c.hello.Caps, lang: lang}
	if err := c.submit(ctx, c.hello.Channel, sessionName(m), m.Body, req, cl, lang); err != nil {
		cl.finish(errorFrame(err))
	}
}

// sessionName returns the name of the conversation that a message belongs to.
func sessionName(m ipc.Message) string {
	if m.Session == "" {
		return "default"
	}
	return m.Session
}

// submit creates, stores and queues a task of a person's words.
func (d *Daemon) submit(ctx context.Context, channel, name, text string, req ipc.Request, cl client, lang i18n.Lang) *ipc.Error {
	if strings.TrimSpace(text) == "" {
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrEmpty.In(lang), Hint: i18n.ErrEmptyHint.In(lang)}
	}
	return d.acceptTask(ctx, d.newTask(channel, name, text, req, lang), req, cl, func() {})
}

// acceptTask stores a task and queues it. It calls accepted between the two.
func (d *Daemon) acceptTask(ctx context.Context, r task.Record, req ipc.Request, cl client, accepted func()) *ipc.Error {
	lang := i18n.Lang(r.Lang)
	if d.isStopping() {
		return d.failure(errStopping, lang)
	}
	if err := d.runtime.Load().checkEnabled(); err != nil {
		return publicError(d.failure(err, lang), r.Channel, "", lang)
	}
	if d.queues.full(queueKey(r.Channel, r.Name)) {
		return d.failure(errBusy, lang)
	}
	if err := d.tasks.Accept(r); err != nil {
		if !d.canRunUnsaved(r, err) {
			return publicError(d.failure(err, lang), r.Channel, "", lang)
		}
		d.o.Log.Warn().Err(err).Str("task", r.ID).Msg("state directory not writable; reading commands only")
		r.Unsaved = true
		d.tasks.AcceptUnsaved(r)
	}
	crash.Here(crash.TaskAccepted)
	d.touchSession(r.Session)
	accepted()
	if err := d.queue(ctx, &job{rec: r, req: req, answerIn: lang, client: cl}); err != nil {
		d.recordChange(&job{rec: r}, d.tasks.MarkRefused(r.ID))
		return d.failure(err, lang)
	}
	return nil
}

// canRunUnsaved reports whether a task runs although the disk takes no records: a client waits for the answer to a
// person's own words, and the systemd journal takes the records of reading commands. Bridges keep their messages
// and try again.
func (d *Daemon) canRunUnsaved(r task.Record, err error) bool {
	return unwritable(err) && d.o.SpareReady != nil && d.o.SpareReady() == nil && r.Rule == "" && len(r.Files) == 0 && !slices.Contains(ipc.Bridged, r.Channel)
}

// newTask returns a new task.
func (d *Daemon) newTask(channel, name, text string, req ipc.Request, lang i18n.Lang) task.Record {
	now := time.Now()
	raw, err := json.Marshal(req)
	if err != nil { // cannot happen: only strings and numbers
		panic(err)
	}
	r := task.Record{
		ID: "t" + randomHex(6), State: task.Pending, Channel: channel, Name: name, Session: session.Key(agentID, channel, name),
		Text: text, Request: raw, Lang: string(lang), Created: now, Updated: now,
	}
	if rt := d.runtime.Load(); rt != nil {
		r.LogFrom = rt.CommandLog.Position()
	}
	return r
}

// touchSession marks a conversation as active: its expired approval no longer accepts a bare yes, and its grants last
// longer.
func (d *Daemon) touchSession(session string) {
	timeout := time.Hour
	if rt := d.runtime.Load(); rt != nil && rt.SessionTimeout > 0 {
		timeout = rt.SessionTimeout
	}
	if err := d.approvals.TouchSession(session, timeout); err != nil {
		d.o.Log.Warn().Err(err).Msg("cannot save session activity")
	}
}

// queueKey returns the queue of a channel's conversation.
func queueKey(channel, name string) string { return channel + "\x00" + name }

// queue appends a job whose record is stored to its queue.
func (d *Daemon) queue(ctx context.Context, j *job) error {
	j.state = task.Pending
	// An accepted task does not end with the connection.
	j.ctx, j.cancel = context.WithCancelCause(d.automations.withAutomation(ctx, j.rec))
	endTimeout := func() {}
	if j.req.Timeout > 0 {
		left := time.Until(j.rec.Created.Add(time.Duration(j.req.Timeout) * time.Second))
		j.ctx, endTimeout = context.WithTimeout(j.ctx, left)
	}
	leave, endRelease := d.idle.begin(activityTask), d.releaseTimer.begin(activityTask)
	end := sync.OnceFunc(func() {
		endTimeout()
		j.cancel(nil)
		d.jobs.remove(j)
		endRelease()
		leave()
	})
	// A listed job can be found and aborted at any time, even before it is in its queue.
	var remove func()
	queued := make(chan struct{})
	j.dequeue = func() {
		<-queued
		remove()
		end()
	}
	d.jobs.add(j)
	d.logQueued(j)
	d.publishTask(j.rec.ID)
	var err error
	remove, err = d.queues.add(queueKey(j.rec.Channel, j.rec.Name), func() {
		defer end()
		d.work(j)
	})
	close(queued)
	if err != nil {
		j.step(task.Abort)
		end()
		return err
	}
	// A message that is cancelled or times out in the queue is answered immediately.
	context.AfterFunc(j.ctx, func() { d.abort(j, context.Cause(j.ctx)) })
	return nil
}

// abort ends a job for a reason. A job in its queue is answered immediately, or left to the next daemon if this
// one stops.
func (d *Daemon) abort(j *job, reason error) {
	switch {
	case j.currentState() != task.Pending:
	case reason == errStopping: //nolint:errorlint // it is never wrapped
		if j.step(task.Abort) {
			j.client.detach(errorFrame(d.failure(errStopping, j.answerIn)))
			j.dequeue()
		}
	default:
		if e := d.failedEnd(j, reason); j.currentState() == task.Pending {
			d.finish(j, e)
			j.dequeue()
		}
	}
	j.cancel(reason)
}

// cancelTask stops a message of this connection (re) or any task (data.task).
func (c *peerConn) cancelTask(m ipc.Message) {
	var data struct {
		Task string `json:"task"`
	}
	if err := m.Decode(&data); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	n := 0
	for _, j := range c.jobs.all() {
		if j.rec.ID == data.Task || m.Re != "" && j.client.isRequest(c, m.Re) {
			c.abort(j, context.Canceled)
			n++
		}
	}
	if n == 0 && data.Task != "" {
		c.refuse(m, ipc.CodeBadRequest, i18n.NoSuchTask(data.Task))
		return
	}
	c.ok(m, itoa(n))
}
