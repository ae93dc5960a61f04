package turns

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
)

// Approve asks the person behind the task. If no one can be asked, no answer comes in time or the turn is
// cancelled, the decision is no.
func (w *worker) Approve(ctx context.Context, j tools.JudgedPlan) tools.Decision {
	if j.Plan.Within > 0 && !w.client.CanAsk() { // nobody can answer in time
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedExpired}
	}
	if c, ok := w.client.(ruleClient); ok {
		if d, signed := c.SignedDecision(j); signed && !j.Plan.IsHeld() {
			return d
		}
		return w.askLater(c, j)
	}
	if d, granted := w.grantedDecision(j); granted && !j.Plan.IsHeld() {
		if !j.Call.Untrusted {
			return d
		}
		j.Warnings = append(slices.Clip(j.Warnings), "untrusted-read")
	}
	if !w.client.CanAsk() {
		return w.storeApproval(j)
	}
	a, err := w.ts.Approvals.Open(j, w.approvalRecord(j), time.Now().Add(answerTime(j, w.rt.Limits.Approval)), true)
	if err != nil {
		// A question that cannot be stored is not asked, because its answer could not be stored either.
		w.ts.log.Warn().Err(err).Str("task", w.rec.ID).Msg("cannot save approval")
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}
	}
	return w.ask(ctx, a, Question(j, w.answerIn))
}

// grantedDecision returns the decision about a plan that was allowed for its conversation, by itself or as one of its family.
func (w *worker) grantedDecision(j tools.JudgedPlan) (d tools.Decision, granted bool) {
	if w.ts.Approvals.IsGranted(j) {
		return tools.Decision{Action: tools.AllowSession, By: "session grant"}, true
	}
	code, granted := w.ts.Approvals.FamilyGrant(j)
	return tools.Decision{Action: tools.AllowFamily, By: "family grant " + code}, granted
}

// maxPlanAnswer bounds how long the question about a plan waits: what its steps were planned from changes meanwhile.
const maxPlanAnswer = 10 * time.Minute

// answerTime returns how long a question waits for an answer.
func answerTime(j tools.JudgedPlan, configured time.Duration) time.Duration {
	switch {
	case j.Plan.Within > 0:
		return min(configured, j.Plan.Within)
	case j.Plan.Typed != nil:
		return min(configured, maxPlanAnswer)
	}
	return configured
}

// approvalRecord returns the approval fields that describe this job, and what its plan would do.
func (w *worker) approvalRecord(j tools.JudgedPlan) approval.Record {
	return approval.Record{
		Task: w.rec.ID, Ask: ipc.Ask{Channel: w.rec.Channel, Foreseen: strings.TrimSuffix(Foreseen(j, w.answerIn), "\n")}, Lang: string(w.answerIn), Whole: true,
		Unseen: isRemote(w.rec.Channel), AtMachine: slices.Contains(post.AtTheMachine, w.rec.Channel),
	}
}

// isRemote reports whether a channel's senders are asked in their chat, where a question may arrive late.
func isRemote(channel string) bool {
	return channel == post.OriginalChannel || slices.Contains(ipc.Bridged, channel)
}

// Ask shows a question and waits for its answer.
func (w *worker) ask(ctx context.Context, a *approval.Approval, question string) tools.Decision {
	w.step(task.Pause)
	w.ts.recordChange(w.job, w.ts.tasks.Pause(w.rec.ID, a.Ask.Code))
	w.ts.post.Events.Publish(post.TopicApprovals, a.Ask)
	if !w.client.Ask(a, question) {
		// A question must be shown completely to be approved.
		w.ts.Approvals.Withdraw(a, approval.NotShown)
		w.markResumed()
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}
	}
	crash.Here(crash.ApprovalAsked)
	d, by := w.awaitAnswer(ctx, a)
	if d.Action == "" {
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedStopping}
	}
	d.By = by
	w.markResumed()
	r := ipc.Resolved{By: by, Action: string(d.Action)}
	w.client.SendResolved(a.ID, r)
	w.ts.Stored.publishResolved(a.Record, r)
	return d
}

// publishResolved publishes how a question ended, on each channel in which it was asked.
func (sa *Stored) publishResolved(r approval.Record, how ipc.Resolved) {
	how.Code, how.Channel = r.Ask.Code, r.Ask.Channel
	sa.ts.post.Events.Publish(post.TopicApprovals, how)
	for _, channel := range ipc.Bridged {
		asked := slices.ContainsFunc(r.Audience, func(key string) bool { return strings.HasPrefix(key, post.KeyOf(channel, "")) })
		if asked && channel != r.Ask.Channel {
			how.Channel = channel
			sa.ts.post.Events.Publish(post.TopicApprovals, how)
		}
	}
}

func (w *worker) markResumed() {
	w.step(task.Resume)
	w.ts.recordChange(w.job, w.ts.tasks.Resume(w.rec.ID))
}

// Who ended a question without an answer, as reported to clients.
const (
	ByTimeout    = "timeout"
	ByCancel     = "cancelled"
	ByDisconnect = "disconnect"
)

// awaitAnswer waits for an approval's answer. An answer that races with the timeout still counts. On shutdown the
// question stays open for the next daemon.
func (w *worker) awaitAnswer(ctx context.Context, a *approval.Approval) (tools.Decision, string) {
	timer := time.NewTimer(time.Until(a.Ask.Expires))
	defer timer.Stop()
	reason, by, how := tools.RefusedCancelled, ByCancel, approval.Cancelled
	select {
	case d := <-a.Answer():
		return d, d.By
	case <-timer.C:
		reason, by, how = tools.RefusedExpired, ByTimeout, approval.Expired
	case <-w.client.Disconnected():
		by, how = ByDisconnect, approval.Disconnect
	case <-ctx.Done():
	}
	if w.ts.life.IsStopping() && how != approval.Expired {
		if w.ts.Approvals.Detach(a) {
			w.cancel(settings.ErrStopping)
			return tools.Decision{}, ""
		}
	} else if w.ts.Approvals.Withdraw(a, how) {
		return tools.Decision{Action: tools.Reject, Reason: reason}, by
	}
	d := <-a.Answer()
	return d, d.By
}

// storeApproval stores a plan for a later answer, because no one can be asked now. If the same plan already waits
// in the conversation, park returns its code.
func (w *worker) storeApproval(j tools.JudgedPlan) tools.Decision {
	if code := w.ts.Approvals.FindSame(j); code != "" {
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedQueued, Code: code}
	}
	a, err := w.ts.Approvals.Open(j, w.approvalRecord(j), time.Now().Add(approval.StoredFor), false)
	if err != nil {
		w.ts.log.Warn().Err(err).Msg("cannot save approval")
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}
	}
	w.ts.Stored.watchExpiry()
	w.ts.post.PublishWaiting(a.Ask)
	return tools.Decision{Action: tools.Reject, Reason: tools.RefusedQueued, Code: a.Ask.Code}
}

// AskLater stores a plan of a rule's task and sends the question on the rule's channels. One yes is enough for a plan
// that an earlier run of the rule asked about, so one question is.
func (w *worker) askLater(c ruleClient, j tools.JudgedPlan) tools.Decision {
	for _, r := range w.ts.Approvals.ForAutomation(w.rec.Rule) {
		if r.Ask.Digest == j.Digest {
			return tools.Decision{Action: tools.Reject, Reason: tools.RefusedQueued, Code: r.Ask.Code}
		}
	}
	r := w.approvalRecord(j)
	r.Automation, r.Unseen, r.Audience = w.rec.Rule, true, c.Audience()
	a, err := w.ts.Approvals.Open(j, r, time.Now().Add(approval.StoredFor), false)
	if err != nil {
		w.ts.log.Warn().Err(err).Msg("cannot save approval")
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}
	}
	c.AskLater(a, w.answerIn)
	w.ts.Stored.watchExpiry()
	w.ts.post.PublishWaiting(a.Ask)
	return tools.Decision{Action: tools.Reject, Reason: tools.RefusedQueued, Code: a.Ask.Code}
}

// Question returns the text above the command: for an upgrade what it would do, then the question.
func Question(j tools.JudgedPlan, lang i18n.Lang) string {
	return Foreseen(j, lang) + questionAlone(j, lang)
}

// Foreseen says what an upgrade among the commands would do, and what would keep the computer from starting again after a
// restart or a power-off. It ends with a line break, and is "" for other plans.
func Foreseen(j tools.JudgedPlan, lang i18n.Lang) (text string) {
	if j.Plan.NextStart != nil {
		text = againstStart(*j.Plan.NextStart, lang)
	}
	if j.Plan.Preview != nil {
		text += j.Plan.Preview.Short(lang) + "\n"
	}
	if j.Plan.Snapper != "" {
		text += i18n.UpgradeSnapshots(j.Plan.Snapper).In(lang) + "\n"
	}
	return text
}

// againstStart says what would keep the computer from starting again, "" if nothing would.
func againstStart(next machine.NextStart, lang i18n.Lang) string {
	verdict := i18n.HelperReadyNo
	switch next.Worst() {
	case machine.BootNote:
		return ""
	case machine.BootUnknown:
		verdict = i18n.HelperReadyUnknown
	}
	lines := []string{verdict.In(lang)}
	for _, f := range next.Findings {
		if f.Weight != machine.BootNote {
			lines = append(lines, "- "+diagnose.NextStartText(f).In(lang))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// questionAlone returns the sentence above the command.
func questionAlone(j tools.JudgedPlan, lang i18n.Lang) string {
	switch {
	case j.Plan.Reason == tools.ReasonKeep:
		return i18n.AskKeep(int(j.Plan.Within.Seconds())).In(lang)
	case j.Plan.Typed != nil:
		return planQuestion(j, lang)
	}
	var in struct{ Name, Action string }
	if json.Unmarshal(j.Call.Input, &in) != nil {
		return i18n.AskQuestion.In(lang)
	}
	switch j.Plan.Tool {
	case "install_package":
		return i18n.AskInstall(in.Name).In(lang)
	case "remove_package":
		return i18n.AskRemove(in.Name).In(lang)
	case "update_system":
		return i18n.AskUpdate.In(lang)
	case "remember":
		return i18n.AskRemember.In(lang)
	case "forget":
		return i18n.AskForget.In(lang)
	case "update_user":
		return i18n.AskUserNotes.In(lang)
	case "schedule":
		return i18n.AskNewAutomation.In(lang)
	case "change_automation":
		return i18n.AskChangeAutomation.In(lang)
	case "remove_automation":
		return i18n.AskRemoveAutomation.In(lang)
	case "send_file":
		return i18n.AskSendFile.In(lang)
	case "download":
		return i18n.AskDownload.In(lang)
	case "http_request":
		return i18n.AskHttpRequest.In(lang)
	case "browser":
		if text, ok := browserQuestion(j); ok {
			return text.In(lang)
		}
	case "manage_service":
		return i18n.AskService(in.Name, in.Action).In(lang)
	}
	if len(j.UnnamedHosts) > 0 {
		return i18n.AskHost(strings.Join(j.UnnamedHosts, ", ")).In(lang)
	}
	return i18n.AskQuestion.In(lang)
}

// browserQuestion returns the question about what is done with a page, the most important one first. Opening a page is
// else a question about its host.
func browserQuestion(j tools.JudgedPlan) (i18n.Text, bool) {
	for _, q := range []struct {
		reason string
		ask    i18n.Text
	}{
		{action.ReasonWebForm, i18n.AskBrowserForm},
		{action.ReasonWebType, i18n.AskBrowserType},
		{action.ReasonWebClick, i18n.AskBrowserClick},
		{action.ReasonWebOpen, i18n.AskBrowserOpen},
		{action.ReasonWebShow, i18n.AskBrowserShow},
	} {
		if slices.Contains(j.Reasons, q.reason) {
			return q.ask, true
		}
	}
	return i18n.Text{}, false
}
