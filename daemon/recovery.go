package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// maxAttempts is how often a task is started: once, and once more after a crash before it had run anything.
const maxAttempts = 2

// loadState reads the state files of earlier daemons and returns the tasks that are not over. Damage goes to the log
// and to status.
func (d *Daemon) loadState() []task.Record {
	left, lost, err := d.tasks.Load()
	d.recordDamage(lost, err)
	lost, err = d.approvals.Load()
	d.recordDamage(lost, err)
	lost, err = d.outbox.Load()
	d.recordDamage(lost, err)
	d.reportDamagedApprovals()
	return left
}

func (d *Daemon) recordDamage(lost []journal.Damage, err error) {
	var found []error
	if err != nil {
		found = append(found, err)
	}
	for _, l := range lost {
		found = append(found, l)
	}
	for _, e := range found {
		d.o.Log.Error().Err(e).Msg("cannot read state file")
	}
	d.damage.add(found...)
}

// resumeTasks resumes the tasks of earlier daemons once there is a configuration.
func (d *Daemon) resumeTasks() {
	rt := d.runtime.Load()
	if rt == nil {
		return
	}
	d.recovered.Do(func() {
		d.sweepFiles()
		runs := d.leftRuns(rt)
		for _, r := range d.leftTasks {
			d.resumeTask(rt, r, runs[r.ID])
			if !r.State.Ended() {
				delete(runs, r.ID)
			}
		}
		d.leftTasks = nil
		if d.automations != nil {
			d.automations.resumeRuns()
		}
		for _, rest := range runs {
			d.removeLeftRuns(rest)
		}
		d.expireStored()
		d.watchExpiry()
	})
}

// leftRuns returns the commands that earlier daemons started, by task.
func (d *Daemon) leftRuns(rt *Runtime) map[string][]tools.UnfinishedRun {
	all, err := rt.Gate.UnfinishedRuns(context.Background())
	if err != nil {
		d.recordDamage(nil, err)
	}
	runs := map[string][]tools.UnfinishedRun{}
	for _, run := range all {
		runs[run.Task] = append(runs[run.Task], run)
	}
	return runs
}

// removeLeftRuns waits for and removes commands whose task is over or unknown.
func (d *Daemon) removeLeftRuns(runs []tools.UnfinishedRun) {
	leave := d.idle.begin(activityTask)
	d.serving.Go(func() {
		defer leave()
		for _, run := range runs {
			_, err := run.Wait(d.runCtx)
			if err == nil || errors.Is(err, tools.ErrNotStarted) {
				err = run.Remove()
			}
			if err != nil {
				d.o.Log.Warn().Err(err).Str("task", run.Task).Msg("cannot remove record of earlier command")
			}
		}
	})
}

// resumeTask resumes or ends one task.
func (d *Daemon) resumeTask(rt *Runtime, r task.Record, runs []tools.UnfinishedRun) {
	log := d.o.Log.Info().Str("task", r.ID).Str("session", r.Session).Str("channel", r.Channel).Str("state", string(r.State))
	switch {
	case r.State.Ended():
		d.deliverLate(r, log)
	case request(r).DryRun || isExpired(r):
		log.Msg("task of earlier daemon expired")
		d.recordChange(&job{rec: r}, errors.Join(d.approvals.DropTask(r.ID), d.tasks.End(r.ID, task.End{Change: task.Abort})))
		d.automations.endTaskRun(r, automation.Outcome{State: automation.Failed, Reason: automation.ReasonTimeout})
		d.removeInboundFiles(r.Channel, r.Files)
		d.markDelivered(r.ID)
	case r.State == task.Paused && d.isApprovalOpen(r):
		log.Str("approval", r.Approval).Msg("task of earlier daemon waits for approval")
		d.repeatStored(r)
	default:
		log.Msg("task of earlier daemon resumed")
		d.retryOrReport(rt, r, runs)
	}
}

// deliverLate finishes a task that ended in an earlier daemon: it sends the answer and completes the conversation.
func (d *Daemon) deliverLate(r task.Record, log *zerolog.Event) {
	log.Bool("delivered", r.Delivered).Msg("sending answer of earlier daemon")
	d.removeInboundFiles(r.Channel, r.Files)
	if !r.Delivered {
		d.queueAnswer(r, r.Answer)
		d.markDelivered(r.ID)
	}
	if r.Update != nil {
		d.queueConversationUpdate(r, r.Update)
	}
}

// isExpired reports whether a task's timeout is over.
func isExpired(r task.Record) bool {
	limit := request(r).Timeout
	return limit > 0 && time.Since(r.Created) > time.Duration(limit)*time.Second
}

// isApprovalOpen reports whether a paused task's approval is still open.
func (d *Daemon) isApprovalOpen(r task.Record) bool {
	stored, err := d.approvals.Stored(r.Approval)
	return err == nil && stored.Task == r.ID
}

// retryOrReport retries a task that had not run anything, once, and reports any other as interrupted. The command log
// decides, because commands are logged before they start.
func (d *Daemon) retryOrReport(rt *Runtime, r task.Record, runs []tools.UnfinishedRun) {
	ran, err := rt.CommandLog.RunsSince(r.ID, r.LogFrom)
	if err == nil {
		// A retried task asks again: its daemon may have died between storing a question and recording that the
		// task waits for it.
		err = d.approvals.DropTask(r.ID)
	}
	lang := i18n.Lang(r.Lang)
	if l, ok := i18n.Detect(r.Text); ok && request(r).Lang == "" {
		lang = l
	}
	answer, answered := d.approvals.FindOutcome("", r.Approval)
	no := answered && r.State == task.Paused && answer.Action != ipc.ActionAllowOnce && answer.Action != ipc.ActionAllowSession && answer.Action != ipc.ActionEdit
	switch {
	case err != nil: // do not repeat a task that may have run something
		d.reportInterrupted(r, i18n.DaemonInterrupted(excerptOf(r.Text, maxExcerpt)).In(lang)+"\n"+i18n.Cause(err, lang), err.Error())
	case len(runs) > 0:
		d.followUp(rt, r, runs, lang)
	case len(ran) > 0:
		d.reportInterrupted(r, strings.Join(interruptedRows(r, ran, lang), "\n"), "the daemon died after it had run commands")
	case no:
		d.reportInterrupted(r, i18n.DaemonInterrupted(excerptOf(r.Text, maxExcerpt)).In(lang)+"\n"+lateText(answer, lang), "answered "+answer.Action+" before the daemon died")
	case r.Attempts >= maxAttempts:
		d.reportInterrupted(r, i18n.DaemonInterrupted(excerptOf(r.Text, maxExcerpt)).In(lang)+"\n"+i18n.InterruptedTwice.In(lang), "the daemon died twice")
	default:
		d.retry(r, lang)
	}
}

// retry puts a task back into its queue. No client waits for it, so its answer goes to the outbox.
func (d *Daemon) retry(r task.Record, lang i18n.Lang) {
	if err := d.tasks.Move(r.ID, task.Retry); err != nil {
		d.o.Log.Warn().Err(err).Str("task", r.ID).Msg("cannot save task")
	}
	j := &job{rec: r, req: request(r), answerIn: lang, client: noClient{}, retried: true}
	if r.Rule != "" {
		j.client = &announcer{a: d.automations, rec: r}
	}
	if slices.Contains(ipc.Bridged, r.Channel) && r.Rule == "" {
		j.client = &bridgeTurn{d: d, rec: r, lang: lang}
	}
	if r.Channel == originalChannel {
		turn := d.newOriginalTurn(r.Name, lang)
		j.client = turn
		d.handleNext(turn, func(s turnMessage) { d.queueForSender(turn.from, s) })
	}
	if err := d.queue(context.Background(), j); err != nil {
		d.reportInterrupted(r, i18n.DaemonInterrupted(excerptOf(r.Text, maxExcerpt)).In(lang)+"\n"+i18n.InterruptedNo.In(lang), err.Error())
	}
}

func interruptedRows(r task.Record, ran []commandlog.RecordedRun, lang i18n.Lang) []string {
	rows := []string{i18n.DaemonInterrupted(excerptOf(r.Text, maxExcerpt)).In(lang), i18n.InterruptedRan.In(lang)}
	for _, c := range ran {
		command := excerptOf(c.Command, maxShown)
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
func (d *Daemon) reportInterrupted(r task.Record, text, internal string) {
	d.addToConversation(r.Session, session.LateResult{Text: text})
	d.endInterrupted(r, text, internal)
}

// endInterrupted is reportInterrupted for a conversation that already has the text.
func (d *Daemon) endInterrupted(r task.Record, text, internal string) {
	d.recordChange(&job{rec: r}, d.tasks.End(r.ID, task.End{
		Change: task.Fail, Answer: text, Error: &task.Failure{Code: codeInterrupted, UserMessage: text, InternalMessage: internal},
	}))
	d.removeInboundFiles(r.Channel, r.Files)
	if d.queueAnswer(r, text) {
		d.markDelivered(r.ID)
	}
	d.automations.endTaskRun(r, automation.Outcome{State: automation.Failed, Reason: automation.ReasonInterrupted, Text: text})
}

// queueConversationUpdate adds what a task's conversation lacks, once none of its turns runs, because it must not
// come between calls and their results.
func (d *Daemon) queueConversationUpdate(r task.Record, u *task.ConversationUpdate) {
	leave := d.idle.begin(activityTask)
	say := func() {
		defer leave()
		d.addToConversation(r.Session, session.LateResult{Results: u.Results, Text: u.Text, Tool: u.Tool, Printed: u.Printed, Brief: u.Brief})
		d.recordChange(&job{rec: r}, d.tasks.MarkUpdated(r.ID))
	}
	if _, err := d.queues.add(queueKey(r.Channel, r.Name), say); err != nil {
		say() // the queue is full
	}
}

// addToConversation adds text or results to a conversation after its turn.
func (d *Daemon) addToConversation(key string, late session.LateResult) {
	rt := d.runtime.Load()
	if rt == nil {
		return
	}
	if err := rt.Sessions.AppendResults(key, late); err != nil {
		d.o.Log.Warn().Err(err).Str("session", key).Msg("cannot add to conversation")
	}
}
