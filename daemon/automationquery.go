package daemon

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// errNoAutomations reports a daemon without automations.
var errNoAutomations = errors.New("this daemon has no automations")

func (c *peerConn) localAutomations() (*automations, error) {
	if c.s.rules == nil {
		return nil, errNoAutomations
	}
	if c.visibleChannel() != "" { // remote senders change them by chat, which asks for confirmation
		return nil, settings.ErrOnlyHere
	}
	c.s.rules.reloadIfChanged() // someone may just have saved a file
	return c.s.rules, nil
}

// queryAutomations lists the rules, or the named one.
func (c *peerConn) queryAutomations(_ context.Context, q ipc.Query) (any, error) {
	a, err := c.localAutomations()
	if errors.Is(err, errNoAutomations) {
		return ipc.AutomationList{Automations: []ipc.Automation{}, Problems: []ipc.AutomationProblem{}, Files: []string{}}, nil
	}
	if err != nil {
		return nil, err
	}
	if q.Name == "" {
		return a.list(page(a.all(), q), c.language()), nil
	}
	p, known := a.rule(q.Name)
	if !known {
		return nil, a.unknown(q.Name)
	}
	return a.list([]automation.ScheduledRule{p}, c.language()), nil
}

// maxProblems bounds how many problems are listed.
const maxProblems = 100

// page returns the part of a list that a client asks for.
func page[T any](list []T, q ipc.Query) []T {
	if q.Limit <= 0 {
		return list
	}
	from := min(max(q.Page-1, 0)*q.Limit, len(list))
	return list[from:min(from+q.Limit, len(list))]
}

// channelWithoutOwner returns a channel that a rule names but that has no address of the owner, or "".
func (a *automations) channelWithoutOwner(r automation.Rule) string {
	for _, channel := range r.Notify {
		if slices.Contains(ipc.Bridged, channel) && len(a.owners(channel)) == 0 {
			return channel
		}
	}
	return ""
}

// unknownAutomation reports a name without a rule, together with the existing names.
type unknownAutomation struct {
	name  string
	there []string
}

func (e *unknownAutomation) Error() string { return "no such automation: " + e.name }

func (a *automations) unknown(name string) error {
	e := &unknownAutomation{name: name}
	for _, p := range a.all() {
		e.there = append(e.there, p.Name)
	}
	slices.Sort(e.there)
	return e
}

func (a *automations) list(rules []automation.ScheduledRule, lang i18n.Lang) ipc.AutomationList {
	l := ipc.AutomationList{Automations: []ipc.Automation{}, Problems: []ipc.AutomationProblem{}, Files: []string{a.o.Paths.Automations(), a.o.Paths.ManagedAutomations()}}
	for _, p := range rules {
		l.Automations = append(l.Automations, a.ruleInfo(p, lang))
	}
	select {
	case <-a.wake.wakeKnown:
	case <-a.life.RunCtx.Done():
	}
	if p := a.settings.ConfigProblemIn(a.blockingError(), lang); p != nil {
		l.Problems = append(l.Problems, ipc.AutomationProblem{File: p.File, Line: p.Line, Column: p.Column, Text: i18n.AutomationsUnconfigured(p.Problem).In(lang)})
	}
	l.Problems = append(l.Problems, a.ruleProblems(lang)...)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wake.canWake {
		l.Wakes = "timer"
	}
	return l
}

// ruleProblems returns the problems in the rule files.
func (a *automations) ruleProblems(lang i18n.Lang) (rows []ipc.AutomationProblem) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.read.problems {
		rows = append(rows, ipc.AutomationProblem{File: p.File, Line: p.Line, Column: p.Column, Rule: p.Rule, Text: p.Text(lang)})
	}
	for _, p := range a.rules {
		if channel := a.channelWithoutOwner(p.Rule); channel != "" && p.Enabled {
			rows = append(rows, ipc.AutomationProblem{File: p.File, Line: p.Line, Rule: p.Name, Text: i18n.AutomationNoRecipient(p.Name, channel).In(lang)})
		}
	}
	return rows[:min(len(rows), maxProblems)]
}

// blockingError returns the configuration error that keeps all rules from starting, or nil.
func (a *automations) blockingError() error {
	if a.settings.Current() != nil {
		return nil
	}
	return a.settings.LastConfigError()
}

// ruleInfo returns a rule as a client shows it.
func (a *automations) ruleInfo(p automation.ScheduledRule, lang i18n.Lang) ipc.Automation {
	x := ipc.Automation{
		Name: p.Name, Schedule: p.Schedule, On: p.On, When: scheduleWords(p.Rule, lang), Action: p.Action, Check: p.Check, Over: p.Over,
		Within: spanText(p.Within), Paths: p.Paths, Notify: append([]string{}, p.Notify...), AutoApply: p.AutoApply, Commands: p.Commands,
		Signed:  p.AutoApply && a.signed.Signed(p.Rule),
		Enabled: p.Enabled, CatchUp: string(p.CatchUp), Jitter: spanText(p.Jitter), Timeout: spanText(p.Timeout), BudgetUSD: p.BudgetUSD,
		Language: p.Language, Session: p.Session, File: p.File, Line: p.Line, Managed: p.Managed,
		Running: a.scheduler.RunningID(p.Name) != "", Zone: a.o.Zone().String(),
	}
	if p.Quiet != (automation.Quiet{}) {
		x.Quiet = p.Quiet.String()
	}
	next, ok := a.scheduler.Next(p.Name)
	if a.blockingError() != nil {
		next, ok = a.nextPlanned(p)
	}
	if ok {
		x.Next = &next
	}
	if last, ok := a.ledger.Latest(p.Name); ok {
		r := runInfo(last, lang)
		x.Last = &r
	}
	l := a.loadCondition(p.Rule)
	if until, ok := l.Watch.Snoozed(a.o.Now()); ok {
		x.Snoozed = &until
	}
	for _, f := range l.Watch.Firing() {
		x.Firing = append(x.Firing, f.Text(lang))
	}
	return x
}

func spanText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return automation.FormatDuration(d)
}

// scheduleWords describes when a rule starts.
func scheduleWords(r automation.Rule, lang i18n.Lang) string {
	var texts []string
	if s, err := automation.ParseSchedule(r.Schedule); err == nil && r.Schedule != "" {
		texts = append(texts, s.Words(lang))
	}
	for _, on := range r.On {
		if e, err := automation.ParseEvent(on); err == nil {
			texts = append(texts, e.Words(lang))
		}
	}
	return strings.Join(texts, ", ")
}

// runReason returns why a run ended as it did, or why it started.
func runReason(r automation.Run, lang i18n.Lang) string {
	if r.Reason == "" && r.Event == automation.Manual {
		return i18n.AutomationManual.In(lang)
	}
	if e, err := automation.ParseEvent(r.Event); r.Reason == "" && r.Event != "" && err == nil {
		return e.Words(lang)
	}
	return i18n.AutomationReason(lang, r.Reason)
}

// runInfo returns a run as a client shows it.
func runInfo(r automation.Run, lang i18n.Lang) ipc.AutomationRun {
	x := ipc.AutomationRun{
		ID: r.ID, Rule: r.Rule, Due: r.Due, Event: r.Event, State: cmp.Or(string(r.State), "RUNNING"), Reason: r.Reason,
		Why: runReason(r, lang), Count: r.Count, Task: taskOf(r), Fired: r.Fired, Text: r.Text,
	}
	for _, t := range []struct {
		at time.Time
		to **time.Time
	}{{r.Started, &x.Started}, {r.Ended, &x.Ended}, {r.Through, &x.Through}} {
		if !t.at.IsZero() {
			*t.to = &t.at
		}
	}
	if r.State == automation.Skipped {
		x.Task = ""
	}
	return x
}

func (c *peerConn) queryAutomationHistory(_ context.Context, q ipc.Query) (any, error) {
	a, err := c.localAutomations()
	if errors.Is(err, errNoAutomations) {
		return []ipc.AutomationRun{}, nil
	}
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = 20
	}
	runs := []ipc.AutomationRun{}
	for _, r := range a.ledger.History(q.Name, min(limit, 1000)) {
		runs = append(runs, runInfo(r, c.language()))
	}
	if _, known := a.rule(q.Name); q.Name != "" && len(runs) == 0 && !known {
		return nil, a.unknown(q.Name)
	}
	return runs, nil
}

func (c *peerConn) queryAutomationNext(_ context.Context, q ipc.Query) (any, error) {
	a, err := c.localAutomations()
	if errors.Is(err, errNoAutomations) {
		return []ipc.AutomationDue{}, nil
	}
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = 10
	}
	due := []ipc.AutomationDue{}
	for _, d := range a.scheduler.Upcoming(min(limit, 1000)) {
		due = append(due, ipc.AutomationDue{Rule: d.Rule, Due: d.At, Zone: a.o.Zone().String(), When: a.formatTime(d.At, c.language())})
	}
	return due, nil
}

// automationAction changes or starts a rule for a local client.
func (c *peerConn) automationAction(ctx context.Context, m ipc.Message) {
	a, err := c.localAutomations()
	var change ipc.AutomationChange
	if err == nil {
		err = m.Decode(&change)
	}
	switch {
	case err != nil:
	case m.Action == ipc.ActionAutomationRun:
		err = c.runNow(m, a, change)
	default:
		var data ipc.Automation
		if data, err = a.applyChange(ctx, m.Action, change, c.language()); err == nil {
			_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(data))
		}
	}
	if err != nil {
		c.fail(m, c.automationFailure(err))
	}
}

// automationFailure returns why a rule could not be changed, for the client.
func (c *peerConn) automationFailure(err error) *ipc.Error {
	lang := c.language()
	var unknown *unknownAutomation
	var bad automation.Problem
	var odd *parseError
	switch {
	case errors.As(err, &unknown):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrNoAutomation(unknown.name).In(lang), Hint: i18n.AutomationNames(lang, unknown.there)}
	case errors.As(err, &odd):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrAutomationTyped(odd.name, odd.text, odd.example).In(lang)}
	case errors.As(err, &bad):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: bad.Text(lang)}
	case errors.Is(err, automation.ErrRunning):
		return &ipc.Error{Code: ipc.CodeBusy, Message: i18n.ErrAutomationBusy.In(lang)}
	case errors.Is(err, automation.ErrExists):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrAutomationThere.In(lang)}
	}
	return c.s.settings.Failure(err, lang)
}

func (a *automations) applyChange(ctx context.Context, action string, ch ipc.AutomationChange, lang i18n.Lang) (ipc.Automation, error) {
	p, known := a.named(ch.Name)
	switch {
	case action == ipc.ActionAutomationAdd:
		p, _ = a.rule(ch.Name)
	case !known:
		return ipc.Automation{}, a.unknown(ch.Name)
	default:
		ch.Name = p.Name
	}
	var err error
	switch action {
	case ipc.ActionAutomationSnooze:
		span := time.Duration(0)
		if ch.For != "0" {
			if span, err = automation.ParseSpan(ch.For); err != nil {
				err = &parseError{"for", ch.For, "30m, 2h, 1d"}
			}
		}
		if err == nil {
			a.snooze(ch.Name, span)
		}
	case ipc.ActionAutomationEnable:
		err = a.managed.Enable(ctx, ch.Name, true)
	case ipc.ActionAutomationDisable:
		err = a.managed.Enable(ctx, ch.Name, false)
	case ipc.ActionAutomationRemove:
		err = a.managed.Remove(ctx, ch.Name)
	case ipc.ActionAutomationAdd:
		err = a.addTyped(ctx, ch)
	case ipc.ActionAutomationChange:
		err = a.editTyped(ctx, ch)
	}
	if err != nil {
		return ipc.Automation{}, err
	}
	a.loadRules()
	a.life.Serving.Go(a.arrangeWake)
	a.log.Info().Str("automation", ch.Name).Str("action", action).Msg("automations changed by command")
	if now, still := a.rule(ch.Name); still {
		p = now
	}
	return a.ruleInfo(p, lang), nil
}

// runNow starts a rule now.
func (c *peerConn) runNow(m ipc.Message, a *automations, ch ipc.AutomationChange) error {
	p, known := a.named(ch.Name)
	if !known {
		return a.unknown(ch.Name)
	}
	run, err := a.scheduler.Begin(p.Name)
	if err != nil {
		return err
	}
	if !ch.Wait {
		_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(runInfo(run, c.language())))
		return nil
	}
	c.pendingRequests.Add(1)
	c.s.life.Serving.Go(func() {
		defer c.pendingRequests.Done()
		ended := a.awaitRun(run, c.gone)
		_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(runInfo(ended, c.language())))
	})
	return nil
}

// awaitRun waits until a run has ended, the client has disconnected or the daemon stops.
func (a *automations) awaitRun(run automation.Run, gone <-chan struct{}) automation.Run {
	for {
		changed := a.ledger.Changed()
		if r, ok := a.ledger.Find(run.Rule, run.ID); ok && r.State != "" {
			return r
		}
		select {
		case <-changed:
		case <-gone:
			return run
		case <-a.life.RunCtx.Done():
			return run
		}
	}
}
