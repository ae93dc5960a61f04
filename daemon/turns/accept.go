package turns

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// Reset starts a new conversation and ends the grants of the old one.
func (ts *Turns) Reset(agent, channel, name string) error {
	rt, err := ts.settings.CurrentRuntime()
	if err != nil {
		return err
	}
	key := session.Key(cmp.Or(agent, post.AgentID), channel, name)
	if _, err := rt.AgentOf(key); err != nil {
		return err
	}
	if err := ts.Approvals.EndGrants(key); err != nil {
		return err
	}
	return rt.Sessions.Reset(key)
}

// Submit creates, stores and queues a task of a person's words.
func (ts *Turns) Submit(ctx context.Context, channel, name, text string, req ipc.Request, cl Client, lang i18n.Lang) *ipc.Error {
	if strings.TrimSpace(text) == "" {
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrEmpty.In(lang), Hint: i18n.ErrEmptyHint.In(lang)}
	}
	return ts.Accept(ctx, ts.NewTask(channel, name, text, req, lang), req, cl, func() {})
}

// Accept stores a task and queues it. Its record is synced while the model answers the first request. Then
// Accept calls accepted; the client gets nothing before that.
func (ts *Turns) Accept(ctx context.Context, r task.Record, req ipc.Request, cl Client, accepted func()) *ipc.Error {
	lang := i18n.Lang(r.Lang)
	if ts.life.IsStopping() {
		return ts.settings.Failure(settings.ErrStopping, lang)
	}
	if err := ts.settings.Current().CheckEnabled(); err != nil {
		return settings.PublicError(ts.settings.Failure(err, lang), r.Channel, "", lang)
	}
	if rt := ts.settings.Current(); rt != nil {
		if _, err := rt.AgentOf(r.Session); err != nil {
			return ts.settings.Failure(err, lang)
		}
	}
	if ts.backlog.queues.full(queueKey(r.Channel, r.Name)) {
		return ts.settings.Failure(settings.ErrBusy, lang)
	}
	j := &job{rec: r, req: req, answerIn: lang, client: cl}
	sync, err := ts.tasks.AcceptUnsynced(r)
	if err == nil {
		crash.Here(crash.TaskAccepted)
		ts.touchSession(r.Session)
		err = ts.queueWhileSyncing(ctx, j, sync, accepted)
	}
	if err != nil && ts.canRunUnsaved(r, err) {
		ts.log.Warn().Err(err).Str("task", r.ID).Msg("state directory not writable; reading commands only")
		r.Unsaved = true
		ts.tasks.AcceptUnsaved(r)
		ts.touchSession(r.Session)
		accepted()
		err = ts.queue(ctx, &job{rec: r, req: req, answerIn: lang, client: cl, retried: j.accepted != nil})
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, settings.ErrBusy):
		ts.recordChange(&job{rec: r}, ts.tasks.MarkRefused(r.ID))
		return ts.settings.Failure(err, lang)
	}
	_ = ts.tasks.MarkRefused(r.ID) // it has no record, and its client sends the message again
	return settings.PublicError(ts.settings.Failure(err, lang), r.Channel, "", lang)
}

// queueWhileSyncing queues a job and syncs its record. Once that is on disk, it calls accepted, and the job's client gets
// its first frame. If that fails, the job ends without effect, and the error is returned.
func (ts *Turns) queueWhileSyncing(ctx context.Context, j *job, sync func() error, accepted func()) error {
	synced := make(chan struct{})
	var err error
	j.accepted = func() error {
		<-synced
		return err
	}
	if qerr := ts.queue(ctx, j); qerr != nil {
		err = qerr
		close(synced)
		return qerr
	}
	if err = sync(); err == nil {
		accepted()
	}
	close(synced)
	if err != nil {
		j.cancel(err)
	}
	return err
}

// AcceptRun stores and queues the task of a rule's run, in a new conversation if fresh is set.
func (ts *Turns) AcceptRun(ctx context.Context, r task.Record, req ipc.Request, cl Client, fresh bool) error {
	if ts.backlog.queues.full(queueKey(r.Channel, r.Name)) {
		return settings.ErrBusy
	}
	if fresh {
		if err := ts.Reset("", r.Channel, r.Name); err != nil {
			ts.log.Warn().Err(err).Msg("cannot reset automation conversation")
		}
	}
	if err := ts.tasks.Accept(r); err != nil {
		return err
	}
	err := ts.queue(ctx, &job{rec: r, req: req, answerIn: i18n.Lang(r.Lang), client: cl})
	if err != nil {
		ts.recordChange(&job{rec: r}, ts.tasks.MarkRefused(r.ID))
	}
	return err
}

// canRunUnsaved reports whether a task runs although the disk takes no records: a client waits for the answer to a
// person's own words, and the systemd journal takes the records of reading commands. Bridges keep their messages
// and try again.
func (ts *Turns) canRunUnsaved(r task.Record, err error) bool {
	return settings.Unwritable(err) && ts.spareReady != nil && ts.spareReady() == nil && r.Rule == "" && len(r.Files) == 0 && !slices.Contains(ipc.Bridged, r.Channel)
}

// NewTask returns a new task.
func (ts *Turns) NewTask(channel, name, text string, req ipc.Request, lang i18n.Lang) task.Record {
	now := time.Now()
	attached := AttachedFiles(req.Files)
	req.Files = nil // the record has them
	raw, err := json.Marshal(req)
	if err != nil { // cannot happen: only strings and numbers
		panic(err)
	}
	r := task.Record{
		ID: task.NewID("t", 6), State: task.Pending, Channel: channel, Name: name, Session: session.Key(cmp.Or(req.Agent, post.AgentID), channel, name),
		Text: text, Request: raw, Lang: string(lang), Created: now, Updated: now, Files: attached,
	}
	if rt := ts.settings.Current(); rt != nil {
		r.LogFrom = rt.CommandLog.Position()
	}
	return r
}

// AttachedFiles returns the files of a message as a task stores them.
func AttachedFiles(files []ipc.InboundFile) (all []task.File) {
	for _, f := range files {
		name := chat.ExcerptOf(strings.TrimSpace(ipc.Clean(f.Name)), chat.MaxExcerpt)
		all = append(all, task.File{Name: name, Spool: f.Spool, Problem: chat.ExcerptOf(f.Problem, chat.MaxExcerpt)})
	}
	return all
}

// touchSession marks a conversation as active: its expired approval no longer accepts a bare yes, and its grants last
// longer.
func (ts *Turns) touchSession(session string) {
	if err := ts.Approvals.TouchSession(session, ts.sessionTimeout()); err != nil {
		ts.log.Warn().Err(err).Msg("cannot save session activity")
	}
}

// sessionTimeout returns how long a conversation without messages keeps its grants.
func (ts *Turns) sessionTimeout() time.Duration {
	if rt := ts.settings.Current(); rt != nil && rt.Limits.Session > 0 {
		return rt.Limits.Session
	}
	return time.Hour
}

// Grants returns what is allowed for the conversations that have not ended.
func (ts *Turns) Grants() []ipc.Grant { return ts.Approvals.Grants(ts.sessionTimeout()) }

// queue appends a job whose record is stored to its queue.
func (ts *Turns) queue(ctx context.Context, j *job) error {
	j.state = task.Pending
	// An accepted task does not end with the connection.
	j.ctx, j.cancel = context.WithCancelCause(ts.backlog.rules.WithAutomation(ctx, j.rec))
	endTimeout := func() {}
	if j.req.Timeout > 0 {
		left := time.Until(j.rec.Created.Add(time.Duration(j.req.Timeout) * time.Second))
		j.ctx, endTimeout = context.WithTimeout(j.ctx, left)
	}
	// A listed job can be found and aborted at any time, even before it is in its queue.
	var remove, untrack func()
	queued := make(chan struct{})
	end := sync.OnceFunc(func() {
		endTimeout()
		j.cancel(nil)
		untrack()
	})
	j.dequeue = func() {
		<-queued
		remove()
		end()
	}
	untrack = ts.track(j)
	ts.logQueued(j)
	ts.publishTask(j.rec.ID)
	var err error
	remove, err = ts.backlog.queues.add(queueKey(j.rec.Channel, j.rec.Name), func() {
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
		if j.step(task.Abort) && j.awaitAccepted() == nil {
			j.client.Detach(ErrorFrame(ts.settings.Failure(settings.ErrStopping, j.answerIn)))
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

// Cancel cancels the jobs that match, and returns how many those are.
func (ts *Turns) Cancel(match func(r task.Record, cl Client) bool) (n int) {
	for _, j := range ts.backlog.jobs.all() {
		if match(j.rec, j.client) {
			ts.abort(j, context.Canceled)
			n++
		}
	}
	return n
}

// CancelSender cancels the jobs of a sender, who gets another reply than theirs, and returns how many those are.
func (ts *Turns) CancelSender(channel, name string) (n int) {
	for _, j := range ts.backlog.jobs.all() {
		if j.rec.Channel != channel || j.rec.Name != name || j.currentState().Ended() {
			continue
		}
		if cl, ok := j.client.(MutedClient); ok {
			cl.Mute()
		}
		ts.abort(j, context.Canceled)
		n++
	}
	return n
}

// IsBusy reports whether a conversation has tasks, isRunning whether one of them runs now.
func (ts *Turns) IsBusy(session string) bool {
	return slices.ContainsFunc(ts.backlog.jobs.all(), func(j *job) bool { return j.rec.Session == session })
}

func (ts *Turns) IsRunning(session string) bool {
	return slices.ContainsFunc(ts.backlog.jobs.all(), func(j *job) bool { return j.rec.Session == session && j.currentState() == task.Running })
}
