package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Stored decides about the approvals that no turn waits for.
type Stored struct {
	ts       *Turns
	recovery *Recovery

	mu     sync.Mutex
	expiry *time.Timer // fires when the next stored approval expires
}

// stop stops the timer.
func (sa *Stored) stop() {
	sa.mu.Lock()
	defer sa.mu.Unlock()
	if sa.expiry != nil {
		sa.expiry.Stop()
	}
}

// answerStored answers an approval that no turn waits for. An invalid answer does not use it up.
func (c *peerConn) answerStored(ctx context.Context, m ipc.Message, data ipc.Answer) error {
	c.s.stored.expireStored()
	r, err := c.s.turns.approvals.Stored(data.Code)
	if err != nil {
		return err
	}
	if !c.mayAnswer(m, r.Ask) && !r.IsAskedIn(post.KeyOf(c.hello.Channel, sessionName(m))) {
		return settings.ErrOtherChannel
	}
	a := answerSource{by: c.hello.Channel, lang: c.language(), client: &actionReply{c: c, re: m}}
	return c.s.stored.decideStored(ctx, r, m.Action, data, a)
}

// answerSource describes who answered a stored approval. The client gets the result.
type answerSource struct {
	by     string
	name   string // of the session, if the person who was asked answered there
	lang   i18n.Lang
	client client
}

// decideStored carries out the decision about a stored approval: it runs the plan or records the refusal.
func (sa *Stored) decideStored(ctx context.Context, r approval.Record, action string, data ipc.Answer, a answerSource) error {
	rt, err := sa.ts.settings.EnabledRuntime()
	if action == ipc.ActionReject { // no needs no runtime that can run commands
		rt, err = sa.ts.settings.CurrentRuntime()
	}
	if err != nil {
		return err
	}
	sa.recovery.resumeTasks() // the tasks of earlier daemons are resumed first
	j, err := sa.storedPlan(rt, r, action, data)
	if err != nil {
		return err
	}
	dec, err := sa.ts.approvals.AnswerStored(r, action, data, a.by)
	if err != nil {
		return err
	}
	sa.publishResolved(r, ipc.Resolved{By: a.by, Action: string(dec.Action)})
	j.By = a.by
	switch {
	case dec.Action == tools.Reject:
		return sa.deny(rt, r, j, a)
	case dec.Action == tools.Edit && j.Class == safety.Confirm && !j.IsCoveredBy(rt.Gate.Judge(r.Judged())):
		return sa.askAgain(r, j, a)
	}
	return sa.runStored(ctx, rt, r, j, a)
}

// storedPlan returns the plan that an answer is about: the stored plan or an edit of it.
func (sa *Stored) storedPlan(rt *settings.Runtime, r approval.Record, action string, data ipc.Answer) (tools.JudgedPlan, error) {
	if action != ipc.ActionEdit {
		j := r.Judged()
		j.Digest = r.Ask.Digest
		return j, nil
	}
	if !r.Ask.Editable() {
		return tools.JudgedPlan{}, approval.ErrNoEdit
	}
	if strings.TrimSpace(data.Command) == "" {
		return tools.JudgedPlan{}, approval.ErrNoCommand
	}
	j, refusal := rt.Gate.JudgeEdit(r.Judged(), data.Command)
	if refusal != "" {
		return j, errors.New(refusal)
	}
	return j, nil
}

// deny rejects a stored approval.
func (sa *Stored) deny(rt *settings.Runtime, r approval.Record, j tools.JudgedPlan, a answerSource) error {
	if err := rt.Gate.Cancel(j, tools.RefusedDenied); err != nil {
		return err
	}
	sa.endDeniedTask(r, i18n.DeniedLater(r.Ask.Command).In(langOf(r)), a)
	if r.Automation != "" && sa.ts.rules != nil {
		sa.ts.rules.announceStored(r, a, automation.Outcome{
			State: automation.Skipped, Reason: automation.ReasonDenied, Text: i18n.DeniedLater(r.Ask.Command).In(langOf(r)),
		})
	}
	a.client.finish(ipc.Message{Type: ipc.TypeResult, Done: true, Body: i18n.DeniedDone.In(a.lang)})
	return nil
}

// endDeniedTask ends the task that waited for an approval which will not run. It notifies the person who asked,
// unless that person answered.
func (sa *Stored) endDeniedTask(r approval.Record, text string, a answerSource) {
	t, err := sa.ts.tasks.Get(r.Task)
	if err != nil || t.State != task.Paused || t.Approval != r.Ask.Code {
		return
	}
	unsaid := &task.ConversationUpdate{Text: text}
	if err := sa.ts.tasks.End(t.ID, task.End{Change: task.Abort, Answer: text, Update: unsaid}); err != nil {
		sa.ts.log.Warn().Err(err).Msg("cannot save task")
	}
	sa.ts.queueConversationUpdate(t, unsaid)
	if a.by != t.Channel || a.name != t.Name {
		sa.ts.queueAnswer(t, text)
	}
	sa.ts.markDelivered(t.ID)
}

// askAgain stores an edit that needs its own yes, because it does more than the command that was shown.
func (sa *Stored) askAgain(r approval.Record, j tools.JudgedPlan, a answerSource) error {
	next, err := sa.ts.approvals.Open(j, approval.Record{
		Task: r.Task, Ask: ipc.Ask{Channel: r.Ask.Channel}, Lang: r.Lang, Whole: true, Automation: r.Automation, Audience: r.Audience, Unseen: r.Unseen,
	}, r.Ask.Expires, false)
	if err != nil {
		return err
	}
	err = sa.ts.tasks.Update(r.Task, false, func(t *task.Record) error { t.Approval = next.Ask.Code; return nil })
	if err != nil && !errors.Is(err, task.ErrUnknown) {
		sa.ts.log.Warn().Err(err).Msg("cannot save task")
	}
	sa.watchExpiry()
	sa.ts.post.Events.Publish(post.TopicApprovals, next.Ask)
	a.client.finish(errorFrame(&ipc.Error{
		Code: ipc.CodeDenied, Message: i18n.EditAsksAgain(next.Ask.Command).In(a.lang), Hint: i18n.EditAsksAgainHint(next.Ask.Code).In(a.lang),
	}))
	return nil
}

// runStored runs an approved plan as a task: the one that waited for it, or a new one. The task is listed, can be
// cancelled and is waited for on shutdown, even if the client that approved it disconnects.
func (sa *Stored) runStored(ctx context.Context, rt *settings.Runtime, r approval.Record, plan tools.JudgedPlan, a answerSource) error {
	t, err := sa.storedTask(r)
	if err != nil {
		return err
	}
	plan.Origin.Task = t.ID
	if k, ok := a.client.(*storedReply); ok {
		k.setTask(t)
	}
	j := &job{rec: t, answerIn: a.lang, client: a.client, state: task.Running}
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	leave, endRelease := sa.ts.life.Idle.Begin(life.ActivityTask), sa.ts.life.ReleaseTimer.Begin(life.ActivityTask)
	sa.ts.jobs.add(j)
	// A separate queue is never full.
	_, _ = sa.ts.queues.add("kept\x00"+t.ID, func() {
		defer leave()
		defer endRelease()
		defer sa.ts.jobs.remove(j)
		defer j.cancel(nil)
		sa.runStoredJob(rt, j, r, plan, a)
	})
	return nil
}

// storedTask returns the task that an approved plan runs as.
func (sa *Stored) storedTask(r approval.Record) (task.Record, error) {
	if t, err := sa.ts.tasks.Get(r.Task); err == nil && t.State == task.Paused && t.Approval == r.Ask.Code {
		return t, sa.ts.tasks.Resume(t.ID)
	}
	t := sa.ts.newTask(r.Ask.Channel, post.NameIn(r.Ask.Session, r.Ask.Channel), r.Ask.Command, ipc.Request{}, langOf(r))
	t.Session = r.Ask.Session
	err := sa.ts.tasks.Accept(t)
	if err == nil {
		err = sa.ts.tasks.Move(t.ID, task.Start)
	}
	return t, err
}

func langOf(r approval.Record) i18n.Lang {
	lang, ok := i18n.Parse(r.Lang)
	if !ok {
		return i18n.English
	}
	return lang
}

func (sa *Stored) runStoredJob(rt *settings.Runtime, j *job, r approval.Record, plan tools.JudgedPlan, a answerSource) {
	out := rt.Gate.RunApproved(j.ctx, plan, plan.Digest, nil)
	if errors.Is(context.Cause(j.ctx), settings.ErrStopping) {
		j.client.detach(errorFrame(sa.ts.settings.Failure(settings.ErrStopping, j.answerIn)))
		return
	}
	e := sa.storedEnd(rt, j, r, plan, out)
	text := answerOf(e.frame)
	e.unsaid = conversationUpdate(j, r, plan, out, text)
	sa.ts.finish(j, e)
	sa.ts.queueConversationUpdate(j.rec, e.unsaid)
	if err := rt.Gate.ReleaseRuns(j.rec.ID); err != nil {
		sa.ts.log.Warn().Err(err).Str("task", j.rec.ID).Msg("cannot remove command output")
	}
	if r.Automation != "" && sa.ts.rules != nil {
		inItsLanguage := sa.storedEnd(rt, &job{rec: j.rec, answerIn: langOf(r), ctx: j.ctx}, r, plan, out)
		o := outcomeOf(task.Record{Answer: "$ " + chat.Truncate(plan.Command()) + "\n" + answerOf(inItsLanguage.frame), Error: inItsLanguage.failure})
		sa.ts.rules.announceStored(r, a, o)
		return
	}
	if a.by != r.Ask.Channel || a.name != j.rec.Name {
		sa.ts.post.Notify(outbox.Message{
			ID: "kept:" + r.ID, Channel: r.Ask.Channel, To: j.rec.Name, Session: j.rec.Session, Task: j.rec.ID,
			Body: i18n.AnsweredElsewhere(i18n.ChannelName(a.by, langOf(r))).In(langOf(r)) + "\n" + text,
		})
	}
}

// conversationUpdate returns what the conversation lacks of an approved plan: the answer for the person, and the
// output of the commands for the model. The turn itself is over, so the model reads the output with the next
// question.
func conversationUpdate(j *job, r approval.Record, plan tools.JudgedPlan, out tools.Outcome, text string) *task.ConversationUpdate {
	u := &task.ConversationUpdate{Text: text}
	if len(out.Output.Steps) > 0 && out.NoteChange == nil {
		u.Brief, u.Tool = i18n.ApprovedRan(describeEnd(out.Output.Steps, j.answerIn)).In(j.answerIn), plan.Plan.Tool
	}
	printed := chat.BoundBody(out.Text, i18n.English)
	switch {
	case r.Task == j.rec.ID: // the call has no result yet
		u.Results = map[string]string{r.Call.ID: printed}
	case u.Brief != "":
		u.Printed = printed
	}
	return u
}

// storedEnd returns how an approved plan ended.
func (sa *Stored) storedEnd(rt *settings.Runtime, j *job, r approval.Record, plan tools.JudgedPlan, out tools.Outcome) end {
	fail := func(change task.Change, e *ipc.Error) end {
		return end{change: change, frame: errorFrame(e), failure: &task.Failure{Code: string(e.Code), UserMessage: e.Message, InternalMessage: out.Text}}
	}
	if j.ctx.Err() != nil {
		return sa.ts.failedEnd(j, context.Cause(j.ctx))
	}
	if out.Output.Refusal != "" {
		return fail(task.Abort, notRunError(out.Output, j.answerIn))
	}
	step := ipc.Step{Tool: plan.Plan.Tool, Input: inputOf(plan.Call.Input), Class: r.Ask.Class, Command: chat.Truncate(plan.Command()), State: ipc.ToolDone}
	var text strings.Builder
	for _, s := range out.Output.Steps {
		if s.MissingProgram != "" {
			return fail(task.Fail, &ipc.Error{Code: ipc.CodeInternal, Message: missingProgram(j.answerIn, s.MissingProgram)})
		}
		step.Exit = s.Exit
		text.WriteString(s.Stdout + s.Stderr)
		if s.TimedOut {
			step.Reason = tools.EndedTimeout
		}
	}
	body := chat.BoundBody(strings.TrimSpace(text.String()), j.answerIn)
	if body != "" {
		body += "\n\n"
	}
	body += i18n.ApprovedRan(describeEnd(out.Output.Steps, j.answerIn)).In(j.answerIn)
	if said, ok := describeRuleChange(plan, text.String(), step.Exit, j.answerIn); ok {
		body = said
	}
	if out.NoteChange != nil {
		body = describeNoteChanges(rt, []memory.Change{*out.NoteChange}, j.rec.Channel, j.answerIn)
	}
	return end{change: task.Finish, frame: ipc.Message{Type: ipc.TypeResult, Done: true, Body: body}.WithData(ipc.Outcome{
		Task: j.rec.ID, Session: j.rec.Session, Stop: "approved", Steps: []ipc.Step{step},
	})}
}

// describeEnd describes how the last command of a call ended.
func describeEnd(steps []providers.Step, lang i18n.Lang) string {
	last := steps[len(steps)-1]
	return i18n.CommandEnd(lang, i18n.CommandResult{Code: last.EndReason(), Exit: last.Exit, Program: last.MissingProgram, Limit: last.Limit})
}

// notRunError returns the error of an approved plan that was not run, with the command to run by hand if there is
// one.
func notRunError(out providers.Output, lang i18n.Lang) *ipc.Error {
	e := &ipc.Error{Code: ipc.CodeNothingDone, Message: i18n.Refusal(out.Refusal, lang)}
	switch out.Refusal {
	case tools.RefusedBlocked:
		e.Code = ipc.CodeBlocked
	case tools.RefusedDenied, tools.RefusedExpired, tools.RefusedReadOnly, tools.RefusedUnparsed:
		e.Code = ipc.CodeDenied
	case tools.RefusedLog, tools.RefusedMismatch:
		e.Code = ipc.CodeInternal
	}
	if out.ManualCommand != "" {
		e.Hint = i18n.RunByHand(out.ManualCommand).In(lang)
	}
	return e
}

// describeRuleChange describes a change of an automation in a person's language. The tool's output states the
// change and, after a colon, the automation. It returns false for any other output.
func describeRuleChange(plan tools.JudgedPlan, said string, exit int, lang i18n.Lang) (string, bool) {
	verb, which, _ := strings.Cut(strings.TrimSpace(said), ": ")
	done, ok := map[string]func(name string) i18n.Text{
		"added": i18n.AutomationAdded, "changed": i18n.AutomationChanged, "removed": i18n.AutomationRemoved,
		"goes on": i18n.AutomationEnabled, "paused": i18n.AutomationDisabled, "told again": i18n.AutomationAwake,
	}[verb]
	tool := slices.Contains([]string{"schedule", "change_automation", "remove_automation"}, plan.Plan.Tool)
	if !ok || !tool || exit != 0 {
		return "", false
	}
	name, _, _ := strings.Cut(which, " [")
	return done(name).In(lang), true
}

// expireStored records the expired stored approvals and notifies the people who were asked.
func (sa *Stored) expireStored() {
	rt := sa.ts.settings.Current()
	if rt == nil {
		return
	}
	sa.reportDamagedApprovals()
	expired, err := sa.ts.approvals.Expire()
	if err != nil {
		sa.ts.log.Warn().Err(err).Msg("cannot expire approvals")
	}
	for _, r := range expired {
		j := r.Judged()
		j.By = byTimeout
		if err := rt.Gate.Cancel(j, tools.RefusedExpired); err != nil {
			sa.ts.log.Warn().Err(err).Msg("cannot record an expired approval")
		}
		sa.publishResolved(r, ipc.Resolved{By: byTimeout, Action: approval.Expired})
		sa.endDeniedTask(r, i18n.ExpiredLater(r.Ask.Command).In(langOf(r)), answerSource{})
		if r.Automation != "" && sa.ts.rules != nil {
			sa.ts.rules.announceStored(r, answerSource{}, automation.Outcome{
				State: automation.Skipped, Reason: automation.ReasonExpired, Text: i18n.ExpiredLater(r.Ask.Command).In(langOf(r)),
			})
		}
	}
}

// watchExpiry sets the timer for the next stored approval that expires.
func (sa *Stored) watchExpiry() {
	sa.mu.Lock()
	defer sa.mu.Unlock()
	if sa.expiry != nil {
		sa.expiry.Stop()
		sa.expiry = nil
	}
	at, ok := sa.ts.approvals.NextExpiry()
	if !ok || sa.ts.life.IsStopping() {
		return
	}
	sa.expiry = time.AfterFunc(max(time.Until(at), 0), func() {
		sa.expireStored()
		sa.watchExpiry()
	})
}

// actionReply is the client of a job that a hello peer's action started.
type actionReply struct {
	noClient
	c  *peerConn
	re ipc.Message
}

func (r *actionReply) finish(m ipc.Message) (delivered bool) {
	if m.Error != nil {
		r.c.fail(r.re, m.Error)
		return true
	}
	m.Re, m.Done = r.re.ID, true
	return r.c.send(m) == nil
}

func (r *actionReply) detach(m ipc.Message) { r.finish(m) }

// noClient is the client of a task whose end is reported another way.
type noClient struct{}

func (noClient) canAsk() bool                        { return false }
func (noClient) ask(*approval.Approval, string) bool { return false }
func (noClient) sendResolved(string, ipc.Resolved)   {}
func (noClient) sendDelta(string)                    {}
func (noClient) sendTool(ipc.Tool)                   {}
func (noClient) wantsOutput() bool                   { return false }
func (noClient) finish(ipc.Message) bool             { return false }
func (noClient) detach(ipc.Message)                  {}
func (noClient) disconnected() <-chan struct{}       { return nil }
func (noClient) isRequest(*peerConn, string) bool    { return false }

// missingProgram says that a program is not installed, with its package if that is known.
func missingProgram(lang i18n.Lang, program string) string {
	if pkg := machine.PackageOf(program); pkg != "" {
		return i18n.ErrMissing(program, pkg).In(lang)
	}
	return i18n.ErrMissingUnknown(program).In(lang)
}
