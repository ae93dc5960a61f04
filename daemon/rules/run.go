package rules

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
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// taskOf returns the id of the task that a run becomes.
func taskOf(r automation.Run) string { return "u" + r.ID }

// startRun carries out a rule in the background.
func (a *Automations) startRun(run automation.Run, rule automation.Rule) {
	leave := a.life.Idle.Begin(activityAutomation)
	a.life.Serving.Go(func() {
		defer leave()
		a.executeRun(run, rule)
	})
}

func (a *Automations) executeRun(run automation.Run, rule automation.Rule) {
	log := a.log.With().Str("automation", rule.Name).Str("run", run.ID).Logger()
	log.Info().Str("due", run.Due.Format(time.RFC3339)).Str("event", run.Event).Msg("automation started")
	if rule.Say != "" {
		a.remind(run, rule)
		return
	}
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
			if before := a.runs.ledger.History(rule.Name, 2); len(before) < 2 || before[1].State != automation.Failed { // reported once
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
			a.conditions.markReported(rule, run)
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
	a.conditions.markReported(rule, run)
}

// checkFailure returns why a condition could not be checked, in the rule's language.
func (a *Automations) checkFailure(err error, rule automation.Rule) string {
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
func (a *Automations) needsTurn(rt *settings.Runtime, rule automation.Rule, seen observation) bool {
	if rule.Action != "" || len(rule.Commands) > 0 {
		return seen.Fired
	}
	return seen.Fired && rt.Agent.Model().Name() != "offline"
}

// submitRun creates the task of a run.
func (a *Automations) submitRun(rt *settings.Runtime, run automation.Run, rule automation.Rule, seen observation) *ipc.Error {
	lang := a.langOf(rule)
	text := rule.Action
	if text == "" && len(rule.Commands) == 0 {
		text = i18n.AutomationExplain.In(lang)
	}
	req := ipc.Request{Stdin: seen.Text, Timeout: int(rule.Timeout / time.Second), Lang: string(lang)}
	rec := a.turns.NewTask(post.AutomationChannel, sessionOf(rule), text, req, lang)
	rec.ID, rec.Rule, rec.Run, rec.Urgent = taskOf(run), rule.Name, run.ID, seen.Urgent
	if rule.Action == "" {
		rec.Argvs = rule.Commands
		if rec.Text == "" {
			rec.Text = rule.Name
		}
	}
	if err := a.turns.AcceptRun(context.WithoutCancel(a.life.RunCtx), rec, req, &announcer{a: a, rec: rec}, rule.Session == ""); err != nil {
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

// ClientOf returns the client of a task of a rule.
func (a *Automations) ClientOf(r task.Record) turns.Client { return &announcer{a: a, rec: r} }

// announcer is the client of an automation's task. It sends the answer to the channels of the rule.
type announcer struct {
	turns.NoClient
	a   *Automations
	rec task.Record
}

func (an *announcer) Finish(m ipc.Message) (delivered bool) {
	var req ipc.Request
	_ = json.Unmarshal(an.rec.Request, &req)
	text := quoteModelText(turns.AnswerOf(m))
	var out ipc.Outcome
	if m.Error == nil && m.Decode(&out) == nil && out.Stop == turns.StopWaits {
		return true // the question was sent already
	}
	if m.Error != nil && req.Stdin != "" && an.rec.Text == i18n.AutomationExplain.In(i18n.Lang(an.rec.Lang)) {
		text = "" // the report is enough
	}
	return an.a.announceAnswer(an.rec, req.Stdin, text)
}

func (an *announcer) Detach(ipc.Message) {}

// announceAnswer announces the answer of a task.
func (a *Automations) announceAnswer(rec task.Record, report, text string) bool {
	rule, body := a.ruleOf(rec.Rule), headed(rec, text)
	if report != "" {
		body = report
		if text != "" {
			body += "\n\n" + text
		}
	}
	return a.announce(rule, outbox.Message{
		ID: turns.AnswerID(rec.ID), Session: rec.Session, Task: rec.ID, Body: body, Urgent: rec.Urgent, Snooze: rule.Check != "",
	}, nil)
}

// announceReport announces an observation.
func (a *Automations) announceReport(run automation.Run, rule automation.Rule, text string, urgent, snooze bool) {
	if text != "" {
		a.announce(rule, outbox.Message{ID: "run:" + run.ID, Body: text, Urgent: urgent, Snooze: snooze}, nil)
	}
}

// endRun ends a run in the ledger.
func (a *Automations) endRun(id string, o automation.Outcome) {
	if rt := a.settings.Current(); rt != nil {
		o.Text = rt.Redact(o.Text)
	}
	run, _ := a.runs.ledger.OpenRun(id)
	if err := a.runs.scheduler.End(id, o); err != nil && !errors.Is(err, automation.ErrUnknownRun) {
		a.log.Warn().Err(err).Str("run", id).Msg("cannot save automation run")
	}
	if p, known := a.rule(run.Rule); known && p.At != "" && run.Event == "" {
		a.removeOver(p.Rule)
	}
	if !a.life.IsStopping() { // shutdown calls arrangeWake itself
		a.life.Serving.Go(a.arrangeWake)
	}
}

// EndTaskRun ends the run of a task that is over.
func (a *Automations) EndTaskRun(rec task.Record, o automation.Outcome) {
	if rec.Run == "" {
		return
	}
	var req ipc.Request
	_ = json.Unmarshal(rec.Request, &req)
	o.Fired = o.Fired || req.Stdin != ""
	a.endRun(rec.Run, o)
}

// WithAutomation returns the context of a turn on behalf of an automation.
func (a *Automations) WithAutomation(ctx context.Context, rec task.Record) context.Context {
	if rec.Rule == "" {
		return ctx
	}
	p, _ := a.rule(rec.Rule)
	return usage.WithAutomation(ctx, usage.Automation{Name: rec.Rule, Daily: usage.USD(p.BudgetUSD)})
}

// SignedDecision returns the decision on an automation's command if a person has signed exactly this command.
func (a *Automations) signedDecision(rec task.Record, j tools.JudgedPlan) (tools.Decision, bool) {
	p, known := a.rule(rec.Rule)
	if !known || !p.Enabled || !p.AutoApply || p.Managed || !a.files.signed.Signed(p.Rule) || !j.MatchesSigned(p.Commands) {
		return tools.Decision{}, false
	}
	return tools.Decision{Action: tools.AllowOnce, By: post.AutomationChannel + " " + p.Name}, true
}
