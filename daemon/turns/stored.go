package turns

import (
	"cmp"
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

// LateText describes how a question ended, for a late answer.
func LateText(s approval.Outcome, lang i18n.Lang) string {
	at := s.At.Local().Format("01-02 15:04")
	switch {
	case s.Action == approval.Expired:
		return i18n.LateExpired(s.Code, at, s.Command).In(lang)
	case s.Action == ipc.ActionReject:
		return i18n.LateDenied(s.Code, at, i18n.ChannelName(s.By, lang), s.Command).In(lang)
	case isYes(s.Action):
		return i18n.LateAllowed(s.Code, at, i18n.ChannelName(s.By, lang), s.Command).In(lang)
	}
	return i18n.LateCancelled(s.Code, at, s.Command).In(lang)
}

// Stored decides about the approvals that no turn waits for.
type Stored struct {
	ts *Turns

	mu     sync.Mutex
	expiry *time.Timer // fires when the next stored approval expires
}

// Stop stops the timer.
func (sa *Stored) Stop() {
	sa.mu.Lock()
	defer sa.mu.Unlock()
	if sa.expiry != nil {
		sa.expiry.Stop()
	}
}

// AnswerSource describes who answered a stored approval. The client gets the result.
type AnswerSource struct {
	By     string
	Name   string // of the session, if the person who was asked answered there
	Lang   i18n.Lang
	Client Client
	// ResultOnly reports that no model may be asked now because of this answer.
	ResultOnly bool
}

// Decide carries out the decision about a stored approval: it runs the plan or records the refusal.
func (sa *Stored) Decide(ctx context.Context, r approval.Record, action string, data ipc.Answer, a AnswerSource) error {
	rt, err := sa.ts.settings.EnabledRuntime()
	if action == ipc.ActionReject { // no needs no runtime that can run commands
		rt, err = sa.ts.settings.CurrentRuntime()
	}
	if err != nil {
		return err
	}
	sa.ts.Recovery.Resume() // the tasks of earlier daemons are resumed first
	j, err := sa.storedPlan(rt, r, action, data)
	if err != nil {
		return err
	}
	dec, err := sa.ts.Approvals.AnswerStored(r, action, data, a.By)
	if err != nil {
		return err
	}
	sa.publishResolved(r, ipc.Resolved{By: a.By, Action: string(dec.Action)})
	j.By = a.By
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
		if action == ipc.ActionAllowFamily && !isFamily(rt.Gate.Judge(j), r.Ask) {
			return j, approval.ErrNoFamily
		}
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

// isFamily reports whether a plan that is judged again is of the family that a question offered to allow.
func isFamily(j tools.JudgedPlan, ask ipc.Ask) bool {
	return j.Family != nil && ask.Family != nil && ipc.Family(*j.Family) == *ask.Family && j.Digest == ask.Digest
}

// deny rejects a stored approval.
func (sa *Stored) deny(rt *settings.Runtime, r approval.Record, j tools.JudgedPlan, a AnswerSource) error {
	if err := rt.Gate.Cancel(j, tools.RefusedDenied); err != nil {
		return err
	}
	sa.endDeniedTask(r, i18n.DeniedLater(r.Ask.Command).In(r.Language()), a)
	if r.Automation != "" {
		sa.ts.backlog.rules.AnnounceStored(r, a, automation.Outcome{
			State: automation.Skipped, Reason: automation.ReasonDenied, Text: i18n.DeniedLater(r.Ask.Command).In(r.Language()),
		})
	}
	a.Client.Finish(ipc.Message{Type: ipc.TypeResult, Done: true, Body: i18n.DeniedDone.In(a.Lang)})
	return nil
}

// endDeniedTask ends the task that waited for an approval which will not run. It notifies the person who asked,
// unless that person answered.
func (sa *Stored) endDeniedTask(r approval.Record, text string, a AnswerSource) {
	t, err := sa.ts.tasks.Get(r.Task)
	if err != nil || t.State != task.Paused || t.Approval != r.Ask.Code {
		return
	}
	unsaid := &task.ConversationUpdate{Text: text}
	if err := sa.ts.tasks.End(t.ID, task.End{Change: task.Abort, Answer: text, Update: unsaid}); err != nil {
		sa.ts.log.Warn().Err(err).Msg("cannot save task")
	}
	sa.ts.queueConversationUpdate(t, unsaid)
	if a.By != t.Channel || a.Name != t.Name {
		sa.ts.QueueAnswer(t, text)
	}
	sa.ts.markDelivered(t.ID)
}

// askAgain stores an edit that needs its own yes, because it does more than the command that was shown.
func (sa *Stored) askAgain(r approval.Record, j tools.JudgedPlan, a AnswerSource) error {
	next, err := sa.ts.Approvals.Open(j, approval.Record{
		Task: r.Task, Ask: ipc.Ask{Channel: r.Ask.Channel}, Lang: r.Lang, Whole: true, Automation: r.Automation, Audience: r.Audience, Unseen: r.Unseen,
		AtMachine: r.AtMachine,
	}, r.Ask.Expires, false)
	if err != nil {
		return err
	}
	err = sa.ts.tasks.Update(r.Task, false, func(t *task.Record) error { t.Approval = next.Ask.Code; return nil })
	if err != nil && !errors.Is(err, task.ErrUnknown) {
		sa.ts.log.Warn().Err(err).Msg("cannot save task")
	}
	sa.watchExpiry()
	sa.ts.post.PublishWaiting(next.Ask)
	a.Client.Finish(ErrorFrame(&ipc.Error{
		Code: ipc.CodeDenied, Message: i18n.EditAsksAgain(next.Ask.Command).In(a.Lang), Hint: i18n.EditAsksAgainHint(next.Ask.Code).In(a.Lang),
	}))
	return nil
}

// runStored runs an approved plan as a task: the one that waited for it, or a new one. Then the model continues the
// request that the plan belongs to. The task is listed, can be cancelled and is waited for on shutdown, even if the
// client that approved it disconnects.
func (sa *Stored) runStored(ctx context.Context, rt *settings.Runtime, r approval.Record, plan tools.JudgedPlan, a AnswerSource) error {
	t, err := sa.storedTask(r)
	if err != nil {
		return err
	}
	plan.Origin.Task = t.ID
	j := &job{rec: t, answerIn: a.Lang, client: a.Client, state: task.Running}
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	leave, endRelease := sa.ts.life.Idle.Begin(life.ActivityTask), sa.ts.life.ReleaseTimer.Begin(life.ActivityTask)
	sa.ts.backlog.jobs.add(j)
	// A separate queue is never full.
	_, _ = sa.ts.backlog.queues.add("kept\x00"+t.ID, func() {
		defer leave()
		defer endRelease()
		defer sa.ts.backlog.jobs.remove(j)
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
	t := sa.ts.NewTask(r.Ask.Channel, post.NameIn(r.Ask.Session, r.Ask.Channel), r.Ask.Command, ipc.Request{}, r.Language())
	t.Session, t.Late = r.Ask.Session, cmp.Or(r.Task, r.ID)
	err := sa.ts.tasks.Accept(t)
	if err == nil {
		err = sa.ts.tasks.Move(t.ID, task.Start)
	}
	return t, err
}

func (sa *Stored) runStoredJob(rt *settings.Runtime, j *job, r approval.Record, plan tools.JudgedPlan, a AnswerSource) {
	out := rt.Gate.RunApproved(j.ctx, plan, plan.Digest, &worker{ts: sa.ts, job: j, rt: rt}, nil)
	if errors.Is(context.Cause(j.ctx), settings.ErrStopping) {
		j.client.Detach(ErrorFrame(sa.ts.settings.Failure(settings.ErrStopping, j.answerIn)))
		return
	}
	e := sa.storedEnd(rt, j, r, plan, out)
	inPlace := a.By == r.Ask.Channel && a.Name == j.rec.Name
	if sa.continueTurn(rt, j, lateRun{record: r, plan: plan, out: out, end: e, by: a, inPlace: inPlace}) {
		return
	}
	text := AnswerOf(e.frame)
	e.unsaid = conversationUpdate(j, r, plan, out, text)
	sa.ts.finish(j, e)
	sa.ts.queueConversationUpdate(j.rec, e.unsaid)
	if err := rt.Gate.ReleaseRuns(j.rec.ID); err != nil {
		sa.ts.log.Warn().Err(err).Str("task", j.rec.ID).Msg("cannot remove command output")
	}
	if r.Automation != "" {
		inItsLanguage := sa.storedEnd(rt, &job{rec: j.rec, answerIn: r.Language(), ctx: j.ctx}, r, plan, out)
		o := OutcomeOf(task.Record{Answer: "$ " + chat.Truncate(plan.Command()) + "\n" + AnswerOf(inItsLanguage.frame), Error: inItsLanguage.failure})
		sa.ts.backlog.rules.AnnounceStored(r, a, o)
		return
	}
	if !inPlace {
		sa.ts.post.Notify(outbox.Message{
			ID: "kept:" + r.ID, Channel: r.Ask.Channel, To: j.rec.Name, Session: j.rec.Session, Task: j.rec.ID,
			Body: i18n.AnsweredElsewhere(i18n.ChannelName(a.By, r.Language())).In(r.Language()) + "\n" + text,
		})
	}
}

// conversationUpdate returns what the conversation lacks of an approved plan: the answer for the person, and the
// output of the commands for the model.
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
		return end{change: change, frame: ErrorFrame(e), failure: &task.Failure{Code: string(e.Code), UserMessage: e.Message, InternalMessage: out.Text}}
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
	body = appendLines(body, describeChanges(out.Proofs, receiptsOf(out), j.answerIn))
	return end{change: task.Finish, frame: ipc.Message{Type: ipc.TypeResult, Done: true, Body: body}.WithData(ipc.Outcome{
		Task: j.rec.ID, Session: j.rec.Session, Stop: "approved", Steps: []ipc.Step{step}, Checks: checksOf(out.Proofs), Receipts: receiptsOf(out),
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

// Expire records the expired stored approvals and notifies the people who were asked.
func (sa *Stored) Expire() {
	rt := sa.ts.settings.Current()
	if rt == nil {
		return
	}
	sa.ReportDamaged()
	expired, err := sa.ts.Approvals.Expire()
	if err != nil {
		sa.ts.log.Warn().Err(err).Msg("cannot expire approvals")
	}
	for _, r := range expired {
		j := r.Judged()
		j.By = ByTimeout
		if err := rt.Gate.Cancel(j, tools.RefusedExpired); err != nil {
			sa.ts.log.Warn().Err(err).Msg("cannot record an expired approval")
		}
		sa.publishResolved(r, ipc.Resolved{By: ByTimeout, Action: approval.Expired})
		sa.endDeniedTask(r, i18n.ExpiredLater(r.Ask.Command).In(r.Language()), AnswerSource{})
		if r.Automation != "" {
			sa.ts.backlog.rules.AnnounceStored(r, AnswerSource{}, automation.Outcome{
				State: automation.Skipped, Reason: automation.ReasonExpired, Text: i18n.ExpiredLater(r.Ask.Command).In(r.Language()),
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
	at, ok := sa.ts.Approvals.NextExpiry()
	if !ok || sa.ts.life.IsStopping() {
		return
	}
	sa.expiry = time.AfterFunc(max(time.Until(at), 0), func() {
		sa.Expire()
		sa.watchExpiry()
	})
}

// MarkSeen records whether a question has reached a conversation in which it was asked.
func (sa *Stored) MarkSeen(code, session string, seen bool) {
	if code == "" {
		return
	}
	if err := sa.ts.Approvals.MarkSeen(code, session, seen); err != nil {
		sa.ts.log.Warn().Err(err).Str("approval", code).Msg("cannot save approval")
	}
}

// maxCodes bounds how many approvals a bridge asks about.
const maxCodes = 200

// ClosedCodes returns those of the approval codes that can no longer be answered.
func (sa *Stored) ClosedCodes(codes []string) (over []string) {
	for _, code := range codes[:min(len(codes), maxCodes)] {
		if sa.ts.Approvals.ByCode(code) != nil {
			continue
		}
		if _, err := sa.ts.Approvals.Stored(code); errors.Is(err, approval.ErrNotWaiting) {
			over = append(over, code)
		}
	}
	return over
}

// NoClient is the client of a task whose end is reported another way.
type NoClient struct{}

func (NoClient) CanAsk() bool { return false }

func (NoClient) Ask(*approval.Approval, string) bool { return false }

func (NoClient) SendResolved(string, ipc.Resolved) {}

func (NoClient) SendDelta(string) {}

func (NoClient) SendTool(ipc.Tool) {}

func (NoClient) WantsOutput() bool { return false }

func (NoClient) Finish(ipc.Message) bool { return false }

func (NoClient) Detach(ipc.Message) {}

func (NoClient) Disconnected() <-chan struct{} { return nil }

func (NoClient) IsRequest(any, string) bool { return false }

// missingProgram says that a program is not installed, with its package if that is known.
func missingProgram(lang i18n.Lang, program string) string {
	if pkg := machine.PackageOf(program); pkg != "" {
		return i18n.ErrMissing(program, pkg).In(lang)
	}
	return i18n.ErrMissingUnknown(program).In(lang)
}
