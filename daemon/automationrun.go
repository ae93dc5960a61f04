package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// taskOf returns the id of the task that a run becomes.
func taskOf(r automation.Run) string { return "u" + r.ID }

// startRun carries out a rule in the background.
func (a *automations) startRun(run automation.Run, rule automation.Rule) {
	leave := a.life.Idle.Begin(activityAutomation)
	a.life.Serving.Go(func() {
		defer leave()
		a.executeRun(run, rule)
	})
}

func (a *automations) executeRun(run automation.Run, rule automation.Rule) {
	log := a.log.With().Str("automation", rule.Name).Str("run", run.ID).Logger()
	log.Info().Str("due", run.Due.Format(time.RFC3339)).Str("event", run.Event).Msg("automation started")
	rt, err := a.settings.EnabledRuntime()
	if err != nil {
		a.endRun(run.ID, automation.Outcome{State: automation.Failed, Reason: automation.ReasonError, Text: a.settings.Failure(err, a.langOf(rule)).Message})
		return
	}
	var seen observation
	if rule.Check != "" {
		ctx, cancel := context.WithTimeout(a.life.RunCtx, rule.Timeout)
		seen, err = a.checkCondition(ctx, rt, run, rule)
		cancel()
		switch {
		case a.life.RunCtx.Err() != nil:
			return // the next daemon checks again
		case err != nil:
			log.Warn().Err(err).Msg("cannot check condition")
			if before := a.ledger.History(rule.Name, 2); len(before) < 2 || before[1].State != automation.Failed { // reported once
				a.announceReport(run, rule, i18n.AutomationFailed(i18n.RuleName(rule.Name, a.langOf(rule)), a.checkFailure(err, rule)).In(a.langOf(rule)), false, true)
			}
			failed := failedRun(err)
			failed.Text = a.checkFailure(err, rule)
			a.endRun(run.ID, failed)
			return
		case seen.Silent:
			a.endRun(run.ID, automation.Outcome{})
			return
		}
		report := seen.Text
		if !a.needsTurn(rt, rule, seen) {
			a.announceReport(run, rule, report, seen.Urgent, true)
			a.markReported(rule, run)
			a.endRun(run.ID, automation.Outcome{Fired: true, Text: report})
			return
		}
	}
	report := seen.Text
	if err := a.submitRun(rt, run, rule, seen); err != nil {
		log.Warn().Str("error", err.Message).Msg("cannot start automation")
		a.announceReport(run, rule, cmp.Or(report, i18n.AutomationFailed(i18n.RuleName(rule.Name, a.langOf(rule)), err.Message).In(a.langOf(rule))), seen.Urgent, report != "")
		a.endRun(run.ID, automation.Outcome{State: automation.Failed, Reason: automation.ReasonError, Text: err.Message, Fired: report != ""})
		return
	}
	a.markReported(rule, run)
}

// markReported records that the observation of a run was reported.
func (a *automations) markReported(rule automation.Rule, run automation.Run) {
	a.conditionsMu.Lock()
	defer a.conditionsMu.Unlock()
	a.loadCondition(rule).markReported(run)
}

// checkFailure returns why a condition could not be checked, in the rule's language.
func (a *automations) checkFailure(err error, rule automation.Rule) string {
	if o := failedRun(err); o.Reason == automation.ReasonTimeout {
		return i18n.AutomationReason(a.langOf(rule), o.Reason)
	}
	return i18n.Cause(err, a.langOf(rule))
}

func failedRun(err error) automation.Outcome {
	o := automation.Outcome{State: automation.Failed, Reason: automation.ReasonError, Text: err.Error()}
	if errors.Is(err, context.DeadlineExceeded) {
		o.Reason = automation.ReasonTimeout
	}
	return o
}

// needsTurn reports whether a turn or commands follow an observation: the rule's action, or an explanation of
// something new if a model is available.
func (a *automations) needsTurn(rt *settings.Runtime, rule automation.Rule, seen observation) bool {
	if rule.Action != "" || len(rule.Commands) > 0 {
		return seen.Fired
	}
	return seen.Fired && rt.Agent.Model().Name() != "offline"
}

// submitRun creates the task of a run.
func (a *automations) submitRun(rt *settings.Runtime, run automation.Run, rule automation.Rule, seen observation) *ipc.Error {
	lang := a.langOf(rule)
	text := rule.Action
	if text == "" && len(rule.Commands) == 0 {
		text = i18n.AutomationExplain.In(lang)
	}
	req := ipc.Request{Stdin: seen.Text, Timeout: int(rule.Timeout / time.Second), Lang: string(lang)}
	rec := a.turns.newTask(post.AutomationChannel, sessionOf(rule), text, req, lang)
	rec.ID, rec.Rule, rec.Run, rec.Urgent = taskOf(run), rule.Name, run.ID, seen.Urgent
	if rule.Action == "" {
		rec.Argvs = rule.Commands
		if rec.Text == "" {
			rec.Text = rule.Name
		}
	}
	if a.turns.queues.full(queueKey(rec.Channel, rec.Name)) {
		return a.settings.Failure(settings.ErrBusy, lang)
	}
	if rule.Session == "" { // each run starts a new conversation
		if err := a.turns.reset(post.AutomationChannel, rec.Name); err != nil {
			a.log.Warn().Err(err).Msg("cannot reset automation conversation")
		}
	}
	if err := a.turns.tasks.Accept(rec); err != nil {
		return a.settings.Failure(err, lang)
	}
	if err := a.turns.queue(context.WithoutCancel(a.life.RunCtx), &job{rec: rec, req: req, answerIn: lang, client: &announcer{a: a, rec: rec}}); err != nil {
		a.turns.recordChange(&job{rec: rec}, a.turns.tasks.MarkRefused(rec.ID))
		return a.settings.Failure(err, lang)
	}
	return nil
}

// sessionOf returns the name of the conversation that a rule's turns belong to.
func sessionOf(r automation.Rule) string {
	if r.Session != "" {
		return r.Session
	}
	return r.Name
}

// The stop reasons of a task that ran its rule's commands instead of a turn, or that waits for approval of the
// first of them.
const (
	stopCommands = "commands"
	stopWaits    = "waits"
)

// quoteModelText returns a model's text in which no line can pass for a question or report of this program.
func quoteModelText(text string) string {
	lines := strings.Split(chat.Text(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "⏰") {
			lines[i] = "| " + line
		}
	}
	return strings.Join(lines, "\n")
}

// announcer is the client of an automation's task. It sends the answer to the channels of the rule.
type announcer struct {
	noClient
	a   *automations
	rec task.Record
}

func (an *announcer) finish(m ipc.Message) (delivered bool) {
	var req ipc.Request
	_ = json.Unmarshal(an.rec.Request, &req)
	text := quoteModelText(answerOf(m))
	var out ipc.Outcome
	if m.Error == nil && m.Decode(&out) == nil && out.Stop == stopWaits {
		return true // the question was sent already
	}
	if m.Error != nil && req.Stdin != "" && an.rec.Text == i18n.AutomationExplain.In(i18n.Lang(an.rec.Lang)) {
		text = "" // the report is enough
	}
	return an.a.announceAnswer(an.rec, req.Stdin, text)
}

func (an *announcer) detach(ipc.Message) {}

// announceAnswer announces the answer of a task.
func (a *automations) announceAnswer(rec task.Record, report, text string) bool {
	p, known := a.rule(rec.Rule)
	if !known {
		p.Rule = automation.Rule{Name: rec.Rule, Notify: []string{"cli"}}
	}
	body := i18n.AutomationSays(i18n.RuleName(rec.Rule, i18n.Lang(rec.Lang))).In(i18n.Lang(rec.Lang)) + "\n" + text
	if report != "" {
		body = report
		if text != "" {
			body += "\n\n" + text
		}
	}
	return a.announce(p.Rule, outbox.Message{ID: "task:" + rec.ID, Session: rec.Session, Task: rec.ID, Body: body, Urgent: rec.Urgent, Snooze: p.Check != ""}, nil)
}

// announceReport announces an observation.
func (a *automations) announceReport(run automation.Run, rule automation.Rule, text string, urgent, snooze bool) {
	if text != "" {
		a.announce(rule, outbox.Message{ID: "run:" + run.ID, Body: text, Urgent: urgent, Snooze: snooze}, nil)
	}
}

// endRun ends a run in the ledger.
func (a *automations) endRun(id string, o automation.Outcome) {
	if rt := a.settings.Current(); rt != nil {
		o.Text = rt.Redact(o.Text)
	}
	if err := a.scheduler.End(id, o); err != nil && !errors.Is(err, automation.ErrUnknownRun) {
		a.log.Warn().Err(err).Str("run", id).Msg("cannot save automation run")
	}
	if !a.life.IsStopping() { // shutdown calls arrangeWake itself
		a.life.Serving.Go(a.arrangeWake)
	}
}

// endTaskRun ends the run of a task that is over.
func (a *automations) endTaskRun(rec task.Record, o automation.Outcome) {
	if a == nil || rec.Run == "" {
		return
	}
	var req ipc.Request
	_ = json.Unmarshal(rec.Request, &req)
	o.Fired = o.Fired || req.Stdin != ""
	a.endRun(rec.Run, o)
}

// outcomeOf returns how the run of an ended task ended, from the task's record.
func outcomeOf(rec task.Record) automation.Outcome {
	o := automation.Outcome{Text: rec.Answer}
	if rec.Error != nil {
		o.State, o.Reason = automation.Failed, automation.ReasonError
		switch rec.Error.Code {
		case codeInterrupted:
			o.Reason = automation.ReasonInterrupted
		case string(ipc.CodeTimeout):
			o.Reason = automation.ReasonTimeout
		case string(ipc.CodeDenied):
			o.Reason = automation.ReasonDenied
		}
	}
	return o
}

// outcomeOfEnd returns how the run of a job ended.
func outcomeOfEnd(j *job, e end) automation.Outcome {
	o := outcomeOf(task.Record{Answer: answerOf(e.frame), Error: e.failure})
	var reached *usage.LimitError
	if errors.As(j.err, &reached) {
		o.State, o.Reason = automation.Skipped, automation.ReasonBudget
	}
	var out ipc.Outcome
	if e.failure == nil && e.frame.Decode(&out) == nil && len(out.Pending) > 0 {
		o.Reason = automation.ReasonWaits
	}
	return o
}

// withAutomation returns the context of a turn on behalf of an automation.
func (a *automations) withAutomation(ctx context.Context, rec task.Record) context.Context {
	if a == nil || rec.Rule == "" {
		return ctx
	}
	p, _ := a.rule(rec.Rule)
	return usage.WithAutomation(ctx, usage.Automation{Name: rec.Rule, Daily: usage.USD(p.BudgetUSD)})
}

// signedDecision returns the decision on an automation's command if a person has signed exactly this command.
func (a *automations) signedDecision(rec task.Record, j tools.JudgedPlan) (tools.Decision, bool) {
	if a == nil || rec.Rule == "" {
		return tools.Decision{}, false
	}
	p, known := a.rule(rec.Rule)
	if !known || !p.Enabled || !p.AutoApply || p.Managed || !a.signed.Signed(p.Rule) || !j.MatchesSigned(p.Commands) {
		return tools.Decision{}, false
	}
	return tools.Decision{Action: tools.AllowOnce, By: post.AutomationChannel + " " + p.Name}, true
}
