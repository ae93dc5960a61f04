package turns

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/steps"
	"github.com/rs/zerolog"
)

// maxAttempts is how often a task is started: once, and once more after a crash before it had run anything.
const maxAttempts = 2

// Recovery resumes the tasks of earlier daemons.
type Recovery struct {
	ts      *Turns
	senders Senders

	damage    damageList    // damage found in state files
	leftTasks []task.Record // unfinished tasks of earlier daemons
	recovered sync.Once
}

// load reads the state files of earlier daemons. Damage goes to the log and to status.
func (rc *Recovery) load() {
	left, lost, err := rc.ts.tasks.Load()
	rc.leftTasks = left
	rc.RecordDamage(lost, err)
	lost, err = rc.ts.Approvals.Load()
	rc.RecordDamage(lost, err)
	lost, err = rc.ts.post.Outbox.Load()
	rc.RecordDamage(lost, err)
	rc.ts.Stored.ReportDamaged()
}

// Damages returns the errors of state files that cannot be read.
func (rc *Recovery) Damages() []error { return rc.damage.all() }

func (rc *Recovery) RecordDamage(lost []journal.Damage, err error) {
	var found []error
	if err != nil {
		found = append(found, err)
	}
	for _, l := range lost {
		found = append(found, l)
	}
	for _, e := range found {
		rc.ts.log.Error().Err(e).Msg("cannot read state file")
	}
	rc.damage.add(found...)
}

// Resume resumes the tasks of earlier daemons once there is a configuration.
func (rc *Recovery) Resume() {
	rt := rc.ts.settings.Current()
	if rt == nil {
		return
	}
	rc.recovered.Do(func() {
		rc.ts.files.SweepFiles(rc.leftTasks)
		runs := rc.leftRuns(rt)
		for _, r := range rc.leftTasks {
			rc.resumeTask(rt, r, runs[r.ID])
			if !r.State.Ended() {
				delete(runs, r.ID)
			}
		}
		rc.leftTasks = nil
		rc.ts.backlog.rules.ResumeRuns()
		for _, rest := range runs {
			rc.removeLeftRuns(rest)
		}
		rc.ts.Stored.Expire()
		rc.ts.Stored.watchExpiry()
	})
}

// leftRuns returns the commands that earlier daemons started, by task.
func (rc *Recovery) leftRuns(rt *settings.Runtime) map[string][]steps.Unfinished {
	all, err := rt.Gate.UnfinishedRuns(context.Background())
	if err != nil {
		rc.RecordDamage(nil, err)
	}
	runs := map[string][]steps.Unfinished{}
	for _, run := range all {
		runs[run.Task] = append(runs[run.Task], run)
	}
	return runs
}

// removeLeftRuns waits for and removes commands whose task is over or unknown.
func (rc *Recovery) removeLeftRuns(runs []steps.Unfinished) {
	leave := rc.ts.life.Idle.Begin(life.ActivityTask)
	rc.ts.life.Serving.Go(func() {
		defer leave()
		for _, run := range runs {
			_, err := run.Wait(rc.ts.life.RunCtx)
			if err == nil || errors.Is(err, steps.ErrNotStarted) {
				err = run.Remove()
			}
			if err != nil {
				rc.ts.log.Warn().Err(err).Str("task", run.Task).Msg("cannot remove record of earlier command")
			}
		}
	})
}

// resumeTask resumes or ends one task.
func (rc *Recovery) resumeTask(rt *settings.Runtime, r task.Record, runs []steps.Unfinished) {
	log := rc.ts.log.Info().Str("task", r.ID).Str("session", r.Session).Str("channel", r.Channel).Str("state", string(r.State))
	switch {
	case r.State.Ended():
		rc.deliverLate(r, log)
	case request(r).DryRun || isExpired(r):
		log.Msg("task of earlier daemon expired")
		rc.ts.recordChange(&job{rec: r}, errors.Join(rc.ts.Approvals.DropTask(r.ID), rc.ts.tasks.End(r.ID, task.End{Change: task.Abort})))
		rc.ts.backlog.rules.EndTaskRun(r, automation.Outcome{State: automation.Failed, Reason: automation.ReasonTimeout})
		rc.ts.files.RemoveInboundFiles(r.Channel, r.Files)
		rc.ts.markDelivered(r.ID)
	case r.State == task.Paused && rc.isApprovalOpen(r):
		log.Str("approval", r.Approval).Msg("task of earlier daemon waits for approval")
		rc.senders.RepeatQuestion(r)
	default:
		log.Msg("task of earlier daemon resumed")
		rc.retryOrReport(rt, r, runs)
	}
}

// deliverLate finishes a task that ended in an earlier daemon: it sends the answer and completes the conversation.
func (rc *Recovery) deliverLate(r task.Record, log *zerolog.Event) {
	log.Bool("delivered", r.Delivered).Msg("sending answer of earlier daemon")
	rc.ts.files.RemoveInboundFiles(r.Channel, r.Files)
	if !r.Delivered {
		rc.completeConversation(r)
		rc.ts.QueueAnswer(r, r.Answer)
		rc.ts.markDelivered(r.ID)
	}
	if r.Update != nil {
		rc.ts.queueConversationUpdate(r, r.Update)
	}
}

// completeConversation adds the answer of a turn to its conversation if a power cut removed it there: both are synced
// at the same time, before the answer is delivered.
func (rc *Recovery) completeConversation(r task.Record) {
	rt := rc.ts.settings.Current()
	if rt == nil || r.State != task.Done || r.Answer == "" || r.Update != nil || len(r.Argvs) > 0 || request(r).DryRun {
		return
	}
	has, err := rt.Sessions.HasEnd(r.Session, r.ID)
	if err != nil {
		rc.ts.log.Warn().Err(err).Str("session", r.Session).Msg("cannot read conversation")
		return
	}
	if !has {
		rc.ts.addToConversation(r.Session, session.LateResult{Task: r.ID, Text: r.Answer})
	}
}

// isExpired reports whether a task's timeout is over.
func isExpired(r task.Record) bool {
	limit := request(r).Timeout
	return limit > 0 && time.Since(r.Created) > time.Duration(limit)*time.Second
}

// isApprovalOpen reports whether a paused task's approval is still open.
func (rc *Recovery) isApprovalOpen(r task.Record) bool {
	stored, err := rc.ts.Approvals.Stored(r.Approval)
	return err == nil && stored.Task == r.ID
}

// retryOrReport retries a task that had not run anything, once, and reports any other as interrupted. The command log
// decides, because commands are logged before they start.
func (rc *Recovery) retryOrReport(rt *settings.Runtime, r task.Record, runs []steps.Unfinished) {
	ran, err := rt.CommandLog.RunsSince(r.ID, r.LogFrom)
	if err == nil {
		// A retried task asks again: its daemon may have died between storing a question and recording that the
		// task waits for it.
		err = rc.ts.Approvals.DropTask(r.ID)
	}
	lang := i18n.Lang(r.Lang)
	if l, ok := i18n.Detect(r.Text); ok && request(r).Lang == "" && r.Late == "" {
		lang = l
	}
	answer, answered := rc.ts.Approvals.FindOutcome("", r.Approval)
	no := answered && r.State == task.Paused && !isYes(answer.Action)
	switch {
	case err != nil: // do not repeat a task that may have run something
		rc.reportInterrupted(r, i18n.DaemonInterrupted(chat.ExcerptOf(r.Text, chat.MaxExcerpt)).In(lang)+"\n"+i18n.Cause(err, lang), err.Error())
	case len(runs) > 0:
		rc.followUp(rt, r, runs, lang)
	case len(ran) > 0:
		rows := append(interruptedRows(r, ran, lang), planRows(rt, r, lang)...)
		rc.reportInterrupted(r, strings.Join(rows, "\n"), "the daemon died after it had run commands")
	case no:
		rc.reportInterrupted(r, i18n.DaemonInterrupted(chat.ExcerptOf(r.Text, chat.MaxExcerpt)).In(lang)+"\n"+LateText(answer, lang), "answered "+answer.Action+" before the daemon died")
	case r.Late != "": // its text is a command
		rc.reportInterrupted(r, i18n.DaemonInterrupted(chat.ExcerptOf(r.Text, chat.MaxExcerpt)).In(lang)+"\n"+i18n.InterruptedNo.In(lang), "the daemon died before it ran the approved command")
	case r.Attempts >= maxAttempts:
		rc.reportInterrupted(r, i18n.DaemonInterrupted(chat.ExcerptOf(r.Text, chat.MaxExcerpt)).In(lang)+"\n"+i18n.InterruptedTwice.In(lang), "the daemon died twice")
	default:
		rc.retry(r, lang)
	}
}

// retry puts a task back into its queue. No client waits for it, so its answer goes to the outbox.
func (rc *Recovery) retry(r task.Record, lang i18n.Lang) {
	if err := rc.ts.tasks.Move(r.ID, task.Retry); err != nil {
		rc.ts.log.Warn().Err(err).Str("task", r.ID).Msg("cannot save task")
	}
	j := &job{rec: r, req: request(r), answerIn: lang, client: rc.clientOf(r, lang), retried: true}
	if err := rc.ts.queue(context.Background(), j); err != nil {
		rc.reportInterrupted(r, i18n.DaemonInterrupted(chat.ExcerptOf(r.Text, chat.MaxExcerpt)).In(lang)+"\n"+i18n.InterruptedNo.In(lang), err.Error())
	}
}

// ClientOf returns the client of a task that no connection waits for.
func (rc *Recovery) clientOf(r task.Record, lang i18n.Lang) Client {
	switch {
	case r.Rule != "":
		return rc.ts.backlog.rules.ClientOf(r)
	case isRemote(r.Channel):
		return rc.senders.ClientOf(r, lang)
	}
	return NoClient{}
}

func interruptedRows(r task.Record, ran []commandlog.RecordedRun, lang i18n.Lang) []string {
	rows := []string{i18n.DaemonInterrupted(chat.ExcerptOf(r.Text, chat.MaxExcerpt)).In(lang), i18n.InterruptedRan.In(lang)}
	for _, c := range ran {
		command := chat.ExcerptOf(c.Command, chat.MaxShown)
		switch {
		case c.Error != "" && c.EndReason() == "":
			rows = append(rows, i18n.InterruptedFailed(command, c.Error).In(lang))
		case c.Ended:
			rows = append(rows, i18n.InterruptedExit(command, i18n.CommandEnd(lang, i18n.CommandResult{Exit: c.Exit, Code: c.EndReason()})).In(lang))
		default:
			rows = append(rows, i18n.InterruptedOpen(command).In(lang))
		}
	}
	return rows
}

// codeInterrupted is the failure code of a task whose daemon died.
const codeInterrupted = "interrupted"

// reportInterrupted ends an interrupted task that is not retried: in its conversation, on disk, and with a message
// to the person.
func (rc *Recovery) reportInterrupted(r task.Record, text, internal string) {
	rc.ts.addToConversation(r.Session, session.LateResult{Task: r.ID, Text: text})
	rc.endInterrupted(r, text, internal)
}

// endInterrupted is reportInterrupted for a conversation that already has the text.
func (rc *Recovery) endInterrupted(r task.Record, text, internal string) {
	rc.ts.recordChange(&job{rec: r}, rc.ts.tasks.End(r.ID, task.End{
		Change: task.Fail, Answer: text, Error: &task.Failure{Code: codeInterrupted, UserMessage: text, InternalMessage: internal},
	}))
	rc.ts.files.RemoveInboundFiles(r.Channel, r.Files)
	if rc.ts.QueueAnswer(r, text) {
		rc.ts.markDelivered(r.ID)
	}
	rc.ts.backlog.rules.EndTaskRun(r, automation.Outcome{State: automation.Failed, Reason: automation.ReasonInterrupted, Text: text})
}

// queueConversationUpdate adds what a task's conversation lacks, once none of its turns runs, because it must not
// come between calls and their results.
func (ts *Turns) queueConversationUpdate(r task.Record, u *task.ConversationUpdate) {
	leave := ts.life.Idle.Begin(life.ActivityTask)
	say := func() {
		defer leave()
		ts.addToConversation(r.Session, session.LateResult{
			Task: r.ID, Results: u.Results, Text: u.Text, Tool: u.Tool, Printed: u.Printed, Brief: u.Brief,
		})
		ts.recordChange(&job{rec: r}, ts.tasks.MarkUpdated(r.ID))
	}
	if _, err := ts.backlog.queues.add(queueKey(r.Channel, r.Name), say); err != nil {
		say() // the queue is full
	}
}

// addToConversation adds text or results to a conversation after its turn.
func (ts *Turns) addToConversation(key string, late session.LateResult) {
	rt := ts.settings.Current()
	if rt == nil {
		return
	}
	if err := rt.Sessions.AppendResults(key, late); err != nil {
		ts.log.Warn().Err(err).Str("session", key).Msg("cannot add to conversation")
	}
}

// damageList holds the errors of state files that cannot be read. It is safe for
// concurrent use.
type damageList struct {
	mu   sync.Mutex
	errs []error
}

func (l *damageList) add(errs ...error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, errs...)
}

func (l *damageList) all() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.errs)
}

// ReportDamaged notifies the person at the machine once of each damaged approval, which does not run and
// must be requested again.
func (sa *Stored) ReportDamaged() {
	for _, err := range sa.ts.Approvals.Damaged() {
		var damaged *approval.DamagedError
		if !errors.As(err, &damaged) || sa.ts.post.Outbox.IsKnown(damaged.ID()) {
			continue
		}
		sa.ts.log.Error().Err(damaged).Str("approval", damaged.Code()).Msg("cannot read approval")
		sa.ts.post.Notify(outbox.Message{ID: damaged.ID(), Channel: "cli", To: "default", Session: post.KeyOf("cli", "default"), Body: settings.ProblemText(damaged, sa.ts.settings.Lang())})
	}
}

// followUp waits for the commands of a task that kept running, or ended, without a daemon, and reports their
// results. It waits in the queue of its conversation, like the turn it ends.
func (rc *Recovery) followUp(rt *settings.Runtime, r task.Record, runs []steps.Unfinished, lang i18n.Lang) {
	j := &job{rec: r, answerIn: lang, client: NoClient{}, state: task.Running}
	j.ctx, j.cancel = context.WithCancelCause(context.Background())
	leave := rc.ts.life.Idle.Begin(life.ActivityTask)
	rc.ts.backlog.jobs.add(j)
	work := func() {
		defer leave()
		defer rc.ts.backlog.jobs.remove(j)
		defer j.cancel(nil)
		rc.awaitCommands(rt, j, runs)
	}
	if _, err := rc.ts.backlog.queues.add(queueKey(r.Channel, r.Name), work); err != nil {
		rc.ts.life.Serving.Go(work) // the queue is full, but the task must be ended
	}
}

func (rc *Recovery) awaitCommands(rt *settings.Runtime, j *job, runs []steps.Unfinished) {
	var ended []steps.Unfinished
	outcome, results := map[commandlog.Ref]providers.Step{}, map[string]string{}
	for _, run := range runs {
		step, err := run.Wait(j.ctx)
		switch {
		case errors.Is(err, executor.ErrStillRunning):
			return // the next daemon waits for it
		case errors.Is(err, steps.ErrNotStarted):
			step.Stderr = err.Error()
		case err != nil:
			rc.ts.log.Warn().Err(err).Str("task", j.rec.ID).Msg("cannot wait for command of earlier daemon")
		default:
			ended = append(ended, run)
		}
		outcome[run.Ref] = step
		results[run.CallID] += steps.Text(step)
	}
	ran, err := rt.CommandLog.RunsSince(j.rec.ID, j.rec.LogFrom)
	if err != nil {
		rc.ts.log.Warn().Err(err).Str("task", j.rec.ID).Msg("cannot read commands of task")
	}
	rows := interruptedRows(j.rec, ran, j.answerIn)
	brief := strings.Join(rows, "\n")
	for _, c := range ran {
		if step, ok := outcome[c.Ref]; ok {
			rows = append(rows, outputRows(step)...)
		}
	}
	var proofs []plan.Proof
	for _, run := range ended { // after the command log was read, which their looks add to
		found, result := rt.Gate.CheckLeft(j.ctx, run.Note, outcome[run.Ref])
		proofs = append(proofs, found...)
		results[run.CallID] += result
	}
	rows = append(rows, planRows(rt, j.rec, j.answerIn)...)
	text := appendProofs(chat.BoundBody(strings.Join(rows, "\n"), j.answerIn), proofs, j.answerIn)
	rc.ts.addToConversation(j.rec.Session, session.LateResult{
		Task: j.rec.ID, Results: results, Text: text, Brief: brief, Tool: "run_command",
	})
	rc.endInterrupted(j.rec, text, "the daemon died while commands ran")
	for _, run := range runs {
		if err := run.Remove(); err != nil {
			rc.ts.log.Warn().Err(err).Str("task", j.rec.ID).Msg("cannot remove command record")
		}
	}
}

// outputRows returns the output of a command, below its command line.
func outputRows(s providers.Step) []string {
	text := strings.TrimSpace(s.Stdout + s.Stderr)
	if text == "" {
		return nil
	}
	return []string{"", "$ " + s.Command, text}
}

// isYes reports whether an answer lets a command run, maybe an edited one.
func isYes(action string) bool {
	return slices.Contains([]string{ipc.ActionAllowOnce, ipc.ActionAllowSession, ipc.ActionAllowFamily, ipc.ActionEdit}, action)
}
