package turns

import (
	"context"
	"errors"
	"strings"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// lateRun is an approved plan that has run, or was refused, after its turn had gone on.
type lateRun struct {
	record approval.Record
	plan   tools.JudgedPlan
	out    tools.Outcome
	// end is how the task ends if no model continues.
	end end
	by  AnswerSource
	// inPlace reports that the person who was asked answered in the same conversation.
	inPlace bool
	// busy reports that the conversation has another turn, which may wait for a person: no one waits for its end.
	busy bool
}

// continueTurn lets the model continue the request that an approved plan belongs to, in the plan's task and in the
// queue of the conversation. It returns when that is over. It returns false if no model continues.
//
// After a crash the command log has the plan's commands, so the task is reported and never repeated.
func (sa *Stored) continueTurn(rt *settings.Runtime, j *job, l lateRun) bool {
	by, err := rt.AgentOf(j.rec.Session)
	noModel := err != nil || l.record.Automation != "" || l.record.Call.ID == undoCall || l.record.Call.ID == repairCall || by.Model().Name() == "offline"
	if noModel || l.by.ResultOnly || j.ctx.Err() != nil {
		return false
	}
	key := queueKey(j.rec.Channel, j.rec.Name)
	l.busy = sa.ts.backlog.queues.busy(key)
	next := &job{
		rec: j.rec, req: ipc.Request{Cwd: l.record.Plan.Dir}, answerIn: l.record.Language(), ctx: j.ctx, cancel: j.cancel, state: task.Running,
	}
	next.client = sa.continuedClient(next, l)
	sa.ts.backlog.jobs.add(next) // instead of j
	over := make(chan struct{})
	_, err = sa.ts.backlog.queues.add(key, func() {
		defer close(over)
		sa.runContinued(rt, next, l)
	})
	if err != nil { // the queue is full
		sa.ts.backlog.jobs.add(j)
		return false
	}
	if !l.answerIncludesResult() {
		j.client.Finish(l.end.frame)
	}
	<-over
	return true
}

// runContinued adds the plan's result to the conversation and runs the turn that continues.
func (sa *Stored) runContinued(rt *settings.Runtime, j *job, l lateRun) {
	if errors.Is(context.Cause(j.ctx), settings.ErrStopping) {
		j.client.Detach(ErrorFrame(sa.ts.settings.Failure(settings.ErrStopping, j.answerIn)))
		return
	}
	u := conversationUpdate(j, l.record, l.plan, l.out, AnswerOf(l.end.frame))
	sa.ts.addToConversation(j.rec.Session, session.LateResult{Results: u.Results, Text: u.Text, Tool: u.Tool, Printed: u.Printed, Brief: u.Brief})
	crash.Here(crash.ResultInConversation)
	w := &worker{ts: sa.ts, job: j, rt: rt, steps: stepsOf(l.end.frame), late: &agent.LateCall{Call: l.record.Call, Outcome: l.out}}
	e, left := w.runTurn()
	if left {
		j.client.Detach(ErrorFrame(sa.ts.settings.Failure(settings.ErrStopping, j.answerIn)))
		return
	}
	if e.change == task.Fail {
		e = endWithResult(l.end, e, errors.Is(j.err, agent.ErrForgotten))
		if c, ok := j.client.(*continuedClient); ok {
			c.hasResult = true
		}
	}
	sa.ts.finish(j, e)
	w.releaseOutput()
	w.compact()
	w.tidyNotes()
}

// endWithResult returns the end of a task whose command ran and whose model then failed: the command's result, and
// unless hidden the failure below it.
func endWithResult(ran, failed end, hidden bool) end {
	ran.stored = failed.stored
	if ran.failure == nil && !hidden {
		ran.frame.Body += "\n\n" + AnswerOf(failed.frame)
	}
	return ran
}

// stepsOf returns the steps that a frame reports.
func stepsOf(frame ipc.Message) []ipc.Step {
	var out ipc.Outcome
	_ = frame.Decode(&out) // written by this program; an error frame has none
	return out.Steps
}

// requestOf returns the person's words that led to a task, "" if they are no longer known.
func (ts *Turns) requestOf(id string) string {
	for range maxLate {
		r, err := ts.tasks.Get(id)
		if err != nil || r.Late == "" {
			return r.Text
		}
		id = r.Late
	}
	return ""
}

// maxLate bounds how many approvals in a row lead back to a person's request.
const maxLate = 50

// answerIncludesResult reports whether the person who approved waits for the model's answer: in the conversation that was
// asked, or as a client at the machine on the same channel. Others get the result of the commands as soon as they ended,
// or why none ran.
func (l lateRun) answerIncludesResult() bool {
	return !l.busy && (l.inPlace || l.by.By == l.record.Ask.Channel && l.end.failure == nil)
}

// resultText returns the result of the commands without what the answer repeats: the checks, and changes of the notes.
func (l lateRun) resultText() string {
	if l.out.NoteChange != nil {
		return ""
	}
	text := strings.TrimSuffix(l.end.frame.Body, describeChanges(l.out.Proofs, receiptsOf(l.out), l.by.Lang))
	return strings.TrimRight(text, "\n") + "\n\n"
}

// continuedClient returns the client of the turn that continues: the person who was asked, where they were asked.
func (sa *Stored) continuedClient(j *job, l lateRun) Client {
	if l.inPlace && !l.busy && l.by.Client.CanAsk() {
		return l.by.Client
	}
	asked := sa.ts.Recovery.clientOf(j.rec, j.answerIn)
	if l.inPlace {
		return asked
	}
	where := i18n.AnsweredElsewhere(i18n.ChannelName(l.by.By, j.answerIn)).In(j.answerIn)
	c := &continuedClient{Client: asked, ts: sa.ts, rec: j.rec, prefix: where + "\n"}
	if l.answerIncludesResult() {
		c.approver, c.result = l.by.Client, l.resultText()
	}
	return c
}

// continuedClient is the client of a turn that continues after an answer that was given elsewhere.
type continuedClient struct {
	Client // where the question was asked
	ts     *Turns
	rec    task.Record
	prefix string // says where it was answered
	// approver waits for the answer too, nil if not. It gets the result of the commands before it, unless the answer
	// hasResult.
	approver  Client
	result    string
	hasResult bool
}

// Finish sends the answer to both. It is delivered once the one who was asked has it, or the outbox.
func (c *continuedClient) Finish(m ipc.Message) (delivered bool) {
	if c.approver != nil {
		reply := m
		if m.Error == nil {
			reply.Type = ipc.TypeResult
			if !c.hasResult {
				reply.Body = c.result + m.Body
			}
		}
		c.approver.Finish(reply)
	}
	switch {
	case m.Error == nil:
		m.Body = c.prefix + m.Body
	case m.Error.Code == ipc.CodeCancelled:
		return c.Client.Finish(m)
	}
	return c.Client.Finish(m) || c.ts.QueueAnswer(c.rec, AnswerOf(m))
}

func (c *continuedClient) Detach(m ipc.Message) {
	if c.approver != nil {
		c.approver.Detach(m)
	}
	c.Client.Detach(m)
}

func (c *continuedClient) SetTask(id string) {
	if t, ok := c.Client.(taskClient); ok {
		t.SetTask(id)
	}
}

func (c *continuedClient) Mute() {
	if t, ok := c.Client.(MutedClient); ok {
		t.Mute()
	}
}
