package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// agentID is the agent's part of a session key; there is one agent.
const agentID = "main"

// message queues a hello peer's message.
func (c *peerConn) message(ctx context.Context, m ipc.Message) {
	var req ipc.Request
	if err := m.Decode(&req); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage, err.Error())
		return
	}
	name := m.Session
	if name == "" {
		name = "default"
	}
	lang := c.language()
	if l, ok := i18n.Parse(req.Lang); ok {
		lang = l
	}
	c.owed.Add(1)
	cl := &stream{c: c, re: m.ID, caps: c.hello.Caps, lang: lang}
	if err := c.submit(ctx, c.hello.Channel, name, m.Body, req, cl, lang); err != nil {
		cl.finish(errorFrame(err))
	}
}

// submit makes a task of a person's words and queues it.
func (d *Daemon) submit(ctx context.Context, channel, name, text string, req ipc.Request, cl client, lang i18n.Lang) *ipc.Error {
	if strings.TrimSpace(text) == "" {
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrEmpty.In(lang), Hint: i18n.ErrEmptyHint.In(lang)}
	}
	t := &task{
		id: "t" + randomHex(6), channel: channel, session: session.Key(agentID, channel, name),
		text: text, created: time.Now(), updated: time.Now(), state: Pending, client: cl,
	}
	// The task does not end with the connection: what was accepted is done.
	t.ctx, t.cancel = context.WithCancel(ctx)
	if req.Timeout > 0 {
		t.ctx, t.cancel = context.WithTimeout(ctx, time.Duration(req.Timeout)*time.Second)
	}
	if d.isStopping() {
		t.cancel()
		return d.failure(errStopping, lang)
	}
	leave, tired := d.idle.enter(), d.rest.enter()
	end := sync.OnceFunc(func() {
		t.cancel()
		d.tasks.remove(t)
		tired()
		leave()
	})
	// Others can find and abort the task as soon as it is listed, even before
	// it stands in its queue.
	var remove func()
	queued := make(chan struct{})
	t.dequeue = func() {
		<-queued
		remove()
		end()
	}
	d.tasks.add(t)
	d.queued(t)
	d.events.tell(topicTasks, t.info())
	var err error
	remove, err = d.queues.add(channel+"\x00"+name, func() {
		defer end()
		d.work(t, req, lang)
	})
	close(queued)
	// A message that waits too long, or is cancelled, is answered at once.
	context.AfterFunc(t.ctx, func() { d.abort(t, context.Cause(t.ctx)) })
	if err != nil {
		t.move(Abort, time.Now())
		end()
		d.events.tell(topicTasks, t.info())
		return d.failure(err, lang)
	}
	return nil
}

// abort ends a task for a reason. One that waits in its queue is answered at
// once.
func (d *Daemon) abort(t *task, reason error) {
	if t.current() == Pending && t.move(Abort, time.Now()) {
		t.client.finish(errorFrame(d.failure(reason, d.lang())))
		d.events.tell(topicTasks, t.info())
		t.dequeue()
	}
	t.cancel()
}

func errorFrame(e *ipc.Error) ipc.Message {
	return ipc.Message{Type: ipc.TypeError, Error: e, Done: true}
}

// work runs a task's turn.
func (d *Daemon) work(t *task, req ipc.Request, lang i18n.Lang) {
	if !t.move(Start, time.Now()) {
		return // aborted while it waited
	}
	d.events.tell(topicTasks, t.info())
	if asked, ok := i18n.Detect(t.text); ok && req.Lang == "" {
		lang = asked // confirmations and errors follow the question, as answers do
	}
	w := &worker{Daemon: d, task: t, lang: lang}
	frame, change := w.turn(req)
	t.move(change, time.Now())
	w.ended()
	t.client.finish(frame)
	d.events.tell(topicTasks, t.info())
}

// worker is one running task: it observes the turn and asks for it.
type worker struct {
	*Daemon
	task *task
	lang i18n.Lang

	mu    sync.Mutex
	steps []ipc.Step
	rt    *Runtime
	// notice says that the stand-in answers, and why; "" when the model does.
	notice string
}

// standsIn tells the person that not the model answers, before the answer.
func (w *worker) standsIn(err error) {
	w.o.Log.Warn().Str("error", w.rt.redact(err.Error())).Str("task", w.task.id).Msg("the offline engine stands in")
	w.notice = i18n.StandIn.In(w.lang, w.failure(err, w.lang).Message) + "\n\n"
	w.task.client.delta(w.notice)
}

// turn runs the agent's turn and returns the task's last frame and state.
func (w *worker) turn(req ipc.Request) (ipc.Message, Change) {
	rt, err := w.current()
	if err != nil {
		return errorFrame(w.failure(err, w.lang)), Fail
	}
	w.rt = rt
	reply, err := rt.Agent.Turn(w.logged(w.task.ctx), agent.Request{
		Session: w.task.session, Text: w.task.text, Stdin: req.Stdin, Dir: req.Cwd, Lang: w.lang,
		Origin: tools.Origin{Task: w.task.id, Channel: w.task.channel},
		DryRun: req.DryRun, Approver: w, OnText: w.task.client.delta, OnEvent: w.observe, OnStandIn: w.standsIn, OnRound: w.round,
	})
	w.usage.add(reply.Usage)
	if reply.Lang != "" {
		w.lang = reply.Lang
	}
	if errors.Is(err, agent.ErrRounds) {
		reply.Text, err = i18n.ErrRounds.In(w.lang), nil
	}
	if err != nil {
		w.o.Log.Warn().Str("error", rt.redact(err.Error())).Str("task", w.task.id).Str("session", w.task.session).Msg("turn failed")
		e := w.failure(w.why(err), w.lang)
		if e.Code == ipc.CodeCancelled || e.Code == ipc.CodeTimeout {
			return errorFrame(e), Abort
		}
		return errorFrame(e), Fail
	}
	reply.Text = w.notice + reply.Text
	out := w.outcome(rt, reply, req)
	return ipc.Message{Type: ipc.TypeResponse, To: w.task.channel, Body: reply.Text}.WithData(out), Finish
}

// why tells a timeout of the turn from a cancellation, whatever the layers
// below made of it.
func (w *worker) why(err error) error {
	if cause := w.task.ctx.Err(); cause != nil {
		if w.isStopping() {
			return errStopping
		}
		return cause
	}
	return err
}

func (d *Daemon) isStopping() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopping
}

// outcome is the data of the response.
func (w *worker) outcome(rt *Runtime, reply agent.Reply, req ipc.Request) ipc.Outcome {
	out := ipc.Outcome{
		Task: w.task.id, Session: w.task.session, Stop: string(reply.Stop), Rounds: reply.Rounds,
		Usage:    ipc.Usage{In: reply.Usage.InputTokens, Out: reply.Usage.OutputTokens},
		Provider: reply.Provider, Model: reply.Model, Lang: string(w.lang), Why: reply.Why, Pending: reply.Pending,
	}
	if !req.DryRun {
		w.mu.Lock()
		defer w.mu.Unlock()
		out.Steps = w.steps
		return out
	}
	out.Steps = []ipc.Step{}
	for _, p := range reply.Planned {
		step := ipc.Step{Tool: p.Judged.Call.Name, Input: inputOf(p.Judged.Call.Input)}
		if p.Refused != nil {
			step.State, step.Reason = ipc.ToolRefused, p.Refused.Output.Refusal
		}
		if p.Judged.Digest != "" {
			step.Class, step.Command, step.Reasons = p.Judged.Class.String(), shown(p.Judged.Command()), p.Judged.Reasons
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

func inputOf(raw json.RawMessage) json.RawMessage {
	switch {
	case len(raw) == 0:
		return json.RawMessage("{}")
	case len(raw) > maxShown: // a frame must stay below a line's limit
		return json.RawMessage(`{"_cut":true}`)
	}
	return raw
}

// observe tells the client of a tool call and remembers it for the outcome.
func (w *worker) observe(e tools.Event) {
	w.task.client.tool(ipc.Tool{
		Call: e.Call, Name: e.Name, Class: e.Class, Command: shown(e.Command), State: e.State,
		Exit: e.Exit, Millis: e.Took.Milliseconds(), OutBytes: e.OutBytes, Reason: e.Reason,
	})
	w.called(e)
	if e.State == tools.StateRunning {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps = append(w.steps, ipc.Step{
		Tool: e.Name, Input: inputOf(e.Input), Class: e.Class, Command: shown(e.Command), State: e.State,
		Exit: e.Exit, Millis: e.Took.Milliseconds(), OutBytes: e.OutBytes, Reason: e.Reason, Reasons: e.Reasons,
	})
}

// Approve asks the person behind the task. Nobody there, no answer in time, a
// cancelled turn: all mean no.
func (w *worker) Approve(ctx context.Context, j tools.Judged) tools.Decision {
	if w.approvals.granted(j) {
		if !j.Untrusted {
			return tools.Decision{Action: tools.AllowSession, By: "session grant"}
		}
		j.Warnings = append(slices.Clip(j.Warnings), "untrusted-read")
	}
	if !w.task.client.canAsk() {
		return w.park(j)
	}
	expires := time.Now().Add(w.rt.ApprovalTimeout)
	a := w.approvals.open(j, w.task.channel, expires, w.parked.taken)
	w.task.move(Pause, time.Now())
	w.events.tell(topicTasks, w.task.info())
	w.events.tell(topicApprovals, a.ask)
	if !w.task.client.ask(a, w.question(j)) {
		// What cannot be shown whole cannot be approved.
		w.approvals.close(a)
		w.task.move(Resume, time.Now())
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}
	}
	d, by := w.await(ctx, a)
	d.By = by
	w.task.move(Resume, time.Now())
	w.events.tell(topicTasks, w.task.info())
	r := ipc.Resolved{By: by, Action: string(d.Action)}
	w.task.client.resolved(a.id, r)
	w.events.tell(topicApprovals, r)
	return d
}

// await waits for an approval's answer. An answer that came at the very
// moment time ran out still counts.
func (w *worker) await(ctx context.Context, a *approval) (tools.Decision, string) {
	timer := time.NewTimer(time.Until(a.ask.Expires))
	defer timer.Stop()
	reason, by := tools.RefusedCancelled, "cancelled"
	select {
	case d := <-a.answer:
		return d, a.by
	case <-timer.C:
		reason, by = tools.RefusedExpired, "timeout"
	case <-w.task.client.gone():
		by = "disconnect"
	case <-ctx.Done():
	}
	if !w.approvals.close(a) {
		return <-a.answer, a.by
	}
	return tools.Decision{Action: tools.Reject, Reason: reason}, by
}

// park keeps a plan for a later answer, because nobody can be asked now.
func (w *worker) park(j tools.Judged) tools.Decision {
	code := newCode(func(c string) bool { return w.parked.taken(c) || w.approvals.byCode(c) != nil })
	ask := askOf(j, code, w.task.channel, time.Now().Add(parkedFor))
	if err := w.parked.put(parkedPlan{Ask: ask, Call: j.Call, Plan: j.Plan}); err != nil {
		w.o.Log.Warn().Err(err).Msg("cannot keep an approval")
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}
	}
	w.events.tell(topicApprovals, ask)
	return tools.Decision{Action: tools.Reject, Reason: tools.RefusedQueued, Code: code}
}

// question is the sentence above the command.
func (w *worker) question(j tools.Judged) string {
	var in struct{ Name, Action string }
	if json.Unmarshal(j.Call.Input, &in) != nil {
		return i18n.AskQuestion.In(w.lang)
	}
	switch j.Plan.Tool {
	case "install_package":
		return i18n.AskInstall.In(w.lang, in.Name)
	case "remove_package":
		return i18n.AskRemove.In(w.lang, in.Name)
	case "update_system":
		return i18n.AskUpdate.In(w.lang)
	case "manage_service":
		return i18n.AskService.In(w.lang, in.Name, in.Action)
	}
	return i18n.AskQuestion.In(w.lang)
}

// usage counts tokens since the daemon started.
type usage struct {
	mu    sync.Mutex
	total providers.Usage
	turns int
}

func (u *usage) add(v providers.Usage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total = u.total.Add(v)
	u.turns++
}

func (u *usage) get() (providers.Usage, int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.total, u.turns
}
