package daemon

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// Turns run the tasks of people and rules: queue, turn, end.
type Turns struct {
	settings   *settings.Settings
	life       *life.Life
	post       *post.Post
	stored     *Stored
	files      *Files
	rules      *automations // nil if disabled
	log        zerolog.Logger
	spareReady func() error
	tasks      *task.Store
	approvals  *approval.Approvals
	queues     *queues
	jobs       *jobs
	usage      tokenCounter
	ledger     *usage.Ledger
}

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
	if answer, ok := c.s.rules.snoozeReply(c.hello.Channel, sessionName(m), m.Body, lang); ok {
		_ = c.send(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Seq: 1, To: c.hello.Channel, Body: answer, Done: true}.WithData(ipc.Outcome{Stop: "snoozed", Lang: string(lang)}))
		return
	}
	c.pendingRequests.Add(1)
	cl := &stream{c: c, re: m.ID, caps: c.hello.Caps, lang: lang}
	if err := c.s.turns.submit(ctx, c.hello.Channel, sessionName(m), m.Body, req, cl, lang); err != nil {
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
func (ts *Turns) submit(ctx context.Context, channel, name, text string, req ipc.Request, cl client, lang i18n.Lang) *ipc.Error {
	if strings.TrimSpace(text) == "" {
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrEmpty.In(lang), Hint: i18n.ErrEmptyHint.In(lang)}
	}
	return ts.acceptTask(ctx, ts.newTask(channel, name, text, req, lang), req, cl, func() {})
}

// acceptTask stores a task and queues it. It calls accepted between the two.
func (ts *Turns) acceptTask(ctx context.Context, r task.Record, req ipc.Request, cl client, accepted func()) *ipc.Error {
	lang := i18n.Lang(r.Lang)
	if ts.life.IsStopping() {
		return ts.settings.Failure(settings.ErrStopping, lang)
	}
	if err := ts.settings.Current().CheckEnabled(); err != nil {
		return settings.PublicError(ts.settings.Failure(err, lang), r.Channel, "", lang)
	}
	if ts.queues.full(queueKey(r.Channel, r.Name)) {
		return ts.settings.Failure(settings.ErrBusy, lang)
	}
	if err := ts.tasks.Accept(r); err != nil {
		if !ts.canRunUnsaved(r, err) {
			return settings.PublicError(ts.settings.Failure(err, lang), r.Channel, "", lang)
		}
		ts.log.Warn().Err(err).Str("task", r.ID).Msg("state directory not writable; reading commands only")
		r.Unsaved = true
		ts.tasks.AcceptUnsaved(r)
	}
	crash.Here(crash.TaskAccepted)
	ts.touchSession(r.Session)
	accepted()
	if err := ts.queue(ctx, &job{rec: r, req: req, answerIn: lang, client: cl}); err != nil {
		ts.recordChange(&job{rec: r}, ts.tasks.MarkRefused(r.ID))
		return ts.settings.Failure(err, lang)
	}
	return nil
}

// canRunUnsaved reports whether a task runs although the disk takes no records: a client waits for the answer to a
// person's own words, and the systemd journal takes the records of reading commands. Bridges keep their messages
// and try again.
func (ts *Turns) canRunUnsaved(r task.Record, err error) bool {
	return settings.Unwritable(err) && ts.spareReady != nil && ts.spareReady() == nil && r.Rule == "" && len(r.Files) == 0 && !slices.Contains(ipc.Bridged, r.Channel)
}

// newTask returns a new task.
func (ts *Turns) newTask(channel, name, text string, req ipc.Request, lang i18n.Lang) task.Record {
	now := time.Now()
	raw, err := json.Marshal(req)
	if err != nil { // cannot happen: only strings and numbers
		panic(err)
	}
	r := task.Record{
		ID: "t" + randomHex(6), State: task.Pending, Channel: channel, Name: name, Session: session.Key(post.AgentID, channel, name),
		Text: text, Request: raw, Lang: string(lang), Created: now, Updated: now,
	}
	if rt := ts.settings.Current(); rt != nil {
		r.LogFrom = rt.CommandLog.Position()
	}
	return r
}

// touchSession marks a conversation as active: its expired approval no longer accepts a bare yes, and its grants last
// longer.
func (ts *Turns) touchSession(session string) {
	timeout := time.Hour
	if rt := ts.settings.Current(); rt != nil && rt.SessionTimeout > 0 {
		timeout = rt.SessionTimeout
	}
	if err := ts.approvals.TouchSession(session, timeout); err != nil {
		ts.log.Warn().Err(err).Msg("cannot save session activity")
	}
}

// queueKey returns the queue of a channel's conversation.
func queueKey(channel, name string) string { return channel + "\x00" + name }

// queue appends a job whose record is stored to its queue.
func (ts *Turns) queue(ctx context.Context, j *job) error {
	j.state = task.Pending
	// An accepted task does not end with the connection.
	j.ctx, j.cancel = context.WithCancelCause(ts.rules.withAutomation(ctx, j.rec))
	endTimeout := func() {}
	if j.req.Timeout > 0 {
		left := time.Until(j.rec.Created.Add(time.Duration(j.req.Timeout) * time.Second))
		j.ctx, endTimeout = context.WithTimeout(j.ctx, left)
	}
	leave, endRelease := ts.life.Idle.Begin(life.ActivityTask), ts.life.ReleaseTimer.Begin(life.ActivityTask)
	end := sync.OnceFunc(func() {
		endTimeout()
		j.cancel(nil)
		ts.jobs.remove(j)
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
	ts.jobs.add(j)
	ts.logQueued(j)
	ts.publishTask(j.rec.ID)
	var err error
	remove, err = ts.queues.add(queueKey(j.rec.Channel, j.rec.Name), func() {
		defer end()
		ts.work(j)
	})
	close(queued)
	if err != nil {
		j.step(task.Abort)
		end()
		return err
	}
	// A message that is cancelled or times out in the queue is answered immediately.
	context.AfterFunc(j.ctx, func() { ts.abort(j, context.Cause(j.ctx)) })
	return nil
}

// abort ends a job for a reason. A job in its queue is answered immediately, or left to the next daemon if this
// one stops.
func (ts *Turns) abort(j *job, reason error) {
	switch {
	case j.currentState() != task.Pending:
	case reason == settings.ErrStopping: //nolint:errorlint // it is never wrapped
		if j.step(task.Abort) {
			j.client.detach(errorFrame(ts.settings.Failure(settings.ErrStopping, j.answerIn)))
			j.dequeue()
		}
	default:
		if e := ts.failedEnd(j, reason); j.currentState() == task.Pending {
			ts.finish(j, e)
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
	for _, j := range c.s.turns.jobs.all() {
		if j.rec.ID == data.Task || m.Re != "" && j.client.isRequest(c, m.Re) {
			c.s.turns.abort(j, context.Canceled)
			n++
		}
	}
	if n == 0 && data.Task != "" {
		c.refuse(m, ipc.CodeBadRequest, i18n.NoSuchTask(data.Task))
		return
	}
	c.ok(m, strconv.Itoa(n))
}
